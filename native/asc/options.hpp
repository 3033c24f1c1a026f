// SPDX-License-Identifier: Apache-2.0
// The command line of opkg-ascc: that of g++, with a few options of its own.
#ifndef OPKG_ASC_OPTIONS_HPP
#define OPKG_ASC_OPTIONS_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "opkg/soc_table.h"

namespace opkg::asc {

enum class Stage { preprocess, assemble, object, link };

struct Source {
    std::string path;
    bool asc = true; // Ascend C; else plain C or C++, which the host compiler takes as it is
};

struct Options {
    Stage stage = Stage::link;
    const SocInfo *soc = find_soc(nullptr);
    std::string host_compiler;
    std::string output;
    std::vector<Source> sources;
    std::vector<std::string> preprocess; // macros and folders of headers
    std::vector<std::string> compile;    // everything else for every source
    std::vector<std::string> dependency; // -MD and its relatives
    std::vector<std::string> link;      // objects, libraries and linker options in their order
    bool cpu_debug = true;              // ASCENDC_CPU_DEBUG is defined
    bool check = false;
    bool launchers = false;             // also define aclrtlaunch_<kernel> for the kernels
    bool show_rewritten = false;
    bool static_library = false;
    bool verbose = false;
    std::string launch_headers;         // the folder where aclrtlaunch_<kernel>.h are written; nothing is compiled
    bool has_standard = false;
    bool has_march = false;
    bool has_optimisation = false;
};

// A command line that makes no sense; what() is the sentence.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

Options parse_options(const std::vector<std::string> &words);

} // namespace opkg::asc

#endif // OPKG_ASC_OPTIONS_HPP
