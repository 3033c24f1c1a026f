// SPDX-License-Identifier: Apache-2.0
// fe::PlatFormInfos: a chip's numbers under the names of the vendor's platform files.
#ifndef OPKG_HOST_PLATFORM_INFOS_DEF_H
#define OPKG_HOST_PLATFORM_INFOS_DEF_H

#include <cstdint>
#include <string>

namespace opkg {
struct SocInfo;
}

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class __attribute__((visibility("default"))) PlatFormInfos {
public:
    explicit PlatFormInfos(const opkg::SocInfo *soc) : soc_(soc) {}

    // The value of a key of a section ("SoCInfo", "ai_core_cnt"); false where the chip has none.
    bool GetPlatformRes(const std::string &label, const std::string &key, std::string &value) const;
    bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &value) const
    {
        return GetPlatformRes(label, key, value);
    }
    // Bytes of a memory as the chip has it; what kernels may fill is in PlatformAscendC::GetCoreMemSize.
    void GetLocalMemSize(const LocalMemType &memory, uint64_t &bytes) const;
    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumByType(const std::string &core_type) const;
    void SetCoreNumByCoreType(const std::string &) {}
    const opkg::SocInfo &Soc() const { return *soc_; }

private:
    const opkg::SocInfo *soc_;
};

} // namespace fe

#endif // OPKG_HOST_PLATFORM_INFOS_DEF_H
