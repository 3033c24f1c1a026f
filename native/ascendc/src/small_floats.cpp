// SPDX-License-Identifier: Apache-2.0
// The floating types of 8 and 4 bits.
#include "small_floats.hpp"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "twin/abi.h"
#include "vec/rounding.hpp"

namespace opkg::twin {
namespace {

// Sign, exponent and mantissa as IEEE types have them, subnormals included. finite: the top exponent holds numbers too.
float ieee(uint32_t code, int exponent_bits, int mantissa_bits, int bias)
{
    const int mantissa = static_cast<int>(code) & ((1 << mantissa_bits) - 1);
    const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const float sign = (code >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1.0f : 1.0f;
    const int whole = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
    return sign * ldexpf(static_cast<float>(whole), (exponent == 0 ? 1 : exponent) - bias - mantissa_bits);
}

float e4m3(uint32_t code) { return (code & 0x7f) == 0x7f ? NAN : ieee(code, 4, 3, 7); }

float e5m2(uint32_t code)
{
    if ((code & 0x7c) != 0x7c) {
        return ieee(code, 5, 2, 15);
    }
    return (code & 3) != 0 ? NAN : (code & 0x80) != 0 ? -INFINITY : INFINITY;
}

// HiFloat8: after the sign a prefix code says how many bits the exponent has; the exponent is a sign and a magnitude with
// a hidden leading one; what is left is the mantissa. The shortest prefix means subnormal powers of two.
float hif8(uint32_t code)
{
    const float sign = (code & 0x80) != 0 ? -1.0f : 1.0f;
    const uint32_t body = code & 0x7f;
    if (body == 0) {
        return code == 0 ? 0.0f : NAN;
    }
    if (body < 8) {
        return sign * ldexpf(1.0f, static_cast<int>(body) - 23);
    }
    if (body == 0x6f) {
        return sign * INFINITY;
    }
    const int exponent_bits = body >= 96 ? 4 : body >= 64 ? 3 : body >= 32 ? 2 : body >= 16 ? 1 : 0;
    const int prefix_bits = exponent_bits >= 2 ? 2 : exponent_bits == 1 ? 3 : 4;
    const int mantissa_bits = 7 - prefix_bits - exponent_bits;
    const int field = static_cast<int>(body >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const float mantissa = 1.0f + static_cast<float>(body & ((1u << mantissa_bits) - 1)) / static_cast<float>(1 << mantissa_bits);
    int exponent = 0;
    if (exponent_bits > 0) {
        const int hidden = 1 << (exponent_bits - 1);
        const int magnitude = hidden | (field & (hidden - 1));
        exponent = (field & hidden) != 0 ? -magnitude : magnitude;
    }
    return sign * ldexpf(mantissa, exponent);
}

float e8m0(uint32_t code) { return code == 255 ? NAN : ldexpf(1.0f, static_cast<int>(code) - 127); }

// A type laid out as IEEE types are. The codes of magnitudes are in the order of their values.
struct Layout {
    int exponent_bits, mantissa_bits, bias;
    uint32_t largest;  // code of the largest number
    uint32_t infinity; // what overflow gives without saturation
    uint32_t nan;      // 0: the type has none, and always saturates
};

Layout layout_of(uint32_t dtype)
{
    switch (dtype) {
        case kF8E4M3:
            return {4, 3, 7, 0x7e, 0x7f, 0x7f};
        case kF8E5M2:
            return {5, 2, 15, 0x7b, 0x7c, 0x7f};
        case kF4E2M1:
            return {2, 1, 1, 7, 7, 0};
        default:
            return {1, 2, 1, 7, 7, 0};
    }
}

// A finite float as (-1)^negative * digits * 2^(exponent - 23), with 24 digits unless it is zero.
struct Parts {
    bool negative;
    uint32_t digits;
    int exponent;
};

Parts parts_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    const uint32_t mantissa = bits & 0x7fffffu;
    const int raw = static_cast<int>(bits >> 23 & 0xff);
    if (raw != 0) {
        return {bits >> 31 != 0, mantissa | 0x800000u, raw - 127};
    }
    const int missing = mantissa == 0 ? 0 : __builtin_clz(mantissa) - 8;
    return {bits >> 31 != 0, mantissa << missing, -126 - missing};
}

uint8_t to_ieee(const Layout &layout, float value, const Narrowing &how)
{
    const bool finite_only = how.saturate != 0 || layout.nan == 0;
    const uint32_t sign = signbit(value) ? 1u << (layout.exponent_bits + layout.mantissa_bits) : 0;
    if (value != value) {
        return static_cast<uint8_t>(finite_only && how.keeps_nan == 0 ? 0 : layout.nan | (layout.nan != 0 ? sign : 0));
    }
    uint32_t code = layout.largest + 1;
    if (isfinite(value)) {
        const Parts parts = parts_of(value);
        const int lowest = 1 - layout.bias;
        const int below = parts.exponent < lowest ? lowest - parts.exponent : 0;
        const int shift = 23 - layout.mantissa_bits + below;
        const uint64_t kept = cut(parts.digits, shift, how.mode, parts.negative);
        const int steps = below == 0 ? parts.exponent - lowest : 0;
        code = static_cast<uint32_t>(kept) + (static_cast<uint32_t>(steps) << layout.mantissa_bits);
    }
    if (code > layout.largest) {
        code = finite_only ? layout.largest : layout.infinity;
    }
    return static_cast<uint8_t>(sign | code);
}

// Mantissa digits that a hifloat8_t has beside an exponent; 0 for powers of two alone.
int hif8_digits(int exponent)
{
    const int size = abs(exponent);
    return exponent < -15 ? 0 : size < 4 ? 3 : size < 8 ? 2 : 1;
}

uint32_t hif8_code(int exponent, uint32_t mantissa)
{
    const uint32_t size = static_cast<uint32_t>(abs(exponent));
    const uint32_t down = exponent < 0 ? 1 : 0;
    if (exponent < -15) {
        return static_cast<uint32_t>(exponent + 23);
    }
    if (size < 2) {
        return size == 0 ? 8 + mantissa : 16 + down * 8 + mantissa;
    }
    if (size < 4) {
        return 32 + down * 16 + (size & 1) * 8 + mantissa;
    }
    return size < 8 ? 64 + down * 16 + (size & 3) * 4 + mantissa : 96 + down * 16 + (size & 7) * 2 + mantissa;
}

// Whether the digits behind the kept ones, `cut_off` of them, round up: from one half on, or from the threshold on.
bool hif8_goes_up(const Parts &parts, int cut_off, const Narrowing &how)
{
    constexpr int32_t kHybrid = 7;
    if (how.mode != kHybrid || (parts.exponent >= -3 && parts.exponent <= 3)) {
        return (parts.digits >> (cut_off - 1) & 1) != 0;
    }
    const uint32_t rest = parts.digits & ((1u << cut_off) - 1);
    const int surplus = cut_off - static_cast<int>(how.threshold_bits);
    return (surplus >= 0 ? rest >> surplus : rest << -surplus) >= how.threshold;
}

uint8_t to_hif8(float value, const Narrowing &how)
{
    constexpr uint32_t kLargest = 0x6e, kInfinity = 0x6f, kNan = 0x80;
    if (value != value) {
        return how.saturate != 0 && how.keeps_nan == 0 ? 0 : kNan;
    }
    Parts parts = parts_of(value);
    uint32_t code = kInfinity;
    if (parts.exponent < -23 || parts.digits == 0) {
        return 0;
    }
    if (isfinite(value) && parts.exponent <= 15) {
        const int cut_off = parts.exponent == -23 ? 24 : 23 - hif8_digits(parts.exponent);
        uint32_t mantissa = (parts.digits & 0x7fffffu) >> cut_off;
        int exponent = parts.exponent;
        if (hif8_goes_up(parts, cut_off, how)) {
            ++mantissa;
            const bool carries = mantissa >> hif8_digits(exponent) != 0;
            exponent += carries ? 1 : 0;
            mantissa = carries ? 0 : mantissa;
        } else if (exponent == -23) {
            return 0;
        }
        code = exponent <= 15 ? hif8_code(exponent, mantissa) : kInfinity;
    }
    if (code == kInfinity) {
        code = how.saturate != 0 ? kLargest : kInfinity;
    }
    return static_cast<uint8_t>(parts.negative ? code | 0x80 : code);
}

struct Values {
    float e4m3_values[256], e5m2_values[256], hif8_values[256], e8m0_values[256], e2m1_values[16], e1m2_values[16];

    Values()
    {
        for (uint32_t code = 0; code < 256; ++code) {
            e4m3_values[code] = e4m3(code);
            e5m2_values[code] = e5m2(code);
            hif8_values[code] = hif8(code);
            e8m0_values[code] = e8m0(code);
        }
        for (uint32_t code = 0; code < 16; ++code) {
            e2m1_values[code] = ieee(code, 2, 1, 1);
            e1m2_values[code] = ieee(code, 1, 2, 1);
        }
    }
};

} // namespace

const float *small_float_values(uint32_t dtype)
{
    static const Values values;
    switch (dtype) {
        case kF8E4M3:
            return values.e4m3_values;
        case kF8E5M2:
            return values.e5m2_values;
        case kHiF8:
            return values.hif8_values;
        case kF8E8M0:
            return values.e8m0_values;
        case kF4E2M1:
            return values.e2m1_values;
        case kF4E1M2:
            return values.e1m2_values;
        default:
            return nullptr;
    }
}

uint8_t to_small_float(uint32_t dtype, float value, const Narrowing &how)
{
    return dtype == kHiF8 ? to_hif8(value, how) : to_ieee(layout_of(dtype), value, how);
}

} // namespace opkg::twin
