// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <cstring>

#include "attr_values.hpp"
#include "tensors.hpp"

namespace opkg::host {
namespace {

const char *TypeWord(ops::Option type)
{
    return type == ops::OPTIONAL ? "optional" : type == ops::DYNAMIC ? "dynamic" : "required";
}

// Tensors stand in the order of their declaration; required ones once, optional ones at most once.
std::string CheckTensors(const char *what, const std::vector<Param> &params, const opkg_tensor_v1 *tensors,
                         uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t ir = 0; ir < params.size(); ++ir) {
        uint32_t present = 0;
        for (; at < count && tensors[at].ir_index == ir; ++at) {
            const opkg_tensor_v1 &t = tensors[at];
            if (IsAbsent(t)) {
                continue;
            }
            ++present;
            if (t.dl.ndim < 0 || t.dl.ndim > OPKG_MAX_DIMS || (t.dl.ndim > 0 && t.dl.shape == nullptr)) {
                return std::string(what) + " '" + params[ir].name + "' has " + std::to_string(t.dl.ndim) +
                       " dimensions; 0 to " + std::to_string(OPKG_MAX_DIMS) + " are possible";
            }
        }
        const ops::Option type = params[ir].type;
        if ((type == ops::REQUIRED && present != 1) || (type == ops::OPTIONAL && present > 1)) {
            return std::string(what) + " '" + params[ir].name + "' is " + TypeWord(type) + " but the call has " +
                   std::to_string(present) + " of it";
        }
    }
    if (at < count) {
        return std::string("the call has ") + what + " number " + std::to_string(at) + " for declaration " +
               std::to_string(tensors[at].ir_index) + ", out of order or beyond the " + std::to_string(params.size()) +
               " declared";
    }
    return "";
}

gert::CompileTimeTensorDesc DescOf(const opkg_tensor_v1 &t)
{
    gert::CompileTimeTensorDesc desc;
    desc.SetDataType(static_cast<ge::DataType>(t.dtype));
    desc.SetStorageFormat(static_cast<ge::Format>(t.format));
    desc.SetOriginFormat(static_cast<ge::Format>(t.origin_format));
    return desc;
}

// The given attribute of that name: usually at the place of its declaration.
const opkg_attr_v1 *FindAttr(const opkg_call_v1 &call, size_t index, const char *name)
{
    const auto named = [&](const opkg_attr_v1 &a) { return a.name == nullptr || std::strcmp(a.name, name) == 0; };
    if (index < call.n_attrs && named(call.attrs[index])) {
        return &call.attrs[index];
    }
    for (uint32_t i = 0; i < call.n_attrs; ++i) {
        if (call.attrs[i].name != nullptr && named(call.attrs[i])) {
            return &call.attrs[i];
        }
    }
    return nullptr;
}

} // namespace

std::string Who(const Operator &op, const opkg_call_v1 &call)
{
    const bool named = call.node_name != nullptr && *call.node_name != '\0';
    return named ? op.type + " (node '" + call.node_name + "')" : op.type;
}

int32_t CheckCall(const Operator &op, const opkg_call_v1 *call, const opkg_exec_v1 *exec)
{
    if (call == nullptr) {
        return Report(exec, kNullPointer, op.type + ": called without a call");
    }
    if (call->struct_size < sizeof(opkg_call_v1) || call->abi_version != OPKG_ABI_VERSION) {
        return Report(exec, kInvalidParameter,
                      op.type + ": the caller speaks version " + std::to_string(call->abi_version) +
                          " of the package interface, this package version " + std::to_string(OPKG_ABI_VERSION));
    }
    if (!op.error.empty()) {
        return Report(exec, kInvalidParameter, op.type + ": its OpDef is wrong: " + op.error);
    }
    std::string problem = CheckTensors("input", op.inputs, call->inputs, call->n_inputs);
    if (problem.empty()) {
        problem = CheckTensors("output", op.outputs, call->outputs, call->n_outputs);
    }
    return problem.empty() ? static_cast<int32_t>(kOk)
                           : Report(exec, kInvalidParameter, Who(op, *call) + ": " + problem);
}

int32_t Frame::Build(const Operator &op, const opkg_call_v1 &call, Phase phase, const opkg_exec_v1 *exec)
{
    info_.node_type_ = op.type.c_str();
    info_.node_name_ = call.node_name == nullptr ? info_.node_type_ : call.node_name;
    const int32_t bad_input = AddInputs(op, call, phase, exec);
    if (bad_input != kOk) {
        return bad_input;
    }
    AddOutputs(op, call);
    return AddAttrs(op, call, exec);
}

int32_t Frame::AddInputs(const Operator &op, const opkg_call_v1 &call, Phase phase, const opkg_exec_v1 *exec)
{
    inputs_.Reserve(call.n_inputs);
    input_descs_.Reserve(call.n_inputs);
    input_instances_.Reserve(op.inputs.size());
    uint32_t at = 0;
    for (uint32_t ir = 0; ir < op.inputs.size(); ++ir) {
        const Param &param = op.inputs[ir];
        const bool values = phase == Phase::kTiling ? param.value_tiling : param.value_infer;
        const size_t start = inputs_.size();
        for (; at < call.n_inputs && call.inputs[at].ir_index == ir; ++at) {
            const opkg_tensor_v1 &t = call.inputs[at];
            if (IsAbsent(t)) {
                continue;
            }
            if (values && param.value_required && (t.flags & OPKG_TENSOR_HOST_VALUE) == 0 &&
                phase != Phase::kInferDtype) {
                return Report(exec, phase == Phase::kTiling ? kTiling : kInferShape,
                              Who(op, call) + ": the value of input '" + param.name + "' must be known");
            }
            reads_values_ |= values;
            FillTensor(inputs_.Add(), t, values);
            input_descs_.Add(DescOf(t));
        }
        input_instances_.Add(static_cast<uint32_t>(start), static_cast<uint32_t>(inputs_.size() - start));
    }
    info_.inputs_num_ = inputs_.size();
    info_.ir_inputs_num_ = op.inputs.size();
    info_.input_descs_ = input_descs_.data();
    info_.input_instances_ = input_instances_.data();
    return kOk;
}

void Frame::AddOutputs(const Operator &op, const opkg_call_v1 &call)
{
    outputs_.Reserve(call.n_outputs);
    output_descs_.Reserve(call.n_outputs);
    output_numbers_.Reserve(call.n_outputs);
    output_instances_.Reserve(op.outputs.size());
    uint32_t at = 0;
    for (uint32_t ir = 0; ir < op.outputs.size(); ++ir) {
        const size_t start = outputs_.size();
        for (; at < call.n_outputs && call.outputs[at].ir_index == ir; ++at) {
            if (!IsAbsent(call.outputs[at])) {
                FillTensor(outputs_.Add(), call.outputs[at], false);
                output_descs_.Add(DescOf(call.outputs[at]));
                output_numbers_.Add(at);
            }
        }
        output_instances_.Add(static_cast<uint32_t>(start), static_cast<uint32_t>(outputs_.size() - start));
    }
    info_.outputs_num_ = outputs_.size();
    info_.ir_outputs_num_ = op.outputs.size();
    info_.output_descs_ = output_descs_.data();
    info_.output_instances_ = output_instances_.data();
}

int32_t Frame::AddAttrs(const Operator &op, const opkg_call_v1 &call, const opkg_exec_v1 *exec)
{
    attr_values_.Reserve(op.attrs.size());
    for (size_t i = 0; i < op.attrs.size(); ++i) {
        const AttrSpec &attr = op.attrs[i];
        const opkg_attr_v1 *given = FindAttr(call, i, attr.name.GetString());
        const void *value = op.defaults[i].value;
        std::string problem;
        if (given != nullptr && given->is_set != 0) {
            problem = ConvertAttr(attr, *given, arena_, value);
        } else if (attr.required && value == nullptr) {
            problem = std::string("attribute '") + attr.name.GetString() + "' is required but was not given";
        }
        if (!problem.empty()) {
            return Report(exec, kInvalidParameter, Who(op, call) + ": " + problem);
        }
        attr_values_.Add(value);
    }
    attrs_ = gert::RuntimeAttrs(attr_values_.data(), op.attrs.size());
    info_.attrs_ = &attrs_;
    return kOk;
}

} // namespace opkg::host
