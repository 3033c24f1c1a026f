// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_TWIN_PRINT_HPP
#define OPKG_TWIN_PRINT_HPP

#include <stddef.h>

namespace opkg::twin {

// Prints text of the core that this thread runs: complete lines at once, the rest with what follows. Each line that is
// begun here gets the core in front of it.
void print_lines(const char *text, size_t length);

// Prints a block of lines as it is, with the core in front of the first one.
void print_block(const char *text, size_t length);

// The core has returned: prints what is left of its last line.
void finish_printing();

} // namespace opkg::twin

#endif // OPKG_TWIN_PRINT_HPP
