// SPDX-License-Identifier: Apache-2.0
// What a program with <<<>>> includes where it is built for a CPU.
#ifndef OPKG_CPU_DEBUG_LAUNCH_H
#define OPKG_CPU_DEBUG_LAUNCH_H

#include "opkg/asc_launch.h"
#include "tikicpulib.h"

#endif // OPKG_CPU_DEBUG_LAUNCH_H
