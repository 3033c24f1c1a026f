// SPDX-License-Identifier: Apache-2.0
// The host side of the library functions that need tiling of their own.
#ifndef OPKG_HOST_TILING_API_H
#define OPKG_HOST_TILING_API_H

#include "adv/filter_tiling.h"
#include "adv/layout_tiling.h"
#include "adv/math_tiling.h"
#include "adv/matmul_tiling.h"
#include "adv/norm_tiling.h"
#include "adv/reduce_tiling.h"
#include "adv/sort_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif // OPKG_HOST_TILING_API_H
