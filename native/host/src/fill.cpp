// SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include <algorithm>
#include <cstring>

#include "tensors.hpp"

namespace opkg::host {
namespace {

const ops::ScalarVar *InitFor(const Param &param, int32_t dtype)
{
    for (const auto &init : param.init) {
        if (init.first == dtype || init.first == -1) {
            return &init.second;
        }
    }
    return nullptr;
}

// binary16 of a float, rounded to the nearest even.
uint16_t HalfBits(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude >= 0x7F800000u) { // infinity, or a NaN that stays one
        return static_cast<uint16_t>(sign | 0x7C00u | (magnitude > 0x7F800000u ? 0x200u : 0u));
    }
    if (magnitude >= 0x477FF000u) { // rounds beyond the largest
        return static_cast<uint16_t>(sign | 0x7C00u);
    }
    if (magnitude < 0x38800000u) { // subnormal: let the addition of 0.5 do the shift and the rounding
        float shifted;
        std::memcpy(&shifted, &magnitude, sizeof(shifted));
        shifted += 0.5f;
        uint32_t result;
        std::memcpy(&result, &shifted, sizeof(result));
        return static_cast<uint16_t>(sign | (result - 0x3F000000u));
    }
    const uint32_t odd = magnitude >> 13 & 1u;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xFFFu + odd) >> 13));
}

// The element's bytes, in a word of which the low `size` bytes count.
uint64_t Pattern(const ops::ScalarVar &value, size_t size)
{
    if (value.scalar_type == ops::ScalarType::FLOAT16) {
        return HalfBits(value.scalar_num.value_f32);
    }
    uint64_t pattern = value.scalar_num.value_u64;
    if (value.scalar_type == ops::ScalarType::FLOAT32) {
        uint32_t bits;
        std::memcpy(&bits, &value.scalar_num.value_f32, sizeof(bits));
        pattern = bits;
    }
    return size >= 8 ? pattern : pattern & ((1ull << (8 * size)) - 1);
}

size_t ScalarSize(ops::ScalarType type)
{
    switch (type) {
        case ops::ScalarType::UINT64: case ops::ScalarType::INT64: return 8;
        case ops::ScalarType::UINT32: case ops::ScalarType::INT32: case ops::ScalarType::FLOAT32: return 4;
        case ops::ScalarType::UINT16: case ops::ScalarType::INT16: case ops::ScalarType::FLOAT16: return 2;
        default: return 1;
    }
}

template <typename T> void FillAs(void *data, size_t bytes, uint64_t pattern)
{
    std::fill_n(static_cast<T *>(data), bytes / sizeof(T), static_cast<T>(pattern));
}

} // namespace

void FillOutput(const Param &param, const opkg_tensor_v1 &t, void *data)
{
    const ops::ScalarVar *value = InitFor(param, t.dtype);
    const int64_t known = ByteCount(t);
    if (value == nullptr || data == nullptr || known <= 0) {
        return;
    }
    const size_t bytes = static_cast<size_t>(known);
    const size_t size = ScalarSize(value->scalar_type);
    const uint64_t pattern = Pattern(*value, size);
    if (pattern == 0) {
        std::memset(data, 0, bytes);
        return;
    }
    switch (size) {
        case 8: FillAs<uint64_t>(data, bytes, pattern); break;
        case 4: FillAs<uint32_t>(data, bytes, pattern); break;
        case 2: FillAs<uint16_t>(data, bytes, pattern); break;
        default: FillAs<uint8_t>(data, bytes, pattern); break;
    }
}

} // namespace opkg::host
