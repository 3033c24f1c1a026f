// SPDX-License-Identifier: Apache-2.0
// z = x + weight * (y - x), on the cores of one device.
#ifndef BLEND_KERNELS_H
#define BLEND_KERNELS_H

#include <cstdint>

#include "acl/acl.h"

struct Span {
    uint32_t count;    // elements of the whole tensor
    uint32_t per_core; // elements of one core, a multiple of 16
};

// Launches the kernel for half; the arrays are in device memory.
void blend_half(uint32_t cores, aclrtStream stream, void *x, void *y, void *z, float weight, Span span);

#endif // BLEND_KERNELS_H
