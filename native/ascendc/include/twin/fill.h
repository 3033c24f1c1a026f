// SPDX-License-Identifier: Apache-2.0
// Filling a tensor: with one value, with a sequence, with each element of another tensor as a whole block.
#ifndef OPKG_TWIN_FILL_H
#define OPKG_TWIN_FILL_H

#include "twin/scalar.h"

namespace opkg::twin {

inline constexpr uint32_t kFilled = on_chip(kB16 | kB32, kB8 | kB64);
inline constexpr uint32_t kDuplicated = kFilled | on_chip(0, kSmallFloats);
inline constexpr uint32_t kCounted = on_chip(dtypes(kI16, kF16, kI32, kF32), dtypes(kI8, kI64));

inline constexpr uint64_t all_elements[2] = {~0ull, ~0ull};

inline RepeatPlan fill_plan(const uint64_t *mask, uint32_t repeat, uint32_t block, uint32_t step, uint32_t element)
{
    return {mask, mask_bits(element), repeat, 2, {element, 0, 0, 0}, {block, 0, 0, 0}, {step, 0, 0, 0}};
}

template <typename T>
inline T counted(T first, T step, uint32_t i)
{
    return static_cast<T>(static_cast<T>(step * static_cast<T>(i)) + first);
}

} // namespace opkg::twin

namespace AscendC {

template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type &scalarValue,
                                 const int32_t &count)
{
    OPKG_TWIN_REQUIRE("Duplicate", T, opkg::twin::kDuplicated);
    const opkg::twin::Operands<T, T, T> all(dst, count);
    opkg_twin_scalar[opkg::twin::kDuplicate][opkg::twin::moved_dtype<T>](all.dst, nullptr, &scalarValue,
                                                                         opkg::twin::moved_count<T>(all.count));
}
// The first element of a tensor, on the Ascend950.
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)
{
    OPKG_TWIN_REQUIRE("Duplicate of an element", T, opkg::twin::on_chip(0, opkg::twin::kDuplicated));
    const opkg::twin::Operands<T, T, T> all(dst, src, src, 1);
    T element;
    __builtin_memcpy(static_cast<void *>(&element), all.a, sizeof(T));
    Duplicate(dst, element, count);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type &scalarValue,
                                 const uint64_t mask[], const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride)
{
    OPKG_TWIN_REQUIRE("Duplicate", T, opkg::twin::kDuplicated);
    static_assert(!opkg::twin::is_small_float<T>, "Duplicate of floats of 8 or 4 bits has no form with a mask");
    const opkg::twin::RepeatPlan plan = opkg::twin::fill_plan(isSetMask ? mask : nullptr, repeatTime, dstBlockStride,
                                                              dstRepeatStride, sizeof(T));
    opkg_twin_repeat_scalar(opkg_twin_scalar[opkg::twin::kDuplicate][opkg::twin::moved_dtype<T>], dst.data(),
                            dst.data(), &scalarValue, &plan);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type &scalarValue,
                                 uint64_t mask, const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Duplicate<T, isSetMask>(dst, scalarValue, bits.bits, repeatTime, dstBlockStride, dstRepeatStride);
}

template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const typename opkg::twin::Same<T>::type &firstValue,
                                      uint32_t count)
{
    OPKG_TWIN_REQUIRE("CreateVecIndex", T, opkg::twin::kCounted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count));
    T *to = dst.data();
    for (uint32_t i = 0; i < count; ++i) {
        to[i] = opkg::twin::counted(firstValue, T(1), i);
    }
}
// Each repeat goes on counting where the one before stopped, whatever the mask leaves out.
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type &firstValue,
                                      const uint64_t mask[], uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride)
{
    OPKG_TWIN_REQUIRE("CreateVecIndex", T, opkg::twin::kCounted);
    constexpr uint32_t per_repeat = opkg::twin::mask_bits(sizeof(T));
    constexpr uint32_t per_block = 32 / sizeof(T);
    [[maybe_unused]] const opkg::twin::RepeatPlan plan =
        opkg::twin::fill_plan(mask, repeatTime, dstBlkStride, dstRepStride, sizeof(T));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, plan, 0));
    T *to = dst.data();
    for (uint32_t i = 0; i < per_repeat * repeatTime; ++i) {
        const uint32_t at = i % per_repeat;
        if ((mask[at / 64] >> (at % 64) & 1) != 0) {
            to[(i / per_repeat * dstRepStride + at / per_block * dstBlkStride) * per_block + at % per_block] =
                opkg::twin::counted(firstValue, T(1), i);
        }
    }
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type &firstValue,
                                      uint64_t mask, uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    CreateVecIndex(dst, firstValue, bits.bits, repeatTime, dstBlkStride, dstRepStride);
}

// dst[i] = firstValue + i * diffValue
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type firstValue,
                                        const typename opkg::twin::Same<T>::type diffValue, const int32_t count)
{
    OPKG_TWIN_REQUIRE("ArithProgression", T, opkg::twin::kCounted | opkg::twin::kB64);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, static_cast<uint64_t>(count > 0 ? count : 0)));
    T *to = dst.data();
    for (int32_t i = 0; i < count; ++i) {
        to[i] = opkg::twin::counted<T>(firstValue, diffValue, static_cast<uint32_t>(i));
    }
}
template <typename T>
__aicore__ inline void Arange(const LocalTensor<T> &dst, const typename opkg::twin::Same<T>::type firstValue,
                              const typename opkg::twin::Same<T>::type diffValue, const int32_t count)
{
    ArithProgression(dst, firstValue, diffValue, count);
}

struct BrcbRepeatParams {
    constexpr BrcbRepeatParams() = default;
    constexpr BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
    uint32_t blockNumber = 8;
    uint16_t dstBlkStride = 1;
    uint16_t dstRepStride = 8;
};

// Each repeat takes eight elements and fills one block of 32 bytes with each.
template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
                            const BrcbRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Brcb", T, opkg::twin::kFilled);
    constexpr uint32_t per_block = 32 / sizeof(T);
    [[maybe_unused]] const opkg::twin::RepeatPlan blocks =
        opkg::twin::fill_plan(opkg::twin::all_elements, repeatTime, p.dstBlkStride, p.dstRepStride, sizeof(T));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, blocks, 0), opkg_may_read(src, 8u * repeatTime));
    T *to = dst.data();
    const T *from = src.data();
    for (uint32_t i = 0; i < 8u * repeatTime; ++i) {
        T *block = to + (i / 8 * p.dstRepStride + i % 8 * p.dstBlkStride) * per_block;
        for (uint32_t k = 0; k < per_block; ++k) {
            block[k] = from[i];
        }
    }
}

} // namespace AscendC

#endif // OPKG_TWIN_FILL_H
