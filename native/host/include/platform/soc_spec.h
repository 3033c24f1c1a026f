// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_SOC_SPEC_H
#define OPKG_HOST_SOC_SPEC_H

#include <cstdint>

// Generations of the AI core; the number is __NPU_ARCH__.
enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2102 = 2102,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3102 = 3102,
    DAV_3510 = 3510,
    DAV_RESV = 0xffff,
};

#endif // OPKG_HOST_SOC_SPEC_H
