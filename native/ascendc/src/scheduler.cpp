// SPDX-License-Identifier: Apache-2.0
// Cores are handed out by a ticket counter. Whoever runs a core takes the next ticket: a thread of the caller's pool, or
// a helper that the twin starts when a core is about to wait while others have not begun.
#include "scheduler.hpp"

#include <pthread.h>
#include <stdio.h>

#include <chrono>
#include <new>
#include <thread>

namespace opkg::twin {
namespace {

// Threads that stand in for waiting cores, kept for a while because kernels that synchronise are called again and again.
class Helpers {
public:
    void start(void (*work)(Launch &), Launch &launch)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (idle_ > queued_) {
            jobs_[queued_++] = {work, &launch};
            wake_.notify_one();
            return;
        }
        lock.unlock();
        std::thread([this, work, &launch] { serve({work, &launch}); }).detach();
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

bool run_next(Launch &launch)
{
    const uint32_t number = launch.next.fetch_add(1);
    if (number >= launch.total) {
        return false;
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

// The cores of a barrier that will never come: they have returned already.
uint32_t gone(const Launch &launch, BarrierKind kind)
{
    return kind == kVectorCores ? launch.finished_vector.load() : launch.finished.load();
}

void fail_locked(Launch &launch, const char *core_name, const char *message)
{
    if (!launch.failed.load()) {
        snprintf(launch.message, sizeof launch.message, "%s: %s: %s", launch.kernel->op_type, core_name, message);
        launch.failed.store(true);
    }
    launch.changed.notify_all();
}

// A barrier that some cores wait at while the others have returned never opens; the chip would hang.
void check_barriers(Launch &launch)
{
    for (uint32_t kind = 0; kind < kBarriers; ++kind) {
        const Barrier &barrier = launch.barriers[kind];
        const uint32_t left = gone(launch, static_cast<BarrierKind>(kind));
        if (barrier.arrived > 0 && left > 0 && barrier.arrived + left >= barrier.expected) {
            char message[160];
            snprintf(message, sizeof message, "%u of %u cores wait in SyncAll for cores that have returned without it",
                     barrier.arrived, barrier.expected);
            fail_locked(launch, "deadlock", message);
        }
    }
}

} // namespace

void fail_launch(Launch &launch, const char *core_name, const char *message)
{
    std::lock_guard<std::mutex> lock(launch.mutex);
    fail_locked(launch, core_name, message);
}

void finish_core(Launch &launch, bool vector)
{
    if (vector) {
        launch.finished_vector.fetch_add(1);
    }
    launch.finished.fetch_add(1);
    if (launch.anyone_waited.load()) {
        std::lock_guard<std::mutex> lock(launch.mutex);
        check_barriers(launch);
    }
}

void run_all(Launch &launch)
{
    launch.barriers[kAllCores].expected = launch.total;
    launch.barriers[kVectorCores].expected = launch.block_dim * launch.vector_cores;
    if (launch.total == 1 || launch.exec == nullptr || launch.exec->parallel_for == nullptr) {
        while (run_next(launch)) {
        }
    } else {
        launch.exec->parallel_for(
            launch.exec->context, launch.total,
            [](void *argument, uint64_t) { run_next(*static_cast<Launch *>(argument)); }, &launch);
    }
    if (launch.anyone_waited.load()) {
        std::unique_lock<std::mutex> lock(launch.mutex);
        launch.changed.wait(lock, [&launch] { return launch.helpers == 0; });
    }
}

namespace {

void wait_at(Launch &launch, BarrierKind kind)
{
    Barrier &barrier = launch.barriers[kind];
    std::unique_lock<std::mutex> lock(launch.mutex);
    launch.anyone_waited.store(true);
    if (++barrier.arrived == barrier.expected) {
        barrier.arrived = 0;
        ++barrier.generation;
        launch.changed.notify_all();
        return;
    }
    check_barriers(launch);
    if (launch.next.load() < launch.total) {
        ++launch.helpers;
        helpers().start(help, launch);
    }
    const uint64_t generation = barrier.generation;
    launch.changed.wait(lock, [&] { return barrier.generation != generation || launch.failed.load(); });
    if (barrier.generation == generation) {
        throw Cancelled();
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_sync_all(uint32_t vector_only)
{
    Core *core = opkg_twin_core;
    stream_fence();
    wait_at(*core->launch, vector_only && core->kind == kVectorCore ? kVectorCores : kAllCores);
}
