// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry_data.hpp"

namespace opkg::host {

// JSON of an opened package: its operators in the canonical form of an op info, and the layout of its tiling structs.
std::string DescribePackage(const RegistryData &data);

} // namespace opkg::host
