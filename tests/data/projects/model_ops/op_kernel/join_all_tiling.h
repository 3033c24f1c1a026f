// SPDX-License-Identifier: Apache-2.0
#ifndef JOIN_ALL_TILING_H
#define JOIN_ALL_TILING_H
#include <cstdint>

struct JoinAllTilingData {
    uint32_t count;
    uint32_t rows;
};
#endif
