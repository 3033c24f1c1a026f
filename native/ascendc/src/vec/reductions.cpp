// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

namespace opkg::twin {
OPKG_TWIN_FILL(reductions) {}
} // namespace opkg::twin
