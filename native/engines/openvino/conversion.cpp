// SPDX-License-Identifier: Apache-2.0
#include "conversion.hpp"

#include "attributes.hpp"
#include "custom_node.hpp"
#include "error_relay.hpp"

#include <openvino/frontend/onnx/extension/conversion.hpp>
#include <openvino/op/convert.hpp>

#include <cstring>

namespace opkg::openvino {
namespace {

using ov::frontend::NodeContext;

// A node whose operator has several dynamic inputs, or a dynamic output, says how many tensors each has.
constexpr char kInputCounts[] = "opkg_inputs";
constexpr char kOutputCounts[] = "opkg_outputs";

bool is_absent(const ov::Output<ov::Node>& output) { return std::strcmp(output.get_node()->get_type_name(), "NullNode") == 0; }

std::string who(const CustomOp& op, const NodeContext& node) {
    return node.get_name().empty() ? op.type : op.type + " (node '" + node.get_name() + "')";
}

[[noreturn]] void refuse(const CustomOp& op, const NodeContext& node, const std::string& reason) {
    throw core::Error("OPKG-8012", who(op, node) + ": " + reason);
}

// Tensors of each declared parameter. A single dynamic one takes what the others leave.
std::vector<uint32_t> groups_of(const CustomOp& op, const NodeContext& node, const std::vector<Param>& params,
                                const char* attribute, size_t total) {
    const std::vector<int64_t> given = read_ints(node, attribute);
    if (!given.empty()) {
        if (given.size() != params.size()) refuse(op, node, std::string("attribute ") + attribute + " has a wrong length");
        return {given.begin(), given.end()};
    }
    std::vector<uint32_t> groups(params.size(), 1);
    size_t dynamic = 0;
    for (size_t i = 0; i < params.size(); ++i) {
        if (params[i].kind != ParamKind::kDynamic) continue;
        if (dynamic++) refuse(op, node, std::string("has several dynamic parameters; say their sizes in ") + attribute);
        groups[i] = total + 1 > params.size() ? static_cast<uint32_t>(total + 1 - params.size()) : 0;
    }
    return groups;
}

struct Arguments {
    ov::OutputVector present;
    std::vector<int32_t> dtypes; // of every flat input; kUndefined: absent
};

ov::Output<ov::Node> carried_value(const std::string& who, const std::string& port, const ov::Output<ov::Node>& value, int32_t dtype) {
    const ov::element::Type type = carried_or_refuse(who, port, dtype);
    if (value.get_element_type() == type) return value;
    return std::make_shared<ov::op::v0::Convert>(value, type);
}

void add_argument(Arguments& arguments, const CustomOp& op, const NodeContext& node, const Param& param, size_t flat) {
    const bool given = flat < node.get_input_size() && !is_absent(node.get_input(static_cast<int>(flat)));
    if (!given) {
        if (param.kind != ParamKind::kOptional) refuse(op, node, "input '" + param.name + "' is not given");
        arguments.dtypes.push_back(core::kUndefined);
        return;
    }
    const ov::Output<ov::Node> value = node.get_input(static_cast<int>(flat));
    const int32_t dtype = dtype_of(value.get_element_type());
    if (dtype == core::kUndefined)
        refuse(op, node, "the data type of input '" + param.name + "' is not known or not one that operators take");
    arguments.present.push_back(carried_value(who(op, node), "input '" + param.name + "'", value, dtype));
    arguments.dtypes.push_back(dtype);
}

Arguments arguments_of(const CustomOp& op, const NodeContext& node, const std::vector<uint32_t>& groups) {
    Arguments arguments;
    size_t flat = 0;
    for (size_t i = 0; i < groups.size(); ++i)
        for (uint32_t k = 0; k < groups[i]; ++k) add_argument(arguments, op, node, op.inputs[i], flat++);
    if (flat < node.get_input_size())
        refuse(op, node, "has " + std::to_string(node.get_input_size()) + " inputs, and the operator takes " + std::to_string(flat));
    return arguments;
}

std::vector<core::Attr> attributes_of(const CustomOp& op, const NodeContext& node) {
    std::vector<core::Attr> attrs;
    for (const core::Attr& declared : op.attrs) attrs.push_back(read_attribute(node, declared, who(op, node)));
    return attrs;
}

// Results in the types that the rest of the model expects.
ov::OutputVector results_of(const std::shared_ptr<CustomNode>& node) {
    ov::OutputVector results;
    for (size_t i = 0; i < node->get_output_size(); ++i) {
        const ov::element::Type type = element_of(node->result_dtypes().at(i));
        const ov::Output<ov::Node> result = node->output(i);
        results.push_back(result.get_element_type() == type ? result
                                                            : std::make_shared<ov::op::v0::Convert>(result, type)->output(0));
    }
    return results;
}

ov::OutputVector convert(const CustomOp& op, const NodeContext& node) {
    NodeSpec spec;
    spec.key = op.key;
    spec.node_name = node.get_name();
    spec.input_groups = groups_of(op, node, op.inputs, kInputCounts, node.get_input_size());
    spec.output_groups = groups_of(op, node, op.outputs, kOutputCounts, op.outputs.size());
    Arguments arguments = arguments_of(op, node, spec.input_groups);
    spec.input_dtypes = std::move(arguments.dtypes);
    spec.attrs = attributes_of(op, node);
    const auto execution = std::make_shared<Execution>(std::move(spec));
    const auto made = std::make_shared<CustomNode>(arguments.present, execution);
    made->set_friendly_name(node.get_name());
    return results_of(made);
}

} // namespace

std::shared_ptr<ov::Extension> conversion_of(std::shared_ptr<const CustomOp> op) {
    return std::make_shared<ov::frontend::onnx::ConversionExtension>(op->type, op->domain, [op](const NodeContext& node) {
        try {
            return convert(*op, node);
        } catch (const core::Error& error) {
            throw_marked(error);
        }
    });
}

} // namespace opkg::openvino
