// SPDX-License-Identifier: Apache-2.0
// opkg-ascc compiles Ascend C for the twin: g++ or clang++, with launches and kernels made into C++ on the way.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>

#include "driver.hpp"
#include "process.hpp"

namespace {

constexpr const char *usage = R"(usage: opkg-ascc [options] file...

Compiles Ascend C (.asc, or -x asc) for the CPU twin. Takes the options of g++ and these:

  --npu-arch=dav-2201     the architecture that programs see; dav-2002, dav-3510, ...
  --npu-soc=Ascend910B1   the same by a chip's name
  --run-mode=cpu          npu and sim mean the same here
  -x asc                  the files that follow are Ascend C whatever their names
  -dc, -lib               an object file; a static library
  --host-compiler=PATH    g++ or clang++; else OPKG_HOST_COMPILER, CXX, g++, clang++
  --check                 the twin's check build
  --no-cpu-debug          ASCENDC_CPU_DEBUG stays undefined
  --launchers             also define aclrtlaunch_<kernel> for kernels that are extern "C"
  --launch-headers=DIR    only write aclrtlaunch_<kernel>.h into DIR
  --show-rewritten        print the C++ that is compiled
)";

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 1 && (words[0] == "--help" || words[0] == "-help")) {
        std::fputs(usage, stdout);
        return 0;
    }
    if (words.size() == 1 && words[0] == "--version") {
        std::puts("opkg-ascc " OPKG_VERSION);
        return 0;
    }
    opkg::asc::hold_signals();
    try {
        return opkg::asc::drive(opkg::asc::parse_options(words));
    } catch (const opkg::asc::UsageError &error) {
        std::cerr << "opkg-ascc: error: " << error.what() << '\n';
        return 2;
    } catch (const opkg::asc::Interrupted &interrupted) {
        std::signal(interrupted.signal, SIG_DFL);
        return std::raise(interrupted.signal);
    } catch (const std::exception &error) {
        std::cerr << "opkg-ascc: error: " << error.what() << '\n';
        return 1;
    }
}
