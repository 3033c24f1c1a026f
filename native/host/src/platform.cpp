// SPDX-License-Identifier: Apache-2.0
#include "platform.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "opkg/soc_table.h"
#include "tiling/platform/platform_ascendc.h"

namespace opkg::host {

fe::PlatFormInfos *PlatformOf(const char *soc)
{
    // One object a chip, built when first asked for; pointers stay valid for the life of the process.
    static std::array<fe::PlatFormInfos *, kSocCount> *all = [] {
        auto *made = new std::array<fe::PlatFormInfos *, kSocCount>;
        for (size_t i = 0; i < kSocCount; ++i) {
            (*made)[i] = new fe::PlatFormInfos(&kSocTable[i]);
        }
        return made;
    }();
    const SocInfo *row = find_soc(soc);
    return row == nullptr ? nullptr : (*all)[static_cast<size_t>(row - kSocTable)];
}

namespace {

// OPKG_TWIN_CORES, as it was when it was first asked for; 0 where it limits nothing.
uint32_t CoreLimit()
{
    static const uint32_t limit = [] {
        const char *text = std::getenv("OPKG_TWIN_CORES");
        const long asked = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
        return asked > 0 ? static_cast<uint32_t>(std::min(asked, 65535L)) : 0u;
    }();
    return limit;
}

} // namespace

uint32_t LimitedCores(uint32_t count, uint32_t vector_cores_each)
{
    const uint32_t limit = CoreLimit();
    if (limit == 0) {
        return count;
    }
    return std::min(count, std::max(1u, limit / std::max(1u, vector_cores_each)));
}

uint32_t VectorCoresEach(const SocInfo &soc) { return soc.ai_cores == 0 ? 1 : soc.aiv_cores() / soc.ai_cores; }

Rates MemoryRates(const SocInfo &soc)
{
    switch (soc.npu_arch) {
        case 2002: return {114, 17};
        case 2201: return {110, 32};
        case 3002: return {256, 17};
        case 3510: return {100, 31};
        default: return {0, 0};
    }
}

uint32_t VectorRegister(const SocInfo &soc) { return soc.npu_arch == 3510 ? 256 : 0; }

size_t PlatformIndex(const fe::PlatFormInfos *platform) { return static_cast<size_t>(&platform->Soc() - kSocTable); }

} // namespace opkg::host

namespace fe {

namespace {

// A platform file leaves out what a chip does not have.
std::string Count(uint32_t count) { return count == 0 ? "" : std::to_string(count); }

} // namespace

bool PlatFormInfos::GetPlatformRes(const std::string &label, const std::string &key, std::string &value) const
{
    // On chips that can also run cube and vector work as one core the file says so first.
    const char *combine = !soc_->split ? "" : soc_->npu_arch == 2201 ? "split" : "fuse,split";
    const struct {
        const char *label, *key;
        std::string value;
    } rows[] = {
        {"version", "SoC_version", soc_->name},
        {"version", "Short_SoC_version", soc_->short_name},
        {"version", "NpuArch", std::to_string(soc_->npu_arch)},
        {"SoCInfo", "ai_core_cnt", std::to_string(GetCoreNum())},
        {"SoCInfo", "cube_core_cnt", Count(GetCoreNumByType("CubeCore"))},
        {"SoCInfo", "vector_core_cnt", Count(GetCoreNumByType("VectorCore"))},
        {"SoCInfo", "cube_vector_combine", combine},
        {"SoCInfo", "l2_size", std::to_string(soc_->l2)},
        {"AICoreSpec", "ub_size", std::to_string(soc_->ub)},
        {"AICoreSpec", "ubblock_size", "32"},
        {"AICoreSpec", "l1_size", std::to_string(soc_->l1)},
        {"AICoreSpec", "l0_a_size", std::to_string(soc_->l0a)},
        {"AICoreSpec", "l0_b_size", std::to_string(soc_->l0b)},
        {"AICoreSpec", "l0_c_size", std::to_string(soc_->l0c)},
        {"AICoreSpec", "fb0_size", Count(soc_->fixpipe_buffer)},
        {"AICoreSpec", "bt_size", Count(soc_->bias_table)},
        {"AICoreSpec", "vector_reg_width", Count(opkg::host::VectorRegister(*soc_))},
        {"AICoreMemoryRates", "l2_rate", Count(opkg::host::MemoryRates(*soc_).l2)},
        {"AICoreMemoryRates", "ddr_rate", Count(opkg::host::MemoryRates(*soc_).ddr)},
    };
    for (const auto &row : rows) {
        if (label == row.label && key == row.key && !row.value.empty()) {
            value = row.value;
            return true;
        }
    }
    return false;
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType &memory, uint64_t &bytes) const
{
    switch (memory) {
        case LocalMemType::L0_A: bytes = soc_->l0a; break;
        case LocalMemType::L0_B: bytes = soc_->l0b; break;
        case LocalMemType::L0_C: bytes = soc_->l0c; break;
        case LocalMemType::L1: bytes = soc_->l1; break;
        case LocalMemType::L2: bytes = soc_->l2; break;
        case LocalMemType::UB: bytes = soc_->ub; break;
        default: bytes = 0; break;
    }
}

uint32_t PlatFormInfos::GetCoreNum() const
{
    return opkg::host::LimitedCores(soc_->ai_cores, opkg::host::VectorCoresEach(*soc_));
}

uint32_t PlatFormInfos::GetCoreNumByType(const std::string &core_type) const
{
    if (core_type == "VectorCore") {
        return opkg::host::LimitedCores(soc_->vector_cores, 1);
    }
    const uint32_t each = opkg::host::VectorCoresEach(*soc_);
    return opkg::host::LimitedCores(core_type == "CubeCore" ? soc_->cube_cores : soc_->ai_cores, each);
}

} // namespace fe

namespace platform_ascendc {
namespace {

const opkg::SocInfo &SocOf(const fe::PlatFormInfos *infos)
{
    return infos == nullptr ? opkg::kSocTable[0] : infos->Soc();
}

constexpr uint32_t kMiB = 1024 * 1024;

bool Is910B(const opkg::SocInfo &soc) { return soc.npu_arch == 2201; }

} // namespace

uint32_t PlatformAscendC::GetCoreNum() const
{
    const opkg::SocInfo &soc = SocOf(infos_);
    return opkg::host::LimitedCores(soc.ai_cores, opkg::host::VectorCoresEach(soc));
}

uint32_t PlatformAscendC::GetCoreNumAic() const
{
    const opkg::SocInfo &soc = SocOf(infos_);
    return opkg::host::LimitedCores(soc.aic_cores(), opkg::host::VectorCoresEach(soc));
}

uint32_t PlatformAscendC::GetCoreNumAiv() const { return opkg::host::LimitedCores(SocOf(infos_).aiv_cores(), 1); }

uint32_t PlatformAscendC::GetCoreNumVector() const
{
    const opkg::SocInfo &soc = SocOf(infos_);
    return soc.npu_arch == 2002 ? opkg::host::LimitedCores(soc.vector_cores, 1) : 0;
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slice_num, uint32_t aic_cores, uint32_t aiv_cores) const
{
    // Kernels that use one kind of core only are launched with a block a slice.
    if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) {
        return slice_num;
    }
    const uint32_t vectors_a_block = aiv_cores / aic_cores;
    return (slice_num + vectors_a_block - 1) / vectors_a_block;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const
{
    const uint16_t arch = SocOf(infos_).npu_arch;
    return arch == 2201 || arch == 3510 ? 16 * kMiB : 2 * kMiB;
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const
{
    return Is910B(SocOf(infos_)) ? kMiB : static_cast<uint32_t>(-1);
}

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const { return GetResCubeGroupWorkSpaceSize(); }

void PlatformAscendC::GetCoreMemSize(const CoreMemType &memory, uint64_t &size) const
{
    const opkg::SocInfo &soc = SocOf(infos_);
    switch (memory) {
        case CoreMemType::L0_A: size = soc.l0a; break;
        case CoreMemType::L0_B: size = soc.l0b; break;
        case CoreMemType::L0_C: size = soc.l0c; break;
        case CoreMemType::L1: size = soc.usable_l1(); break;
        case CoreMemType::L2: size = soc.l2; break;
        case CoreMemType::UB: size = soc.usable_ub() - reserved_; break;
        case CoreMemType::FB: size = soc.fixpipe_buffer; break;
        case CoreMemType::BT: size = soc.bias_table; break;
        default: size = 0; break;
    }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType &memory, uint64_t &bandwidth) const
{
    const opkg::host::Rates rates = opkg::host::MemoryRates(SocOf(infos_));
    bandwidth = memory == CoreMemType::L2 ? rates.l2 : memory == CoreMemType::HBM ? rates.ddr : 0;
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size)
{
    reserved_ = 8 * 1024U << static_cast<uint32_t>(size);
}

SocVersion PlatformAscendC::GetSocVersion() const
{
    switch (SocOf(infos_).npu_arch) {
        case 1001: return SocVersion::ASCEND910;
        case 2002: return SocVersion::ASCEND310P;
        case 3002: return SocVersion::ASCEND310B;
        case 3510: return SocVersion::ASCEND950;
        default: return SocVersion::ASCEND910B; // the 910_93 reports itself as a 910B too
    }
}

NpuArch PlatformAscendC::GetCurNpuArch() const { return static_cast<NpuArch>(SocOf(infos_).npu_arch); }

uint32_t PlatformAscendC::GetVecRegLen() const { return opkg::host::VectorRegister(SocOf(infos_)); }

PlatformAscendC *PlatformAscendCManager::GetInstance() { return GetInstance(nullptr); }

PlatformAscendC *PlatformAscendCManager::GetInstance(const char *soc_version)
{
    static std::mutex mutex;
    static PlatformAscendC *instance = nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    if (instance == nullptr) {
        fe::PlatFormInfos *infos = opkg::host::PlatformOf(soc_version);
        instance = infos == nullptr ? nullptr : new PlatformAscendC(infos);
    }
    return instance;
}

} // namespace platform_ascendc
