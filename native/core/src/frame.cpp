// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <algorithm>

namespace opkg::core {
namespace {

std::vector<opkg_tensor_v1> tensors_of(const std::vector<uint32_t>& groups) {
    std::vector<opkg_tensor_v1> tensors;
    for (uint32_t ir = 0; ir < groups.size(); ++ir)
        for (uint32_t k = 0; k < groups[ir]; ++k) tensors.push_back(empty_tensor(ir, k));
    return tensors;
}

} // namespace

Frame::Frame(const std::vector<uint32_t>& input_groups, const std::vector<uint32_t>& output_groups)
    : inputs(tensors_of(input_groups)), outputs(tensors_of(output_groups)),
      shapes((inputs.size() + outputs.size()) * OPKG_MAX_DIMS) {
    int64_t* at = shapes.data();
    for (auto* list : {&inputs, &outputs})
        for (opkg_tensor_v1& tensor : *list) {
            tensor.dl.shape = at;
            at += OPKG_MAX_DIMS;
        }
    call.struct_size = sizeof call;
    call.abi_version = OPKG_ABI_VERSION;
    call.n_inputs = static_cast<uint32_t>(inputs.size());
    call.n_outputs = static_cast<uint32_t>(outputs.size());
    call.inputs = inputs.data();
    call.outputs = outputs.data();
}

void Frame::set_inputs(const Tensor* from) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        opkg_tensor_v1& to = inputs[i];
        to.flags = from[i].absent ? OPKG_TENSOR_ABSENT : from[i].data ? OPKG_TENSOR_HOST_VALUE : 0;
        if (from[i].unknown_rank) to.flags |= OPKG_TENSOR_UNKNOWN_RANK;
        set_dtype(to, from[i].absent ? static_cast<int32_t>(kUndefined) : from[i].dtype);
        const uint32_t ndim = from[i].absent || from[i].unknown_rank ? 0 : from[i].ndim;
        to.dl.data = from[i].data;
        to.dl.ndim = to.origin_ndim = static_cast<int32_t>(ndim);
        std::copy_n(from[i].shape, ndim, to.dl.shape);
        to.capacity = to.flags & OPKG_TENSOR_HOST_VALUE ? bytes_of(from[i].dtype, from[i].shape, ndim) : 0;
    }
}

void Frame::clear_outputs() {
    for (opkg_tensor_v1& to : outputs) {
        to.flags = 0;
        set_dtype(to, kUndefined);
        to.dl.data = nullptr;
        to.dl.ndim = to.origin_ndim = 0;
        to.capacity = 0;
    }
}

void Frame::set_outputs(const Plan& from) {
    resized = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const TensorType& type = from.outputs[i];
        opkg_tensor_v1& to = outputs[i];
        to.flags = type.unknown_rank ? OPKG_TENSOR_UNKNOWN_RANK : 0;
        set_dtype(to, type.dtype);
        to.dl.data = nullptr;
        to.dl.ndim = to.origin_ndim = static_cast<int32_t>(type.shape.size());
        std::copy(type.shape.begin(), type.shape.end(), to.dl.shape);
        to.capacity = 0;
    }
}

} // namespace opkg::core
