// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_TWIN_CRASH_HPP
#define OPKG_TWIN_CRASH_HPP

namespace opkg::twin {

// From now on a core that touches memory that is not there is named before the process ends as it would have anyway.
// A program that handles such signals itself keeps doing so.
void name_crashing_cores();

} // namespace opkg::twin

#endif // OPKG_TWIN_CRASH_HPP
