// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator.hpp"

namespace opkg::host {

constexpr uint32_t kNoColumn = 0xFFFFFFFFu;

// The column whose data types are those of the call and whose formats fit best; kNoColumn where there is none.
uint32_t SelectColumn(const Operator &op, const opkg_call_v1 &call, bool with_outputs);

// "Square: no column takes x=double[4] -> y=double[4]; its columns are: [0] x:float16 ND -> y:float16 ND; ..."
std::string NoColumnText(const Operator &op, const opkg_call_v1 &call);

} // namespace opkg::host
