// SPDX-License-Identifier: Apache-2.0
// Reductions of matrices along one axis, and of rows.
#ifndef OPKG_ADV_REDUCE_H
#define OPKG_ADV_REDUCE_H

#include "adv/support.h"
#include "opkg/adv/types.h"

namespace opkg::twin {

enum AxisOp : uint32_t { kAxisSum, kAxisMax, kAxisMin, kAxisProd, kAxisMean, kAxisAll, kAxisAny };

inline constexpr uint32_t kAxisSummed = on_chip(dtypes(kF32), dtypes(kI32, kU32, kI64, kU64));
inline constexpr uint32_t kAxisRanked = on_chip(kFloats, kAnyInteger | dtypes(kBF16));
inline constexpr uint32_t kAxisTruth = dtypes(kU8, kF32);

} // namespace opkg::twin

extern "C" {
// Rows of src begin at whole blocks of 32 bytes. along_last: one result a row, else one a column.
OPKG_TWIN_API void opkg_twin_reduce_axis(uint32_t op, uint32_t dtype, void *dst, const void *src, uint32_t rows,
                                         uint32_t columns, uint32_t along_last);
// The sum of the first n elements of each row, or with mean their sum over n; added up in float if wide, else in dtype.
OPKG_TWIN_API void opkg_twin_sum_rows(uint32_t dtype, uint32_t wide, uint32_t mean, void *dst, const void *src,
                                      uint32_t rows, uint32_t step, uint32_t n);
// The sum of a ^ b, cut to the range of int16_t.
OPKG_TWIN_API int16_t opkg_twin_xor_sum(const int16_t *a, const int16_t *b, uint32_t count);
} // extern "C"

namespace AscendC {

// A: an axis that stays; R: one that is reduced.
namespace Pattern::Reduce {
struct AR {};
struct RA {};
struct R {};
struct ARA {};
struct ARAR {};
struct ARARA {};
struct ARARAR {};
struct ARARARA {};
struct ARARARAR {};
struct ARARARARA {};
struct RAR {};
struct RARA {};
struct RARAR {};
struct RARARA {};
struct RARARAR {};
struct RARARARA {};
} // namespace Pattern::Reduce

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T, typename Pattern>
inline void reduce_axis(AxisOp op, const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                        const uint32_t shape[], bool padded)
{
    constexpr bool along_last = std::is_same<Pattern, AscendC::Pattern::Reduce::AR>::value;
    static_assert(along_last || std::is_same<Pattern, AscendC::Pattern::Reduce::RA>::value,
                  "the pattern of a reduction along an axis must be AR or RA");
    if (!padded && !kWideChip) {
        opkg_twin_fail("%s takes rows of whole blocks of 32 bytes only (srcInnerPad = true)", name);
    }
    opkg_twin_reduce_axis(op, DtypeOf<T>::value, dst.data(), src.data(), shape[0], shape[1], along_last);
}

// Bytes of a row of a matrix.
template <typename T>
inline uint32_t padded_row(uint32_t columns) { return (columns * static_cast<uint32_t>(sizeof(T)) + 31) / 32 * 32; }

} // namespace opkg::twin

namespace AscendC {

#define OPKG_ADV_REDUCE(Name, op, supported)                                                                           \
    template <class T, class pattern, bool isReuseSource = false>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const uint32_t srcShape[], bool srcInnerPad)                                           \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name " along an axis", T, supported);                                                       \
        OPKG_TWIN_ACCESS(PIPE_V,                                                                                       \
                         opkg_writes(dstTensor, srcShape[std::is_same<pattern, Pattern::Reduce::AR>::value ? 0 : 1]),  \
                         opkg_reads_rows(srcTensor, srcShape[0], srcShape[1] * sizeof(T),                              \
                                         opkg::twin::padded_row<T>(srcShape[1])));                                     \
        opkg::twin::reduce_axis<T, pattern>(op, #Name, dstTensor, srcTensor, srcShape, srcInnerPad);                   \
    }                                                                                                                  \
    template <class T, class pattern, bool isReuseSource = false>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t srcShape[],                \
                                bool srcInnerPad)                                                                      \
    {                                                                                                                  \
        if (!isReuseSource) {                                                                                          \
            opkg::twin::need_shared(#Name, sharedTmpBuffer, opkg::adv::kBlock);                                        \
        }                                                                                                              \
        Name<T, pattern, isReuseSource>(dstTensor, srcTensor, srcShape, srcInnerPad);                                  \
    }
OPKG_ADV_REDUCE(ReduceSum, opkg::twin::kAxisSum, opkg::twin::kAxisSummed)
OPKG_ADV_REDUCE(ReduceMax, opkg::twin::kAxisMax, opkg::twin::kAxisRanked)
OPKG_ADV_REDUCE(ReduceMin, opkg::twin::kAxisMin, opkg::twin::kAxisRanked)
OPKG_ADV_REDUCE(ReduceProd, opkg::twin::kAxisProd, opkg::twin::dtypes(opkg::twin::kF32))
OPKG_ADV_REDUCE(ReduceMean, opkg::twin::kAxisMean, opkg::twin::dtypes(opkg::twin::kF32))
OPKG_ADV_REDUCE(ReduceAll, opkg::twin::kAxisAll, opkg::twin::kAxisTruth)
OPKG_ADV_REDUCE(ReduceAny, opkg::twin::kAxisAny, opkg::twin::kAxisTruth)
#undef OPKG_ADV_REDUCE

// Sums of the elements of each row.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const SumParams &sumParams)
{
    OPKG_TWIN_REQUIRE("Sum", T, opkg::twin::kFloats);
    static_assert(reduceDim == -1, "Sum adds along the last axis only");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, sumParams.outter),
                     opkg_reads_rows(srcTensor, sumParams.outter, sumParams.n * sizeof(T), sumParams.inner * sizeof(T)));
    opkg_twin_sum_rows(opkg::twin::DtypeOf<T>::value, 0, 0, dstTensor.data(), srcTensor.data(), sumParams.outter,
                       sumParams.inner, sumParams.n);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const SumParams &sumParams)
{
    opkg::twin::need_shared("Sum", sharedTmpBuffer, opkg::adv::kBlock);
    Sum<T, reduceDim, isReuseSource, isBasicBlock>(dstTensor, srcTensor, sumParams);
}

// Means of the elements of each row; with accType float, halves are added up in float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const MeanParams &meanParams)
{
    OPKG_TWIN_REQUIRE("Mean", T, opkg::twin::kFloats);
    static_assert(reduceDim == -1, "Mean works along the last axis only");
    static_assert(std::is_same<accType, T>::value || std::is_same<accType, float>::value,
                  "accType must be the tensors' type or float");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, meanParams.outter),
                     opkg_reads_rows(srcTensor, meanParams.outter, meanParams.n * sizeof(T),
                                     meanParams.inner * sizeof(T)));
    opkg_twin_sum_rows(opkg::twin::DtypeOf<T>::value, std::is_same<accType, float>::value, 1, dstTensor.data(),
                       srcTensor.data(), meanParams.outter, meanParams.inner, meanParams.n);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const MeanParams &meanParams)
{
    opkg::twin::need_shared("Mean", sharedTmpBuffer, opkg::adv::kBlock);
    Mean<T, accType, isReuseSource, isBasicBlock, reduceDim>(dstTensor, srcTensor, meanParams);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                                    const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("ReduceXorSum", T, opkg::twin::dtypes(opkg::twin::kI16));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, 1), opkg_reads(src0Tensor, calCount), opkg_reads(src1Tensor, calCount));
    *dstTensor.data() = opkg_twin_xor_sum(src0Tensor.data(), src1Tensor.data(), calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                                    const LocalTensor<T> &src1Tensor, LocalTensor<uint8_t> &sharedTmpBuffer,
                                    const uint32_t calCount)
{
    opkg::twin::need_shared("ReduceXorSum", sharedTmpBuffer);
    ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, calCount);
}

} // namespace AscendC

#endif // OPKG_ADV_REDUCE_H
