// SPDX-License-Identifier: Apache-2.0
#include "custom_node.hpp"

#include "error_relay.hpp"

#include <openvino/op/constant.hpp>

namespace opkg::openvino {
namespace {

const void* constant_of(const ov::Output<ov::Node>& output) {
    const auto* constant = ov::as_type<ov::op::v0::Constant>(output.get_node());
    return constant ? constant->get_data_ptr() : nullptr;
}

} // namespace

CustomNode::CustomNode(const ov::OutputVector& arguments, std::shared_ptr<const Execution> execution)
    : Op(arguments), spec_(to_text(execution->spec())), execution_(std::move(execution)) {
    constructor_validate_and_infer_types();
}

void CustomNode::validate_and_infer_types() {
    if (!execution_) return;
    Execution::Shapes shapes;
    Execution::Constants constants;
    for (const ov::Output<ov::Node>& argument : input_values()) {
        shapes.push_back(argument.get_partial_shape());
        constants.push_back(constant_of(argument));
    }
    try {
        const std::vector<PortType> ports = execution_->infer(shapes, constants);
        set_output_size(ports.size());
        result_dtypes_.clear();
        for (const PortType& port : ports) result_dtypes_.push_back(port.dtype);
        for (size_t i = 0; i < ports.size(); ++i)
            set_output_type(i, carried_or_refuse(execution_->who(), "output " + std::to_string(i), ports[i].dtype), ports[i].shape);
    } catch (const core::Error& error) {
        throw_marked(error);
    }
}

std::shared_ptr<ov::Node> CustomNode::clone_with_new_inputs(const ov::OutputVector& arguments) const {
    return std::make_shared<CustomNode>(arguments, execution_);
}

bool CustomNode::visit_attributes(ov::AttributeVisitor& visitor) {
    visitor.on_attribute("spec", spec_);
    if (execution_ || spec_.empty()) return true;
    try {
        execution_ = std::make_shared<Execution>(from_text(spec_));
    } catch (const core::Error& error) {
        throw_marked(error);
    }
    return true;
}

bool CustomNode::evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const {
    try {
        execution_->run(outputs, inputs);
    } catch (const core::Error& error) {
        throw_marked(error);
    }
    return true;
}

} // namespace opkg::openvino
