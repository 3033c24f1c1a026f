// SPDX-License-Identifier: Apache-2.0
// The cores of one launch: who has begun, who waits for whom, and what went wrong.
#ifndef OPKG_TWIN_SCHEDULER_HPP
#define OPKG_TWIN_SCHEDULER_HPP

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "core.hpp"

namespace opkg::twin {

// Cores that wait until all of their kind have come.
struct Barrier {
    uint32_t expected = 0;
    uint32_t arrived = 0;
    uint64_t generation = 0;
};

// A core that waits, on its own stack: for a barrier to open or for a flag that other cores set.
struct Waiter {
    bool for_flag;
    uint32_t barrier;
    uint64_t generation;
    const Core *core;
    uint32_t flag;
    Waiter *next;
};

// CrossCoreSetFlag counts, for each core and flag, by mode; and how many a core has consumed.
struct FlagCounts {
    static constexpr uint32_t kFlags = 16;
    uint32_t set[3][kFlags];
    uint32_t consumed[kFlags];
};

enum BarrierKind : uint32_t { kAllCores, kVectorCores, kBarriers };

struct Launch {
    const KernelInfo *kernel;
    void *const *args;
    const SocInfo *soc;
    const opkg_exec_v1 *exec;
    uint64_t tiling_key;
    uint32_t block_dim;
    uint32_t cube_cores;   // of one block: 0 or 1
    uint32_t vector_cores; // of one block: 0, 1 or 2
    uint32_t total;
    uint32_t threads; // of the twin's own that may take part, where the caller brings none

    std::atomic<uint32_t> next{0};
    std::atomic<uint32_t> finished{0};
    std::atomic<uint64_t> gm_written{0}; // by cores that have returned
    std::atomic<bool> failed{false};
    std::atomic<bool> anyone_waited{false};
    std::mutex mutex;
    std::condition_variable changed;
    uint32_t helpers = 0;
    Barrier barriers[kBarriers];
    Waiter *waiters = nullptr;
    std::unique_ptr<FlagCounts[]> flags; // one a core, made by the first CrossCoreSetFlag or wait
    char message[640] = {};
};

// Runs the core with this number on the calling thread. Never throws.
void run_core(Launch &launch, uint32_t number);

// A core has returned: cores that wait for it may now wait for ever.
void finish_core(Launch &launch);

// Runs all cores and returns when every one has returned.
void run_all(Launch &launch);

// How many threads launches of the program itself use: OPKG_NUM_THREADS, or the CPUs that there are.
uint32_t own_threads();

// Records the first failure and wakes every waiting core.
void fail_launch(Launch &launch, const char *core_name, const char *message);

} // namespace opkg::twin

#endif // OPKG_TWIN_SCHEDULER_HPP
