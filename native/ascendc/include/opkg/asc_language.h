// SPDX-License-Identifier: Apache-2.0
// What a compiler of Ascend C knows without any include. opkg-ascc includes this before the first line of a file.
#ifndef OPKG_ASC_LANGUAGE_H
#define OPKG_ASC_LANGUAGE_H

#include "twin/types.h"

#include "opkg/asc_launch.h"

#endif // OPKG_ASC_LANGUAGE_H
