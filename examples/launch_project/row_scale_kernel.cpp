// SPDX-License-Identifier: Apache-2.0
// Tiling key 1: the rows of a core one after the other; tiling key 2: every so many rows, as many as there are cores.
#include "kernel_operator.h"
#include "row_scale.h"

#ifndef ROW_TILE
#define ROW_TILE 2048
#endif

using namespace AscendC;

namespace {

class RowScale {
public:
    __aicore__ RowScale(GM_ADDR x, GM_ADDR scale, GM_ADDR y, const RowScaleTiling &tiling) : tiling_(tiling)
    {
        x_.SetGlobalBuffer((__gm__ float *)x, tiling.rows * tiling.columns);
        scale_.SetGlobalBuffer((__gm__ float *)scale, tiling.rows);
        y_.SetGlobalBuffer((__gm__ float *)y, tiling.rows * tiling.columns);
        pipe_.InitBuffer(in_, 2, ROW_TILE * sizeof(float));
        pipe_.InitBuffer(out_, 2, ROW_TILE * sizeof(float));
    }

    __aicore__ void row(uint32_t index)
    {
        const float factor = scale_.GetValue(index);
        for (uint32_t at = 0; at < tiling_.columns; at += ROW_TILE) {
            const uint32_t n = tiling_.columns - at < ROW_TILE ? tiling_.columns - at : ROW_TILE;
            tile(uint64_t(index) * tiling_.columns + at, n, factor);
        }
    }

private:
    __aicore__ void tile(uint64_t offset, uint32_t n, float factor)
    {
        const DataCopyExtParams shape{1, n * uint32_t(sizeof(float)), 0, 0, 0};
        LocalTensor<float> x = in_.AllocTensor<float>();
        DataCopyPad(x, x_[offset], shape, DataCopyPadExtParams<float>{false, 0, 0, 0});
        in_.EnQue(x);
        x = in_.DeQue<float>();
        LocalTensor<float> y = out_.AllocTensor<float>();
        Muls(y, x, factor, n);
        out_.EnQue(y);
        in_.FreeTensor(x);
        y = out_.DeQue<float>();
        DataCopyPad(y_[offset], y, shape);
        out_.FreeTensor(y);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<float> x_, scale_, y_;
    RowScaleTiling tiling_;
};

} // namespace

extern "C" __global__ __aicore__ void row_scale(GM_ADDR x, GM_ADDR scale, GM_ADDR y, RowScaleTiling tiling)
{
    RowScale op(x, scale, y, tiling);
    const uint32_t cores = GetBlockNum();
    if (TILING_KEY_IS(2)) {
        for (uint32_t row = GetBlockIdx(); row < tiling.rows; row += cores) {
            op.row(row);
        }
        return;
    }
    const uint32_t share = (tiling.rows + cores - 1) / cores;
    const uint32_t first = GetBlockIdx() * share;
    for (uint32_t row = first; row < first + share && row < tiling.rows; ++row) {
        op.row(row);
    }
}
