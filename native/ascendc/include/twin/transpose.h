// SPDX-License-Identifier: Apache-2.0
// Exchanging rows and columns, and taking elements of two tensors in turn.
#ifndef OPKG_TWIN_TRANSPOSE_H
#define OPKG_TWIN_TRANSPOSE_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr uint32_t kTransposed = dtypes(kI16, kU16, kF16);
inline constexpr uint32_t kTransposedAxes = on_chip(kB8 | dtypes(kI16, kU16, kF16) | kB32, dtypes(kBF16));
inline constexpr uint32_t kContinued =
    __NPU_ARCH__ == 2002 ? dtypes(kI16, kU16, kF16, kI32, kU32, kF32) : 0;
inline constexpr uint32_t kInterleaved = on_chip(0, kB8 | kB16 | kB32 | kB64);

} // namespace opkg::twin

namespace AscendC {

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
#if __NPU_ARCH__ >= 3510
    TRANSPOSE_ND2ND_021,
    TRANSPOSE_ND2ND_102,
    TRANSPOSE_ND2ND_210,
    TRANSPOSE_ND2NZ_WITH_INTLV,
#endif
};

struct TransDataTo5HDParams {
    constexpr TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(const bool dst_high, const bool src_high, const uint8_t repeats,
                                   const uint16_t dst_rep, const uint16_t src_rep)
        : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeats), dstRepStride(dst_rep),
          srcRepStride(src_rep)
    {
    }
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

struct TransposeParamsExt {
    constexpr TransposeParamsExt() = default;
    constexpr TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w,
                                 const TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type)
    {
    }
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

// A matrix of 16 by 16 elements.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
    OPKG_TWIN_REQUIRE("Transpose", T, opkg::twin::kTransposed);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, 256), opkg_reads(src, 256));
    opkg_twin_transpose(dst.data(), src.data(), sizeof(T), 1, 16, 16);
}
// A matrix, or the channels of N images behind their pixels or before them.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 [[maybe_unused]] const LocalTensor<uint8_t> &sharedTmpBuffer,
                                 const TransposeParamsExt &p)
{
    OPKG_TWIN_REQUIRE("Transpose of axes", T,
                      opkg::twin::kTransposedAxes | opkg::twin::on_chip(0, opkg::twin::kSmallFloats8));
    const size_t pixels = static_cast<size_t>(p.hSize) * p.wSize;
    [[maybe_unused]] const bool axes = p.transposeType != TransposeType::TRANSPOSE_ND2ND_B16;
    [[maybe_unused]] const size_t all = axes ? pixels * p.nSize * p.cSize : 256;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, all), opkg_reads(src, all), opkg_scratch(sharedTmpBuffer));
    switch (p.transposeType) {
        case TransposeType::TRANSPOSE_TYPE_NONE:
            return;
        case TransposeType::TRANSPOSE_ND2ND_B16:
            opkg_twin_transpose(dst.data(), src.data(), sizeof(T), 1, 16, 16);
            return;
        case TransposeType::TRANSPOSE_NCHW2NHWC:
            opkg_twin_transpose(dst.data(), src.data(), sizeof(T), p.nSize, p.cSize, pixels);
            return;
        case TransposeType::TRANSPOSE_NHWC2NCHW:
            opkg_twin_transpose(dst.data(), src.data(), sizeof(T), p.nSize, pixels, p.cSize);
            return;
        default:
            opkg_twin_fail("Transpose does not support TransposeType %d", static_cast<int>(p.transposeType));
    }
}

// Reads sixteen blocks of 32 bytes across: the first elements of all of them, then the second ones and so on.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                      uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams &p)
{
    OPKG_TWIN_REQUIRE("TransDataTo5HD", T, opkg::twin::kTransposedAxes);
    opkg::twin::settle();
    opkg_twin_transpose_blocks(dstList, srcList, sizeof(T), (p.dstHighHalf ? 1u : 0u) | (p.srcHighHalf ? 2u : 0u),
                               p.repeatTimes, p.dstRepStride, p.srcRepStride);
}
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams &p)
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i].data());
        src[i] = reinterpret_cast<uint64_t>(srcList[i].data());
    }
    TransDataTo5HD<T>(dst, src, p);
}
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                                      const TransDataTo5HDParams &p)
{
    TransDataTo5HD<T>(dst.data(), src.data(), p);
}

// Each block of 32 bytes becomes the one that would continue it to the left or to the right, on the 310P family.
template <typename T, bool isSetMask = true>
__aicore__ inline void VectorPadding(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t padMode,
                                     const bool padSide, const uint64_t mask[], const uint8_t repeatTime,
                                     const UnaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("VectorPadding", T, opkg::twin::kContinued);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, p, sizeof(T), sizeof(T));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, plan, 0), opkg_reads(src, plan, 1));
    opkg_twin_continue_blocks(dst.data(), src.data(), padMode, padSide, &plan);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void VectorPadding(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t padMode,
                                     const bool padSide, const uint64_t mask, const uint8_t repeatTime,
                                     const UnaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    VectorPadding<T, isSetMask>(dst, src, padMode, padSide, bits.bits, repeatTime, p);
}
template <typename T>
__aicore__ inline void VectorPadding(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t padMode,
                                     const bool padSide, const uint32_t count)
{
    constexpr uint32_t per_repeat = opkg::twin::mask_bits(sizeof(T));
    for (uint32_t i = 0; i < count; i += per_repeat) {
        const uint64_t here = count - i < per_repeat ? count - i : per_repeat;
        VectorPadding(dst[i], src[i], padMode, padSide, here, 1, UnaryRepeatParams{1, 1, 8, 8});
    }
}

template <typename T>
__aicore__ inline void Interleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
                                  const LocalTensor<T> &src1, const int32_t count)
{
    OPKG_TWIN_REQUIRE("Interleave", T, opkg::twin::kInterleaved);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst0, count), opkg_writes(dst1, count), opkg_reads(src0, count),
                     opkg_reads(src1, count));
    opkg_twin_interleave(dst0.data(), dst1.data(), src0.data(), src1.data(), sizeof(T), static_cast<size_t>(count));
}
template <typename T>
__aicore__ inline void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
                                    const LocalTensor<T> &src1, const int32_t count)
{
    OPKG_TWIN_REQUIRE("DeInterleave", T, opkg::twin::kInterleaved);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst0, count), opkg_writes(dst1, count), opkg_reads(src0, count),
                     opkg_reads(src1, count));
    opkg_twin_deinterleave(dst0.data(), dst1.data(), src0.data(), src1.data(), sizeof(T), static_cast<size_t>(count));
}
template <typename T>
__aicore__ inline void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src,
                                    const int32_t srcCount)
{
    OPKG_TWIN_REQUIRE("DeInterleave", T, opkg::twin::kInterleaved);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst0, srcCount / 2), opkg_writes(dst1, srcCount / 2), opkg_reads(src, srcCount));
    opkg_twin_deinterleave(dst0.data(), dst1.data(), src.data(), nullptr, sizeof(T), static_cast<size_t>(srcCount));
}

} // namespace AscendC

#endif // OPKG_TWIN_TRANSPOSE_H
