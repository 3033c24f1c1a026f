// SPDX-License-Identifier: Apache-2.0
// Cast between dtypes, of tensors and of single values.
#ifndef OPKG_TWIN_CAST_H
#define OPKG_TWIN_CAST_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr bool kHasInt4 = __NPU_ARCH__ != 2002 && __NPU_ARCH__ != 1001 && __NPU_ARCH__ != 3002; // as a source

// The dtypes that each source dtype may be cast to on the chip at hand.
constexpr uint32_t cast_targets(Dtype from)
{
    switch (from) {
        case kI8:
            return on_chip(dtypes(kF16), dtypes(kI16, kI32));
        case kI4:
            return on_chip(kHasInt4 ? dtypes(kF16) : 0, dtypes(kI16, kBF16));
        case kU8:
            return on_chip(dtypes(kF16), dtypes(kU16, kU32));
        case kI16:
            return on_chip(dtypes(kF16, kF32), dtypes(kI4, kU8, kI32, kU32));
        case kU16:
            return on_chip(0, dtypes(kU8, kU32));
        case kF16:
            return on_chip(dtypes(kI4, kI8, kU8, kI16, kI32, kF32), dtypes(kBF16, kHiF8));
        case kBF16:
            return on_chip(dtypes(kI32, kF32), dtypes(kF16, kF4E2M1, kF4E1M2));
        case kI32:
            return on_chip(dtypes(kI16, kF16, kF32, kI64), dtypes(kU8, kU16));
        case kU32:
            return on_chip(0, dtypes(kU8, kI16, kU16));
        case kF32:
            return on_chip(dtypes(kI16, kF16, kBF16, kI32, kF32, kI64), dtypes(kHiF8, kF8E4M3, kF8E5M2));
        case kI64:
            return on_chip(dtypes(kI32, kF32), dtypes(kF64));
        case kF64:
            return on_chip(0, dtypes(kBF16, kI32, kF32, kI64));
        case kHiF8:
            return on_chip(0, dtypes(kF16, kF32));
        case kF8E4M3:
        case kF8E5M2:
            return on_chip(0, dtypes(kF32));
        case kF4E2M1:
        case kF4E1M2:
            return on_chip(0, dtypes(kBF16));
        default:
            return 0;
    }
}

template <typename To, typename From>
inline CastFn find_cast()
{
    OPKG_TWIN_REQUIRE("Cast from this source dtype to a tensor that", To, cast_targets(DtypeOf<From>::value));
    if constexpr (is_small_float<To> || is_small_float<From>) {
        return opkg_twin_small_cast(DtypeOf<From>::value, DtypeOf<To>::value);
    } else {
        return opkg_twin_cast[DtypeOf<From>::value][DtypeOf<To>::value];
    }
}

// Two elements at once, so that those of half a byte have whole bytes.
template <typename To, typename From>
inline constexpr bool in_pairs = is_half_byte<To> || is_half_byte<From>;
template <typename T>
inline constexpr uint32_t pair_bytes = is_half_byte<T> ? 1u : 2u * static_cast<uint32_t>(sizeof(T));

} // namespace opkg::twin

namespace AscendC {

template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint32_t count)
{
    const opkg::twin::Operands<T, U, U> all(dst, src, src, count);
    opkg::twin::find_cast<T, U>()(all.dst, all.a, all.count, static_cast<int32_t>(roundMode));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    static_assert(!std::is_same<T, double>::value && !std::is_same<U, double>::value,
                  "Cast from and to double has no form with a mask");
    if constexpr (opkg::twin::in_pairs<T, U>) {
        const opkg::twin::RepeatPlan plan =
            opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, opkg::twin::pair_bytes<T>,
                                   opkg::twin::pair_bytes<U>);
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(dst, dst.GetSize()), opkg_reads_some(src, src.GetSize()));
        opkg_twin_repeat_cast_pairs(opkg::twin::find_cast<T, U>(), dst.data(), src.data(),
                                    static_cast<int32_t>(roundMode), &plan);
    } else {
        const opkg::twin::RepeatPlan plan =
            opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(T), sizeof(U));
        opkg_twin_repeat_cast(opkg::twin::find_cast<T, U>(), dst.data(), src.data(), static_cast<int32_t>(roundMode),
                              &plan);
    }
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Cast<T, U, isSetMask>(dst, src, roundMode, bits.bits, repeatTime, repeatParams);
}

// The scale that a Cast from int32_t to half multiplies with.
__aicore__ inline void SetDeqScale(half scale) { opkg_twin_core->deq_scale = scale; }

enum class SaturationMode : uint8_t { FLOAT, CAST };

// FLOAT on: infinities of a cast become the largest number and NaNs zero; off: overflow becomes an infinity.
// CAST on: casts to integers saturate; off: they keep the lower bits.
template <SaturationMode mode = SaturationMode::FLOAT>
__aicore__ inline void SetSaturationFlag(bool enableSat)
{
    if constexpr (mode == SaturationMode::FLOAT) {
        opkg_twin_core->saturate = enableSat ? 2 : 0;
    } else {
        opkg_twin_set_control(59, 59, enableSat ? 0 : 1);
    }
}
template <SaturationMode mode = SaturationMode::FLOAT>
__aicore__ inline bool GetSaturationFlag()
{
    if constexpr (mode == SaturationMode::FLOAT) {
        return opkg_twin_core->saturate != 0;
    } else {
        return opkg_twin_control(59, 59) == 0;
    }
}

template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U ScalarCast(T value)
{
    alignas(32) T in[32] = {value};
    alignas(32) U out[32];
    opkg::twin::find_cast<U, T>()(out, in, 1, static_cast<int32_t>(roundMode));
    return out[0];
}
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U Cast(T value)
{
    return ScalarCast<T, U, roundMode>(value);
}
__aicore__ inline bfloat16_t Cast(const float &value) { return bfloat16_t(value); }
__aicore__ inline float Cast(const bfloat16_t &value) { return value; }
__aicore__ inline bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
// A float of 8 bits, or the lower one of a pair of 4 bits.
template <typename T, typename U = float, typename = std::enable_if_t<opkg::twin::is_small_float<T>>>
__aicore__ inline U Cast(T value)
{
    static_assert(std::is_same<U, float>::value && opkg::twin::kWideChip,
                  "Cast of a single float of 8 or 4 bits gives float, on the Ascend950 only");
    return opkg_twin_small_value(opkg::twin::DtypeOf<T>::value, value.bits);
}
__aicore__ inline float ToFloat(const bfloat16_t &value) { return value; }

} // namespace AscendC

#endif // OPKG_TWIN_CAST_H
