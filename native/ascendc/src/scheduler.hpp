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

using Lock = std::unique_lock<std::mutex>;

// A core that waits, on its own stack. Either somebody wakes it, or `ready` says that it may go on; that is asked with the
// launch's mutex held, whenever a core has made progress.
struct Waiter {
    const Core *core;
    const char *what; // "SyncAll", "CrossCoreWaitFlag(3)"
    bool (*ready)(void *argument) = nullptr;
    void *argument = nullptr;
    bool awake = false;
    Waiter *next = nullptr;
    std::condition_variable woken;
};

// Cores that wait until so many have come.
struct Barrier {
    const void *key = nullptr; // what tells it from others; NULL: it belongs to the launch
    uint32_t expected = 0;
    uint32_t arrived = 0;
    std::unique_ptr<Barrier> next;
};

// The flags of one core. A flag counts how often it was set for this core and not yet waited for.
struct CoreFlags {
    static constexpr uint32_t kFlags = 16;
    static constexpr uint32_t kMost = 15; // of a counter
    uint32_t set[3][kFlags];              // by this core, in each mode
    uint32_t count[kFlags];
    uint32_t paired[2 * kFlags]; // mode 4, between a cube core and one vector core
    Waiter *waiter;              // of the core, if it waits for `waited`
    const uint32_t *waited;
};

// Mode 0: how many cores of a kind have set a flag once more than all of them have.
struct KindFlag {
    uint32_t arrived;
    uint32_t rounds;
};

// How often each vector core has had its turn; one for each workspace that a kernel takes turns by.
struct Turns {
    const void *workspace;
    std::unique_ptr<uint64_t[]> done;
    std::unique_ptr<Turns> next;
};

enum BarrierKind : uint32_t { kAllCores, kVectorCores, kCubeCores, kBarriers };

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
    std::atomic<uint32_t> events{0}; // grows whenever a core gets ahead
    std::mutex mutex;
    std::condition_variable changed; // helpers have left
    uint32_t helpers = 0;
    uint32_t waiting = 0; // waiters that are not awake
    Barrier barriers[kBarriers];
    std::unique_ptr<Barrier> keyed_barriers;
    Waiter *waiters = nullptr;
    std::unique_ptr<CoreFlags[]> flags; // one a core, made by the first flag
    KindFlag kind_flags[2][CoreFlags::kFlags] = {};
    std::unique_ptr<Turns> turns;
    struct Watched {
        Launch *next = nullptr;
        Launch *before = nullptr;
        uint32_t events = 0;
        uint32_t quiet = 0; // periods in which nothing happened
    } watched;
    uint64_t begun = opkg_twin_cycles();
    int32_t code = 0;
    char message[640] = {};
    void *checker = nullptr; // of kernels compiled with checks

    uint32_t of_block() const { return cube_cores + vector_cores; }
    uint32_t of_kind(uint32_t kind) const { return block_dim * (kind == kCubeCore ? cube_cores : vector_cores); }
};

// Codes of the runtime that users know from the chip.
inline constexpr int32_t kParameterInvalid = 107000;
inline constexpr int32_t kUnknownSoc = 507008;
inline constexpr int32_t kCoreTimeout = 507014;
inline constexpr int32_t kCoreException = 507015;
inline constexpr int32_t kCoreTrap = 507016;

// Runs the core with this number on the calling thread. Never throws.
void run_core(Launch &launch, uint32_t number);

// "vector core 3 of 8"
void name_core(const Launch &launch, const Core &core, char *name, size_t bytes);

// A core has returned: cores that wait for it may now wait for ever.
void finish_core(Launch &launch);

// Runs all cores and returns when every one has returned.
void run_all(Launch &launch);

// How many threads launches of the program itself use: OPKG_NUM_THREADS, or the CPUs that there are.
uint32_t own_threads();

// Records the first failure and wakes every waiting core.
void fail_launch(Launch &launch, const char *who, const char *message, int32_t code = kCoreException);
void fail_locked(Launch &launch, int32_t code, const char *who, const char *message);

// Blocks the core until it is awake; throws Cancelled where the launch fails before. Cores that have not begun get a
// further thread.
void wait_for(Launch &launch, Lock &lock, Waiter &waiter);
void wake(Launch &launch, Waiter &waiter);
// Wakes the waiters that are ready by now; to be called, with the mutex held, after what they wait for may have changed.
void wake_ready(Launch &launch);

// One more thread for cores that have not begun; false where there is none.
bool start_helper(Launch &launch, Lock &lock);

// Looks after launches that take long: cores that spin for others which have not begun, and cores that are stuck.
void watch(Launch &launch);
void unwatch(Launch &launch);

} // namespace opkg::twin

#endif // OPKG_TWIN_SCHEDULER_HPP
