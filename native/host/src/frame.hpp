// SPDX-License-Identifier: Apache-2.0
// One call as gert's contexts see it. Lives on the stack; operators of usual size need no heap.
#pragma once

#include "exe_graph/runtime/compute_node_info.h"
#include "operator.hpp"
#include "report.hpp"
#include "slots.hpp"

namespace opkg::host {

enum class Phase { kInferShape, kInferDtype, kTiling };

// Checks that the call fits the declaration: sizes of its structs, order and number of its tensors. Reports and returns
// the code, or kOk.
int32_t CheckCall(const Operator &op, const opkg_call_v1 *call, const opkg_exec_v1 *exec);

// Name of the operator and of the node, for the front of a message.
std::string Who(const Operator &op, const opkg_call_v1 &call);

class Frame {
public:
    // Returns kOk, or a code after a report. The call must have passed CheckCall.
    int32_t Build(const Operator &op, const opkg_call_v1 &call, Phase phase, const opkg_exec_v1 *exec);

    const gert::ComputeNodeInfo *Info() const { return &info_; }
    gert::Tensor *Inputs() { return inputs_.data(); }
    gert::Tensor *Outputs() { return outputs_.data(); }
    // The call's number of an output of this frame; they differ where optional outputs are absent.
    uint32_t CallOutput(size_t index) const { return output_numbers_[index]; }
    bool ReadsValues() const { return reads_values_; }

private:
    int32_t AddInputs(const Operator &op, const opkg_call_v1 &call, Phase phase, const opkg_exec_v1 *exec);
    void AddOutputs(const Operator &op, const opkg_call_v1 &call);
    int32_t AddAttrs(const Operator &op, const opkg_call_v1 &call, const opkg_exec_v1 *exec);

    static constexpr size_t kFew = 8;
    gert::ComputeNodeInfo info_;
    Slots<gert::Tensor, kFew> inputs_;
    Slots<gert::Tensor, kFew> outputs_;
    Slots<gert::CompileTimeTensorDesc, kFew> input_descs_;
    Slots<gert::CompileTimeTensorDesc, kFew> output_descs_;
    Slots<gert::AnchorInstanceInfo, kFew> input_instances_;
    Slots<gert::AnchorInstanceInfo, kFew> output_instances_;
    Slots<uint32_t, kFew> output_numbers_;
    Slots<const void *, 16> attr_values_;
    gert::RuntimeAttrs attrs_{nullptr, 0};
    Arena arena_;
    bool reads_values_ = false;
};

} // namespace opkg::host
