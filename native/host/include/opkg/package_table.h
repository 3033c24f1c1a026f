// SPDX-License-Identifier: Apache-2.0
// The file that opkg generates into a package's host library:
//   OPKG_PACKAGE("customize", "square", "1.0.0", "Ascend910B1")          vendor, name, version, chip of the twin
//   OPKG_PACKAGE_OPERATOR("Square", "op_impl/.../Square_%u.so")          kernel library of column %u, below the package
// Operators without a line of their own have their kernels at the place where opkg build puts them.
#ifndef OPKG_PACKAGE_TABLE_H
#define OPKG_PACKAGE_TABLE_H

#include "opkg/host/registry.h"
#include "opkg/package_abi.h"

#define OPKG_PACKAGE(vendor, name, version, soc) \
    [[maybe_unused]] static const bool opkg_package_added = \
        opkg::host::registry().AddPackage(vendor, name, version, soc); \
    static const char *opkg_package_describe() { return opkg::host::registry().Describe(); } \
    extern "C" __attribute__((visibility("default"))) const opkg_package_v1 *opkg_package_open_v1(const char *root) \
    { \
        return opkg::host::registry().Open(root, opkg_package_describe); \
    }

#define OPKG_PACKAGE_OPERATOR(type, path) OPKG_PACKAGE_OPERATOR_COUNTED(type, path, __COUNTER__)
#define OPKG_PACKAGE_OPERATOR_COUNTED(type, path, counter) OPKG_PACKAGE_OPERATOR_NAMED(type, path, counter)
#define OPKG_PACKAGE_OPERATOR_NAMED(type, path, counter) \
    [[maybe_unused]] static const bool opkg_kernel_path_##counter = opkg::host::registry().AddKernelPath(type, path);

#endif // OPKG_PACKAGE_TABLE_H
