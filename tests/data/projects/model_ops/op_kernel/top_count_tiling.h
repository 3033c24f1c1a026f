// SPDX-License-Identifier: Apache-2.0
#ifndef TOP_COUNT_TILING_H
#define TOP_COUNT_TILING_H
#include <cstdint>

struct TopCountTilingData {
    uint64_t rows;
    uint64_t columns;
    float threshold;
};
#endif
