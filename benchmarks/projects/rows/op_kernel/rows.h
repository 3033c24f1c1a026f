// SPDX-License-Identifier: Apache-2.0
// Operators that turn each row of a float matrix into a row, or into one number. A row fits the Unified Buffer.
#ifndef ROWS_H
#define ROWS_H

#include "kernel_operator.h"

struct Row {
    AscendC::LocalTensor<float> x;
    AscendC::LocalTensor<float> y;
    AscendC::LocalTensor<float> work;
    AscendC::LocalTensor<float> scalar;
    int32_t cols;

    __aicore__ inline float Sum(const AscendC::LocalTensor<float> &of) const {
        AscendC::ReduceSum(scalar, of, work, cols);
        return scalar.GetValue(0);
    }
};

struct RowSumStep {
    static constexpr bool kScalar = true;
    static __aicore__ inline void Apply(const Row &row) {
        AscendC::ReduceSum(row.y, row.x, row.work, row.cols);
    }
};

struct RowSoftmaxStep {
    static constexpr bool kScalar = false;
    static __aicore__ inline void Apply(const Row &row) {
        AscendC::ReduceMax(row.scalar, row.x, row.work, row.cols);
        AscendC::Adds(row.y, row.x, -row.scalar.GetValue(0), row.cols);
        AscendC::Exp(row.y, row.y, row.cols);
        AscendC::Muls(row.y, row.y, 1.0f / row.Sum(row.y), row.cols);
    }
};

struct RowLayerNormStep {
    static constexpr bool kScalar = false;
    static constexpr float kEpsilon = 1e-5f;
    static __aicore__ inline void Apply(const Row &row) {
        const float scale = 1.0f / static_cast<float>(row.cols);
        AscendC::Adds(row.x, row.x, -row.Sum(row.x) * scale, row.cols);
        AscendC::Mul(row.y, row.x, row.x, row.cols);
        const float variance = row.Sum(row.y) * scale;
        row.scalar.SetValue(0, variance + kEpsilon);
        AscendC::Sqrt(row.scalar, row.scalar, 1);
        AscendC::Muls(row.y, row.x, 1.0f / row.scalar.GetValue(0), row.cols);
    }
};

template <typename Step>
class Rows {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols) {
        const uint32_t outCols = Step::kScalar ? 1 : cols;
        x_.SetGlobalBuffer((__gm__ float *)x, static_cast<uint64_t>(rows) * cols);
        y_.SetGlobalBuffer((__gm__ float *)y, static_cast<uint64_t>(rows) * outCols);
        const uint32_t bytes = (cols * sizeof(float) + 31) / 32 * 32;
        pipe_.InitBuffer(in_, 2, bytes);
        pipe_.InitBuffer(out_, 2, bytes);
        pipe_.InitBuffer(work_, bytes);
        pipe_.InitBuffer(scalar_, 32);
        for (uint32_t row = AscendC::GetBlockIdx(); row < rows; row += AscendC::GetBlockNum()) {
            One(row, cols, outCols);
        }
    }

private:
    __aicore__ inline void One(uint32_t row, uint32_t cols, uint32_t outCols) {
        AscendC::LocalTensor<float> x = in_.AllocTensor<float>();
        AscendC::DataCopyExtParams in{1, static_cast<uint32_t>(cols * sizeof(float)), 0, 0, 0};
        AscendC::DataCopyPad(x, x_[static_cast<uint64_t>(row) * cols], in, AscendC::DataCopyPadExtParams<float>{});
        in_.EnQue(x);
        x = in_.DeQue<float>();
        AscendC::LocalTensor<float> y = out_.AllocTensor<float>();
        Step::Apply(Row{x, y, work_.Get<float>(), scalar_.Get<float>(), static_cast<int32_t>(cols)});
        in_.FreeTensor(x);
        out_.EnQue(y);
        y = out_.DeQue<float>();
        AscendC::DataCopyExtParams out{1, static_cast<uint32_t>(outCols * sizeof(float)), 0, 0, 0};
        AscendC::DataCopyPad(y_[static_cast<uint64_t>(row) * outCols], y, out);
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scalar_;
    AscendC::GlobalTensor<float> x_;
    AscendC::GlobalTensor<float> y_;
};

#endif
