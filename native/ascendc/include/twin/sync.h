// SPDX-License-Identifier: Apache-2.0
// Which core this is, and order among pipes and cores. Within one core instructions run in program order, so flags and
// barriers between pipes have nothing to wait for.
#ifndef OPKG_TWIN_SYNC_H
#define OPKG_TWIN_SYNC_H

#include "twin/pipe.h"

namespace AscendC {

__aicore__ inline int64_t GetBlockIdx() { return opkg_twin_core->index; }
__aicore__ inline int64_t GetBlockNum() { return opkg_twin_core->count; }
__aicore__ inline int64_t GetSubBlockIdx() { return opkg_twin_core->sub_index; }
__aicore__ inline int64_t GetSubBlockNum() { return opkg_twin_core->sub_count; }
__aicore__ inline int64_t GetTaskRation() { return opkg_twin_core->sub_count; }
__aicore__ inline int64_t GetTaskRatio() { return opkg_twin_core->sub_count; }

template <pipe_t pipe>
__aicore__ inline void PipeBarrier()
{
    OPKG_TWIN_HOOK(opkg_twin_check_barrier(pipe));
}
template <HardEvent event>
__aicore__ inline void SetFlag([[maybe_unused]] int32_t eventID)
{
    OPKG_TWIN_HOOK(opkg_twin_check_flag(OPKG_TWIN_HEADERS, 1, static_cast<uint32_t>(event), eventID));
}
template <HardEvent event>
__aicore__ inline void WaitFlag([[maybe_unused]] int32_t eventID)
{
    OPKG_TWIN_HOOK(opkg_twin_check_flag(OPKG_TWIN_HEADERS, 0, static_cast<uint32_t>(event), eventID));
}

// Which pipes set and wait; all of them are complete here anyway.
struct SyncAllConfig {
    pipe_t triggerPipe;
    pipe_t waitPipe;
};
inline constexpr SyncAllConfig DEFAULT_SYNC_ALL_CONFIG = {PIPE_ALL, PIPE_ALL};

template <bool isAIVOnly = true, const SyncAllConfig &config = DEFAULT_SYNC_ALL_CONFIG>
__aicore__ inline void SyncAll()
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, "SyncAll"));
    opkg_twin_sync_all(isAIVOnly);
}
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                               const int32_t usedCores = 0)
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, "SyncAll"));
    opkg_twin_sync_some(gmWorkspace.data(), static_cast<uint32_t>(usedCores));
}

// Flags between cores. Mode 0: all cores of a kind; 1: the vector cores of a block; 2: a block's cube and vector cores;
// 4, on the Ascend950: a block's cube core and one of its vector cores.
template <uint8_t modeId, pipe_t pipe>
__aicore__ inline void CrossCoreSetFlag(uint16_t flagId)
{
    static_assert(modeId <= 2 || (modeId == 4 && __NPU_ARCH__ >= 3510), "CrossCoreSetFlag has no such mode on this SoC");
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, "CrossCoreSetFlag"));
    opkg_twin_cross_core_set(modeId, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
__aicore__ inline void CrossCoreWaitFlag(uint16_t flagId)
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, "CrossCoreWaitFlag"));
    opkg_twin_cross_core_wait_mode(modeId, flagId);
}

// What has no effect on a CPU: caches are coherent, instructions are complete when they return.
enum class MemDsbT : uint64_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <MemDsbT kind>
__aicore__ inline void DataSyncBarrier()
{
}
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
}
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}
template <typename T>
__aicore__ inline void DataCachePreload(const GlobalTensor<uint64_t> &, const T)
{
}
__aicore__ inline void ICachePreLoad(const int64_t) {}
__aicore__ inline void SetNextTaskStart() {}
__aicore__ inline void WaitPreTaskEnd() {}
__aicore__ inline void InitSocState()
{
    opkg_twin_core->atomic_op = -1;
    opkg_twin_core->counter_mode = 0;
    opkg_twin_core->mask[0] = opkg_twin_core->mask[1] = ~0ull;
}

__aicore__ constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
__aicore__ inline uint32_t GetRuntimeUBSize() { return opkg_twin_core->capacity[opkg::twin::kUb]; }
__aicore__ inline int64_t GetSystemCycle() { return static_cast<int64_t>(opkg_twin_cycles()); }

} // namespace AscendC

// The same under the names of the compiler's built-in functions.
inline void set_flag(pipe_t, pipe_t, event_t) {}
inline void wait_flag(pipe_t, pipe_t, event_t) {}
inline void pipe_barrier([[maybe_unused]] pipe_t pipe) { OPKG_TWIN_HOOK(opkg_twin_check_barrier(pipe)); }
inline int64_t get_block_idx() { return AscendC::GetBlockIdx(); }
inline int64_t get_block_num() { return AscendC::GetBlockNum(); }
inline int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
inline int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

#define ASCEND_IS_AIV (opkg_twin_core->kind == opkg::twin::kVectorCore)
#define ASCEND_IS_AIC (opkg_twin_core->kind == opkg::twin::kCubeCore)
#define ASCEND_IS_NOT_AIV (!(ASCEND_IS_AIV))
#define ASCEND_IS_NOT_AIC (!(ASCEND_IS_AIC))

#endif // OPKG_TWIN_SYNC_H
