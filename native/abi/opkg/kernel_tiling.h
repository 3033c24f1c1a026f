// SPDX-License-Identifier: Apache-2.0
// The tiling structs of library functions, as kernels see them. Each family has a file of its own.
#ifndef OPKG_KERNEL_TILING_H
#define OPKG_KERNEL_TILING_H

#include "opkg/adv/norm_tiling.h"
#include "opkg/adv/tiling.h"
#include "opkg/cube_tiling.h"

#endif // OPKG_KERNEL_TILING_H
