// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator.hpp"

namespace opkg::host {

// Fills an output with the InitValue that its declaration has for its data type; leaves it alone where there is none.
void FillOutput(const Param &param, const opkg_tensor_v1 &t, void *data);

} // namespace opkg::host
