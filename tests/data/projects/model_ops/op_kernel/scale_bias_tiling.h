// SPDX-License-Identifier: Apache-2.0
#ifndef SCALE_BIAS_TILING_H
#define SCALE_BIAS_TILING_H
#include <cstdint>

struct ScaleBiasTilingData {
    uint64_t total;
    float scale;
    float offset;
    uint32_t hasBias;
};
#endif
