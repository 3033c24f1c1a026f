// SPDX-License-Identifier: Apache-2.0
//
// The thread pool of the process. The caller of parallel_for works too and waits only for helpers that joined in, so
// a job never depends on a free worker: calls from several threads, and a process that has just forked, are safe.
#include "opkg/core.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace opkg::core {
namespace {

constexpr uint32_t kMaxThreads = 1024;
constexpr auto kSpin = std::chrono::microseconds(20);

void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Waits for `ready` without a system call for a moment. False: still not ready.
template <class Ready>
bool spin(const Ready& ready) noexcept {
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
        for (int i = 0; i < 32; ++i) {
            if (ready()) return true;
            pause();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

uint32_t available_cpus() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return count > 0 ? static_cast<uint32_t>(count) : std::max(1u, std::thread::hardware_concurrency());
}

uint32_t default_threads() noexcept {
    const char* text = std::getenv("OPKG_NUM_THREADS");
    const long asked = text ? std::strtol(text, nullptr, 10) : 0;
    return asked > 0 ? std::min<uint32_t>(static_cast<uint32_t>(std::min(asked, 65536L)), kMaxThreads) : available_cpus();
}

struct Job {
    uint64_t n;
    void (*body)(void*, uint64_t);
    void* arg;
    std::atomic<uint64_t> next{0};
    std::atomic<uint32_t> helpers{0}; // joined and not yet left; joining is guarded by the pool's mutex
    uint32_t places = 0;              // how many more may join; guarded by the pool's mutex
    std::atomic<bool> failed{false};
    std::exception_ptr error{};
    Job* below = nullptr;
};

thread_local bool t_inside = false;

void work(Job& job) noexcept {
    const bool outer = t_inside;
    t_inside = true;
    for (uint64_t i; (i = job.next.fetch_add(1, std::memory_order_relaxed)) < job.n;) {
        try {
            job.body(job.arg, i);
        } catch (...) {
            if (!job.failed.exchange(true)) job.error = std::current_exception();
            job.next.store(job.n, std::memory_order_relaxed);
        }
    }
    t_inside = outer;
}

class Pool {
public:
    uint32_t threads() const noexcept { return threads_.load(std::memory_order_relaxed); }

    void set_threads(uint32_t count) noexcept { threads_.store(std::clamp(count, 1u, kMaxThreads)); }

    void run(Job& job, uint32_t helpers) {
        publish(job, helpers);
        work(job);
        withdraw(job);
        if (job.error) std::rethrow_exception(job.error);
    }

private:
    void publish(Job& job, uint32_t helpers) {
        uint32_t sleeping = 0;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            start_workers(helpers);
            job.places = helpers;
            job.below = top_;
            top_ = &job;
            open_.fetch_add(1, std::memory_order_relaxed);
            sleeping = sleeping_;
        }
        for (uint32_t i = std::min(helpers, sleeping); i > 0; --i) wake_.notify_one();
    }

    // After this nobody new can join; then wait for those who did.
    void withdraw(Job& job) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            Job** link = &top_;
            while (*link != &job) link = &(*link)->below;
            *link = job.below;
            open_.fetch_sub(1, std::memory_order_relaxed);
        }
        const auto done = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
        if (spin(done)) return;
        std::unique_lock<std::mutex> lock(mutex_);
        left_.wait(lock, done);
    }

    void start_workers(uint32_t wanted) {
        for (; workers_ < wanted; ++workers_) {
            try {
                std::thread([this] { serve(); }).detach();
            } catch (const std::system_error&) {
                return; // fewer helpers than asked for: the caller still does all of the work
            }
        }
    }

    Job* join() {
        for (Job* job = top_; job; job = job->below) {
            if (job->places == 0 || job->next.load(std::memory_order_relaxed) >= job->n) continue;
            --job->places;
            job->helpers.fetch_add(1, std::memory_order_relaxed);
            return job;
        }
        return nullptr;
    }

    void leave(Job& job) {
        // Under the mutex, since the job is on the stack of a caller that may return as soon as it sees zero.
        std::lock_guard<std::mutex> lock(mutex_);
        job.helpers.fetch_sub(1, std::memory_order_release);
        left_.notify_all();
    }

    void serve() {
        pthread_setname_np(pthread_self(), "opkg");
        for (;;) {
            spin([this] { return open_.load(std::memory_order_relaxed) != 0; });
            std::unique_lock<std::mutex> lock(mutex_);
            Job* job = join();
            if (!job) {
                ++sleeping_;
                wake_.wait(lock);
                --sleeping_;
                job = join();
            }
            lock.unlock();
            if (!job) continue;
            work(*job);
            leave(*job);
        }
    }

    std::atomic<uint32_t> threads_{default_threads()};
    std::atomic<uint32_t> open_{0};
    std::mutex mutex_;
    std::condition_variable wake_, left_;
    Job* top_ = nullptr;
    uint32_t workers_ = 0, sleeping_ = 0;
};

std::atomic<Pool*> g_pool{nullptr};

// Threads do not survive a fork, and a mutex may be held by one of them: the child gets a pool of its own.
void after_fork() {
    const uint32_t count = g_pool.load()->threads();
    auto* pool = new Pool;
    pool->set_threads(count);
    g_pool.store(pool);
    t_inside = false;
}

// Never destroyed: workers wait in it until the process ends.
Pool& pool() {
    if (Pool* found = g_pool.load(std::memory_order_acquire)) return *found;
    static std::once_flag once;
    std::call_once(once, [] {
        g_pool.store(new Pool, std::memory_order_release);
        pthread_atfork(nullptr, nullptr, after_fork);
    });
    return *g_pool.load(std::memory_order_acquire);
}

} // namespace

uint32_t threads() noexcept { return pool().threads(); }

void set_threads(uint32_t count) { pool().set_threads(count); }

void parallel_for(uint64_t n, void (*body)(void*, uint64_t), void* arg) {
    Pool& all = pool();
    const uint64_t helpers = std::min<uint64_t>(all.threads(), n) - 1;
    if (n <= 1 || helpers == 0 || t_inside) {
        for (uint64_t i = 0; i < n; ++i) body(arg, i);
        return;
    }
    Job job{n, body, arg};
    all.run(job, static_cast<uint32_t>(helpers));
}

} // namespace opkg::core
