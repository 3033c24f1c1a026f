// SPDX-License-Identifier: Apache-2.0
#include "adv/small_floats.hpp"

#include <math.h>

#include "twin/abi.h"

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

uint8_t to_small_float(uint32_t dtype, float value)
{
    const float *values = small_float_values(dtype);
    if (value != value) {
        return dtype == kHiF8 ? 0x80 : 0x7f;
    }
    uint32_t best = 0;
    float distance = INFINITY;
    for (uint32_t code = 0; code < 128; ++code) {
        const float candidate = values[code];
        const float apart = fabsf(fabsf(value) - candidate);
        if (isfinite(candidate) && (apart < distance || (apart == distance && (code & 1) == 0))) {
            best = code;
            distance = apart;
        }
    }
    const bool negative = signbit(value) && (best != 0 || dtype != kHiF8);
    return static_cast<uint8_t>(negative ? best | 0x80 : best);
}

} // namespace opkg::twin
