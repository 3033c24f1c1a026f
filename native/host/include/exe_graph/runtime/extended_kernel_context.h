// SPDX-License-Identifier: Apache-2.0
// What the contexts of shape inference, dtype inference and tiling have in common.
#ifndef OPKG_HOST_EXTENDED_KERNEL_CONTEXT_H
#define OPKG_HOST_EXTENDED_KERNEL_CONTEXT_H

#include "exe_graph/runtime/compute_node_info.h"

namespace gert {

class ExtendedKernelContext {
public:
    explicit ExtendedKernelContext(const ComputeNodeInfo *info, Tensor *inputs, Tensor *outputs)
        : info_(info), inputs_(inputs), outputs_(outputs)
    {
    }
    ExtendedKernelContext(const ExtendedKernelContext &) = delete;
    ExtendedKernelContext &operator=(const ExtendedKernelContext &) = delete;

    const ComputeNodeInfo *GetComputeNodeInfo() const { return info_; }
    const char *GetNodeName() const { return info_->GetNodeName(); }
    const char *GetNodeType() const { return info_->GetNodeType(); }
    const char *GetKernelName() const { return info_->GetNodeName(); }
    const char *GetKernelType() const { return info_->GetNodeType(); }
    size_t GetComputeNodeInputNum() const { return info_->GetInputsNum(); }
    size_t GetComputeNodeOutputNum() const { return info_->GetOutputsNum(); }
    const RuntimeAttrs *GetAttrs() const { return info_->GetAttrs(); }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t ir) const { return info_->GetInputInstanceInfo(ir); }
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t ir) const { return info_->GetOutputInstanceInfo(ir); }

    const CompileTimeTensorDesc *GetInputDesc(size_t index) const { return info_->GetInputTdInfo(index); }
    const CompileTimeTensorDesc *GetOutputDesc(size_t index) const { return info_->GetOutputTdInfo(index); }
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir) const { return GetDynamicInputDesc(ir, 0); }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir) const { return GetDynamicInputDesc(ir, 0); }
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir, size_t relative) const
    {
        const size_t index = InputAt(ir, relative);
        return index == kNone ? nullptr : info_->GetInputTdInfo(index);
    }
    const CompileTimeTensorDesc *GetRequiredOutputDesc(size_t ir) const { return GetDynamicOutputDesc(ir, 0); }
    const CompileTimeTensorDesc *GetDynamicOutputDesc(size_t ir, size_t relative) const
    {
        const size_t index = OutputAt(ir, relative);
        return index == kNone ? nullptr : info_->GetOutputTdInfo(index);
    }

protected:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    // The number, among the call's tensors, of one instance of a declared input or output.
    size_t InputAt(size_t ir, size_t relative) const { return At(info_->GetInputInstanceInfo(ir), relative); }
    size_t OutputAt(size_t ir, size_t relative) const { return At(info_->GetOutputInstanceInfo(ir), relative); }
    Tensor *Input(size_t index) const { return index < info_->GetInputsNum() ? inputs_ + index : nullptr; }
    Tensor *Output(size_t index) const { return index < info_->GetOutputsNum() ? outputs_ + index : nullptr; }
    // kNone is beyond every count, so an instance that does not exist comes out as NULL.
    Tensor *InputInstance(size_t ir, size_t relative) const { return Input(InputAt(ir, relative)); }
    Tensor *OutputInstance(size_t ir, size_t relative) const { return Output(OutputAt(ir, relative)); }

private:
    static size_t At(const AnchorInstanceInfo *info, size_t relative)
    {
        return info == nullptr || relative >= info->GetInstanceNum() ? kNone : info->GetInstanceStart() + relative;
    }

    const ComputeNodeInfo *info_;
    Tensor *inputs_;
    Tensor *outputs_;
};

} // namespace gert

#endif // OPKG_HOST_EXTENDED_KERNEL_CONTEXT_H
