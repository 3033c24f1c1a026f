// SPDX-License-Identifier: Apache-2.0
// What the host side of library functions shares.
#ifndef OPKG_HOST_ADV_HOST_SUPPORT_H
#define OPKG_HOST_ADV_HOST_SUPPORT_H

#include <cstdint>

#include "graph/tensor.h"
#include "opkg/adv/types.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

} // namespace AscendC

namespace opkg::host {

inline uint32_t round_up(uint64_t value, uint32_t unit) { return static_cast<uint32_t>((value + unit - 1) / unit * unit); }

inline uint64_t bytes_of(const ge::Shape &shape, uint32_t type_size)
{
    const int64_t elements = shape.GetShapeSize();
    return elements > 0 ? static_cast<uint64_t>(elements) * type_size : 0;
}

// Temporary memory of so many times the input, the input being at least a repeat of 256 bytes.
inline void temporary(const ge::Shape &shape, uint32_t type_size, uint32_t times, uint32_t &most, uint32_t &least)
{
    const uint32_t input = round_up(bytes_of(shape, type_size), 256);
    least = 256 * times;
    most = times * (input < 256 ? 256 : input);
}

} // namespace opkg::host

#endif // OPKG_HOST_ADV_HOST_SUPPORT_H
