// SPDX-License-Identifier: Apache-2.0
// The Matmul object, for kernels that use it. ASCENDC_CUBE_ONLY, defined before this line: the kernel itself sees to it
// that only cube cores reach the object.
#ifndef OPKG_LIB_MATMUL_INTF_H
#define OPKG_LIB_MATMUL_INTF_H

#include "adv/matmul.h"
#include "kernel_operator.h"

#ifdef ASCENDC_CUBE_ONLY
#define OPKG_MATMUL_CUBE_ONLY true
struct opkg_asc_cube_only; // opkg-ascc looks for this name: kernels that do not say their cores are cube kernels
#else
#define OPKG_MATMUL_CUBE_ONLY false
#endif

// Gives each object its tiling. In a mixed kernel the cube core leaves the function here.
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                                       \
    if (::opkg::twin::register_matmul<OPKG_MATMUL_CUBE_ONLY>(tpipe, workspace, __VA_ARGS__)) {                         \
        return;                                                                                                        \
    }
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ

// Kernels call these without naming a namespace.
using AscendC::GetSysWorkSpacePtr;
using AscendC::GetTPipePtr;

#endif // OPKG_LIB_MATMUL_INTF_H
