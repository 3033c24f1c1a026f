// SPDX-License-Identifier: Apache-2.0
// From sources to objects and programs.
#ifndef OPKG_ASC_DRIVER_HPP
#define OPKG_ASC_DRIVER_HPP

#include "options.hpp"

namespace opkg::asc {

// Does what the command line says; the exit code.
int drive(const Options &options);

} // namespace opkg::asc

#endif // OPKG_ASC_DRIVER_HPP
