// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "platform/platform_infos_def.h"

namespace opkg::host {

// The numbers of a chip; NULL or "" is the default chip, NULL comes back for a name that is none.
fe::PlatFormInfos *PlatformOf(const char *soc);
// Number of that chip in the table of chips.
size_t PlatformIndex(const fe::PlatFormInfos *platform);

} // namespace opkg::host
