// SPDX-License-Identifier: Apache-2.0
// A core that spins on global memory cannot be told from one that works. So where a launch gets no further, cores that
// have not begun get threads, and after a while the user is told which cores wait and where.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "scheduler.hpp"

namespace opkg::twin {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(100);

// Periods in which a launch may get no further before cores that have not begun get threads.
constexpr uint32_t kQuiet = 3;

// Periods without progress after which the user is told; OPKG_TWIN_PATIENCE gives seconds, 0: never.
uint32_t patience()
{
    static const uint32_t periods = [] {
        const char *text = getenv("OPKG_TWIN_PATIENCE");
        const long seconds = text == nullptr ? 10 : strtol(text, nullptr, 10);
        return static_cast<uint32_t>(seconds <= 0 ? 0 : seconds * (std::chrono::seconds(1) / kPeriod));
    }();
    return periods;
}

void tell(Launch &launch)
{
    char text[1024];
    int length = snprintf(text, sizeof text, "opkg: %s: nothing has happened for a while; %u of %u cores have returned",
                          launch.kernel->op_type, launch.finished.load(), launch.total);
    for (const Waiter *waiter = launch.waiters; waiter != nullptr && length < 800; waiter = waiter->next) {
        if (!waiter->awake) {
            char name[64];
            name_core(launch, *waiter->core, name, sizeof name);
            length += snprintf(text + length, sizeof text - static_cast<size_t>(length), "; %s waits in %s", name,
                               waiter->what);
        }
    }
    fprintf(stderr, "%s\n", text);
}

void look_after(Launch &launch)
{
    Launch::Watched &watched = launch.watched;
    const uint32_t events = launch.events.load(std::memory_order_relaxed);
    watched.quiet = events == watched.events ? watched.quiet + 1 : 0;
    watched.events = events;
    if (watched.quiet < kQuiet) {
        return;
    }
    Lock lock(launch.mutex);
    // Twice as many threads each time, so that many spinning cores are not a matter of many periods.
    for (uint32_t wanted = std::max(1u, launch.helpers); wanted > 0 && launch.next.load() < launch.total; --wanted) {
        if (!start_helper(launch, lock)) {
            break;
        }
    }
    if (watched.quiet == patience()) {
        tell(launch);
    }
}

class Watchdog {
public:
    void add(Launch &launch)
    {
        Lock lock(mutex_);
        launch.watched.next = first_;
        if (first_ != nullptr) {
            first_->watched.before = &launch;
        }
        first_ = &launch;
        if (asleep_) {
            wake(lock);
        }
    }

    void remove(Launch &launch)
    {
        Lock lock(mutex_);
        (launch.watched.before != nullptr ? launch.watched.before->watched.next : first_) = launch.watched.next;
        if (launch.watched.next != nullptr) {
            launch.watched.next->watched.before = launch.watched.before;
        }
    }

private:
    // Periods without any launch after which the thread sleeps, so that short launches need not wake it.
    static constexpr uint32_t kIdle = 20;

    void wake(Lock &)
    {
        asleep_ = false;
        wake_.notify_one();
        if (started_) {
            return;
        }
        try {
            std::thread([this] { serve(); }).detach();
            started_ = true;
        } catch (const std::system_error &) {
            // Without a thread nobody looks after the launches.
        }
    }

    void serve()
    {
        pthread_setname_np(pthread_self(), "opkg-watch");
        uint32_t idle = 0;
        Lock lock(mutex_);
        for (;;) {
            wake_.wait_for(lock, kPeriod);
            idle = first_ == nullptr ? idle + 1 : 0;
            for (Launch *launch = first_; launch != nullptr; launch = launch->watched.next) {
                look_after(*launch);
            }
            if (idle > kIdle) {
                asleep_ = true;
                wake_.wait(lock, [this] { return !asleep_; });
                idle = 0;
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Launch *first_ = nullptr;
    bool started_ = false;
    bool asleep_ = true;
};

// Never destroyed, made when the library is loaded, and begun afresh in a forked child, as the helpers.
alignas(Watchdog) unsigned char watchdog_storage[sizeof(Watchdog)];

Watchdog *const watchdog = [] {
    pthread_atfork(nullptr, nullptr, [] { new (watchdog_storage) Watchdog; });
    return new (watchdog_storage) Watchdog;
}();

} // namespace

void watch(Launch &launch) { watchdog->add(launch); }

void unwatch(Launch &launch) { watchdog->remove(launch); }

} // namespace opkg::twin
