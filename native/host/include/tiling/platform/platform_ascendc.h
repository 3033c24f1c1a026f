// SPDX-License-Identifier: Apache-2.0
// Core counts and buffer sizes of the chip that a tiling function works for.
#ifndef OPKG_HOST_PLATFORM_ASCENDC_H
#define OPKG_HOST_PLATFORM_ASCENDC_H

#include <cstdint>

#include "platform/soc_spec.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND950,
    ASCEND910_55,
    ASCEND910_95 = ASCEND950,
    AS31XM1,
    ASCEND031,
    ASCEND035,
    ASCEND310,
    ASCEND610,
    ASCEND610Lite,
    ASCEND910_93,
    BS9SX1A,
    BS9SX2A,
    HI3796CV300CS,
    HI3796CV300ES,
    MC61AM21A,
    MC62,
    SD3403,
    KIRINX90,
    KIRIN9030,
    MC32DM11A,
    ASCEND350,
    RESERVED_VERSION = 99999,
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class __attribute__((visibility("default"))) PlatformAscendC {
public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos *infos) : infos_(infos) {}

    uint32_t GetCoreNum() const;
    // Cores for cube kernels and for vector kernels; the same number where both kinds share a core.
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    // Vector cores that stand apart from the AI cores: those of the 310P.
    uint32_t GetCoreNumVector() const;
    // Blocks that a mixed kernel is launched with so that slice_num vector slices are worked on.
    uint32_t CalcTschBlockDim(uint32_t slice_num, uint32_t aic_cores, uint32_t aiv_cores) const;
    uint32_t CalcTschNumBlocks(uint32_t slice_num, uint32_t aic_cores, uint32_t aiv_cores) const
    {
        return CalcTschBlockDim(slice_num, aic_cores, aiv_cores);
    }
    // Bytes of workspace that the library's own functions want in front of the user's.
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    // Bytes that a kernel may use; 0 for a memory that the chip lacks.
    void GetCoreMemSize(const CoreMemType &memory, uint64_t &size) const;
    // Bytes a cycle; known for L2 and HBM.
    void GetCoreMemBw(const CoreMemType &memory, uint64_t &bandwidth) const;
    // Takes bytes off the Unified Buffer that GetCoreMemSize reports; the last call counts.
    void ReserveLocalMemory(ReservedSize size);
    SocVersion GetSocVersion() const;
    NpuArch GetCurNpuArch() const;
    // Bytes of a vector register, 0 on chips that have none.
    uint32_t GetVecRegLen() const;

private:
    fe::PlatFormInfos *infos_;
    uint32_t reserved_ = 0;
};

class __attribute__((visibility("default"))) PlatformAscendCManager {
public:
    // The chip named by the first call that names one, else the default chip; NULL for a name that is none.
    static PlatformAscendC *GetInstance();
    static PlatformAscendC *GetInstance(const char *soc_version);
};

} // namespace platform_ascendc

#endif // OPKG_HOST_PLATFORM_ASCENDC_H
