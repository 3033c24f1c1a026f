// SPDX-License-Identifier: Apache-2.0
// Instructions that do two things at once: a sum, a difference or a product and then a conversion; dequantization.
#ifndef OPKG_TWIN_FUSED_H
#define OPKG_TWIN_FUSED_H

#include "twin/cast.h"
#include "twin/flexible.h"

namespace opkg::twin {

// The pairs of dst (T) and src (U) that a sum or difference with Relu may be converted between.
template <typename T, typename U>
inline constexpr bool relu_cast_pair = are<T, U, int8_t, half> || are<T, U, int8_t, int16_t> || are<T, U, half, float> ||
                                       (kWideChip && (are<T, U, float, int64_t> || are<T, U, int32_t, int64_t>));
template <typename T, typename U>
inline constexpr bool mul_cast_pair = are<T, U, int8_t, half> || are<T, U, uint8_t, half> ||
                                      (kWideChip && (are<T, U, float, int64_t> || are<T, U, int32_t, int64_t>));
template <typename T, typename U>
inline constexpr bool mul_add_pair = std::is_same<T, U>::value || are<T, U, float, half>;
template <typename T, typename U>
inline constexpr bool exp_sub_pair = kWideChip && has_dtype<T>(kFloats) && has_dtype<U>(kFloats);

// The row of the library's table for a pair of types.
template <typename T>
constexpr BinaryOp add_relu_cast_row()
{
    return std::is_same<T, int32_t>::value ? kAddReluCastInteger : kAddReluCast;
}
template <typename T>
constexpr BinaryOp sub_relu_cast_row()
{
    return std::is_same<T, int32_t>::value ? kSubReluCastInteger : kSubReluCast;
}
template <typename T>
constexpr BinaryOp mul_cast_row()
{
    return std::is_same<T, int32_t>::value ? kMulCastInteger
           : std::is_same<T, uint8_t>::value ? kMulCastUnsigned
                                             : kMulCast;
}
template <typename T, typename U>
constexpr BinaryOp mul_add_dst_row()
{
    return std::is_same<T, U>::value ? kMulAddDst : kMulAddDstWiden;
}
template <typename T, typename U>
constexpr BinaryOp exp_sub_row()
{
    return std::is_same<T, U>::value ? kExpSub : std::is_same<T, float>::value ? kExpSubToFloat : kExpSubToHalf;
}

} // namespace opkg::twin

// dst of type T from two sources of type U.
#define OPKG_TWIN_FUSED(Name, row, holds, sentence)                                                                    \
    template <typename T, typename U>                                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,     \
                                const uint32_t count)                                                                  \
    {                                                                                                                  \
        static_assert(holds, sentence);                                                                                \
        const opkg::twin::Operands<T, U, U> all(dst, src0, src1, count, opkg::twin::reads_dst(row));                   \
        opkg_twin_binary[row][opkg::twin::DtypeOf<U>::value](all.dst, all.a, all.b, all.count);                        \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,     \
                                const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &p)          \
    {                                                                                                                  \
        static_assert(holds, sentence);                                                                                \
        const opkg::twin::RepeatPlan plan =                                                                            \
            opkg::twin::binary_plan(isSetMask ? mask : nullptr, repeatTime, p, sizeof(T), sizeof(U), sizeof(U));       \
        opkg_twin_repeat_binary(opkg_twin_binary[row][opkg::twin::DtypeOf<U>::value], dst.data(), src0.data(),         \
                                src1.data(), &plan);                                                                   \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,     \
                                uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &p)                  \
    {                                                                                                                  \
        const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                               \
        Name<T, U, isSetMask>(dst, src0, src1, bits.bits, repeatTime, p);                                              \
    }

namespace AscendC {

OPKG_TWIN_FUSED(AddReluCast, opkg::twin::add_relu_cast_row<T>(), (opkg::twin::relu_cast_pair<T, U>),
                "AddReluCast does not convert between these two types on this SoC")
OPKG_TWIN_FUSED(SubReluCast, opkg::twin::sub_relu_cast_row<T>(), (opkg::twin::relu_cast_pair<T, U>),
                "SubReluCast does not convert between these two types on this SoC")
OPKG_TWIN_FUSED(MulCast, opkg::twin::mul_cast_row<T>(), (opkg::twin::mul_cast_pair<T, U>),
                "MulCast does not convert between these two types on this SoC")
OPKG_TWIN_FUSED(AddDeqRelu, opkg::twin::kAddDeqRelu, (opkg::twin::are<T, U, half, int32_t>),
                "AddDeqRelu takes src of int32_t and dst of half")

// AddDeqRelu with the choice of the mask as its only template argument.
template <bool isSetMask, typename M>
__aicore__ inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                                  const LocalTensor<int32_t> &src1, M mask, const uint8_t repeatTime,
                                  const BinaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::wide_mask(mask);
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, bits.bits, repeatTime, p);
}

// dst = dst + src0 * src1; dst of float may have sources of half.
#define OPKG_TWIN_MUL_ADD_DST (opkg::twin::mul_add_dst_row<T, U>())
template <typename T, typename U>
__aicore__ inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                 const int32_t &count)
{
    static_assert(opkg::twin::mul_add_pair<T, U>, "MulAddDst takes operands of one type, or dst of float and src of half");
    OPKG_TWIN_REQUIRE("MulAddDst", U, opkg::twin::kFusedFloat);
    const opkg::twin::Operands<T, U, U> all(dst, src0, src1, count, true);
    opkg_twin_binary[OPKG_TWIN_MUL_ADD_DST][opkg::twin::DtypeOf<U>::value](all.dst, all.a, all.b, all.count);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                 const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &p)
{
    static_assert(opkg::twin::mul_add_pair<T, U>, "MulAddDst takes operands of one type, or dst of float and src of half");
    OPKG_TWIN_REQUIRE("MulAddDst", U, opkg::twin::kFusedFloat);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::binary_plan(isSetMask ? mask : nullptr, repeatTime, p, sizeof(T), sizeof(U), sizeof(U));
    opkg_twin_repeat_binary(opkg_twin_binary[OPKG_TWIN_MUL_ADD_DST][opkg::twin::DtypeOf<U>::value], dst.data(),
                            src0.data(), src1.data(), &plan);
}
#undef OPKG_TWIN_MUL_ADD_DST
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                 uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    MulAddDst<T, U, isSetMask>(dst, src0, src1, bits.bits, repeatTime, p);
}

// e to the difference, taken in float.
template <typename T, typename U>
__aicore__ inline void ExpSub(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                              const uint32_t count)
{
    static_assert(opkg::twin::exp_sub_pair<T, U>, "ExpSub takes half and float, on the Ascend950");
    const opkg::twin::Operands<T, U, U> all(dst, src0, src1, count);
    opkg_twin_binary[opkg::twin::exp_sub_row<T, U>()][opkg::twin::DtypeOf<U>::value](all.dst, all.a, all.b, all.count);
}
template <typename T, typename U>
__aicore__ inline void FusedExpSub(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                   const uint32_t count)
{
    ExpSub(dst, src0, src1, count);
}

#define OPKG_TWIN_BINARY_950(Name, op)                                                                                 \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                                const uint32_t count)                                                                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::on_chip(0, opkg::twin::kFloats));                                      \
        const opkg::twin::Operands<T, T, T> all(dst, src0, src1, count);                                               \
        opkg_twin_binary[op][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.b, all.count);                         \
    }
OPKG_TWIN_BINARY_950(AbsSub, opkg::twin::kAbsSub)
OPKG_TWIN_BINARY_950(FusedAbsSub, opkg::twin::kAbsSub)
OPKG_TWIN_BINARY_950(Prelu, opkg::twin::kPrelu)
#undef OPKG_TWIN_BINARY_950

// The lower halves of the products, and the upper ones.
template <typename T>
__aicore__ inline void Mull(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
                            const LocalTensor<T> &src1, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Mull", T, opkg::twin::on_chip(0, opkg::twin::dtypes(opkg::twin::kI32, opkg::twin::kU32)));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst0, count), opkg_writes(dst1, count), opkg_reads(src0, count),
                     opkg_reads(src1, count));
    opkg_twin_multiply_long(dst0.data(), dst1.data(), src0.data(), src1.data(), std::is_same<T, int32_t>::value, count);
}

// Shifts by as many bits as the other tensor says.
#define OPKG_TWIN_SHIFT(Name, op)                                                                                      \
    template <typename T, typename U>                                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1,     \
                                const int32_t &count)                                                                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name " by a tensor", T, opkg::twin::on_chip(0, opkg::twin::kAnyInteger));                   \
        static_assert(std::is_signed<U>::value && sizeof(T) == sizeof(U),                                              \
                      #Name " takes shifts of the signed type of the same width");                                     \
        const opkg::twin::Operands<T, T, U> all(dst, src0, src1, count);                                               \
        opkg_twin_binary[op][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.b, all.count);                         \
    }
OPKG_TWIN_SHIFT(ShiftLeft, opkg::twin::kShiftLeftBy)
OPKG_TWIN_SHIFT(ShiftRight, opkg::twin::kShiftRightBy)
#undef OPKG_TWIN_SHIFT

// half from the product of floats, rounded half away from zero.
#define OPKG_TWIN_MULS_CAST(Name)                                                                                      \
    template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType,                                        \
              const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename S, typename V>                              \
    __aicore__ inline void Name(const LocalTensor<half> &dst, const S &src0, const V &src1, const uint32_t count)      \
    {                                                                                                                  \
        static_assert(opkg::twin::kWideChip && sizeof(V) > 0, #Name " exists on the Ascend950 only");                  \
        constexpr int8_t index = opkg::twin::is_local<V> ? config.scalarTensorIndex : int8_t(1);                      \
        opkg::twin::muls_cast<index>(dst, src0, src1, count);                                                          \
    }

} // namespace AscendC

namespace opkg::twin {

template <int8_t index, typename S, typename V>
inline void muls_cast(const AscendC::LocalTensor<half> &dst, const S &src0, const V &src1, uint32_t count)
{
    if constexpr (!is_local<V>) {
        muls_cast<0>(dst, src1, src0, count);
    } else {
        const Roles<float, index, S, V> roles(src0, src1);
        const Operands<half, float, float> all(dst, roles.vector, roles.vector, count);
        opkg_twin_scalar[kMulsCast][kF32](all.dst, all.a, &roles.scalar, all.count);
    }
}

} // namespace opkg::twin

namespace AscendC {

OPKG_TWIN_MULS_CAST(MulsCast)
OPKG_TWIN_MULS_CAST(FusedMulsCast)
#undef OPKG_TWIN_MULS_CAST

// To whole numbers of the same type.
template <typename T, RoundMode roundMode>
__aicore__ inline void Truncate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Truncate", T, opkg::twin::on_chip(0, opkg::twin::kFloats | opkg::twin::dtypes(opkg::twin::kBF16)));
    const opkg::twin::Operands<T, T, T> all(dst, src, src, count);
    opkg_twin_cast[opkg::twin::DtypeOf<T>::value][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.count,
                                                                                 static_cast<int32_t>(roundMode));
}

// Sums of blocks that stand anywhere, each times a weight: hRepeat of them make a row of dst, vRepeat rows in all. With
// repeatMode each block has a weight of its own, otherwise the eight blocks of a step share one.
template <typename T>
__aicore__ inline void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                             const LocalTensor<uint32_t> &src0Offset, const LocalTensor<T> &src1,
                                             const uint64_t mask[], uint8_t hRepeat, bool repeatMode,
                                             uint16_t dstBlkStride, uint16_t vROffset, uint8_t vRepeat,
                                             [[maybe_unused]] const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    OPKG_TWIN_REQUIRE("BilinearInterpolation", T, opkg::twin::dtypes(opkg::twin::kF16));
    const opkg::twin::BlendPlan plan{mask, hRepeat, vRepeat, repeatMode, dstBlkStride, vROffset};
    [[maybe_unused]] const uint32_t steps = static_cast<uint32_t>(hRepeat) * vRepeat;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(dst, dst.GetSize()), opkg_reads_some(src0, src0.GetSize()),
                     opkg_reads(src0Offset, 8 * steps), opkg_reads(src1, repeatMode ? 8 * steps : steps),
                     opkg_scratch(sharedTmpBuffer));
    opkg_twin_blend(dst.data(), src0.data(), src0Offset.data(), src1.data(), &plan);
}
template <typename T>
__aicore__ inline void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                             const LocalTensor<uint32_t> &src0Offset, const LocalTensor<T> &src1,
                                             uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                             uint16_t vROffset, uint8_t vRepeat,
                                             const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    BilinearInterpolation(dst, src0, src0Offset, src1, bits.bits, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                          sharedTmpBuffer);
}

// What each element of a block is dequantized with.
struct VdeqInfo {
    VdeqInfo() = default;
    VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16])
    {
        for (int32_t i = 0; i < 16; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signs[i];
        }
    }
    float vdeqScale[16] = {};
    int16_t vdeqOffset[16] = {};
    bool vdeqSignMode[16] = {};
};

} // namespace AscendC

namespace opkg::twin {

// A scale, an offset of nine bits and whether the result has a sign, as the chip's register holds them.
inline uint64_t dequantization(float scale, int16_t offset, bool is_signed)
{
    return static_cast<uint64_t>(__builtin_bit_cast(uint32_t, scale)) |
           static_cast<uint64_t>(static_cast<uint16_t>(offset) & 0x1ffu) << 37 | static_cast<uint64_t>(is_signed) << 46;
}

template <typename T, typename U>
inline constexpr bool dequant_pair =
    are<T, U, int8_t, int16_t> || are<T, U, uint8_t, int16_t> ||
    (__NPU_ARCH__ != 2002 && are<T, U, half, int32_t>);

} // namespace opkg::twin

namespace AscendC {

__aicore__ inline void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    opkg_twin_core->deq_bits = opkg::twin::dequantization(scale, offset, signMode);
}
template <typename T>
__aicore__ inline void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &vdeqInfo)
{
    OPKG_TWIN_ACCESS(PIPE_S, opkg_writes_bytes(vdeq, 128));
    uint64_t table[16];
    for (int32_t i = 0; i < 16; ++i) {
        table[i] = opkg::twin::dequantization(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]);
    }
    void *place = vdeq.data();
    __builtin_memcpy(place, table, sizeof table);
    opkg_twin_core->deq_table = static_cast<const uint64_t *>(place);
}

// int16_t to 8 bits: a block of 16 elements goes into one half of a block of dst. int32_t to half: as Cast does it.
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
__aicore__ inline void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                   uint8_t repeatTime, const UnaryRepeatParams &p)
{
    static_assert(opkg::twin::dequant_pair<T, U>, "CastDequant does not convert between these two types on this SoC");
    if constexpr (sizeof(T) == 1) {
        const opkg::twin::RepeatPlan plan = opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, p, 2, 2);
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, plan, 0), opkg_reads(src, plan, 1));
        opkg_twin_repeat_dequantize(dst.data(), src.data(), isVecDeq, halfBlock, &plan);
    } else {
        Cast<T, U, isSetMask>(dst, src, RoundMode::CAST_NONE, mask, repeatTime, p);
    }
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
__aicore__ inline void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                   uint8_t repeatTime, const UnaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(mask));
    CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, bits.bits, repeatTime, p);
}
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
__aicore__ inline void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    static_assert(opkg::twin::dequant_pair<T, U>, "CastDequant does not convert between these two types on this SoC");
    if constexpr (sizeof(T) == 1) {
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(dst, (count + 15) / 16 * 32), opkg_reads(src, count));
        opkg_twin_dequantize(dst.data(), src.data(), isVecDeq, halfBlock, count);
    } else {
        Cast(dst, src, RoundMode::CAST_NONE, count);
    }
}
// The older name.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
__aicore__ inline void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, typename M>
__aicore__ inline void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, M mask, uint8_t repeatTime,
                               const UnaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::wide_mask(mask);
    CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, bits.bits, repeatTime, p);
}

} // namespace AscendC

#undef OPKG_TWIN_FUSED

#endif // OPKG_TWIN_FUSED_H
