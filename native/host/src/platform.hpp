// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "opkg/soc_table.h"
#include "platform/platform_infos_def.h"

namespace opkg::host {

// The numbers of a chip; NULL or "" is the default chip, NULL comes back for a name that is none.
fe::PlatFormInfos *PlatformOf(const char *soc);
// Number of that chip in the table of chips.
size_t PlatformIndex(const fe::PlatFormInfos *platform);

// A chip's number of cores, or as many as the environment's OPKG_TWIN_CORES allows: that counts vector cores, of which
// one core of this kind stands for `vector_cores_each`. At least one is left.
uint32_t LimitedCores(uint32_t count, uint32_t vector_cores_each);
// How many vector cores an AI core has.
uint32_t VectorCoresEach(const SocInfo &soc);

// Bytes a cycle that one core moves from L2 and from HBM, from the platform files; 0 where they are not known.
struct Rates {
    uint32_t l2;
    uint32_t ddr;
};
Rates MemoryRates(const SocInfo &soc);
// Bytes of a vector register, 0 on chips that have none.
uint32_t VectorRegister(const SocInfo &soc);

} // namespace opkg::host
