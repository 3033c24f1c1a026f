// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

#include "top_count_tiling.h"

extern "C" __global__ __aicore__ void top_count(GM_ADDR x, GM_ADDR largest, GM_ADDR count, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(TopCountTilingData);
    GET_TILING_DATA(data, tiling);
    AscendC::GlobalTensor<DTYPE_X> from, best;
    AscendC::GlobalTensor<int32_t> counts;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(x), data.rows * data.columns);
    best.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(largest), data.rows);
    counts.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(count), data.rows);
    for (uint64_t row = 0; row < data.rows; ++row) {
        float top = static_cast<float>(from.GetValue(row * data.columns));
        int32_t above = 0;
        for (uint64_t column = 0; column < data.columns; ++column) {
            const float value = static_cast<float>(from.GetValue(row * data.columns + column));
            top = value > top ? value : top;
            above += value > data.threshold ? 1 : 0;
        }
        best.SetValue(row, static_cast<DTYPE_X>(top));
        counts.SetValue(row, above);
    }
}
