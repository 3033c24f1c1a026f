// SPDX-License-Identifier: Apache-2.0
// Comparisons into bits, and selection by bits.
#ifndef OPKG_TWIN_COMPARE_H
#define OPKG_TWIN_COMPARE_H

#include "twin/scalar.h"

namespace opkg::twin {

inline constexpr uint32_t kCompared = on_chip(dtypes(kF16, kF32, kI32), kAnyInteger | dtypes(kBF16, kF64));
inline constexpr uint32_t kSelected = on_chip(dtypes(kF16, kF32), kAnyInteger | dtypes(kBF16));

template <typename T>
inline void check_relation(AscendC::CMPMODE mode)
{
    if (!kWideChip && std::is_same<T, int32_t>::value && mode != AscendC::CMPMODE::EQ) {
        opkg_twin_fail("Compare of int32_t supports only CMPMODE::EQ on this SoC");
    }
}

template <bool isSetMask>
inline const uint64_t *compare_mask(const uint64_t *mask)
{
    return kWideChip && isSetMask ? mask : nullptr;
}

template <typename T>
constexpr uint32_t select_row()
{
    return sizeof(T) == 8 ? 3 : sizeof(T) / 2;
}

// One scalar and one tensor. first: the scalar stands where a bit is set, else where it is not.
template <typename T, typename U>
inline void select_scalar(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &selMask,
                          const AscendC::LocalTensor<T> &vector, T scalar, bool first, uint32_t count)
{
    OPKG_TWIN_ACCESS_OF("Select", PIPE_V, opkg_writes(dst, count), opkg_reads_bytes(selMask, (count + 7) / 8),
                        opkg_reads(vector, count));
    const uint8_t *bits = reinterpret_cast<const uint8_t *>(selMask.data());
    const T *from = vector.data();
    T *to = dst.data();
    uint8_t inverted[128];
    for (uint32_t i = 0; i < count; i += 1024) {
        const uint32_t here = count - i < 1024 ? count - i : 1024;
        for (uint32_t k = 0; first && k < (here + 7) / 8; ++k) {
            inverted[k] = static_cast<uint8_t>(~bits[i / 8 + k]);
        }
        opkg_twin_select[select_row<T>()](to + i, first ? inverted : bits + i / 8, from + i, &scalar, 0, here);
    }
}
template <typename T, typename U>
inline void select_scalar(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &selMask,
                          const AscendC::LocalTensor<T> &vector, T scalar, bool first, const Mask &mask,
                          uint32_t repeat, const AscendC::BinaryRepeatParams &p)
{
    RepeatPlan plan = binary_plan(mask.bits, repeat, p, sizeof(T), sizeof(T), 0);
    if (first) {
        plan.block_stride[1] = p.src1BlkStride;
        plan.repeat_stride[1] = p.src1RepStride;
    }
    OPKG_TWIN_ACCESS_OF("Select", PIPE_V, opkg_writes(dst, plan, 0),
                        opkg_reads_bytes(selMask, repeat * plan.mask_bits / 8), opkg_reads(vector, plan, 1));
    opkg_twin_repeat_select(dst.data(), reinterpret_cast<const uint8_t *>(selMask.data()), vector.data(), &scalar,
                            first ? kInvertedBits : kOwnBits, &plan);
}

} // namespace opkg::twin

namespace AscendC {

template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                               CMPMODE cmpMode, uint32_t count)
{
    OPKG_TWIN_REQUIRE("Compare", T, opkg::twin::kCompared);
    opkg::twin::check_relation<T>(cmpMode);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_bytes(dst, (count + 7) / 8), opkg_may_read(src0, count), opkg_may_read(src1, count));
    opkg_twin_compare[0][opkg::twin::DtypeOf<T>::value](reinterpret_cast<uint8_t *>(dst.data()), src0.data(),
                                                        src1.data(), count, static_cast<int32_t>(cmpMode));
}
// The Ascend950 alone knows a mask here, and gives 0 bits where it is off; others compare all 256 bytes of a repeat.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                               CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Compare", T, opkg::twin::kCompared);
    opkg::twin::check_relation<T>(cmpMode);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::binary_plan(opkg::twin::compare_mask<isSetMask>(mask), repeatTime, p, 0, sizeof(T), sizeof(T));
    opkg_twin_repeat_compare(opkg_twin_compare[0][opkg::twin::DtypeOf<T>::value],
                             reinterpret_cast<uint8_t *>(dst.data()), src0.data(), src1.data(),
                             static_cast<int32_t>(cmpMode), &plan);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                               CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Compare<T, U, isSetMask>(dst, src0, src1, cmpMode, bits.bits, repeatTime, p);
}
// One repeat into the comparison register.
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                               const uint64_t mask[], const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Compare", T, opkg::twin::kCompared);
    const opkg::twin::RepeatPlan plan = opkg::twin::binary_plan(nullptr, 1, p, 0, sizeof(T), sizeof(T));
    uint64_t bits[2] = {0, 0};
    opkg_twin_repeat_compare(opkg_twin_compare[0][opkg::twin::DtypeOf<T>::value], reinterpret_cast<uint8_t *>(bits),
                             src0.data(), src1.data(), static_cast<int32_t>(cmpMode), &plan);
    for (uint32_t i = 0; i < 2; ++i) {
        opkg_twin_core->compare_mask[i] = bits[i] & (isSetMask ? mask[i] : opkg_twin_core->mask[i]);
    }
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                               const uint64_t mask, const BinaryRepeatParams &p)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Compare<T, isSetMask>(src0, src1, cmpMode, bits.bits, p);
}

template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T> &dst)
{
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_bytes(dst, 16));
    __builtin_memcpy(static_cast<void *>(dst.data()), opkg_twin_core->compare_mask, 16);
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T> &src)
{
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads_bytes(src, 16));
    __builtin_memcpy(opkg_twin_core->compare_mask, src.data(), 16);
}

#define OPKG_TWIN_COMPARE_SCALAR(Name)                                                                                 \
    template <typename T, typename U>                                                                                  \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0,                                 \
                                const typename opkg::twin::Same<T>::type src1Scalar, CMPMODE cmpMode, uint32_t count)  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::kCompared);                                                            \
        opkg::twin::check_relation<T>(cmpMode);                                                                        \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_bytes(dst, (count + 7) / 8), opkg_may_read(src0, count));                 \
        opkg_twin_compare[1][opkg::twin::DtypeOf<T>::value](reinterpret_cast<uint8_t *>(dst.data()), src0.data(),      \
                                                            &src1Scalar, count, static_cast<int32_t>(cmpMode));        \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0,                                 \
                                const typename opkg::twin::Same<T>::type src1Scalar, CMPMODE cmpMode,                  \
                                const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams &p)                 \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::kCompared);                                                            \
        opkg::twin::check_relation<T>(cmpMode);                                                                        \
        const opkg::twin::RepeatPlan plan{opkg::twin::compare_mask<isSetMask>(mask),                                   \
                                          opkg::twin::mask_bits(sizeof(T)), repeatTime, 3, {0, sizeof(T), 0, 0},       \
                                          {0, p.srcBlkStride, 0, 0}, {0, p.srcRepStride, 0, 0}};                       \
        opkg_twin_repeat_compare(opkg_twin_compare[1][opkg::twin::DtypeOf<T>::value],                                  \
                                 reinterpret_cast<uint8_t *>(dst.data()), src0.data(), &src1Scalar,                    \
                                 static_cast<int32_t>(cmpMode), &plan);                                                \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0,                                 \
                                const typename opkg::twin::Same<T>::type src1Scalar, CMPMODE cmpMode,                  \
                                const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams &p)                   \
    {                                                                                                                  \
        const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                               \
        Name<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, bits.bits, repeatTime, p);                               \
    }
OPKG_TWIN_COMPARE_SCALAR(CompareScalar)
OPKG_TWIN_COMPARE_SCALAR(Compares)
#undef OPKG_TWIN_COMPARE_SCALAR

// Where a bit of selMask is set, src0, else src1. Mode 0 (VSEL_CMPMASK_SPR) uses the first bits again in each repeat.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE selMode, uint32_t count)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_may_read(src0, count), opkg_may_read(src1, count));
    const uint8_t *bits = reinterpret_cast<const uint8_t *>(selMask.data());
    const uint32_t step = selMode == SELMODE::VSEL_CMPMASK_SPR ? opkg::twin::mask_bits(sizeof(T)) : count;
    for (uint32_t i = 0; i < count; i += step) {
        opkg_twin_select[opkg::twin::select_row<T>()](dst.data() + i, bits, src0.data() + i, src1.data() + i, 1,
                                                      count - i < step ? count - i : step);
    }
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              typename opkg::twin::Same<T>::type src1, SELMODE, uint32_t count)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_may_read(src0, count));
    opkg_twin_select[opkg::twin::select_row<T>()](dst.data(), reinterpret_cast<const uint8_t *>(selMask.data()),
                                                  src0.data(), &src1, 0, count);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE selMode, const uint64_t mask[], uint8_t repeatTime,
                              const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::binary_plan(isSetMask ? mask : nullptr, repeatTime, p, sizeof(T), sizeof(T), sizeof(T));
    opkg_twin_repeat_select(dst.data(), reinterpret_cast<const uint8_t *>(selMask.data()), src0.data(), src1.data(),
                            selMode == SELMODE::VSEL_CMPMASK_SPR ? opkg::twin::kSameBits : opkg::twin::kOwnBits, &plan);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                              const BinaryRepeatParams &p)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Select<T, U, isSetMask>(dst, selMask, src0, src1, selMode, bits.bits, repeatTime, p);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              typename opkg::twin::Same<T>::type src1, SELMODE, const uint64_t mask[], uint8_t repeatTime,
                              const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::binary_plan(isSetMask ? mask : nullptr, repeatTime, p, sizeof(T), sizeof(T), 0);
    opkg_twin_repeat_select(dst.data(), reinterpret_cast<const uint8_t *>(selMask.data()), src0.data(), &src1, 0, &plan);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              typename opkg::twin::Same<T>::type src1, SELMODE selMode, uint64_t mask,
                              uint8_t repeatTime, const BinaryRepeatParams &p)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Select<T, U, isSetMask>(dst, selMask, src0, src1, selMode, bits.bits, repeatTime, p);
}
// Without a mask: the elements come from the mask register, and the comparison register has the bits themselves, or with
// VSEL_TENSOR_TENSOR_MODE their address.
template <typename T, SELMODE selMode = SELMODE::VSEL_CMPMASK_SPR>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                              uint8_t repeatTime, const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::binary_plan(nullptr, repeatTime, p, sizeof(T), sizeof(T), sizeof(T));
    constexpr bool bits_in_register = selMode == SELMODE::VSEL_CMPMASK_SPR;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, plan, 0), opkg_reads(src0, plan, 1), opkg_reads(src1, plan, 2));
    const uint64_t *held = opkg_twin_core->compare_mask;
    const void *bits = bits_in_register ? held : reinterpret_cast<const void *>(held[0]);
    opkg_twin_repeat_select(dst.data(), static_cast<const uint8_t *>(bits), src0.data(), src1.data(),
                            bits_in_register ? opkg::twin::kSameBits : opkg::twin::kOwnBits, &plan);
}
// The comparison register has a scalar for where a bit is not set.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                              uint8_t repeatTime, const BinaryRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Select", T, opkg::twin::kSelected);
    const opkg::twin::RepeatPlan plan = opkg::twin::binary_plan(nullptr, repeatTime, p, sizeof(T), sizeof(T), 0);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, plan, 0), opkg_reads(src0, plan, 1),
                     opkg_reads_bytes(selMask, repeatTime * plan.mask_bits / 8));
    opkg_twin_repeat_select(dst.data(), reinterpret_cast<const uint8_t *>(selMask.data()), src0.data(),
                            opkg_twin_core->compare_mask, 0, &plan);
}

} // namespace AscendC

#endif // OPKG_TWIN_COMPARE_H
