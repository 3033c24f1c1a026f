// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_TWIN_VEC_COPIES_HPP
#define OPKG_TWIN_VEC_COPIES_HPP

#include <stddef.h>
#include <stdint.h>

namespace opkg::twin {
extern void (*copy_function)(void *dst, const void *src, size_t bytes);
extern void (*stream_function)(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead);
}

#endif // OPKG_TWIN_VEC_COPIES_HPP
