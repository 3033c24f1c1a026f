// SPDX-License-Identifier: Apache-2.0
// opkg_probe ROOT HOST_LIBRARY: loads a package's host library, and the kernel libraries whose paths stand one a line on
// its input, with every symbol resolved, and says what it found. An installer runs it as a child process before it
// installs, since loading runs code of strangers.
//
// One line a fact, its fields separated by tabs:
//   try     PATH                             is about to be loaded; the last one is to blame if the process dies
//   bad     PATH  REASON                     cannot be used
//   kernel  PATH  TYPE  COLUMN  TILING_SIZE  what a kernel library says it is
// and last, where the host library is good, a line "describe" followed by its description.
#include <cstdio>
#include <iostream>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "opkg/package_abi.h"

namespace {

std::FILE *out = nullptr; // the caller; what libraries print goes to the standard error

void Say(const char *kind, const char *path, const std::string &rest = "")
{
    std::fprintf(out, "%s\t%s%s%s\n", kind, path, rest.empty() ? "" : "\t", rest.c_str());
    std::fflush(out); // what was said must survive a crash of the next library
}

// The symbol of a library, nullptr after a line that says why there is none.
void *Load(const char *path, const char *symbol)
{
    Say("try", path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char *reason = dlerror();
        Say("bad", path, reason == nullptr ? "it cannot be loaded" : reason);
        return nullptr;
    }
    void *found = dlsym(handle, symbol);
    if (found == nullptr) {
        Say("bad", path, std::string("it exports no ") + symbol);
    }
    return found;
}

std::string Version(uint32_t version, const char *what)
{
    return "it was built for version " + std::to_string(version) + " of the " + what + " interface and this opkg reads " +
           std::to_string(OPKG_ABI_VERSION);
}

const opkg_package_v1 *Host(const char *root, const char *path)
{
    void *symbol = Load(path, OPKG_PACKAGE_OPEN_SYMBOL);
    if (symbol == nullptr) {
        return nullptr;
    }
    const opkg_package_v1 *package = reinterpret_cast<opkg_package_open_v1_fn>(symbol)(root);
    if (package == nullptr) {
        Say("bad", path, "it does not give its table of operators");
    } else if (package->abi_version != OPKG_ABI_VERSION || package->struct_size < sizeof(opkg_package_v1)) {
        Say("bad", path, Version(package->abi_version, "package"));
    } else {
        return package;
    }
    return nullptr;
}

void Kernel(const char *path)
{
    const auto *kernel = static_cast<const opkg_kernel_table_v1 *>(Load(path, OPKG_KERNEL_SYMBOL));
    if (kernel == nullptr) {
        return;
    }
    if (kernel->abi_version != OPKG_ABI_VERSION || kernel->struct_size < sizeof(opkg_kernel_table_v1)) {
        Say("bad", path, Version(kernel->abi_version, "kernel"));
        return;
    }
    Say("kernel", path,
        std::string(kernel->op_type == nullptr ? "" : kernel->op_type) + "\t" + std::to_string(kernel->column) + "\t" +
            std::to_string(kernel->tiling_size));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: opkg_probe ROOT HOST_LIBRARY < LIST_OF_KERNEL_LIBRARIES\n");
        return 2;
    }
    out = fdopen(dup(STDOUT_FILENO), "w");
    if (out == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("opkg_probe");
        return 1;
    }
    const opkg_package_v1 *package = Host(argv[1], argv[2]);
    for (std::string path; std::getline(std::cin, path);) {
        Kernel(path.c_str());
    }
    const char *text = package == nullptr || package->describe == nullptr ? nullptr : package->describe();
    if (text != nullptr) {
        std::fprintf(out, "describe\n%s\n", text);
    }
    return std::fflush(out) == 0 ? 0 : 1;
}
