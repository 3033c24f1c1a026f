// SPDX-License-Identifier: Apache-2.0
// Scalar helpers: rounding up, counting bits, limits of a type, the clock.
#ifndef OPKG_TWIN_NUMBERS_H
#define OPKG_TWIN_NUMBERS_H

#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

#include "twin/support.h"

// The device language has min and max without a namespace, for two types as well. They are the standard library's, so
// that programs with `using namespace std` mean the same ones.
using std::max;
using std::min;
template <typename A, typename B, typename = std::enable_if_t<!std::is_same<A, B>::value>>
constexpr std::common_type_t<A, B> min(A a, B b)
{
    using C = std::common_type_t<A, B>;
    return static_cast<C>(b) < static_cast<C>(a) ? static_cast<C>(b) : static_cast<C>(a);
}
template <typename A, typename B, typename = std::enable_if_t<!std::is_same<A, B>::value>>
constexpr std::common_type_t<A, B> max(A a, B b)
{
    using C = std::common_type_t<A, B>;
    return static_cast<C>(a) < static_cast<C>(b) ? static_cast<C>(b) : static_cast<C>(a);
}

namespace AscendC {

__aicore__ constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
__aicore__ constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
__aicore__ constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b * b; }

template <typename A, typename B, typename = std::enable_if_t<std::is_integral<A>::value && std::is_integral<B>::value>>
__aicore__ constexpr auto Ceil(A a, B b)
{
    return b == 0 ? decltype(a + b)(0) : (a + b - 1) / b;
}

__aicore__ constexpr int64_t CountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
__aicore__ constexpr int64_t ScalarCountLeadingZero(uint64_t value) { return CountLeadingZero(value); }
__aicore__ constexpr int64_t CountBitsCntSameAsSignBit(int64_t value) { return __builtin_clrsbll(value); }
template <int countValue>
__aicore__ constexpr int64_t GetBitCount(uint64_t value)
{
    return countValue == 1 ? __builtin_popcountll(value) : 64 - __builtin_popcountll(value);
}
template <int countValue>
__aicore__ constexpr int64_t ScalarGetCountOfValue(uint64_t value)
{
    return GetBitCount<countValue>(value);
}
// The first 0 or 1 from the lowest bit on; -1 where there is none.
template <int countValue>
__aicore__ constexpr int64_t GetSFFValue(uint64_t value)
{
    const uint64_t bits = countValue == 1 ? value : ~value;
    return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
__aicore__ constexpr int64_t ScalarGetSFFValue(uint64_t value)
{
    return GetSFFValue<countValue>(value);
}

template <typename T>
struct NumericLimits {
    static constexpr T Max() { return (T(-1) < T(0)) ? static_cast<T>(~Min()) : static_cast<T>(~T(0)); }
    static constexpr T Min()
    {
        return (T(-1) < T(0)) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0);
    }
    static constexpr T Lowest() { return Min(); }
};
template <>
struct NumericLimits<float> {
    static constexpr float Max() { return 0x1.fffffep127f; }
    static constexpr float Min() { return 0x1p-126f; }
    static constexpr float Lowest() { return -Max(); }
    static constexpr float DeNormMin() { return 0x1p-149f; }
    static constexpr float Infinity() { return __builtin_inff(); }
    static constexpr float NegativeInfinity() { return -__builtin_inff(); }
    static constexpr float QuietNaN() { return __builtin_nanf(""); }
};
template <>
struct NumericLimits<half> {
    static constexpr half Max() { return half::from_bits(0x7bff); }
    static constexpr half Min() { return half::from_bits(0x0400); }
    static constexpr half Lowest() { return half::from_bits(0xfbff); }
    static constexpr half DeNormMin() { return half::from_bits(0x0001); }
    static constexpr half Infinity() { return half::from_bits(0x7c00); }
    static constexpr half NegativeInfinity() { return half::from_bits(0xfc00); }
    static constexpr half QuietNaN() { return half::from_bits(0x7e00); }
};
template <>
struct NumericLimits<bfloat16_t> {
    static constexpr bfloat16_t Max() { return bfloat16_t::from_bits(0x7f7f); }
    static constexpr bfloat16_t Min() { return bfloat16_t::from_bits(0x0080); }
    static constexpr bfloat16_t Lowest() { return bfloat16_t::from_bits(0xff7f); }
    static constexpr bfloat16_t DeNormMin() { return bfloat16_t::from_bits(0x0001); }
    static constexpr bfloat16_t Infinity() { return bfloat16_t::from_bits(0x7f80); }
    static constexpr bfloat16_t NegativeInfinity() { return bfloat16_t::from_bits(0xff80); }
    static constexpr bfloat16_t QuietNaN() { return bfloat16_t::from_bits(0x7fc0); }
};

} // namespace AscendC

#endif // OPKG_TWIN_NUMBERS_H
