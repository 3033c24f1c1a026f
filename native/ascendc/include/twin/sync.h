// SPDX-License-Identifier: Apache-2.0
// Which core this is, and order among pipes and cores. Within one core instructions run in program order, so flags and
// barriers between pipes have nothing to wait for.
#ifndef OPKG_TWIN_SYNC_H
#define OPKG_TWIN_SYNC_H

#include "twin/pipe.h"

namespace opkg::twin {

inline int32_t &flag_of(AscendC::HardEvent event, int32_t id)
{
    if (static_cast<uint32_t>(id) >= 8) {
        opkg_twin_bad_event(static_cast<uint32_t>(event), id);
    }
    return opkg_twin_core->flags[static_cast<uint32_t>(event)][id];
}

// The scalar unit that has waited, for copies or for what has used them, may write over their source through a bare pointer;
// what is copied out when copies have come in may tell another core to do so. So they are made by then.
constexpr bool ends_copies(AscendC::HardEvent event)
{
    using AscendC::HardEvent;
    return event == HardEvent::MTE2_S || event == HardEvent::V_S || event == HardEvent::MTE3_S || event == HardEvent::MTE1_S ||
           event == HardEvent::M_S || event == HardEvent::FIX_S || event == HardEvent::MTE2_MTE3;
}
inline void waited_by_pipe(pipe_t from, pipe_t to)
{
    opkg_twin_core->flags_by_pipe = 1;
    if (to == PIPE_S || (from == PIPE_MTE2 && to == PIPE_MTE3)) {
        settle();
    }
}

// What cores learn of each other by looking at global memory past their caches.
inline constexpr uint64_t kLooks = ~0ull;

} // namespace opkg::twin

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
    if constexpr (pipe == PIPE_ALL) {
        opkg::twin::settle();
    }
    OPKG_TWIN_HOOK(opkg_twin_check_barrier(pipe));
}
// Flags are only counted: a wait for a flag that nobody sets hangs on the chip, and is an error when the kernel ends here.
template <HardEvent event>
__aicore__ inline void SetFlag(int32_t eventID)
{
    OPKG_TWIN_HOOK(opkg_twin_check_flag(OPKG_TWIN_HEADERS, 1, static_cast<uint32_t>(event), eventID));
    ++opkg::twin::flag_of(event, eventID);
}
template <HardEvent event>
__aicore__ inline void WaitFlag(int32_t eventID)
{
    OPKG_TWIN_HOOK(opkg_twin_check_flag(OPKG_TWIN_HEADERS, 0, static_cast<uint32_t>(event), eventID));
    --opkg::twin::flag_of(event, eventID);
    if constexpr (opkg::twin::ends_copies(event)) {
        opkg::twin::settle();
    }
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
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kSyncAllBegin, isAIVOnly, PIPE_ALL));
    opkg_twin_sync_all(isAIVOnly);
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kSyncAllEnd, isAIVOnly, PIPE_ALL));
}
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                               const int32_t usedCores = 0)
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish,
                                        reinterpret_cast<uint64_t>(gmWorkspace.data()), PIPE_ALL));
    opkg_twin_sync_some(gmWorkspace.data(), static_cast<uint32_t>(usedCores));
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire,
                                        reinterpret_cast<uint64_t>(gmWorkspace.data()), PIPE_ALL));
}

// Flags between cores. Mode 0: all cores of a kind; 1: the vector cores of a block; 2: a block's cube and vector cores;
// 4, on the Ascend950: a block's cube core and one of its vector cores.
template <uint8_t modeId, pipe_t pipe>
__aicore__ inline void CrossCoreSetFlag(uint16_t flagId)
{
    static_assert(modeId <= 2 || (modeId == 4 && __NPU_ARCH__ >= 3510), "CrossCoreSetFlag has no such mode on this SoC");
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish, flagId, pipe));
    opkg_twin_cross_core_set(modeId, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
__aicore__ inline void CrossCoreWaitFlag(uint16_t flagId)
{
    opkg_twin_cross_core_wait_mode(modeId, flagId);
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire, flagId, PIPE_ALL));
}

template <pipe_t src, pipe_t dst>
class TQueSync {
public:
    __aicore__ inline void SetFlag(TEventID) { opkg_twin_core->flags_by_pipe = 1; }
    __aicore__ inline void WaitFlag(TEventID) { opkg::twin::waited_by_pipe(src, dst); }
};

// Order of accesses to memory. Caches are coherent here and instructions are complete when they return, so all there is to
// do is to let other cores see what was written.
enum class MemDsbT : uint64_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <MemDsbT kind>
__aicore__ inline void DataSyncBarrier()
{
    opkg_twin_publish();
}
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
    static_cast<void>(&opkg::twin::LooksAtValues<T>::noted);
    opkg_twin_poll();
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish, opkg::twin::kLooks, PIPE_S));
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire, opkg::twin::kLooks, PIPE_ALL));
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
__aicore__ inline int64_t GetICachePreloadStatus() { return 0; }

// Single values of global memory past the cache.
template <typename T>
__aicore__ inline T ReadGmByPassDCache(__gm__ T *addr)
{
    static_assert(std::is_integral<T>::value, "ReadGmByPassDCache takes integers of 8 to 64 bits");
    static_cast<void>(&opkg::twin::LooksAtValues<T>::noted);
    opkg_twin_poll();
    const T value = __atomic_load_n(addr, __ATOMIC_ACQUIRE);
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire, opkg::twin::kLooks, PIPE_ALL));
    return value;
}
template <typename T>
__aicore__ inline void WriteGmByPassDCache(__gm__ T *addr, T value)
{
    static_assert(std::is_integral<T>::value, "WriteGmByPassDCache takes integers of 8 to 64 bits");
    opkg_twin_publish();
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish, opkg::twin::kLooks, PIPE_S));
    __atomic_store_n(addr, value, __ATOMIC_RELEASE);
}

// Between kernels that are fused into one; here each kernel begins when the one before has ended.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
__aicore__ inline void SetNextTaskStart()
{
}
template <bool FORCE = false>
__aicore__ inline void WaitPreTaskEnd()
{
}

__aicore__ constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
__aicore__ inline uint32_t GetRuntimeUBSize() { return opkg_twin_core->capacity[opkg::twin::kUb]; }
__aicore__ inline int64_t GetSystemCycle() { return static_cast<int64_t>(opkg_twin_cycles()); }
__aicore__ inline int64_t GetProgramCounter() { return opkg_twin_program_counter(); }
template <int32_t arch = __NPU_ARCH__>
__aicore__ constexpr uint32_t GetUBSizeInBytes()
{
    static_assert(arch >= 3510, "GetUBSizeInBytes is there on the Ascend950 only");
    return 248 * 1024;
}
// Bytes of a vector register.
template <int32_t arch = __NPU_ARCH__>
__aicore__ constexpr uint32_t GetVecLen()
{
    static_assert(arch >= 3510, "GetVecLen is there on the Ascend950 only");
    return VECTOR_REG_WIDTH;
}
template <int32_t count = 1>
__aicore__ inline void Nop()
{
}
__aicore__ inline void MetricsProfStart() {}
__aicore__ inline void MetricsProfStop() {}

} // namespace AscendC

// The same under the names of the compiler's built-in functions.
inline void set_flag(pipe_t, pipe_t, event_t) { opkg_twin_core->flags_by_pipe = 1; }
inline void wait_flag(pipe_t from, pipe_t to, event_t) { opkg::twin::waited_by_pipe(from, to); }
inline void pipe_barrier(pipe_t pipe)
{
    if (pipe == PIPE_ALL) {
        opkg::twin::settle();
    }
    OPKG_TWIN_HOOK(opkg_twin_check_barrier(pipe));
}
inline int64_t get_block_idx() { return block_idx; }
inline int64_t get_block_num() { return block_num; }
inline int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
inline int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

#define ASCEND_IS_AIV (opkg_twin_core->kind == opkg::twin::kVectorCore)
#define ASCEND_IS_AIC (opkg_twin_core->kind == opkg::twin::kCubeCore)
#define ASCEND_IS_NOT_AIV (!(ASCEND_IS_AIV))
#define ASCEND_IS_NOT_AIC (!(ASCEND_IS_AIC))

namespace AscendC {

enum class EngineType : int32_t { AIC = 1, AIV = 2 };

// Calls a function on one kind of core.
template <EngineType engine, auto funPtr, class... Args>
__aicore__ inline void Async(Args... args)
{
    if (engine == EngineType::AIV ? ASCEND_IS_AIV : ASCEND_IS_AIC) {
        funPtr(args...);
    }
}

} // namespace AscendC

#endif // OPKG_TWIN_SYNC_H
