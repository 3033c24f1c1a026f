// SPDX-License-Identifier: Apache-2.0
// The chips that opkg knows: core counts and buffer sizes, as the vendor's platform files give them. One table for the
// host side (PlatformAscendC) and for the twin (arenas and core counts). Chips that the vendor sells as bins of one
// design share that design's buffers.
#ifndef OPKG_SOC_TABLE_H
#define OPKG_SOC_TABLE_H

#include <cstddef>
#include <cstdint>

namespace opkg {

struct SocInfo {
    const char *name;         // "Ascend910B1", as in --soc_version
    const char *short_name;   // "Ascend910B"
    const char *compute_unit; // "ascend910b", as in OpDef::AICore().AddConfig
    uint16_t npu_arch;        // __NPU_ARCH__: 1001, 2002, 2201, 3002, 3510
    uint16_t cce_aicore;      // __CCE_AICORE__
    uint16_t ai_cores;        // ai_core_cnt
    uint16_t cube_cores;      // cube_core_cnt, 0 where the platform file has none
    uint16_t vector_cores;    // vector_core_cnt
    bool split;               // cube_vector_combine has "split": cube and vector cores run kernels of their own
    uint32_t ub;              // bytes of the Unified Buffer of one vector core
    uint32_t l1;
    uint32_t l0a;
    uint32_t l0b;
    uint32_t l0c;
    uint32_t fixpipe_buffer;
    uint32_t bias_table;
    uint32_t l2;

    // Cores that a vector kernel may use (GetCoreNumAiv) and that a cube kernel may use (GetCoreNumAic).
    constexpr uint32_t aiv_cores() const { return split ? vector_cores : ai_cores; }
    constexpr uint32_t aic_cores() const { return split && cube_cores != 0 ? cube_cores : ai_cores; }
    // The Unified Buffer and L1 that a kernel may fill: the runtime keeps 256 bytes of each on the 910B family.
    constexpr uint32_t reserved() const { return npu_arch == 2201 ? 256u : 0u; }
    constexpr uint32_t usable_ub() const { return ub - reserved(); }
    constexpr uint32_t usable_l1() const { return l1 - reserved(); }
};

inline constexpr SocInfo kSocTable[] = {
    // name, short name, unit, arch, aicore, ai, cube, vector, split, UB, L1, L0A, L0B, L0C, FB, BT, L2.
    // The first row of a compute unit is the chip that the unit's bare name stands for.
    {"Ascend910B1", "Ascend910B", "ascend910b", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910B2", "Ascend910B", "ascend910b", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910B2C", "Ascend910B", "ascend910b", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910B3", "Ascend910B", "ascend910b", 2201, 220, 20, 20, 40, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910B4", "Ascend910B", "ascend910b", 2201, 220, 20, 20, 40, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 100663296},
    {"Ascend910B4-1", "Ascend910B", "ascend910b", 2201, 220, 20, 20, 40, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 100663296},
    {"Ascend910_9391", "Ascend910_93", "ascend910_93", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910_9392", "Ascend910_93", "ascend910_93", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910_9381", "Ascend910_93", "ascend910_93", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910_9382", "Ascend910_93", "ascend910_93", 2201, 220, 24, 24, 48, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 201326592},
    {"Ascend910_9372", "Ascend910_93", "ascend910_93", 2201, 220, 20, 20, 40, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 176160768},
    {"Ascend910_9362", "Ascend910_93", "ascend910_93", 2201, 220, 20, 20, 40, true, 196608, 524288, 65536, 65536, 131072, 2048, 1024, 176160768},
    {"Ascend310P3", "Ascend310P", "ascend310p", 2002, 200, 8, 0, 7, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P1", "Ascend310P", "ascend310p", 2002, 200, 10, 0, 8, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P5", "Ascend310P", "ascend310p", 2002, 200, 8, 0, 7, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P7", "Ascend310P", "ascend310p", 2002, 200, 8, 0, 7, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P3Vir01", "Ascend310P", "ascend310p", 2002, 200, 1, 0, 1, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P3Vir02", "Ascend310P", "ascend310p", 2002, 200, 2, 0, 2, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P3Vir04", "Ascend310P", "ascend310p", 2002, 200, 4, 0, 4, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310P3Vir08", "Ascend310P", "ascend310p", 2002, 200, 8, 0, 7, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 16777216},
    {"Ascend310B1", "Ascend310B", "ascend310b", 3002, 300, 1, 0, 1, true, 253952, 1048576, 65536, 65536, 131072, 2048, 1024, 4194304},
    {"Ascend310B2", "Ascend310B", "ascend310b", 3002, 300, 1, 0, 1, true, 253952, 1048576, 65536, 65536, 131072, 2048, 1024, 4194304},
    {"Ascend310B3", "Ascend310B", "ascend310b", 3002, 300, 1, 0, 1, true, 253952, 1048576, 65536, 65536, 131072, 2048, 1024, 4194304},
    {"Ascend310B4", "Ascend310B", "ascend310b", 3002, 300, 1, 0, 1, true, 253952, 1048576, 65536, 65536, 131072, 2048, 1024, 4194304},
    {"Ascend910A", "Ascend910", "ascend910", 1001, 100, 32, 0, 0, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 33554432},
    {"Ascend910ProA", "Ascend910", "ascend910", 1001, 100, 32, 0, 0, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 33554432},
    {"Ascend910ProB", "Ascend910", "ascend910", 1001, 100, 30, 0, 0, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 33554432},
    {"Ascend910PremiumA", "Ascend910", "ascend910", 1001, 100, 32, 0, 0, false, 262144, 1048576, 65536, 65536, 262144, 0, 0, 33554432},
    {"Ascend950PR", "Ascend950", "ascend950", 3510, 310, 32, 32, 64, true, 253952, 524288, 65536, 65536, 262144, 4096, 4096, 134217728},
    {"Ascend950DT", "Ascend950", "ascend950", 3510, 310, 32, 32, 64, true, 253952, 524288, 65536, 65536, 262144, 4096, 4096, 134217728},
    {"Ascend910_95", "Ascend910_95", "ascend910_95", 3510, 310, 32, 32, 64, true, 253952, 524288, 65536, 65536, 262144, 4096, 4096, 134217728},
};
inline constexpr size_t kSocCount = sizeof(kSocTable) / sizeof(kSocTable[0]);
inline constexpr const char *kDefaultSoc = "Ascend910B1";

constexpr bool soc_name_equal(const char *a, const char *b)
{
    for (;; ++a, ++b) {
        const char x = *a >= 'A' && *a <= 'Z' ? static_cast<char>(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? static_cast<char>(*b + 32) : *b;
        if (x != y) {
            return false;
        }
        if (x == '\0') {
            return true;
        }
    }
}

// "Ascend950PR_9589" is a bin of the Ascend950PR.
constexpr bool soc_is_bin_of(const char *name, const char *design)
{
    for (; *design != '\0'; ++name, ++design) {
        if (*name != *design) {
            return false;
        }
    }
    return *name == '_';
}

// The row of a chip ("Ascend910B1") or of a compute unit's first chip ("ascend910b"); case does not matter.
// NULL or empty: the default chip. Unknown: NULL.
constexpr const SocInfo *find_soc(const char *name)
{
    const char *wanted = name == nullptr || *name == '\0' ? kDefaultSoc : name;
    for (const SocInfo &soc : kSocTable) {
        if (soc_name_equal(soc.name, wanted)) {
            return &soc;
        }
    }
    for (const SocInfo &soc : kSocTable) {
        if (soc_name_equal(soc.compute_unit, wanted)) {
            return &soc;
        }
    }
    for (const SocInfo &soc : kSocTable) {
        if (soc_is_bin_of(wanted, soc.name)) {
            return &soc;
        }
    }
    return nullptr;
}

static_assert(find_soc("ascend910b") == &kSocTable[0], "the bare unit name means the 910B1");
static_assert(find_soc("Ascend310P3")->aiv_cores() == 8, "a 310P core runs cube and vector kernels together");

} // namespace opkg

#endif // OPKG_SOC_TABLE_H
