// SPDX-License-Identifier: Apache-2.0
// Values of the floating types of 8 and 4 bits.
#ifndef OPKG_TWIN_SMALL_FLOATS_HPP
#define OPKG_TWIN_SMALL_FLOATS_HPP

#include <stdint.h>

namespace opkg::twin {

// The values of all codes of a dtype: 256 of the 8-bit types, 16 of the 4-bit ones. NULL: not one of these dtypes.
const float *small_float_values(uint32_t dtype);

// The code whose value is nearest, ties to the even code; what is too large becomes the largest finite value.
uint8_t to_small_float(uint32_t dtype, float value);

} // namespace opkg::twin

#endif // OPKG_TWIN_SMALL_FLOATS_HPP
