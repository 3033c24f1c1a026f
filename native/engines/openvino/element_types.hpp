// SPDX-License-Identifier: Apache-2.0
//
// Data types of operators in OpenVINO. Its CPU plugin computes in few types and converts the others at the borders of
// every node; a custom node therefore takes and gives only types that stay what they are, and converts itself.
#ifndef OPKG_OPENVINO_ELEMENT_TYPES_HPP
#define OPKG_OPENVINO_ELEMENT_TYPES_HPP

#include <openvino/core/type/element_type.hpp>

#include <opkg/core.hpp>

namespace opkg::openvino {

// kUndefined and element::dynamic where there is no counterpart.
int32_t dtype_of(const ov::element::Type& type) noexcept;
ov::element::Type element_of(int32_t dtype) noexcept;

// The type in which values of `dtype` reach a custom node unchanged; element::dynamic: they would be narrowed.
ov::element::Type carried(int32_t dtype) noexcept;

// The operator's type against the carried one.
enum class Move { kSame, kHalf, kBfloat, kInt4 };
Move move_of(int32_t dtype) noexcept;
void from_carried(Move move, const void* carried, uint64_t count, void* values) noexcept;
void to_carried(Move move, const void* values, uint64_t count, void* carried) noexcept;

} // namespace opkg::openvino

#endif
