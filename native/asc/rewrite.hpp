// SPDX-License-Identifier: Apache-2.0
// Ascend C to C++: launches become calls of opkg/asc_launch.h, kernels answer which cores they need.
#ifndef OPKG_ASC_REWRITE_HPP
#define OPKG_ASC_REWRITE_HPP

#include <string>

#include "program.hpp"

namespace opkg::asc {

// The text as C++. Every token stays on its line, as the line markers number them.
std::string rewrite(const Program &program);

// A function `aclrtlaunch_<kernel>` for each kernel of the file that is defined `extern "C"` and no template, and
// `opkg_asc_packed_<kernel>`, which takes the addresses of the arguments.
std::string launchers(const Program &program);

// The header aclrtlaunch_<kernel>.h; empty for a kernel without a launcher.
std::string launch_header(const Program &program, const Kernel &kernel);

} // namespace opkg::asc

#endif // OPKG_ASC_REWRITE_HPP
