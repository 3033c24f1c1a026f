// SPDX-License-Identifier: Apache-2.0
// Host functions in streams: on the stream's own thread, or on a thread that has subscribed to the stream.
#include <pthread.h>

#include <unordered_map>

#include "runtime.hpp"

namespace opkg::acl {
namespace {

struct Call {
    aclrtCallback function;
    void *argument;
    bool done = false;
};

// What the streams of one subscribed thread want it to do.
class Reports {
public:
    void add(const std::shared_ptr<Call> &call)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        calls_.push_back(call);
        changed_.notify_all();
    }

    void wait_for(const Call &call, const Stream &stream)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!call.done && !stream.gives_up()) {
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
    }

    // Runs one call; false where none came in time.
    bool process(Stream::Deadline deadline)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto ready = [this] { return !calls_.empty(); };
        if (deadline == Stream::kNever) {
            changed_.wait(lock, ready);
        } else if (!changed_.wait_until(lock, deadline, ready)) {
            return false;
        }
        const std::shared_ptr<Call> call = calls_.front();
        calls_.pop_front();
        lock.unlock();
        call->function(call->argument);
        lock.lock();
        call->done = true;
        changed_.notify_all();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Call>> calls_;
};

struct Subscription {
    uint64_t thread;
    std::shared_ptr<Reports> reports;
};

using Subscriptions = std::unordered_map<int32_t, Subscription>; // by stream
std::mutex subscriptions_mutex;
Subscriptions &subscriptions = *new Subscriptions; // never destroyed: a thread may wait for reports until the end

std::shared_ptr<Reports> reports_of_thread(uint64_t thread)
{
    for (const auto &entry : subscriptions) {
        if (entry.second.thread == thread) {
            return entry.second.reports;
        }
    }
    return nullptr;
}

class CallbackTask : public Task {
public:
    CallbackTask(aclrtCallback function, void *argument, bool blocks, std::shared_ptr<Reports> reports)
        : function_(function), argument_(argument), blocks_(blocks), reports_(std::move(reports))
    {
    }
    aclError run(Stream &stream, std::string &) override
    {
        const auto call = std::make_shared<Call>(Call{function_, argument_});
        reports_->add(call);
        if (blocks_) {
            reports_->wait_for(*call, stream);
        }
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "callback"; }

private:
    aclrtCallback function_;
    void *argument_;
    bool blocks_;
    std::shared_ptr<Reports> reports_;
};

class HostFunctionTask : public Task {
public:
    HostFunctionTask(aclrtHostFunc function, void *argument) : function_(function), argument_(argument) {}
    aclError run(Stream &, std::string &) override
    {
        function_(argument_);
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "host function"; }

private:
    aclrtHostFunc function_;
    void *argument_;
};

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtSubscribeReport", stream, code);
    if (found == nullptr) {
        return code;
    }
    std::lock_guard<std::mutex> lock(subscriptions_mutex);
    if (subscriptions.count(found->id) != 0) {
        return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtSubscribeReport: a thread has subscribed to stream %d already",
                    found->id);
    }
    std::shared_ptr<Reports> reports = reports_of_thread(threadId);
    subscriptions[found->id] = {threadId, reports != nullptr ? reports : std::make_shared<Reports>()};
    return ACL_SUCCESS;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtUnSubscribeReport", stream, code);
    if (found == nullptr) {
        return code;
    }
    std::lock_guard<std::mutex> lock(subscriptions_mutex);
    const auto entry = subscriptions.find(found->id);
    if (entry == subscriptions.end() || entry->second.thread != threadId) {
        return fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
                    "aclrtUnSubscribeReport: this thread has not subscribed to stream %d",
                    found->id);
    }
    subscriptions.erase(entry);
    return ACL_SUCCESS;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    if (fn == nullptr) {
        return null_pointer("aclrtLaunchCallback", "fn");
    }
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchCallback: there is no block type %d",
                    static_cast<int>(blockType));
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtLaunchCallback", stream, code);
    if (found == nullptr) {
        return code;
    }
    std::shared_ptr<Reports> reports;
    {
        std::lock_guard<std::mutex> lock(subscriptions_mutex);
        const auto entry = subscriptions.find(found->id);
        if (entry == subscriptions.end()) {
            return fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
                        "aclrtLaunchCallback: no thread has subscribed to stream %d (aclrtSubscribeReport)", found->id);
        }
        reports = entry->second.reports;
    }
    return found->submit(
        std::make_shared<CallbackTask>(fn, userData, blockType == ACL_CALLBACK_BLOCK, std::move(reports)));
}

aclError aclrtProcessReport(int32_t timeout)
{
    if (timeout < -1) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtProcessReport: a timeout of %d ms", timeout);
    }
    std::shared_ptr<Reports> reports;
    {
        std::lock_guard<std::mutex> lock(subscriptions_mutex);
        reports = reports_of_thread(static_cast<uint64_t>(pthread_self()));
    }
    if (reports == nullptr) {
        return fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtProcessReport: this thread has subscribed to no stream");
    }
    if (!reports->process(Stream::within(timeout))) {
        return fail(ACL_ERROR_RT_REPORT_TIMEOUT, "aclrtProcessReport: no callback within %d ms", timeout);
    }
    return ACL_SUCCESS;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    if (fn == nullptr) {
        return null_pointer("aclrtLaunchHostFunc", "fn");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtLaunchHostFunc", stream, code);
    return found == nullptr ? code : found->submit(std::make_shared<HostFunctionTask>(fn, args));
}
