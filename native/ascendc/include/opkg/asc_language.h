// SPDX-License-Identifier: Apache-2.0
// What a compiler of Ascend C knows without any include. opkg-ascc includes this before the first line of a file.
#ifndef OPKG_ASC_LANGUAGE_H
#define OPKG_ASC_LANGUAGE_H

#include "twin/types.h"

#include "opkg/asc_launch.h"

namespace opkg::asc {

// A type without const, as an argument is stored.
template <typename T>
struct PlainOf {
    using type = T;
};
template <typename T>
struct PlainOf<const T> {
    using type = T;
};
template <typename T>
using Plain = typename PlainOf<T>::type;

} // namespace opkg::asc

#endif // OPKG_ASC_LANGUAGE_H
