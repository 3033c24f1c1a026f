// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_CUSTOM_NODE_HPP
#define OPKG_OPENVINO_CUSTOM_NODE_HPP

#include "execution.hpp"

#include <openvino/op/op.hpp>

namespace opkg::openvino {

// The one node type behind which every custom operator stands. It is made by the converter of an ONNX node, or by
// OpenVINO itself from the attribute `spec` in a blob.
class CustomNode final : public ov::op::Op {
public:
    OPENVINO_OP("OpkgCall", "opkg");

    CustomNode() = default;
    CustomNode(const ov::OutputVector& arguments, std::shared_ptr<const Execution> execution);

    void validate_and_infer_types() override;
    std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector& arguments) const override;
    bool visit_attributes(ov::AttributeVisitor& visitor) override;
    bool evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const override;
    bool has_evaluate() const override { return true; }
    const Execution& execution() const noexcept { return *execution_; }
    // What the operator itself says its results are; the ports have the carried types.
    const std::vector<int32_t>& result_dtypes() const noexcept { return result_dtypes_; }

private:
    std::string spec_;
    std::shared_ptr<const Execution> execution_;
    std::vector<int32_t> result_dtypes_;
};

} // namespace opkg::openvino

#endif
