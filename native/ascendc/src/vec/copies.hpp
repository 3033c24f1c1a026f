// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_TWIN_VEC_COPIES_HPP
#define OPKG_TWIN_VEC_COPIES_HPP

#include <stddef.h>
#include <stdint.h>

#include "twin/abi.h"

namespace opkg::twin {
// opkg_twin_binary of float32, where dst is memory that is not read again soon.
extern BinaryFn stream_floats[kBinaryOps];
extern void (*copy_function)(void *dst, const void *src, size_t bytes);
extern void (*stream_function)(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead);
}

#endif // OPKG_TWIN_VEC_COPIES_HPP
