// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_TENSORS_HPP
#define OPKG_CORE_TENSORS_HPP

#include "opkg/core.hpp"

namespace opkg::core {

constexpr int32_t kFormatND = 2; // ge::FORMAT_ND

inline void set_dtype(opkg_tensor_v1& tensor, int32_t dtype) noexcept {
    const DTypeInfo* type = dtype_info(dtype);
    tensor.dtype = dtype;
    tensor.dl.dtype = type ? type->dl : DLDataType{};
}

inline opkg_tensor_v1 empty_tensor(uint32_t ir_index, uint32_t group_index) noexcept {
    opkg_tensor_v1 tensor{};
    tensor.struct_size = sizeof(opkg_tensor_v1);
    tensor.dl.device = DLDevice{1, 0};
    tensor.dtype = kUndefined;
    tensor.format = tensor.origin_format = kFormatND;
    tensor.ir_index = ir_index;
    tensor.group_index = group_index;
    return tensor;
}

} // namespace opkg::core

#endif
