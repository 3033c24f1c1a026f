// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_UTILS_DEBUG_ASC_TIME_H
#define OPKG_UTILS_DEBUG_ASC_TIME_H

// Before the macro below, so that no later include of it takes the macro away.
#include <ctime>

#include "twin/debug.h"

inline uint64_t opkg_clock() { return opkg_twin_cycles(); }
namespace std {
using ::opkg_clock;
}
#define clock() opkg_clock()

#endif // OPKG_UTILS_DEBUG_ASC_TIME_H
