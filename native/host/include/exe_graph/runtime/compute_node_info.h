// SPDX-License-Identifier: Apache-2.0
// What is known of a call apart from the tensors themselves.
#ifndef OPKG_HOST_COMPUTE_NODE_INFO_H
#define OPKG_HOST_COMPUTE_NODE_INFO_H

#include "exe_graph/runtime/runtime_attrs.h"

namespace gert {

// Type and formats of a tensor of the call.
class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() = default;

    ge::DataType GetDataType() const { return data_type_; }
    const StorageFormat &GetFormat() const { return format_; }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    void SetDataType(ge::DataType type) { data_type_ = type; }
    void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
    void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }

private:
    ge::DataType data_type_ = ge::DT_UNDEFINED;
    StorageFormat format_;
};

// Which of the call's tensors stand for one declared input or output: none for an absent optional one, any number for a
// dynamic one.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() = default;
    AnchorInstanceInfo(uint32_t start, uint32_t num) : start_(start), num_(num) {}

    size_t GetInstanceNum() const { return num_; }
    size_t GetInstanceStart() const { return start_; }

private:
    uint32_t start_ = 0;
    uint32_t num_ = 0;
};

class ComputeNodeInfo {
public:
    const char *GetNodeName() const { return node_name_; }
    const char *GetNodeType() const { return node_type_; }
    // Declared inputs and outputs.
    size_t GetIrInputsNum() const { return ir_inputs_num_; }
    size_t GetIrOutputsNum() const { return ir_outputs_num_; }
    // Tensors of this call.
    size_t GetInputsNum() const { return inputs_num_; }
    size_t GetOutputsNum() const { return outputs_num_; }
    const AnchorInstanceInfo *GetInputInstanceInfo(size_t ir_index) const
    {
        return ir_index < ir_inputs_num_ ? input_instances_ + ir_index : nullptr;
    }
    const AnchorInstanceInfo *GetOutputInstanceInfo(size_t ir_index) const
    {
        return ir_index < ir_outputs_num_ ? output_instances_ + ir_index : nullptr;
    }
    const CompileTimeTensorDesc *GetInputTdInfo(size_t index) const
    {
        return index < inputs_num_ ? input_descs_ + index : nullptr;
    }
    const CompileTimeTensorDesc *GetOutputTdInfo(size_t index) const
    {
        return index < outputs_num_ ? output_descs_ + index : nullptr;
    }
    const RuntimeAttrs *GetAttrs() const { return attrs_; }

    const char *node_name_ = "";
    const char *node_type_ = "";
    size_t ir_inputs_num_ = 0;
    size_t ir_outputs_num_ = 0;
    size_t inputs_num_ = 0;
    size_t outputs_num_ = 0;
    const AnchorInstanceInfo *input_instances_ = nullptr;
    const AnchorInstanceInfo *output_instances_ = nullptr;
    const CompileTimeTensorDesc *input_descs_ = nullptr;
    const CompileTimeTensorDesc *output_descs_ = nullptr;
    const RuntimeAttrs *attrs_ = nullptr;
};

} // namespace gert

#endif // OPKG_HOST_COMPUTE_NODE_INFO_H
