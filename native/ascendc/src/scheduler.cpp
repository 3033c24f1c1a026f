// SPDX-License-Identifier: Apache-2.0
// Cores are handed out by a ticket counter. Whoever runs a core takes the next ticket: a thread of the caller's pool, or
// a helper that the twin starts when a core is about to wait while others have not begun.
#include "scheduler.hpp"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <new>
#include <system_error>
#include <thread>

namespace opkg::twin {
namespace {

// Threads that stand in for waiting cores, kept for a while because kernels that synchronise are called again and again.
class Helpers {
public:
    // False where the system has no further thread.
    bool start(void (*work)(Launch &), Launch &launch)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (idle_ > queued_) {
            jobs_[queued_++] = {work, &launch};
            wake_.notify_one();
            return true;
        }
        lock.unlock();
        try {
            std::thread([this, work, &launch] { serve({work, &launch}); }).detach();
        } catch (const std::system_error &) {
            return false;
        }
        return true;
    }

private:
    struct Job {
        void (*work)(Launch &);
        Launch *launch;
    };
    static constexpr uint32_t kMostIdle = 128;

    void serve(Job job)
    {
        for (;;) {
            job.work(*job.launch);
            std::unique_lock<std::mutex> lock(mutex_);
            if (idle_ == kMostIdle) {
                return;
            }
            ++idle_;
            const bool called = wake_.wait_for(lock, std::chrono::seconds(5), [this] { return queued_ > 0; });
            --idle_;
            if (!called) {
                return;
            }
            job = jobs_[--queued_];
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Job jobs_[kMostIdle];
    uint32_t queued_ = 0;
    uint32_t idle_ = 0;
};

// Never destroyed: detached helpers may outlive static destruction. A forked child has no helpers and begins afresh.
alignas(Helpers) unsigned char helpers_storage[sizeof(Helpers)];

Helpers &helpers()
{
    static Helpers *const instance = [] {
        pthread_atfork(nullptr, nullptr, [] { new (helpers_storage) Helpers; });
        return new (helpers_storage) Helpers;
    }();
    return *instance;
}

// Whether the last core begins first, which shows kernels whose cores rely on the work of earlier ones.
bool backwards()
{
    static const bool asked = [] {
        const char *text = getenv("OPKG_TWIN_ORDER");
        return text != nullptr && strcmp(text, "backwards") == 0;
    }();
    return asked;
}

// A ticket that is not run, because the launch has failed, counts as returned: nobody needs to wait for it.
bool run_next(Launch &launch)
{
    const uint32_t ticket = launch.next.fetch_add(1);
    if (ticket >= launch.total) {
        return false;
    }
    const uint32_t number = backwards() ? launch.total - 1 - ticket : ticket;
    const opkg_exec_v1 *exec = launch.exec;
    if (exec != nullptr && exec->cancelled != nullptr && exec->cancelled(exec->context) != 0) {
        fail_launch(launch, "launch", "cancelled by the caller");
    }
    if (!launch.failed.load(std::memory_order_relaxed)) {
        run_core(launch, number);
    }
    return true;
}

void help(Launch &launch)
{
    while (run_next(launch)) {
    }
    std::lock_guard<std::mutex> lock(launch.mutex);
    --launch.helpers;
    launch.changed.notify_all();
}

void fail_locked(Launch &launch, const char *core_name, const char *message)
{
    if (!launch.failed.load()) {
        snprintf(launch.message, sizeof launch.message, "%s: %s: %s", launch.kernel->op_type, core_name, message);
        launch.failed.store(true);
    }
    launch.changed.notify_all();
}

// Cores that a flag set by `core` in a mode stands for: the same kind everywhere, the vector cores of its block, or all of
// one kind in its block.
bool in_group(const Launch &launch, uint32_t number, const Core &of, uint32_t mode, bool same_kind)
{
    const uint32_t of_block = launch.cube_cores + launch.vector_cores;
    const bool cube = number % of_block < launch.cube_cores;
    const bool kind_fits = (cube == (of.kind == kCubeCore)) == same_kind;
    return kind_fits && (mode == 0 || number / of_block == of.block);
}

// How often a whole group has set the flag.
uint32_t level(const Launch &launch, const Core &core, uint32_t flag, uint32_t mode, bool same_kind)
{
    uint32_t lowest = ~0u;
    for (uint32_t number = 0; number < launch.total; ++number) {
        if (in_group(launch, number, core, mode, same_kind)) {
            const uint32_t count = launch.flags[number].set[mode][flag];
            lowest = count < lowest ? count : lowest;
        }
    }
    return lowest == ~0u ? 0 : lowest;
}

// Mode 0 synchronises all cores of a kind, mode 1 the vector cores of a block, mode 2 a block's cube core with its vector
// cores.
uint32_t delivered(const Launch &launch, const Core &core, uint32_t flag)
{
    return level(launch, core, flag, 0, true) + level(launch, core, flag, 1, true) + level(launch, core, flag, 2, false);
}

bool may_go_on(const Launch &launch, const Waiter &waiter)
{
    if (waiter.for_flag) {
        return delivered(launch, *waiter.core, waiter.flag) > launch.flags[waiter.core->number].consumed[waiter.flag];
    }
    return launch.barriers[waiter.barrier].generation != waiter.generation;
}

// When every core that has not returned waits and none may go on, none ever will; the chip would hang.
void check_progress(Launch &launch)
{
    uint32_t waiting = 0;
    for (const Waiter *waiter = launch.waiters; waiter != nullptr; waiter = waiter->next) {
        if (may_go_on(launch, *waiter)) {
            return;
        }
        ++waiting;
    }
    if (waiting == 0 || waiting + launch.finished.load() < launch.total) {
        return;
    }
    char message[160];
    if (launch.waiters->for_flag) {
        snprintf(message, sizeof message, "%u of %u cores wait in CrossCoreWaitFlag(%u) and no other core will set it",
                 waiting, launch.total, launch.waiters->flag);
    } else {
        snprintf(message, sizeof message, "%u of %u cores wait in SyncAll for cores that have returned without it",
                 waiting, launch.total);
    }
    fail_locked(launch, "deadlock", message);
}

std::atomic<uint32_t> busy_threads{0};

void join_in(Launch &launch)
{
    help(launch);
    busy_threads.fetch_sub(1);
}

// Threads beside the caller's, as many as no other launch uses; one that cannot be started is done without.
void start_helpers(Launch &launch)
{
    const uint32_t left = launch.total - launch.next.load();
    for (uint32_t i = 1; i < launch.threads && i <= left; ++i) {
        if (busy_threads.fetch_add(1) + 1 >= launch.threads) {
            busy_threads.fetch_sub(1);
            return;
        }
        std::unique_lock<std::mutex> lock(launch.mutex);
        ++launch.helpers;
        lock.unlock();
        if (!helpers().start(join_in, launch)) {
            busy_threads.fetch_sub(1);
            lock.lock();
            --launch.helpers;
            return;
        }
    }
}

// The caller runs the first core alone: waking threads costs more than a small kernel.
void share_out(Launch &launch)
{
    constexpr auto kSmall = std::chrono::microseconds(20);
    const auto begin = std::chrono::steady_clock::now();
    run_next(launch);
    if ((std::chrono::steady_clock::now() - begin) * launch.total > kSmall) {
        start_helpers(launch);
    }
    while (run_next(launch)) {
    }
}

} // namespace

void fail_launch(Launch &launch, const char *core_name, const char *message)
{
    std::lock_guard<std::mutex> lock(launch.mutex);
    fail_locked(launch, core_name, message);
}

void finish_core(Launch &launch)
{
    launch.finished.fetch_add(1);
    if (launch.anyone_waited.load()) {
        std::lock_guard<std::mutex> lock(launch.mutex);
        check_progress(launch);
    }
}

void run_all(Launch &launch)
{
    launch.barriers[kAllCores].expected = launch.total;
    launch.barriers[kVectorCores].expected = launch.block_dim * launch.vector_cores;
    if (launch.threads > 1 && launch.total > 1) {
        share_out(launch);
    } else if (launch.total == 1 || launch.exec == nullptr || launch.exec->parallel_for == nullptr) {
        while (run_next(launch)) {
        }
    } else {
        launch.exec->parallel_for(
            launch.exec->context, launch.total,
            [](void *argument, uint64_t) { run_next(*static_cast<Launch *>(argument)); }, &launch);
    }
    std::unique_lock<std::mutex> lock(launch.mutex);
    launch.changed.wait(lock, [&launch] { return launch.helpers == 0; });
}

uint32_t own_threads()
{
    static const uint32_t count = [] {
        const char *text = getenv("OPKG_NUM_THREADS");
        const long asked = text == nullptr ? 0 : strtol(text, nullptr, 10);
        cpu_set_t set;
        CPU_ZERO(&set);
        const int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
        const long wanted = asked > 0 ? asked : cpus;
        return static_cast<uint32_t>(wanted > 1024 ? 1024 : wanted);
    }();
    return count;
}

namespace {

// Blocks this core's thread until the waiter may go on. Cores that have not begun get a further thread.
void wait_for(Launch &launch, std::unique_lock<std::mutex> &lock, Waiter &waiter)
{
    launch.anyone_waited.store(true);
    waiter.next = launch.waiters;
    launch.waiters = &waiter;
    check_progress(launch);
    if (launch.next.load() < launch.total) {
        ++launch.helpers;
        if (!helpers().start(help, launch)) {
            --launch.helpers;
            fail_locked(launch, "launch", "the system has no further thread for a core that others wait for");
        }
    }
    launch.changed.wait(lock, [&] { return may_go_on(launch, waiter) || launch.failed.load(); });
    Waiter **link = &launch.waiters;
    while (*link != &waiter) {
        link = &(*link)->next;
    }
    *link = waiter.next;
    if (!may_go_on(launch, waiter)) {
        throw Cancelled();
    }
}

void make_flags(Launch &launch)
{
    if (launch.flags == nullptr) {
        launch.flags.reset(new FlagCounts[launch.total]());
    }
}

void check_flag(uint32_t flag)
{
    if (flag >= FlagCounts::kFlags) {
        opkg_twin_fail("flag %u between cores is out of range: there are %u", flag, FlagCounts::kFlags);
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_sync_all(uint32_t vector_only)
{
    Core *core = opkg_twin_core;
    Launch &launch = *core->launch;
    const uint32_t kind = vector_only && core->kind == kVectorCore ? kVectorCores : kAllCores;
    opkg_twin_settle();
    stream_fence();
    std::unique_lock<std::mutex> lock(launch.mutex);
    Barrier &barrier = launch.barriers[kind];
    if (++barrier.arrived == barrier.expected) {
        barrier.arrived = 0;
        ++barrier.generation;
        launch.changed.notify_all();
        return;
    }
    Waiter waiter{false, kind, barrier.generation, core, 0, nullptr};
    wait_for(launch, lock, waiter);
}

void opkg_twin_cross_core_set(uint32_t mode, uint32_t flag)
{
    Core *core = opkg_twin_core;
    Launch &launch = *core->launch;
    check_flag(flag);
    opkg_twin_settle();
    stream_fence();
    std::lock_guard<std::mutex> lock(launch.mutex);
    make_flags(launch);
    ++launch.flags[core->number].set[mode < 3 ? mode : 2][flag];
    launch.changed.notify_all();
}

void opkg_twin_cross_core_wait(uint32_t flag)
{
    Core *core = opkg_twin_core;
    Launch &launch = *core->launch;
    check_flag(flag);
    std::unique_lock<std::mutex> lock(launch.mutex);
    make_flags(launch);
    Waiter waiter{true, 0, 0, core, flag, nullptr};
    if (!may_go_on(launch, waiter)) {
        wait_for(launch, lock, waiter);
    }
    ++launch.flags[core->number].consumed[flag];
}
