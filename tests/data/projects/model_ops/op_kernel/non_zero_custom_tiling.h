// SPDX-License-Identifier: Apache-2.0
#ifndef NON_ZERO_CUSTOM_TILING_H
#define NON_ZERO_CUSTOM_TILING_H
#include <cstdint>

struct NonZeroCustomTilingData {
    uint64_t total;
};
#endif
