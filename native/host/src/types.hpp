// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "graph/types.h"

namespace opkg::host {

struct DtypeRow {
    const char *enumerator; // "DT_FLOAT16"
    const char *name;       // opkg's own spelling, "float16"
    int size;
};

std::string DtypeName(int32_t dtype);   // "float16"
std::string FormatName(int32_t format); // "ND"
int64_t DtypeBits(int32_t dtype);       // of one element, -1 where it has no fixed size

} // namespace opkg::host
