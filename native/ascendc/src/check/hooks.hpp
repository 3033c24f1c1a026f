// SPDX-License-Identifier: Apache-2.0
// What the scheduler calls around launches and cores of check builds.
#ifndef OPKG_TWIN_CHECK_HOOKS_HPP
#define OPKG_TWIN_CHECK_HOOKS_HPP

#include "check/findings.hpp"
#include "core.hpp"

namespace opkg::twin::check {

void begin_launch(Launch &launch);
// Tells what was found; with findings the launch has failed.
void end_launch(Launch &launch);
void begin_core(Core &core, const void *stack_limit);
void end_core(Core &core, bool returned);
// An instruction gives up with a sentence; its core is about to stop.
void record_failure(const void *frame, Kind kind, const char *message);

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_HOOKS_HPP
