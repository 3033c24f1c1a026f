// SPDX-License-Identifier: Apache-2.0
// Cast. Rounding by RoundMode; what does not fit saturates. A NaN becomes integer 0; infinities and NaNs stay what they
// are between floating types.
#include <type_traits>

#include "integers.hpp"
#include "pack.hpp"
#include "rounding.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

// Calls body with the rounding function of a mode, so that the loop inside is compiled once for each.
template <typename Body>
void with_rounding(int32_t mode, const Body &body)
{
    switch (mode) {
        case kFloor:
            return body([](F v) { return round_down(v); });
        case kCeil:
            return body([](F v) { return round_up(v); });
        case kRound:
            return body([](F v) { return half_away(v); });
        case kTrunc:
            return body([](F v) { return toward_zero(v); });
        default:
            return body([](F v) { return nearest(v); });
    }
}

// Registers of a narrow integer type with as many lanes as a float register.
template <typename T>
struct NarrowOf {
    typedef T type __attribute__((vector_size(kLanes * sizeof(T))));
};

template <typename T>
inline void write_integers(T *d, I v, size_t count)
{
    const typename NarrowOf<T>::type narrow = __builtin_convertvector(v, typename NarrowOf<T>::type);
    if (count == kLanes) {
        memcpy(d, &narrow, sizeof narrow);
    } else {
        memcpy(d, &narrow, count * sizeof(T));
    }
}

// Whether casts to integers keep the lower bits of what does not fit: bit 59 of the control register, which on the
// Ascend950 holds where bit 60 is set.
bool keeps_low_bits()
{
    const Core &core = *opkg_twin_core;
    return (core.control >> 59 & 1) != 0 && (core.npu_arch < 3510 || (core.control >> 60 & 1) != 0);
}

// The lower bits of a whole number. NaNs have none, nor have infinities.
uint64_t low_bits(float whole)
{
    uint32_t bits;
    memcpy(&bits, &whole, 4);
    const int shift = static_cast<int>(bits >> 23 & 0xff) - 150;
    const uint64_t digits = (bits & 0x7fffffu) | 0x800000u;
    if (shift >= 64 || shift <= -24) {
        return 0;
    }
    const uint64_t size = shift >= 0 ? digits << shift : digits >> -shift;
    return bits >> 31 != 0 ? 0 - size : size;
}

// Integers that an int32_t holds, as floats, rounded to nearest.
template <typename T>
inline F read_integers(const T *s, size_t count)
{
    int32_t lanes[kLanes] = {};
    if (count == kLanes) {
        for (size_t k = 0; k < kLanes; ++k) {
            lanes[k] = static_cast<int32_t>(s[k]);
        }
    } else {
        for (size_t k = 0; k < count; ++k) {
            lanes[k] = static_cast<int32_t>(s[k]);
        }
    }
    return __builtin_convertvector(load_int(lanes), F);
}

// Bounds of T that a float can hold, and the integer for whatever is beyond them.
template <typename T>
struct Range {
    static constexpr float low = is_signed<T> ? -static_cast<float>(1ull << (width<T> - 1)) : 0.0f;
    static constexpr float high = static_cast<float>(1ull << (width<T> - 1)) * (is_signed<T> ? 1.0f : 2.0f);
    static constexpr T max = is_signed<T> ? static_cast<T>((1ull << (width<T> - 1)) - 1) : static_cast<T>(~0ull);
};

template <typename T>
inline T saturate_one(float v)
{
    if (v != v) {
        return 0;
    }
    if (v >= Range<T>::high) {
        return Range<T>::max;
    }
    return v <= Range<T>::low ? static_cast<T>(Range<T>::low) : static_cast<T>(v);
}

template <typename T>
inline I saturate_pack(F v)
{
    const F low = v < Range<T>::low ? splat(Range<T>::low) : v;
    const I beyond = low >= Range<T>::high;
    const F inside = (low == low) & ~beyond ? low : F{};
    return beyond ? splat_int(static_cast<int32_t>(Range<T>::max)) : __builtin_convertvector(inside, I);
}

template <typename From, typename To>
void real_to_integer(void *dst, const void *src, size_t count, int32_t mode)
{
    To *d = static_cast<To *>(dst);
    const From *s = static_cast<const From *>(src);
    const bool low = keeps_low_bits();
    with_rounding(mode, [&](auto round) {
        for (size_t i = 0; i < count; i += kLanes) {
            const size_t here = count - i < kLanes ? count - i : kLanes;
            const F v = round(here == kLanes ? load(s + i) : load_part(s + i, here));
            if (low) {
                for (size_t k = 0; k < here; ++k) {
                    d[i + k] = static_cast<To>(low_bits(v[k]));
                }
                continue;
            }
            if constexpr (sizeof(To) <= 4 && (sizeof(To) < 4 || is_signed<To>)) {
                write_integers(d + i, saturate_pack<To>(v), here);
            } else {
                for (size_t k = 0; k < here; ++k) {
                    d[i + k] = saturate_one<To>(v[k]);
                }
            }
        }
    });
}

// Integers that a float may not hold exactly are rounded by mode; from 64 bits through double-width arithmetic.
template <typename From, typename To>
void integer_to_real(void *dst, const void *src, size_t count, int32_t mode)
{
    To *d = static_cast<To *>(dst);
    const From *s = static_cast<const From *>(src);
    [[maybe_unused]] const uint32_t saturate = opkg_twin_core->saturate;
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        F v{};
        if (sizeof(From) <= 2 || (std::is_same<From, int32_t>::value && mode <= kRint)) {
            v = read_integers(s + i, here);
        } else {
            float lanes[kLanes] = {};
            for (size_t k = 0; k < here; ++k) {
                lanes[k] = integer_to_float(s[i + k], mode);
            }
            v = load(lanes);
        }
        if constexpr (sizeof(To) == 2) {
            write_narrow(d + i, v, here, mode, saturate);
        } else {
            here == kLanes ? store(d + i, v) : store_part(d + i, v, here);
        }
    }
}

template <typename From, typename To>
void integer_to_integer(void *dst, const void *src, size_t count, int32_t)
{
    To *d = static_cast<To *>(dst);
    const From *s = static_cast<const From *>(src);
    const bool low = sizeof(To) <= sizeof(From) && keeps_low_bits(); // what widens saturates always
    for (size_t i = 0; i < count; ++i) {
        d[i] = low ? static_cast<To>(s[i]) : saturate_integer<To>(s[i]);
    }
}

template <typename From, typename To>
void real_to_real(void *dst, const void *src, size_t count, int32_t mode)
{
    To *d = static_cast<To *>(dst);
    const From *s = static_cast<const From *>(src);
    [[maybe_unused]] const uint32_t saturate = opkg_twin_core->saturate;
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        const F v = here == kLanes ? load(s + i) : load_part(s + i, here);
        if constexpr (sizeof(To) == 2) {
            write_narrow(d + i, v, here, mode, saturate);
        } else {
            here == kLanes ? store(d + i, v) : store_part(d + i, v, here);
        }
    }
}

// int32 to half carries a scale that SetDeqScale sets; the rounding mode has no effect.
void int32_to_half(void *dst, const void *src, size_t count, int32_t)
{
    half *d = static_cast<half *>(dst);
    const int32_t *s = static_cast<const int32_t *>(src);
    const float scale = opkg_twin_core->deq_scale * 0x1p17f;
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        float lanes[kLanes] = {};
        for (size_t k = 0; k < here; ++k) {
            lanes[k] = static_cast<float>(s[i + k]) * 0x1p-17f;
        }
        write_narrow(d + i, load(lanes) * scale, here, kRint, opkg_twin_core->saturate);
    }
}

// float to float rounds to whole numbers.
void round_floats(void *dst, const void *src, size_t count, int32_t mode)
{
    float *d = static_cast<float *>(dst);
    const float *s = static_cast<const float *>(src);
    with_rounding(mode, [&](auto round) {
        size_t i = 0;
        for (; i + kLanes <= count; i += kLanes) {
            store(d + i, round(load(s + i)));
        }
        if (const size_t rest = count - i; rest != 0) {
            store_part(d + i, round(load_part(s + i, rest)), rest);
        }
    });
}

// half or bfloat16 to whole numbers of the same type.
template <typename T>
void round_reals(void *dst, const void *src, size_t count, int32_t mode)
{
    T *d = static_cast<T *>(dst);
    const T *s = static_cast<const T *>(src);
    with_rounding(mode, [&](auto round) {
        for (size_t i = 0; i < count; i += kLanes) {
            const size_t here = count - i < kLanes ? count - i : kLanes;
            store_part(d + i, round(load_part(s + i, here)), here);
        }
    });
}

// An int4b_t is half a byte, the first of a pair the lower half. Counts are even.
inline int32_t low_nibble(uint8_t pair) { return static_cast<int8_t>(pair << 4) >> 4; }
inline int32_t high_nibble(uint8_t pair) { return static_cast<int8_t>(pair) >> 4; }
inline uint8_t join_nibbles(int32_t low, int32_t high)
{
    return static_cast<uint8_t>((low & 15) | (high & 15) << 4);
}
inline int32_t saturate_nibble(int32_t v) { return v < -8 ? -8 : v > 7 ? 7 : v; }
inline int32_t fit_nibble(int32_t v, bool low) { return low ? v : saturate_nibble(v); }

template <typename To>
void nibbles_to_real(void *dst, const void *src, size_t count, int32_t)
{
    To *d = static_cast<To *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        float lanes[kLanes] = {};
        for (size_t k = 0; k < here; ++k) {
            const uint8_t pair = s[(i + k) / 2];
            lanes[k] = static_cast<float>((i + k) % 2 == 0 ? low_nibble(pair) : high_nibble(pair));
        }
        store_part(d + i, load(lanes), here);
    }
}

void nibbles_to_int16(void *dst, const void *src, size_t count, int32_t)
{
    int16_t *d = static_cast<int16_t *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    for (size_t i = count / 2; i-- > 0;) { // backwards: dst may begin where src does
        const uint8_t pair = s[i];
        d[2 * i + 1] = static_cast<int16_t>(high_nibble(pair));
        d[2 * i] = static_cast<int16_t>(low_nibble(pair));
    }
}

void half_to_nibbles(void *dst, const void *src, size_t count, int32_t mode)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const half *s = static_cast<const half *>(src);
    const bool low = keeps_low_bits();
    with_rounding(mode, [&](auto round) {
        for (size_t i = 0; i < count; i += kLanes) {
            const size_t here = count - i < kLanes ? count - i : kLanes;
            int32_t lanes[kLanes];
            const F v = round(load_part(s + i, here));
            store_int(lanes, saturate_pack<int8_t>(v));
            for (size_t k = 0; low && k < here; ++k) {
                lanes[k] = static_cast<int32_t>(low_bits(v[k]));
            }
            for (size_t k = 0; k + 1 < here; k += 2) {
                d[(i + k) / 2] = join_nibbles(fit_nibble(lanes[k], low), fit_nibble(lanes[k + 1], low));
            }
        }
    });
}

void int16_to_nibbles(void *dst, const void *src, size_t count, int32_t)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const int16_t *s = static_cast<const int16_t *>(src);
    const bool low = keeps_low_bits();
    for (size_t i = 0; i < count / 2; ++i) {
        d[i] = join_nibbles(fit_nibble(s[2 * i], low), fit_nibble(s[2 * i + 1], low));
    }
}

// double, of which an element is handled at a time.
struct FloatFormat {
    using Bits = uint32_t;
    static constexpr int mantissa = 23, bias = 127;
};
struct BfloatBits {
    using Bits = uint16_t;
    static constexpr int mantissa = 7, bias = 127;
};

// saturate: as write_narrow has it.
template <typename Format>
typename Format::Bits narrow_double(double value, int32_t mode, uint32_t saturate)
{
    constexpr uint64_t infinity = static_cast<uint64_t>(Format::bias * 2 + 1) << Format::mantissa;
    uint64_t bits;
    memcpy(&bits, &value, 8);
    const bool negative = bits >> 63 != 0;
    const uint64_t magnitude = bits & ~0ull >> 1;
    const int raw = static_cast<int>(magnitude >> 52);
    uint64_t result = infinity;
    if (value != value) {
        result = saturate == 2 ? 0 : infinity | 1ull << (Format::mantissa - 1);
    } else if (raw == 0x7ff) {
        result = infinity - (saturate == 2 ? 1 : 0);
    } else {
        const int exponent = (raw == 0 ? 1 : raw) - 1023;
        const int lowest = 1 - Format::bias;
        const uint64_t digits = (magnitude & ~0ull >> 12) | (raw == 0 ? 0 : 1ull << 52);
        const int below = exponent < lowest ? lowest - exponent : 0;
        result = cut(digits, 52 - Format::mantissa + below, mode, negative);
        result += static_cast<uint64_t>(below == 0 ? exponent - lowest : 0) << Format::mantissa;
        result = result >= infinity ? infinity - (saturate != 0 ? 1 : 0) : result;
    }
    return static_cast<typename Format::Bits>(result | static_cast<uint64_t>(negative) << (sizeof(typename Format::Bits) * 8 - 1));
}

template <typename Format>
void double_to_real(void *dst, const void *src, size_t count, int32_t mode)
{
    typename Format::Bits *d = static_cast<typename Format::Bits *>(dst);
    const double *s = static_cast<const double *>(src);
    const uint32_t saturate = Format::mantissa == 23 ? 0 : opkg_twin_core->saturate; // float never saturates
    for (size_t i = 0; i < count; ++i) {
        d[i] = narrow_double<Format>(s[i], mode, saturate);
    }
}

// Toward zero; what does not fit saturates.
template <typename To>
void double_to_integer(void *dst, const void *src, size_t count, int32_t)
{
    To *d = static_cast<To *>(dst);
    const double *s = static_cast<const double *>(src);
    constexpr double high = static_cast<double>(1ull << (width<To> - 1));
    for (size_t i = 0; i < count; ++i) {
        const double v = s[i] != s[i] ? 0.0 : s[i];
        d[i] = v >= high ? Range<To>::max : v <= -high ? static_cast<To>(-high) : static_cast<To>(v);
    }
}

void int64_to_double(void *dst, const void *src, size_t count, int32_t mode)
{
    double *d = static_cast<double *>(dst);
    const int64_t *s = static_cast<const int64_t *>(src);
    for (size_t i = 0; i < count; ++i) {
        const bool negative = s[i] < 0;
        const uint64_t digits = negative ? 0 - static_cast<uint64_t>(s[i]) : static_cast<uint64_t>(s[i]);
        const int shift = digits >> 53 == 0 ? 0 : 11 - __builtin_clzll(digits);
        const double size = static_cast<double>(cut(digits, shift, mode, negative)) * static_cast<double>(1ull << shift);
        d[i] = negative ? -size : size;
    }
}

template <typename From>
void to_integers(Dtype from)
{
    CastFn *row = opkg_twin_cast[from];
    row[kI8] = real_to_integer<From, int8_t>;
    row[kU8] = real_to_integer<From, uint8_t>;
    row[kI16] = real_to_integer<From, int16_t>;
    row[kU16] = real_to_integer<From, uint16_t>;
    row[kI32] = real_to_integer<From, int32_t>;
    row[kU32] = real_to_integer<From, uint32_t>;
    row[kI64] = real_to_integer<From, int64_t>;
    row[kU64] = real_to_integer<From, uint64_t>;
}

template <typename From>
void from_integer(Dtype from)
{
    CastFn *row = opkg_twin_cast[from];
    row[kF32] = integer_to_real<From, float>;
    row[kF16] = integer_to_real<From, half>;
    row[kBF16] = integer_to_real<From, bfloat>;
    row[kI8] = integer_to_integer<From, int8_t>;
    row[kU8] = integer_to_integer<From, uint8_t>;
    row[kI16] = integer_to_integer<From, int16_t>;
    row[kU16] = integer_to_integer<From, uint16_t>;
    row[kI32] = integer_to_integer<From, int32_t>;
    row[kU32] = integer_to_integer<From, uint32_t>;
    row[kI64] = integer_to_integer<From, int64_t>;
    row[kU64] = integer_to_integer<From, uint64_t>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(conversions)
{
    to_integers<float>(kF32);
    to_integers<half>(kF16);
    to_integers<bfloat>(kBF16);
    opkg_twin_cast[kF32][kF32] = round_floats;
    opkg_twin_cast[kF16][kF16] = round_reals<half>;
    opkg_twin_cast[kBF16][kBF16] = round_reals<bfloat>;
    opkg_twin_cast[kF16][kI4] = half_to_nibbles;
    opkg_twin_cast[kI4][kF16] = nibbles_to_real<half>;
    opkg_twin_cast[kI4][kBF16] = nibbles_to_real<bfloat>;
    opkg_twin_cast[kI4][kI16] = nibbles_to_int16;
    opkg_twin_cast[kF32][kF16] = real_to_real<float, half>;
    opkg_twin_cast[kF32][kBF16] = real_to_real<float, bfloat>;
    opkg_twin_cast[kF16][kF32] = real_to_real<half, float>;
    opkg_twin_cast[kF16][kBF16] = real_to_real<half, bfloat>;
    opkg_twin_cast[kBF16][kF32] = real_to_real<bfloat, float>;
    opkg_twin_cast[kBF16][kF16] = real_to_real<bfloat, half>;
    from_integer<int8_t>(kI8);
    from_integer<uint8_t>(kU8);
    from_integer<int16_t>(kI16);
    from_integer<uint16_t>(kU16);
    from_integer<int32_t>(kI32);
    opkg_twin_cast[kI32][kF16] = int32_to_half;
    opkg_twin_cast[kI16][kI4] = int16_to_nibbles;
    from_integer<uint32_t>(kU32);
    from_integer<int64_t>(kI64);
    from_integer<uint64_t>(kU64);
    opkg_twin_cast[kI64][kF64] = int64_to_double;
    opkg_twin_cast[kF64][kF32] = double_to_real<FloatFormat>;
    opkg_twin_cast[kF64][kBF16] = double_to_real<BfloatBits>;
    opkg_twin_cast[kF64][kI32] = double_to_integer<int32_t>;
    opkg_twin_cast[kF64][kI64] = double_to_integer<int64_t>;
}

} // namespace opkg::twin
