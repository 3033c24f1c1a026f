// SPDX-License-Identifier: Apache-2.0
// Rounding to fewer digits by RoundMode, for conversions that a processor's instruction does not cover.
#ifndef OPKG_TWIN_VEC_ROUNDING_HPP
#define OPKG_TWIN_VEC_ROUNDING_HPP

#include "integers.hpp"
#include "pack.hpp"

namespace {

// AscendC::RoundMode
enum Mode : int32_t { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

// Whether the kept digits go up by one in magnitude, for a rest out of [0, 2^shift).
inline bool goes_up(int32_t mode, bool negative, uint64_t kept, uint64_t rest, int shift)
{
    const uint64_t middle = 1ull << (shift - 1);
    switch (mode) {
        case kFloor:
            return negative && rest != 0;
        case kCeil:
            return !negative && rest != 0;
        case kRound:
            return rest >= middle;
        case kTrunc:
            return false;
        case kOdd:
            return rest != 0 && (kept & 1) == 0;
        default:
            return rest > middle || (rest == middle && (kept & 1) != 0);
    }
}

inline uint64_t cut(uint64_t digits, int shift, int32_t mode, bool negative)
{
    if (shift <= 0) {
        return digits << -shift;
    }
    const int by = shift < 62 ? shift : 62;
    const uint64_t kept = digits >> by;
    const uint64_t rest = digits & ((1ull << by) - 1);
    return kept + (goes_up(mode, negative, kept, rest, by) ? 1 : 0);
}

// A 16-bit floating format.
struct HalfFormat {
    static constexpr int mantissa = 10, bias = 15;
    static constexpr float max = 65504.0f;
};
struct BfloatFormat {
    static constexpr int mantissa = 7, bias = 127;
    static constexpr float max = 0x1.fep127f;
};
template <typename T>
struct FormatOf {
    using type = HalfFormat;
};
template <>
struct FormatOf<bfloat> {
    using type = BfloatFormat;
};

template <typename T>
inline T narrow_one(float value, int32_t mode, bool saturate)
{
    using Format = typename FormatOf<T>::type;
    constexpr uint32_t infinity = (static_cast<uint32_t>(Format::bias) * 2 + 1) << Format::mantissa;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return {static_cast<uint16_t>(sign | infinity | 1u << (Format::mantissa - 1))};
    }
    if (magnitude == 0x7f800000u) {
        return {static_cast<uint16_t>(sign | infinity)};
    }
    const int raw = static_cast<int>(magnitude >> 23);
    const int exponent = (raw == 0 ? 1 : raw) - 127;
    const uint32_t digits = (magnitude & 0x7fffffu) | (raw == 0 ? 0u : 0x800000u);
    const int lowest = 1 - Format::bias;
    const bool subnormal = exponent < lowest;
    const int shift = 23 - Format::mantissa + (subnormal ? lowest - exponent : 0);
    uint32_t result = static_cast<uint32_t>(cut(digits, shift, mode, sign != 0));
    if (!subnormal && raw != 0) {
        result += static_cast<uint32_t>(exponent - lowest) << Format::mantissa;
    }
    if (result >= infinity) {
        result = infinity - (saturate ? 1 : 0);
    }
    return {static_cast<uint16_t>(sign | result)};
}

// saturate: 0 overflow becomes an infinity; 1 (the default) finite values stay finite; 2 infinities become the largest
// number as well, and NaNs zero.
template <typename T>
inline void write_narrow(T *d, F v, size_t count, int32_t mode, uint32_t saturate)
{
    constexpr float max = FormatOf<T>::type::max;
    if (saturate == 2) {
        v = v != v ? F{} : v;
    }
    if (saturate != 0) {
        const float limit = saturate == 2 ? __builtin_inff() : 0x1.fffffep127f;
        const F m = magnitude_of(v);
        v = m > max && m <= limit ? with_sign_of(splat(max), v) : v;
    }
    if (mode <= kRint) {
        count == kLanes ? store(d, v) : store_part(d, v, count);
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        d[k] = narrow_one<T>(v[k], mode, saturate != 0);
    }
}

template <typename T>
inline float integer_to_float(T value, int32_t mode)
{
    const bool negative = is_signed<T> && value < 0;
    const uint64_t digits = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (digits < (1ull << 24)) {
        return static_cast<float>(value);
    }
    const int shift = 40 - __builtin_clzll(digits);
    const float kept = static_cast<float>(cut(digits, shift, mode, negative));
    const uint32_t scale_bits = static_cast<uint32_t>(127 + shift) << 23;
    float scale;
    memcpy(&scale, &scale_bits, 4);
    return negative ? -kept * scale : kept * scale;
}

template <typename To, typename From>
inline To saturate_integer(From value)
{
    if constexpr (sizeof(To) > sizeof(From)) {
        return !is_signed<To> && is_signed<From> && value < 0 ? To(0) : static_cast<To>(value);
    } else {
        constexpr uint64_t top = is_signed<To> ? (1ull << (width<To> - 1)) - 1 : ~0ull >> (64 - width<To>);
        constexpr int64_t bottom = is_signed<To> ? -static_cast<int64_t>(top) - 1 : 0;
        if (is_signed<From> && value < 0) {
            return static_cast<int64_t>(value) < bottom ? static_cast<To>(bottom) : static_cast<To>(value);
        }
        return static_cast<uint64_t>(value) > top ? static_cast<To>(top) : static_cast<To>(value);
    }
}

} // namespace

#endif // OPKG_TWIN_VEC_ROUNDING_HPP
