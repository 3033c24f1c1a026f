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

// A launch whose arguments are given by their addresses, for kernels that are looked up by name.
template <typename... All>
struct PackedArguments {
    template <typename... Before>
    static uint32_t launch_them(void (*kernel)(Before...), uint32_t blocks, void *stream, const void *const *,
                                const Plain<Before> &...before)
    {
        return launch(blocks, nullptr, stream, [kernel](auto... values) { kernel(values...); }, before...);
    }
};
template <typename First, typename... Rest>
struct PackedArguments<First, Rest...> {
    template <typename... All, typename... Before>
    static uint32_t launch_them(void (*kernel)(All...), uint32_t blocks, void *stream, const void *const *values,
                                const Before &...before)
    {
        return PackedArguments<Rest...>::launch_them(kernel, blocks, stream, values + 1, before...,
                                                     *static_cast<const Plain<First> *>(*values));
    }
};

template <typename... Parameters>
inline uint32_t launch_packed(void (*kernel)(Parameters...), uint32_t blocks, void *stream, const void *const *values)
{
    return PackedArguments<Parameters...>::launch_them(kernel, blocks, stream, values);
}

template <typename... Parameters>
constexpr uint32_t parameters_of(void (*)(Parameters...))
{
    return sizeof...(Parameters);
}

} // namespace opkg::asc

#endif // OPKG_ASC_LANGUAGE_H
