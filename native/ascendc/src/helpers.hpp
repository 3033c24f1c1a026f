// SPDX-License-Identifier: Apache-2.0
// Threads that stand in for waiting cores, and those that launches of the program itself run on.
#ifndef OPKG_TWIN_HELPERS_HPP
#define OPKG_TWIN_HELPERS_HPP

#include "scheduler.hpp"

namespace opkg::twin {

// Calls work(launch) on a thread that is not the caller's; false where the system has none.
bool on_helper(void (*work)(Launch &), Launch &launch);

} // namespace opkg::twin

#endif // OPKG_TWIN_HELPERS_HPP
