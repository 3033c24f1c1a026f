// SPDX-License-Identifier: Apache-2.0
// Order between the vector cores of a launch through words in global memory: pairs, groups, and one after the other.
#ifndef OPKG_TWIN_BLOCK_SYNC_H
#define OPKG_TWIN_BLOCK_SYNC_H

#include "twin/sync.h"

namespace opkg::twin {

template <auto>
inline constexpr bool kNever = false;

// A short text on the stack: a name with two numbers.
struct WaitName {
    char text[64];

    WaitName(const char *format, int32_t first, int32_t second)
    {
        __builtin_snprintf(text, sizeof text, format, first, second);
    }
};

// Each pair of a block and an event has a block of 32 bytes.
inline int32_t *pair_word(const AscendC::GlobalTensor<int32_t> &workspace, bool vector_only, int32_t block, int32_t event)
{
    const int64_t cores = opkg_twin_core->count * (vector_only ? 1 : int64_t{opkg_twin_core->sub_count});
    return workspace.data() + (event * cores + block) * 8;
}

// For check builds: what order is published under. A core's mutexes are its own.
inline uint64_t sync_key(const int32_t *word) { return reinterpret_cast<uint64_t>(word); }
inline uint64_t mutex_key(uint32_t id) { return 1ull << 63 | static_cast<uint64_t>(opkg_twin_core->number) << 8 | id; }

} // namespace opkg::twin

namespace AscendC {

// IBSet lets the core that calls IBWait with the same numbers go on. The workspace starts as zeros.
template <bool isAIVOnly = true>
__aicore__ inline void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &, int32_t blockIdx,
                             int32_t eventID)
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish,
        opkg::twin::sync_key(opkg::twin::pair_word(gmWorkspace, isAIVOnly, blockIdx, eventID)), PIPE_ALL));
    const opkg::twin::WaitName name("IBSet of block %d, event %d", blockIdx, eventID);
    opkg_twin_exchange_when(opkg::twin::pair_word(gmWorkspace, isAIVOnly, blockIdx, eventID), 0, 1, name.text);
}
template <bool isAIVOnly = true>
__aicore__ inline void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &, int32_t blockIdx,
                              int32_t eventID)
{
    const opkg::twin::WaitName name("IBWait of block %d, event %d", blockIdx, eventID);
    opkg_twin_exchange_when(opkg::twin::pair_word(gmWorkspace, isAIVOnly, blockIdx, eventID), 1, 0, name.text);
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire,
        opkg::twin::sync_key(opkg::twin::pair_word(gmWorkspace, isAIVOnly, blockIdx, eventID)), PIPE_ALL));
}

// The vector cores in the order of their numbers: each waits for the one before it, and tells the one behind it.
__aicore__ inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &)
{
    opkg_twin_turns(gmWorkspace.data());
}
__aicore__ inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &)
{
    OPKG_TWIN_HOOK(opkg_twin_check_barrier(PIPE_ALL)); // it copies words to the core and looks at them
    opkg_twin_await_turn(gmWorkspace.data());
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire,
        opkg::twin::sync_key(gmWorkspace.data()), PIPE_ALL));
}
__aicore__ inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &)
{
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish,
        opkg::twin::sync_key(gmWorkspace.data()), PIPE_ALL));
    opkg_twin_end_turn(gmWorkspace.data());
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// Cores of one group wait until all cores of another one have arrived, round after round. The workspace has 512 bytes for
// each waiting core and starts as zeros.
template <PipeMode pipeMode>
class GroupBarrier {
public:
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier supports PipeMode::MTE3_MODE only");

    __aicore__ inline GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
        : words_(reinterpret_cast<int32_t *>(groupWorkspace)), arriving_(arriveSizeIn), waiting_(waitSizeIn)
    {
        if (arriveSizeIn == 0 || waitSizeIn == 0 || arriveSizeIn > GetWorkspaceLen() / sizeof(int32_t)) {
            opkg_twin_fail("GroupBarrier of %u arriving and %u waiting cores", arriveSizeIn, waitSizeIn);
        }
    }
    __aicore__ inline void Arrive(uint32_t arriveIndex)
    {
        OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish, opkg::twin::sync_key(words_), PIPE_ALL));
        require(arriveIndex, arriving_, "Arrive");
        opkg_twin_count_up(words_ + arriveIndex);
    }
    __aicore__ inline void Wait(uint32_t waitIndex)
    {
        require(waitIndex, waiting_, "Wait");
        opkg_twin_await_counts(words_, arriving_, ++round_, "GroupBarrier::Wait");
        OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire, opkg::twin::sync_key(words_), PIPE_ALL));
    }
    __aicore__ inline uint64_t GetWorkspaceLen() { return waiting_ * uint64_t{512}; }

private:
    static void require(uint32_t index, uint32_t size, const char *function)
    {
        if (index >= size) {
            opkg_twin_fail("GroupBarrier::%s(%u): there are %u such cores", function, index, size);
        }
    }

    int32_t *words_;
    uint32_t arriving_;
    uint32_t waiting_;
    int32_t round_ = 0;
};

// Locks between the pipes of one core, on the Ascend950. A pipe locks and unlocks in turn.
using MutexID = uint8_t;
template <int32_t arch = __NPU_ARCH__>
__aicore__ inline MutexID AllocMutexID()
{
    static_assert(arch >= 3510, "AllocMutexID is there on the Ascend950 only");
    return opkg_twin_allocate_mutex();
}
__aicore__ inline void ReleaseMutexID(MutexID id) { opkg_twin_release_mutex(id); }

class Mutex {
public:
    template <pipe_t pipe>
    static __aicore__ inline void Lock(MutexID id)
    {
        static_assert(__NPU_ARCH__ >= 3510 || opkg::twin::kNever<pipe>, "Mutex is there on the Ascend950 only");
        opkg_twin_lock_mutex(id, pipe, name_of(pipe));
        if constexpr (pipe == PIPE_S) {
            opkg::twin::settle();
        }
        OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kAcquire, opkg::twin::mutex_key(id), pipe));
    }
    template <pipe_t pipe>
    static __aicore__ inline void Unlock(MutexID id)
    {
        static_assert(__NPU_ARCH__ >= 3510 || opkg::twin::kNever<pipe>, "Mutex is there on the Ascend950 only");
        OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, opkg::twin::kPublish, opkg::twin::mutex_key(id), pipe));
        opkg_twin_unlock_mutex(id, pipe, name_of(pipe));
    }

private:
    static constexpr const char *name_of(pipe_t pipe)
    {
        return pipe == PIPE_S      ? "PIPE_S"
               : pipe == PIPE_V    ? "PIPE_V"
               : pipe == PIPE_M    ? "PIPE_M"
               : pipe == PIPE_MTE1 ? "PIPE_MTE1"
               : pipe == PIPE_MTE2 ? "PIPE_MTE2"
               : pipe == PIPE_MTE3 ? "PIPE_MTE3"
                                   : "PIPE_FIX";
    }
};

} // namespace AscendC

#endif // OPKG_TWIN_BLOCK_SYNC_H
