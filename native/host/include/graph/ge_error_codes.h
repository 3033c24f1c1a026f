// SPDX-License-Identifier: Apache-2.0
// ge::graphStatus and its values.
#ifndef OPKG_HOST_GRAPH_GE_ERROR_CODES_H
#define OPKG_HOST_GRAPH_GE_ERROR_CODES_H

#include <cstdint>

namespace ge {

using graphStatus = uint32_t;
using Status = uint32_t;

constexpr graphStatus GRAPH_SUCCESS = 0U;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFFU;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304U;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649U;
constexpr graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648U;
constexpr graphStatus GRAPH_NODE_NEED_REPASS = 50331647U;
constexpr graphStatus GRAPH_ADD_CONTROL_EDGE = 50331646U;
constexpr graphStatus OUT_OF_MEMORY = 50331645U;

constexpr Status SUCCESS = 0U;
constexpr Status FAILED = 0xFFFFFFFFU;
constexpr Status PARAM_INVALID = 103900U;

} // namespace ge

#endif // OPKG_HOST_GRAPH_GE_ERROR_CODES_H
