// SPDX-License-Identifier: Apache-2.0
// Cores are handed out by a ticket counter. Whoever runs a core takes the next ticket: a thread of the caller's pool,
// or a helper that the twin starts when a core is about to wait while others have not begun.
#include "scheduler.hpp"

#include "check/hooks.hpp"
#include "twin/access.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chrono>

#include "helpers.hpp"

namespace opkg::twin {
namespace {

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

// Names the first few cores that wait, and where.
void describe_waiters(const Launch &launch, char *text, size_t bytes)
{
    constexpr uint32_t kNamed = 4;
    uint32_t count = 0;
    size_t length = 0;
    for (const Waiter *waiter = launch.waiters; waiter != nullptr; waiter = waiter->next) {
        if (waiter->awake || ++count > kNamed) {
            continue;
        }
        char name[64];
        name_core(launch, *waiter->core, name, sizeof name);
        const int written = snprintf(text + length, bytes - length, "%s%s in %s", count == 1 ? "" : ", ", name,
                                     waiter->what);
        length += written < 0 || static_cast<size_t>(written) >= bytes - length ? 0 : static_cast<size_t>(written);
    }
    if (count > kNamed) {
        snprintf(text + length, bytes - length, ", and %u more", count - kNamed);
    }
}

// When every core that has not returned waits and none may go on, none ever will; the chip would hang.
void check_progress(Launch &launch)
{
    if (launch.waiting == 0 || launch.waiting + launch.finished.load() < launch.total || launch.failed.load()) {
        return;
    }
    wake_ready(launch);
    if (launch.waiting == 0 || launch.waiting + launch.finished.load() < launch.total) {
        return;
    }
    char waits[400];
    char message[480];
    describe_waiters(launch, waits, sizeof waits);
    snprintf(message, sizeof message, "%u of %u cores wait and no core is left that could let them go on: %s",
             launch.waiting, launch.total, waits);
    fail_locked(launch, kCoreTimeout, "deadlock", message);
}

std::atomic<uint32_t> busy_threads{0}; // none of which a forked child has
[[maybe_unused]] const int forgets_threads = pthread_atfork(nullptr, nullptr, [] { busy_threads.store(0); });

void join_in(Launch &launch)
{
    help(launch);
    busy_threads.fetch_sub(1);
}

// Threads beside the caller's, as many as no other launch uses; one that cannot be started is done without.
void start_threads(Launch &launch)
{
    const uint32_t next = launch.next.load();
    const uint32_t left = next < launch.total ? launch.total - next : 0;
    for (uint32_t i = 1; i < launch.threads && i <= left; ++i) {
        if (busy_threads.fetch_add(1) + 1 >= launch.threads) {
            busy_threads.fetch_sub(1);
            return;
        }
        Lock lock(launch.mutex);
        ++launch.helpers;
        if (!on_helper(join_in, launch)) {
            busy_threads.fetch_sub(1);
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
    const bool large = (std::chrono::steady_clock::now() - begin) * launch.total > kSmall;
    if (large) {
        start_threads(launch);
    }
    while (run_next(launch)) {
    }
}

} // namespace

void name_core(const Launch &launch, const Core &core, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s core %u of %u", core.kind == kCubeCore ? "cube" : "vector", core.index,
             launch.of_kind(core.kind));
}

void fail_locked(Launch &launch, int32_t code, const char *who, const char *message)
{
    if (!launch.failed.load()) {
        snprintf(launch.message, sizeof launch.message, "%s: %s: %s", launch.kernel->op_type, who, message);
        launch.code = code;
        launch.failed.store(true);
    }
    for (Waiter *waiter = launch.waiters; waiter != nullptr; waiter = waiter->next) {
        waiter->woken.notify_one();
    }
}

void fail_launch(Launch &launch, const char *who, const char *message, int32_t code)
{
    std::lock_guard<std::mutex> lock(launch.mutex);
    fail_locked(launch, code, who, message);
}

void finish_core(Launch &launch)
{
    launch.finished.fetch_add(1);
    launch.events.fetch_add(1, std::memory_order_relaxed);
    if (launch.anyone_waited.load()) {
        std::lock_guard<std::mutex> lock(launch.mutex);
        check_progress(launch);
    }
}

bool start_helper(Launch &launch, Lock &)
{
    if (launch.next.load() >= launch.total) {
        return true;
    }
    ++launch.helpers;
    if (!on_helper(help, launch)) {
        --launch.helpers;
        return false;
    }
    return true;
}

void wake(Launch &launch, Waiter &waiter)
{
    if (!waiter.awake) {
        waiter.awake = true;
        --launch.waiting;
        launch.events.fetch_add(1, std::memory_order_relaxed);
        waiter.woken.notify_one();
    }
}

void wake_ready(Launch &launch)
{
    for (Waiter *waiter = launch.waiters; waiter != nullptr; waiter = waiter->next) {
        if (!waiter->awake && waiter->ready != nullptr && waiter->ready(waiter->argument)) {
            wake(launch, *waiter);
        }
    }
}

void wait_for(Launch &launch, Lock &lock, Waiter &waiter)
{
    launch.anyone_waited.store(true);
    waiter.next = launch.waiters;
    launch.waiters = &waiter;
    ++launch.waiting;
    check_progress(launch);
    if (!start_helper(launch, lock)) {
        fail_locked(launch, kCoreException, "launch",
                    "the system has no further thread for a core that others wait for");
    }
    waiter.woken.wait(lock, [&] { return waiter.awake || launch.failed.load(); });
    Waiter **link = &launch.waiters;
    while (*link != &waiter) {
        link = &(*link)->next;
    }
    *link = waiter.next;
    if (!waiter.awake) {
        --launch.waiting;
        throw Cancelled();
    }
}

namespace {

bool is_checked(const Launch &launch)
{
    const uint32_t *flags = launch.kernel->library_flags;
    return flags != nullptr && (*flags & kChecked) != 0;
}

} // namespace

void run_all(Launch &launch)
{
    if (is_checked(launch)) {
        check::begin_launch(launch);
    }
    launch.barriers[kAllCores].expected = launch.total;
    launch.barriers[kVectorCores].expected = launch.of_kind(kVectorCore);
    launch.barriers[kCubeCores].expected = launch.of_kind(kCubeCore);
    if (launch.total > 1) {
        watch(launch);
    }
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
    Lock lock(launch.mutex);
    launch.changed.wait(lock, [&launch] { return launch.helpers == 0; });
    lock.unlock();
    if (launch.total > 1) {
        unwatch(launch);
    }
    if (launch.checker != nullptr) {
        check::end_launch(launch);
    }
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

} // namespace opkg::twin
