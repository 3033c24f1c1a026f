// SPDX-License-Identifier: Apache-2.0
//
// What stands before OpenVINO's own bytes in an exported model: which engine made it, and its custom nodes.
#ifndef OPKG_OPENVINO_BLOB_HPP
#define OPKG_OPENVINO_BLOB_HPP

#include "model.hpp"

namespace opkg::openvino {

std::string blob_header(const std::string& version, const std::vector<NodeEntry>& nodes);
// The bytes after the header, for a blob of this engine version; fills `nodes`. Throws core::Error for any other.
Bytes open_blob(Bytes blob, const std::string& version, std::vector<NodeEntry>& nodes);

} // namespace opkg::openvino

#endif
