// SPDX-License-Identifier: Apache-2.0
// The kernel itself, for any floating-point type: a template, launched as blend<T><<<...>>>(...).
#ifndef BLEND_KERNEL_H
#define BLEND_KERNEL_H

#include "blend_kernels.h"
#include "kernel_operator.h"

template <typename T>
class Blend {
public:
    static constexpr uint32_t kTile = 2048;

    __aicore__ Blend(GM_ADDR x, GM_ADDR y, GM_ADDR z, Span span)
    {
        const uint32_t first = AscendC::GetBlockIdx() * span.per_core;
        count_ = first >= span.count ? 0 : span.count - first < span.per_core ? span.count - first : span.per_core;
        x_.SetGlobalBuffer((__gm__ T *)x + first, count_);
        y_.SetGlobalBuffer((__gm__ T *)y + first, count_);
        z_.SetGlobalBuffer((__gm__ T *)z + first, count_);
        pipe_.InitBuffer(in_x_, 2, kTile * sizeof(T));
        pipe_.InitBuffer(in_y_, 2, kTile * sizeof(T));
        pipe_.InitBuffer(out_z_, 2, kTile * sizeof(T));
    }

    __aicore__ void run(T weight)
    {
        for (uint32_t at = 0; at < count_; at += kTile) {
            tile(at, count_ - at < kTile ? count_ - at : kTile, weight);
        }
    }

private:
    __aicore__ void tile(uint32_t at, uint32_t n, T weight)
    {
        copy_in(in_x_, x_[at], n);
        copy_in(in_y_, y_[at], n);
        auto x = in_x_.template DeQue<T>();
        auto y = in_y_.template DeQue<T>();
        auto z = out_z_.template AllocTensor<T>();
        AscendC::Sub(y, y, x, n);
        AscendC::Muls(y, y, weight, n);
        AscendC::Add(z, x, y, n);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
        out_z_.EnQue(z);
        z = out_z_.template DeQue<T>();
        AscendC::DataCopyPad(z_[at], z, AscendC::DataCopyExtParams{1, n * uint32_t(sizeof(T)), 0, 0, 0});
        out_z_.FreeTensor(z);
    }

    __aicore__ void copy_in(AscendC::TQue<AscendC::TPosition::VECIN, 2> &queue, AscendC::GlobalTensor<T> from, uint32_t n)
    {
        auto local = queue.template AllocTensor<T>();
        AscendC::DataCopyPad(local, from, AscendC::DataCopyExtParams{1, n * uint32_t(sizeof(T)), 0, 0, 0},
                             AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
        queue.EnQue(local);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_x_, in_y_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_z_;
    AscendC::GlobalTensor<T> x_, y_, z_;
    uint32_t count_;
};

template <typename T>
__global__ __vector__ void blend(GM_ADDR x, GM_ADDR y, GM_ADDR z, float weight, Span span)
{
    Blend<T>(x, y, z, span).run(static_cast<T>(weight));
}

#endif // BLEND_KERNEL_H
