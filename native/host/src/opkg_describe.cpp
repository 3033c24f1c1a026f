// SPDX-License-Identifier: Apache-2.0
// opkg_describe LIBRARY: prints what a built host library says of itself, as JSON. Its caller runs it as a child
// process, since loading a library runs code of strangers.
#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>

#include "opkg/package_abi.h"

namespace {

int Fail(const char *library, const char *reason)
{
    std::fprintf(stderr, "opkg_describe: %s: %s\n", library, reason);
    return 1;
}

int Describe(const char *library)
{
    // A name without a slash would be looked for along the loader's path.
    const std::string path = std::strchr(library, '/') == nullptr ? std::string("./") + library : library;
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return Fail(library, dlerror());
    }
    const auto open = reinterpret_cast<opkg_package_open_v1_fn>(dlsym(handle, OPKG_PACKAGE_OPEN_SYMBOL));
    if (open == nullptr) {
        return Fail(library, "not a host library of an opkg package (it exports no " OPKG_PACKAGE_OPEN_SYMBOL ")");
    }
    const opkg_package_v1 *package = open("");
    if (package == nullptr || package->struct_size < sizeof(opkg_package_v1) || package->describe == nullptr) {
        return Fail(library, "the package could not be opened");
    }
    if (package->abi_version != OPKG_ABI_VERSION) {
        return Fail(library, "made for another version of the package interface");
    }
    const char *text = package->describe();
    if (text == nullptr) {
        return Fail(library, "the package could not describe itself");
    }
    return std::puts(text) < 0 || std::fflush(stdout) != 0 ? Fail(library, "cannot write the description") : 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: opkg_describe LIBRARY\n");
        return 2;
    }
    return Describe(argv[1]);
}
