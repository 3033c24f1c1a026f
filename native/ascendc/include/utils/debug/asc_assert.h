// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_UTILS_DEBUG_ASC_ASSERT_H
#define OPKG_UTILS_DEBUG_ASC_ASSERT_H

#include "twin/debug.h"

#endif // OPKG_UTILS_DEBUG_ASC_ASSERT_H
