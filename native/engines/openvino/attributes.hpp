// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_ATTRIBUTES_HPP
#define OPKG_OPENVINO_ATTRIBUTES_HPP

#include <opkg/core.hpp>

#include <openvino/frontend/node_context.hpp>

namespace opkg::openvino {

// The value of a declared attribute on an ONNX node, or its default. `declared` holds name, kind and default.
core::Attr read_attribute(const ov::frontend::NodeContext& node, const core::Attr& declared, const std::string& who);
// A list of ints that opkg's converter puts on nodes; empty where it is not there.
std::vector<int64_t> read_ints(const ov::frontend::NodeContext& node, const std::string& name);

} // namespace opkg::openvino

#endif
