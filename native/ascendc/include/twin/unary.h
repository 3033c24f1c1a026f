// SPDX-License-Identifier: Apache-2.0
// dst = f(src), element by element; and copies inside a buffer.
#ifndef OPKG_TWIN_UNARY_H
#define OPKG_TWIN_UNARY_H

#include "twin/support.h"

#define OPKG_TWIN_UNARY(Name, op, supported)                                                                           \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)            \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::Operands<T, T, T> all(dst, src, src, count);                                                 \
        all.run(op);                                                                                                   \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],           \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::RepeatPlan plan =                                                                            \
            opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(T), sizeof(T));        \
        opkg_twin_repeat_unary(opkg_twin_unary[op][opkg::twin::DtypeOf<T>::value], dst.data(), src.data(), &plan);     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,                   \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                                     \
        Name<T, isSetMask>(dst, src, bits.bits, repeatTime, repeatParams);                                             \
    }

namespace opkg::twin {

inline constexpr uint32_t kAbsolute = on_chip(dtypes(kF16, kF32), dtypes(kI8, kI16, kI32, kI64));
inline constexpr uint32_t kInverted = on_chip(dtypes(kI16, kU16), kAnyInteger | kFloats);
inline constexpr uint32_t kReciprocals = on_chip(kFloats, kB64);
inline constexpr uint32_t kRectify = on_chip(dtypes(kF16, kI32, kF32), dtypes(kI64));
inline constexpr uint32_t kNegate = on_chip(0, dtypes(kI8, kI16, kF16, kI32, kF32, kI64));
inline constexpr uint32_t kCopied = on_chip(kB16 | kB32, kB8 | kB64 | kSmallFloats);

} // namespace opkg::twin

namespace AscendC {

OPKG_TWIN_UNARY(Exp, opkg::twin::kExp, opkg::twin::kFloats)
OPKG_TWIN_UNARY(Ln, opkg::twin::kLn, opkg::twin::kFloats)
OPKG_TWIN_UNARY(Abs, opkg::twin::kAbs, opkg::twin::kAbsolute)
OPKG_TWIN_UNARY(Sqrt, opkg::twin::kSqrt, opkg::twin::kFloats)
OPKG_TWIN_UNARY(Rsqrt, opkg::twin::kRsqrt, opkg::twin::kFloats)
OPKG_TWIN_UNARY(Reciprocal, opkg::twin::kReciprocal, opkg::twin::kReciprocals)
OPKG_TWIN_UNARY(Relu, opkg::twin::kRelu, opkg::twin::kRectify)
OPKG_TWIN_UNARY(Not, opkg::twin::kNot, opkg::twin::kInverted)
OPKG_TWIN_UNARY(Neg, opkg::twin::kNeg, opkg::twin::kNegate)

struct CopyRepeatParams {
    constexpr CopyRepeatParams() = default;
    constexpr CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_rep, uint16_t src_rep)
        : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_rep), srcRepeatSize(src_rep)
    {
    }
    uint16_t dstStride = 1;
    uint16_t srcStride = 1;
    uint16_t dstRepeatSize = 8;
    uint16_t srcRepeatSize = 8;
};

} // namespace AscendC

namespace opkg::twin {

// In counter mode the mask says how many elements each repeat of a Copy has; blocks go on at their stride.
template <typename T>
inline void copy_counted(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint64_t elements,
                         uint32_t repeats, const AscendC::CopyRepeatParams &p)
{
    opkg_twin_core->mask[0] = elements;
    const RepeatPlan plan{nullptr, mask_bits(sizeof(T)), 1, 2, {sizeof(T), sizeof(T), 0, 0},
                          {p.dstStride, p.srcStride, 0, 0}, {p.dstStride * 8u, p.srcStride * 8u, 0, 0}};
    constexpr uint32_t in_block = elements_in<T>(32);
    for (uint32_t i = 0; i < repeats; ++i) {
        opkg_twin_repeat_unary(opkg_twin_unary[kCopy][moved_dtype<T>], dst[i * p.dstRepeatSize * in_block].data(),
                               src[i * p.srcRepeatSize * in_block].data(), &plan);
    }
}

} // namespace opkg::twin

namespace AscendC {

template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                            const uint8_t repeatTime, const CopyRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Copy", T, opkg::twin::kCopied);
    if (opkg_twin_core->counter_mode) {
        opkg::twin::copy_counted(dst, src, isSetMask ? mask[0] : opkg_twin_core->mask[0], repeatTime, p);
        return;
    }
    const opkg::twin::RepeatPlan plan{isSetMask ? mask : nullptr, opkg::twin::mask_bits(sizeof(T)), repeatTime, 2,
                                      {sizeof(T), sizeof(T), 0, 0}, {p.dstStride, p.srcStride, 0, 0},
                                      {p.dstRepeatSize, p.srcRepeatSize, 0, 0}};
    opkg_twin_repeat_unary(opkg_twin_unary[opkg::twin::kCopy][opkg::twin::moved_dtype<T>], dst.data(), src.data(), &plan);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                            const uint8_t repeatTime, const CopyRepeatParams &p)
{
    const opkg::twin::Mask bits =
        opkg_twin_core->counter_mode ? opkg::twin::Mask{{mask, 0}} : opkg::twin::continuous_mask(mask);
    Copy<T, isSetMask>(dst, src, bits.bits, repeatTime, p);
}
template <typename T>
__aicore__ inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Copy", T, opkg::twin::kCopied);
    opkg_twin_unary[opkg::twin::kCopy][opkg::twin::moved_dtype<T>](dst.data(), src.data(),
                                                                   opkg::twin::moved_count<T>(count));
}

} // namespace AscendC

#undef OPKG_TWIN_UNARY

#endif // OPKG_TWIN_UNARY_H
