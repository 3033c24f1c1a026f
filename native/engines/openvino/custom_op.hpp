// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_CUSTOM_OP_HPP
#define OPKG_OPENVINO_CUSTOM_OP_HPP

#include <opkg/core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace opkg::openvino {

enum class ParamKind { kRequired, kOptional, kDynamic };

struct Param {
    std::string name;
    ParamKind kind = ParamKind::kRequired;
};

// An operator that models may use, as its op info declares it.
struct CustomOp {
    std::string domain, type; // of the nodes
    std::string key;          // names the operator in exported blobs
    std::string root, host_library;
    std::string op_type; // in the package
    std::vector<Param> inputs, outputs;
    std::vector<core::Attr> attrs; // with their defaults
};

// Operators by key, for nodes that come out of a blob. A later one with the same key takes the place of an earlier one.
void remember(std::shared_ptr<const CustomOp> op);
std::shared_ptr<const CustomOp> recall(const std::string& key); // throws core::Error

} // namespace opkg::openvino

#endif
