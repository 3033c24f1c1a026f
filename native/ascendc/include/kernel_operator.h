// SPDX-License-Identifier: Apache-2.0
// The Ascend C language on a CPU. One include for a kernel; each family of instructions has a file of its own.
#ifndef OPKG_KERNEL_OPERATOR_H
#define OPKG_KERNEL_OPERATOR_H

#include "twin/binary.h"
#include "twin/data_copy.h"
#include "twin/pipe.h"
#include "twin/sync.h"
#include "twin/tiling.h"

#endif // OPKG_KERNEL_OPERATOR_H
