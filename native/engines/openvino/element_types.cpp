// SPDX-License-Identifier: Apache-2.0
#include "element_types.hpp"

#include "half.hpp"

#include "arrays.hpp"

namespace opkg::openvino {
namespace {

struct Row {
    int32_t dtype;
    ov::element::Type_t type;
    ov::element::Type_t carried; // dynamic: would be narrowed
};

using T = ov::element::Type_t;
constexpr Row kRows[] = {
    {core::kFloat32, T::f32, T::f32},   {core::kFloat16, T::f16, T::f32},   {core::kBfloat16, T::bf16, T::f32},
    {core::kDouble, T::f64, T::dynamic}, {core::kInt8, T::i8, T::i8},       {core::kUint8, T::u8, T::u8},
    {core::kBool, T::boolean, T::u8},   {core::kInt4, T::i4, T::i8},        {core::kInt32, T::i32, T::i32},
    {core::kInt16, T::i16, T::dynamic}, {core::kUint16, T::u16, T::dynamic}, {core::kUint32, T::u32, T::dynamic},
    {core::kInt64, T::i64, T::dynamic}, {core::kUint64, T::u64, T::dynamic},
};

} // namespace

int32_t dtype_of(const ov::element::Type& type) noexcept {
    for (const Row& row : kRows)
        if (type == row.type) return row.dtype;
    return core::kUndefined;
}

ov::element::Type element_of(int32_t dtype) noexcept {
    for (const Row& row : kRows)
        if (dtype == row.dtype) return row.type;
    return ov::element::dynamic;
}

ov::element::Type carried(int32_t dtype) noexcept {
    for (const Row& row : kRows)
        if (dtype == row.dtype) return row.carried;
    return ov::element::dynamic;
}

Move move_of(int32_t dtype) noexcept {
    switch (dtype) {
        case core::kFloat16: return Move::kHalf;
        case core::kBfloat16: return Move::kBfloat;
        case core::kInt4: return Move::kInt4;
        default: return Move::kSame;
    }
}

void from_carried(Move move, const void* carried, uint64_t count, void* values) noexcept {
    switch (move) {
        case Move::kHalf: return float_to_half(static_cast<const float*>(carried), count, static_cast<uint16_t*>(values));
        case Move::kBfloat: return float_to_bfloat(static_cast<const float*>(carried), count, static_cast<uint16_t*>(values));
        case Move::kInt4: return python::pack(core::kInt4, carried, count, values);
        case Move::kSame: return;
    }
}

void to_carried(Move move, const void* values, uint64_t count, void* carried) noexcept {
    switch (move) {
        case Move::kHalf: return half_to_float(static_cast<const uint16_t*>(values), count, static_cast<float*>(carried));
        case Move::kBfloat: return bfloat_to_float(static_cast<const uint16_t*>(values), count, static_cast<float*>(carried));
        case Move::kInt4: return python::unpack(core::kInt4, values, count, carried);
        case Move::kSame: return;
    }
}

} // namespace opkg::openvino
