// SPDX-License-Identifier: Apache-2.0
// dst = src op scalar, element by element.
#ifndef OPKG_TWIN_SCALAR_H
#define OPKG_TWIN_SCALAR_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr uint32_t kShifts = on_chip(dtypes(kI16, kU16, kI32, kU32), kAnyInteger);
// What a tensor and a scalar may be; sums and extremes, products, differences, quotients, bits.
inline constexpr uint32_t kWithScalar =
    on_chip(dtypes(kI16, kF16, kI32, kF32), dtypes(kI8, kU8, kBF16, kI64, kU64));
inline constexpr uint32_t kScaled = on_chip(dtypes(kI16, kF16, kI32, kF32), dtypes(kBF16, kI64, kU64));
inline constexpr uint32_t kSubtracted = on_chip(0, kScaled);
inline constexpr uint32_t kDivided = on_chip(0, kFloats | kB64);
inline constexpr uint32_t kMasked = on_chip(0, dtypes(kI16, kU16, kI64, kU64));
inline constexpr uint32_t kAccumulatedProducts = on_chip(kFloats, kB64 | dtypes(kBF16));

// Keeps a scalar out of deduction, so that Muls(x, x, 2, n) takes the tensor's type.
template <typename T>
struct Same {
    using type = T;
};

} // namespace opkg::twin

#define OPKG_TWIN_SCALAR(Name, op, supported)                                                                          \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                  \
                                const typename opkg::twin::Same<T>::type &scalarValue, const int32_t &count)           \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::Operands<T, T, T> all(dst, src, src, count);                                                 \
        opkg_twin_scalar[op][opkg::twin::DtypeOf<T>::value](all.dst, all.a, &scalarValue, all.count);                  \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                  \
                                const typename opkg::twin::Same<T>::type &scalarValue, const uint64_t mask[],          \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::RepeatPlan plan =                                                                            \
            opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(T), sizeof(T));        \
        opkg_twin_repeat_scalar(opkg_twin_scalar[op][opkg::twin::DtypeOf<T>::value], dst.data(), src.data(),           \
                                &scalarValue, &plan);                                                                  \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                  \
                                const typename opkg::twin::Same<T>::type &scalarValue, uint64_t mask,                  \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                                     \
        Name<T, isSetMask>(dst, src, scalarValue, bits.bits, repeatTime, repeatParams);                                \
    }

namespace AscendC {

OPKG_TWIN_SCALAR(Adds, opkg::twin::kAdds, opkg::twin::kWithScalar)
OPKG_TWIN_SCALAR(Muls, opkg::twin::kMuls, opkg::twin::kScaled)
OPKG_TWIN_SCALAR(Maxs, opkg::twin::kMaxs, opkg::twin::kWithScalar)
OPKG_TWIN_SCALAR(Mins, opkg::twin::kMins, opkg::twin::kWithScalar)
OPKG_TWIN_SCALAR(LeakyRelu, opkg::twin::kLeakyRelu, opkg::twin::kFloats)
OPKG_TWIN_SCALAR(ShiftLeft, opkg::twin::kShiftLeft, opkg::twin::kShifts)
OPKG_TWIN_SCALAR(ShiftRight, opkg::twin::kShiftRight, opkg::twin::kShifts)
OPKG_TWIN_SCALAR(Subs, opkg::twin::kSubs, opkg::twin::kSubtracted)
OPKG_TWIN_SCALAR(Divs, opkg::twin::kDivs, opkg::twin::kDivided)
OPKG_TWIN_SCALAR(Ands, opkg::twin::kAnds, opkg::twin::kMasked)
OPKG_TWIN_SCALAR(Ors, opkg::twin::kOrs, opkg::twin::kMasked)

// Right shifts that round: the last bit shifted out is added.
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                  const typename opkg::twin::Same<T>::type &scalarValue, const uint64_t mask[],
                                  const uint8_t repeatTime, const UnaryRepeatParams &repeatParams, bool roundEn)
{
    OPKG_TWIN_REQUIRE("ShiftRight", T, opkg::twin::kShifts);
    const opkg::twin::RepeatPlan plan =
        opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(T), sizeof(T));
    const auto op = roundEn ? opkg::twin::kShiftRightRound : opkg::twin::kShiftRight;
    opkg_twin_repeat_scalar(opkg_twin_scalar[op][opkg::twin::DtypeOf<T>::value], dst.data(), src.data(), &scalarValue,
                            &plan);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                  const typename opkg::twin::Same<T>::type &scalarValue, uint64_t mask,
                                  const uint8_t repeatTime, const UnaryRepeatParams &repeatParams, bool roundEn)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    ShiftRight<T, isSetMask>(dst, src, scalarValue, bits.bits, repeatTime, repeatParams, roundEn);
}

} // namespace AscendC
#undef OPKG_TWIN_SCALAR

namespace opkg::twin {

template <typename T, typename U>
inline ScalarFn find_axpy()
{
    static_assert(std::is_same<T, U>::value || (std::is_same<T, float>::value && std::is_same<U, half>::value),
                  "Axpy takes dst and src of one type, or dst of float and src of half");
    OPKG_TWIN_REQUIRE("Axpy", U, kAccumulatedProducts);
    return opkg_twin_scalar[std::is_same<T, U>::value ? kAxpy : kAxpyWiden][DtypeOf<U>::value];
}

} // namespace opkg::twin

namespace AscendC {

// dst = dst + src * scalar
template <typename T, typename U>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                            const typename opkg::twin::Same<U>::type &scalarValue, const int32_t &count)
{
    const opkg::twin::Operands<T, U, U> all(dst, src, src, count, true);
    opkg::twin::find_axpy<T, U>()(all.dst, all.a, &scalarValue, all.count);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                            const typename opkg::twin::Same<U>::type &scalarValue, const uint64_t mask[],
                            const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    const opkg::twin::RepeatPlan plan =
        opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(T), sizeof(U));
    opkg_twin_repeat_scalar(opkg::twin::find_axpy<T, U>(), dst.data(), src.data(), &scalarValue, &plan);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                            const typename opkg::twin::Same<U>::type &scalarValue, uint64_t mask,
                            const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Axpy<T, U, isSetMask>(dst, src, scalarValue, bits.bits, repeatTime, repeatParams);
}

} // namespace AscendC

#endif // OPKG_TWIN_SCALAR_H
