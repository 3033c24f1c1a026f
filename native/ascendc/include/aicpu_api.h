// SPDX-License-Identifier: Apache-2.0
// Functions for the device's own CPU (__aicpu__), which here are ordinary functions of the program.
#ifndef OPKG_AICPU_API_H
#define OPKG_AICPU_API_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "twin/macros.h"
#include "twin/print.h"

#undef assert
#define assert(condition)                                                                                              \
    ((condition) ? static_cast<void>(0)                                                                                \
                 : opkg_twin_fail("%s:%d: assertion '%s' does not hold", __FILE__, __LINE__, #condition))

namespace AscendC {

// What was stored before is visible to the cores.
inline void DataStoreBarrier() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

} // namespace AscendC

#endif // OPKG_AICPU_API_H
