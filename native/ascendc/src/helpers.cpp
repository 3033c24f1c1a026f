// SPDX-License-Identifier: Apache-2.0
#include "helpers.hpp"

#include <pthread.h>

#include <chrono>
#include <new>
#include <system_error>
#include <thread>

namespace opkg::twin {
namespace {

// Kept for a while after their work, because kernels that synchronise are called again and again.
class Helpers {
public:
    bool start(void (*work)(Launch &), Launch &launch)
    {
        Lock lock(mutex_);
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
        pthread_setname_np(pthread_self(), "opkg-core");
        for (;;) {
            job.work(*job.launch);
            Lock lock(mutex_);
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

// Never destroyed: detached helpers may outlive static destruction. A forked child has no helpers and begins afresh. Made when
// the library is loaded: a child that is forked while another thread made them would wait for that thread for ever.
alignas(Helpers) unsigned char helpers_storage[sizeof(Helpers)];

Helpers *const helpers = [] {
    pthread_atfork(nullptr, nullptr, [] { new (helpers_storage) Helpers; });
    return new (helpers_storage) Helpers;
}();

} // namespace

bool on_helper(void (*work)(Launch &), Launch &launch) { return helpers->start(work, launch); }

} // namespace opkg::twin
