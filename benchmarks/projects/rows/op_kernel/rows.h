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

// A tile is a few rows; each begins at a multiple of 32 bytes in the Unified Buffer.
template <typename Step>
class Rows {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols, uint32_t atOnce) {
        cols_ = cols;
        outCols_ = Step::kScalar ? 1 : cols;
        stride_ = (cols + kAlign - 1) / kAlign * kAlign;
        outStride_ = Step::kScalar ? 1 : stride_;
        x_.SetGlobalBuffer((__gm__ float *)x, static_cast<uint64_t>(rows) * cols_);
        y_.SetGlobalBuffer((__gm__ float *)y, static_cast<uint64_t>(rows) * outCols_);
        const uint32_t tileBytes = (atOnce * stride_ + kAlign) * sizeof(float);
        pipe_.InitBuffer(in_, 2, tileBytes);
        pipe_.InitBuffer(out_, 2, Step::kScalar ? atOnce * sizeof(float) + 32 : tileBytes);
        pipe_.InitBuffer(work_, stride_ * sizeof(float));
        pipe_.InitBuffer(scalar_, 32);
        for (uint32_t row = AscendC::GetBlockIdx() * atOnce; row < rows; row += AscendC::GetBlockNum() * atOnce) {
            Tile(row, rows - row < atOnce ? rows - row : atOnce);
        }
    }

private:
    static constexpr uint32_t kAlign = 32 / sizeof(float);

    __aicore__ inline void Tile(uint32_t row, uint32_t count) {
        AscendC::LocalTensor<float> x = in_.AllocTensor<float>();
        AscendC::DataCopyExtParams in{static_cast<uint16_t>(count), cols_ * static_cast<uint32_t>(sizeof(float)), 0, 0, 0};
        AscendC::DataCopyPad(x, x_[static_cast<uint64_t>(row) * cols_], in, AscendC::DataCopyPadExtParams<float>{});
        in_.EnQue(x);
        x = in_.DeQue<float>();
        AscendC::LocalTensor<float> y = out_.AllocTensor<float>();
        for (uint32_t r = 0; r < count; ++r) {
            Step::Apply(Row{x[r * stride_], y[r * outStride_], work_.Get<float>(), scalar_.Get<float>(),
                            static_cast<int32_t>(cols_)});
        }
        in_.FreeTensor(x);
        out_.EnQue(y);
        y = out_.DeQue<float>();
        const uint16_t blocks = Step::kScalar ? 1 : static_cast<uint16_t>(count);
        const uint32_t bytes = (Step::kScalar ? count : cols_) * static_cast<uint32_t>(sizeof(float));
        AscendC::DataCopyExtParams out{blocks, bytes, 0, 0, 0};
        AscendC::DataCopyPad(y_[static_cast<uint64_t>(row) * outCols_], y, out);
        out_.FreeTensor(y);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scalar_;
    AscendC::GlobalTensor<float> x_;
    AscendC::GlobalTensor<float> y_;
    uint32_t cols_ = 0;      // of a row of x
    uint32_t outCols_ = 0;   // of a row of y
    uint32_t stride_ = 0;    // elements from row to row of x in a tile
    uint32_t outStride_ = 0; // the same of y
};

#endif
