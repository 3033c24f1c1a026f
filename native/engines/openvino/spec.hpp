// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_SPEC_HPP
#define OPKG_OPENVINO_SPEC_HPP

#include <opkg/core.hpp>

#include <string>
#include <vector>

namespace opkg::openvino {

// All that a node knows of itself, apart from its operator. It travels in a blob as one attribute.
struct NodeSpec {
    std::string key;       // of the CustomOp
    std::string node_name; // in the ONNX model
    std::vector<uint32_t> input_groups, output_groups;
    std::vector<int32_t> input_dtypes; // of each flat input in the ONNX model; kUndefined: absent
    std::vector<core::Attr> attrs;     // of the node, defaults filled in
};

std::string to_text(const NodeSpec& spec);      // hexadecimal digits
NodeSpec from_text(const std::string& text);    // throws core::Error

} // namespace opkg::openvino

#endif
