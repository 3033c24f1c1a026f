// SPDX-License-Identifier: Apache-2.0
// Scalar helpers: rounding up, counting bits, limits of a type, the clock.
#ifndef OPKG_TWIN_NUMBERS_H
#define OPKG_TWIN_NUMBERS_H

#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

#include "twin/fill.h"

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

} // namespace AscendC

namespace opkg::twin {

// The bits of a floating type's limits.
struct RealLimits {
    uint32_t max, min, lowest, smallest, infinity, negative_infinity, quiet, signalling;
};
template <typename T>
struct LimitsOf;
template <>
struct LimitsOf<float> {
    static constexpr RealLimits value = {0x7f7fffff, 0x00800000, 0xff7fffff, 1, 0x7f800000, 0xff800000, 0x7fc00000,
                                         0x7fa00000};
    static constexpr float real(uint32_t bits) { return __builtin_bit_cast(float, bits); }
};
template <>
struct LimitsOf<half> {
    static constexpr RealLimits value = {0x7bff, 0x0400, 0xfbff, 1, 0x7c00, 0xfc00, 0x7e00, 0x7d00};
    static constexpr half real(uint32_t bits) { return half::from_bits(static_cast<uint16_t>(bits)); }
};
template <>
struct LimitsOf<bfloat16_t> {
    static constexpr RealLimits value = {0x7f7f, 0x0080, 0xff7f, 1, 0x7f80, 0xff80, 0x7fc0, 0x7fa0};
    static constexpr bfloat16_t real(uint32_t bits) { return bfloat16_t::from_bits(static_cast<uint16_t>(bits)); }
};

} // namespace opkg::twin

namespace AscendC {

// A number, and a tensor filled with it.
#define OPKG_TWIN_LIMIT(Name, number)                                                                                  \
    static constexpr T Name() { return number; }                                                                       \
    static void Name(const LocalTensor<T> &dst, uint32_t count)                                                        \
    {                                                                                                                  \
        Duplicate(dst, Name(), static_cast<int32_t>(count));                                                           \
    }
#define OPKG_TWIN_REAL_LIMIT(Name, member)                                                                             \
    OPKG_TWIN_LIMIT(Name, opkg::twin::LimitsOf<T>::real(opkg::twin::LimitsOf<T>::value.member))

template <typename T>
struct IntegerLimits {
    OPKG_TWIN_LIMIT(Min, (T(-1) < T(0)) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0))
    OPKG_TWIN_LIMIT(Max, static_cast<T>(~((T(-1) < T(0)) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0))))
    OPKG_TWIN_LIMIT(Lowest, (T(-1) < T(0)) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0))
};
template <typename T>
struct RealNumberLimits {
    OPKG_TWIN_REAL_LIMIT(Max, max)
    OPKG_TWIN_REAL_LIMIT(Min, min) // the smallest normal number
    OPKG_TWIN_REAL_LIMIT(Lowest, lowest)
    OPKG_TWIN_REAL_LIMIT(DeNormMin, smallest)
    OPKG_TWIN_REAL_LIMIT(Infinity, infinity)
    OPKG_TWIN_REAL_LIMIT(NegativeInfinity, negative_infinity)
    OPKG_TWIN_REAL_LIMIT(QuietNaN, quiet)
    OPKG_TWIN_REAL_LIMIT(SignalingNaN, signalling)
};
#undef OPKG_TWIN_LIMIT
#undef OPKG_TWIN_REAL_LIMIT

template <typename T>
struct NumericLimits : IntegerLimits<T> {
};
template <>
struct NumericLimits<float> : RealNumberLimits<float> {
};
template <>
struct NumericLimits<half> : RealNumberLimits<half> {
};
template <>
struct NumericLimits<bfloat16_t> : RealNumberLimits<bfloat16_t> {
};

// The number of the architecture, its decimal digits as hexadecimal ones.
__aicore__ inline void GetArchVersion(uint32_t &coreVersion)
{
    coreVersion = 0;
    for (uint32_t rest = __NPU_ARCH__, shift = 0; rest > 0; rest /= 10, shift += 4) {
        coreVersion |= rest % 10 << shift;
    }
}

} // namespace AscendC

#endif // OPKG_TWIN_NUMBERS_H
