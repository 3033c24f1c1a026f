// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

#include "join_all_tiling.h"

// A dynamic input is a block of uint64: bytes up to the addresses, then (rank | index << 32, extents...) of each tensor,
// then the addresses.
extern "C" __global__ __aicore__ void join_all(GM_ADDR xs, GM_ADDR rows, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(JoinAllTilingData);
    GET_TILING_DATA(data, tiling);
    __gm__ uint64_t *block = reinterpret_cast<__gm__ uint64_t *>(xs);
    __gm__ uint64_t *addresses = block + block[0] / sizeof(uint64_t);
    __gm__ float *to = reinterpret_cast<__gm__ float *>(y);
    for (uint32_t row = 0; row < data.rows; ++row) {
        __gm__ uint64_t *extents = block + 1;
        for (uint32_t i = 0; i < data.count; ++i) {
            const uint32_t rank = static_cast<uint32_t>(extents[0]);
            __gm__ float *from = reinterpret_cast<__gm__ float *>(addresses[i]);
            for (uint64_t k = 0; k < extents[1]; ++k) {
                *to++ = from[k];
            }
            extents += rank + 1;
        }
    }
}
