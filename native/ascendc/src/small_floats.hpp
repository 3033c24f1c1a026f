// SPDX-License-Identifier: Apache-2.0
// Values of the floating types of 8 and 4 bits, and numbers as these types.
#ifndef OPKG_TWIN_SMALL_FLOATS_HPP
#define OPKG_TWIN_SMALL_FLOATS_HPP

#include <stdint.h>

namespace opkg::twin {

// The values of all codes of a dtype: 256 of the 8-bit types, 16 of the 4-bit ones. NULL: not one of these dtypes.
const float *small_float_values(uint32_t dtype);

// How a number becomes a code.
struct Narrowing {
    int32_t mode;       // AscendC::RoundMode
    uint32_t saturate;  // 0: infinities and what is too large become the type's infinity, or NaN where it has none
    uint32_t keeps_nan; // 0: under saturation a NaN becomes zero
    uint32_t threshold; // of CAST_HYBRID: the digits behind the kept ones round up from here on
    uint32_t threshold_bits;
};

// To nearest, ties to even (away from zero as a hifloat8_t); finite, except for NaNs.
inline constexpr Narrowing kNearestFinite = {0, 1, 1, 0, 0};

uint8_t to_small_float(uint32_t dtype, float value, const Narrowing &how);

} // namespace opkg::twin

#endif // OPKG_TWIN_SMALL_FLOATS_HPP
