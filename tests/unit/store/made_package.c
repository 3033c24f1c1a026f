// SPDX-License-Identifier: Apache-2.0
// The least that a package's libraries export. -DHOST: the host library, else a kernel library.
#include <stdlib.h>
#include <unistd.h>

#include "opkg/package_abi.h"

#ifndef ABI
#define ABI OPKG_ABI_VERSION
#endif
#ifndef LOADING
#define LOADING
#endif

#ifdef NEEDS
extern int NEEDS(void);
int uses(void) { return NEEDS(); }
#endif

__attribute__((constructor)) static void loading(void) { LOADING; }

#ifdef HOST
static const char *describe(void) { return DESCRIPTION; }
static const opkg_package_v1 package = {
    .struct_size = sizeof(opkg_package_v1), .abi_version = ABI, .vendor = "customize", .describe = describe};
const opkg_package_v1 *opkg_package_open_v1(const char *root) { return root == NULL ? NULL : &package; }
#elif !defined(EMPTY)
const opkg_kernel_table_v1 opkg_kernel_v1 = {.struct_size = sizeof(opkg_kernel_table_v1),
                                             .abi_version = ABI,
                                             .op_type = "Square",
                                             .column = COLUMN,
                                             .tiling_size = TILING};
#endif
