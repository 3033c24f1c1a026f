// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_UTILS_DEBUG_ASC_PRINTF_H
#define OPKG_UTILS_DEBUG_ASC_PRINTF_H

#include "twin/macros.h"
#include "twin/print.h"

#endif // OPKG_UTILS_DEBUG_ASC_PRINTF_H
