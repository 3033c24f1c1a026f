// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_CONVERSION_HPP
#define OPKG_OPENVINO_CONVERSION_HPP

#include "custom_op.hpp"

#include <openvino/core/extension.hpp>

namespace opkg::openvino {

// Makes OpenVINO's ONNX reader turn nodes of the operator's domain and type into custom nodes.
std::shared_ptr<ov::Extension> conversion_of(std::shared_ptr<const CustomOp> op);

} // namespace opkg::openvino

#endif
