// SPDX-License-Identifier: Apache-2.0
//
// Bulk conversion between float and the two 16-bit floating types, rounding to nearest even.
#ifndef OPKG_OPENVINO_HALF_HPP
#define OPKG_OPENVINO_HALF_HPP

#include <cstdint>

namespace opkg::openvino {

void float_to_half(const float* from, uint64_t count, uint16_t* to) noexcept;
void half_to_float(const uint16_t* from, uint64_t count, float* to) noexcept;
void float_to_bfloat(const float* from, uint64_t count, uint16_t* to) noexcept;
void bfloat_to_float(const uint16_t* from, uint64_t count, float* to) noexcept;

} // namespace opkg::openvino

#endif
