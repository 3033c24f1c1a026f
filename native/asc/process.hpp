// SPDX-License-Identifier: Apache-2.0
// Running other programs.
#ifndef OPKG_ASC_PROCESS_HPP
#define OPKG_ASC_PROCESS_HPP

#include <string>
#include <vector>

namespace opkg::asc {

// This program was told to end, by a signal that came while it ran another.
struct Interrupted {
    int signal;
};

// From here on signals that end this program are passed on to the one that it runs, and end `run` with Interrupted.
void hold_signals();

// Runs a program, with `input` on its standard input if there is one, and returns its exit code (128 + signal if one
// ended it). What it writes comes into `output` if there is one; messages go where this program's own go.
// Throws std::runtime_error if the program cannot be started.
int run(const std::vector<std::string> &command, const std::string *input, std::string *output);

// The absolute path of a program, looked for in PATH; empty if there is none.
std::string find_program(const std::string &name);

} // namespace opkg::asc

#endif // OPKG_ASC_PROCESS_HPP
