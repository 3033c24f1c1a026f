// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and minima: of a whole tensor, of each repeat, of each block of 32 bytes, of neighbours.
#ifndef OPKG_TWIN_REDUCE_H
#define OPKG_TWIN_REDUCE_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr uint32_t kSummed = on_chip(dtypes(kF16, kF32), dtypes(kI32, kU32, kI64, kU64));
inline constexpr uint32_t kRanked =
    on_chip(dtypes(kF16, kF32), dtypes(kI16, kU16, kI32, kU32, kI64, kU64));
inline constexpr uint32_t kRepeated = on_chip(dtypes(kF16, kF32), dtypes(kI16, kU16, kI32, kU32));

template <typename T>
inline void reduce_count(ReduceOp op, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                         int32_t count, bool with_index, [[maybe_unused]] const char *name = __builtin_FUNCTION())
{
    if (count <= 0) {
        return;
    }
    OPKG_TWIN_HOOK(const Instruction instruction(
                       name, PIPE_V, dst.touched_elements(with_index ? 2 : 1, kWrites),
                       src.touched_elements(static_cast<uint64_t>(count), kReads | kFolds | kAligned)));
    T *to = dst.address();
    const void *from = src.address();
    if (opkg_twin_core->deferred_count != 0) {
        opkg_twin_resolve(to, 2 * sizeof(T), 0, &from, bytes_of<T>(static_cast<uint64_t>(count)), &from, 0);
    }
    uint32_t position = 0;
    opkg_twin_reduce[op][DtypeOf<T>::value](to, from, static_cast<size_t>(count), with_index ? &position : nullptr);
    if constexpr (has_dtype<T>(kFloats)) {
        (op == kReduceSum ? opkg_twin_core->last_sum : opkg_twin_core->last_extreme) = static_cast<float>(*to);
    }
    if (with_index) {
        __builtin_memcpy(static_cast<void *>(to + 1), &position, sizeof(T) < 4 ? sizeof(T) : 4);
    }
}

// dst_step is in units of what one repeat gives.
template <typename T>
inline RepeatPlan reduce_plan(const uint64_t *mask, int32_t repeat, int32_t dst_step, int32_t block, int32_t step)
{
    return {mask, mask_bits(sizeof(T)), static_cast<uint32_t>(repeat), 2, {sizeof(T), sizeof(T), 0, 0},
            {1, static_cast<uint32_t>(block), 0, 0}, {static_cast<uint32_t>(dst_step), static_cast<uint32_t>(step), 0, 0}};
}

} // namespace opkg::twin

namespace AscendC {

enum class ReduceType : uint8_t { SUM, MAX, MIN };

#define OPKG_TWIN_REDUCE_ALL(Name, op, supported)                                                                      \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,          \
                                const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride,           \
                                bool calIndex = false)                                                                 \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::RepeatPlan plan = opkg::twin::reduce_plan<T>(mask, repeatTime, 0, 1, srcRepStride);          \
        opkg_twin_reduce_all(op, opkg::twin::DtypeOf<T>::value, dst.data(), src.data(), calIndex, &plan);              \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                  \
                                const LocalTensor<T> &sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,   \
                                const int32_t srcRepStride, bool calIndex = false)                                     \
    {                                                                                                                  \
        const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(mask));                        \
        Name(dst, src, sharedTmpBuffer, bits.bits, repeatTime, srcRepStride, calIndex);                                \
    }
OPKG_TWIN_REDUCE_ALL(ReduceSum, opkg::twin::kReduceSum, opkg::twin::kSummed)
OPKG_TWIN_REDUCE_ALL(ReduceMax, opkg::twin::kReduceMax, opkg::twin::kRanked)
OPKG_TWIN_REDUCE_ALL(ReduceMin, opkg::twin::kReduceMin, opkg::twin::kRanked)
#undef OPKG_TWIN_REDUCE_ALL

template <typename T, bool isSetMask = true>
__aicore__ inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                 const int32_t count)
{
    OPKG_TWIN_REQUIRE("ReduceSum", T, opkg::twin::kSummed);
    const int32_t elements = isSetMask ? count : static_cast<int32_t>(opkg_twin_core->mask[0]);
    opkg::twin::reduce_count(opkg::twin::kReduceSum, dst, src, elements, false);
}
template <typename T>
__aicore__ inline void ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                 const int32_t count, bool calIndex = false)
{
    OPKG_TWIN_REQUIRE("ReduceMax", T, opkg::twin::kRanked);
    opkg::twin::reduce_count(opkg::twin::kReduceMax, dst, src, count, calIndex);
}
template <typename T>
__aicore__ inline void ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                 const int32_t count, bool calIndex = false)
{
    OPKG_TWIN_REQUIRE("ReduceMin", T, opkg::twin::kRanked);
    opkg::twin::reduce_count(opkg::twin::kReduceMin, dst, src, count, calIndex);
}

// One result a repeat; a maximum or minimum may bring its position inside the repeat along.
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    constexpr bool widens = opkg::twin::kWideChip && reduceType == ReduceType::SUM &&
                            ((std::is_same<T, int32_t>::value && std::is_same<U, int16_t>::value) ||
                             (std::is_same<T, uint32_t>::value && std::is_same<U, uint16_t>::value));
    static_assert(std::is_same<T, U>::value || widens,
                  "ReduceRepeat takes dst and src of one type; sums of 16-bit integers into 32 bits on the Ascend950");
    OPKG_TWIN_REQUIRE("ReduceRepeat", U, opkg::twin::kRepeated);
    opkg::twin::RepeatPlan plan = opkg::twin::reduce_plan<U>(isSetMask ? mask : nullptr, repeatTime, dstRepStride,
                                                             srcBlkStride, srcRepStride);
    plan.element[0] = sizeof(T);
    opkg_twin_repeat_reduce(static_cast<uint32_t>(reduceType), opkg::twin::DtypeOf<U>::value, opkg::twin::kWholeRepeat,
                            dst.data(), src.data(), static_cast<int32_t>(order), &plan);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                       const int32_t repeatTime, const int32_t dstRepStride,
                                       const int32_t srcBlkStride, const int32_t srcRepStride)
{
    static_assert(std::is_same<T, U>::value, "ReduceDataBlock takes dst and src of one type");
    OPKG_TWIN_REQUIRE("ReduceDataBlock", T, opkg::twin::kFloats);
    const opkg::twin::RepeatPlan plan = opkg::twin::reduce_plan<T>(isSetMask ? mask : nullptr, repeatTime, dstRepStride,
                                                                   srcBlkStride, srcRepStride);
    opkg_twin_repeat_reduce(static_cast<uint32_t>(reduceType), opkg::twin::DtypeOf<T>::value, opkg::twin::kEachBlock,
                            dst.data(), src.data(), 0, &plan);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    static_assert(reduceType == ReduceType::SUM, "ReducePairElem supports ReduceType::SUM only");
    OPKG_TWIN_REQUIRE("ReducePairElem", T, opkg::twin::kFloats);
    const opkg::twin::RepeatPlan plan = opkg::twin::reduce_plan<T>(isSetMask ? mask : nullptr, repeatTime, dstRepStride,
                                                                   srcBlkStride, srcRepStride);
    opkg_twin_repeat_reduce(opkg::twin::kReduceSum, opkg::twin::DtypeOf<T>::value, opkg::twin::kEachPair, dst.data(),
                            src.data(), 0, &plan);
}

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(mask));
    ReduceRepeat<reduceType, T, U, isSetMask>(dst, src, bits.bits, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                              order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                       const int32_t repeatTime, const int32_t dstRepStride,
                                       const int32_t srcBlkStride, const int32_t srcRepStride)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(mask));
    ReduceDataBlock<reduceType, T, U, isSetMask>(dst, src, bits.bits, repeatTime, dstRepStride, srcBlkStride,
                                                 srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(mask));
    ReducePairElem<reduceType, T, U, isSetMask>(dst, src, bits.bits, repeatTime, dstRepStride, srcBlkStride,
                                                srcRepStride);
}

// The older names. A mask is an array of bits or a number of elements.
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask,
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    ReduceRepeat<ReduceType::SUM, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime, dstRepStride,
                                                   srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void WholeReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask,
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    ReduceRepeat<ReduceType::MAX, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime, dstRepStride,
                                                   srcBlkStride, srcRepStride, order);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void WholeReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask,
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    ReduceRepeat<ReduceType::MIN, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime, dstRepStride,
                                                   srcBlkStride, srcRepStride, order);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void BlockReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                      M mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    ReduceDataBlock<ReduceType::SUM, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime,
                                                      dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void BlockReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                      M mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    ReduceDataBlock<ReduceType::MAX, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime,
                                                      dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void BlockReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                      M mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride)
{
    ReduceDataBlock<ReduceType::MIN, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime,
                                                      dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true, typename M>
__aicore__ inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                     M mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                                     const int32_t srcRepStride)
{
    ReducePairElem<ReduceType::SUM, T, T, isSetMask>(dst, src, opkg::twin::mask_argument(mask), repeatTime,
                                                     dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                       const int32_t mask, const int32_t, const int32_t srcBlkStride,
                                       const int32_t dstRepStride, const int32_t srcRepStride)
{
    WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

// What the last reduction found: the extreme of all repeats and its position among their elements, or the sum.
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T &maxMinValue)
{
    maxMinValue = static_cast<T>(opkg_twin_core->last_extreme);
}
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue);
    const uint32_t position = static_cast<uint32_t>(opkg_twin_core->last_position);
    __builtin_memcpy(static_cast<void *>(&maxMinIndex), &position, sizeof(T) < 4 ? sizeof(T) : 4);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T &maxMinValue)
{
    GetReduceRepeatMaxMinSpr(maxMinValue);
}
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr()
{
    return static_cast<T>(opkg_twin_core->last_sum);
}
template <typename T>
__aicore__ inline T GetAccVal()
{
    return GetReduceRepeatSumSpr<T>();
}

} // namespace AscendC

#endif // OPKG_TWIN_REDUCE_H
