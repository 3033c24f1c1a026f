// SPDX-License-Identifier: Apache-2.0
// Cast from and to the floating types of 8 and 4 bits.
#include "core.hpp"
#include "small_floats.hpp"
#include "twin/half.h"

using namespace opkg::twin;

namespace {

constexpr int32_t kRint = 1, kRound = 4, kTrunc = 5, kHybrid = 7; // AscendC::RoundMode
constexpr uint64_t kKeepNan = 1ull << 50;                         // of the control register

constexpr bool is_pair(uint32_t dtype) { return dtype == kF4E2M1 || dtype == kF4E1M2; }

inline float number(float value) { return value; }
inline float number(half value) { return value; }
inline float number(bfloat16_t value) { return value; }

// CAST_HYBRID takes its threshold from the last digits of the number itself.
inline void set_threshold(Narrowing &how, float value)
{
    how.threshold = __builtin_bit_cast(uint32_t, value) & 0x3fff;
    how.threshold_bits = 14;
}
inline void set_threshold(Narrowing &how, half value)
{
    how.threshold = static_cast<uint32_t>(value.bits & 1) << 1 | 1;
    how.threshold_bits = 2;
}
inline void set_threshold(Narrowing &, bfloat16_t) {}

template <uint32_t from, typename To>
void widen(void *dst, const void *src, size_t count, int32_t)
{
    const float *values = small_float_values(from);
    To *d = static_cast<To *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    for (size_t i = 0; i < count; ++i) {
        d[i] = To(is_pair(from) ? values[s[i / 2] >> (i % 2 * 4) & 15] : values[s[i]]);
    }
}

void require_mode(uint32_t to, int32_t mode)
{
    if (to == kHiF8 && mode != kRound && mode != kHybrid) {
        opkg_twin_fail("Cast to hifloat8_t rounds by CAST_ROUND or CAST_HYBRID");
    }
    if ((to == kF8E4M3 || to == kF8E5M2) && mode > kRint) {
        opkg_twin_fail("Cast to %s rounds by CAST_RINT", to == kF8E4M3 ? "fp8_e4m3fn_t" : "fp8_e5m2_t");
    }
    if (is_pair(to) && mode > kTrunc) {
        opkg_twin_fail("Cast to a float of 4 bits rounds by CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND or CAST_TRUNC");
    }
}

template <typename From, uint32_t to>
void narrow(void *dst, const void *src, size_t count, int32_t mode)
{
    require_mode(to, mode);
    const Core &core = *opkg_twin_core;
    Narrowing how = {mode, core.saturate, to != kHiF8 && (core.control & kKeepNan) != 0 ? 1u : 0u, 0, 0};
    uint8_t *d = static_cast<uint8_t *>(dst);
    const From *s = static_cast<const From *>(src);
    const auto code_of = [&how](From value) {
        if constexpr (to == kHiF8) {
            set_threshold(how, value);
        }
        return to_small_float(to, number(value), how);
    };
    for (size_t i = 0; i < count / (is_pair(to) ? 2 : 1); ++i) {
        if constexpr (is_pair(to)) {
            const uint32_t low = code_of(s[2 * i]);
            d[i] = static_cast<uint8_t>(low | static_cast<uint32_t>(code_of(s[2 * i + 1])) << 4);
        } else {
            d[i] = code_of(s[i]);
        }
    }
}

struct SmallCast {
    uint32_t from;
    uint32_t to;
    CastFn function;
};

constexpr SmallCast kSmallCasts[] = {
    {kF8E4M3, kF32, widen<kF8E4M3, float>},
    {kF8E5M2, kF32, widen<kF8E5M2, float>},
    {kHiF8, kF32, widen<kHiF8, float>},
    {kHiF8, kF16, widen<kHiF8, half>},
    {kF4E2M1, kBF16, widen<kF4E2M1, bfloat16_t>},
    {kF4E1M2, kBF16, widen<kF4E1M2, bfloat16_t>},
    {kF32, kF8E4M3, narrow<float, kF8E4M3>},
    {kF32, kF8E5M2, narrow<float, kF8E5M2>},
    {kF32, kHiF8, narrow<float, kHiF8>},
    {kF16, kHiF8, narrow<half, kHiF8>},
    {kBF16, kF4E2M1, narrow<bfloat16_t, kF4E2M1>},
    {kBF16, kF4E1M2, narrow<bfloat16_t, kF4E1M2>},
};

} // namespace

CastFn opkg_twin_small_cast(uint32_t from, uint32_t to)
{
    for (const SmallCast &cast : kSmallCasts) {
        if (cast.from == from && cast.to == to) {
            return cast.function;
        }
    }
    return nullptr;
}

float opkg_twin_small_value(uint32_t dtype, uint8_t code)
{
    return small_float_values(dtype)[is_pair(dtype) ? code & 15 : code];
}
