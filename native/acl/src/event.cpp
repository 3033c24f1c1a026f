// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <stdio.h>
#include <time.h>

#include "graph.hpp"

namespace opkg::acl {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(20);
constexpr auto kPatience = std::chrono::seconds(10);

// 50 ticks a microsecond, as the system counter of a kernel.
uint64_t now_ticks()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 50000000u + static_cast<uint64_t>(now.tv_nsec) / 20u;
}

class RecordTask : public Task {
public:
    explicit RecordTask(std::shared_ptr<Mark> mark) : mark_(std::move(mark)) {}
    aclError run(Stream &, std::string &) override
    {
        mark_->pass();
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "record event"; }
    bool anywhere() const override { return true; }
    void drop() override { mark_->pass(); }

private:
    std::shared_ptr<Mark> mark_;
};

std::atomic<uint32_t> wait_timeout{0}; // seconds; 0: for ever

class WaitTask : public Task {
public:
    WaitTask(std::shared_ptr<Mark> mark, uint32_t seconds) : mark_(std::move(mark)), seconds_(seconds) {}
    aclError run(Stream &stream, std::string &message) override
    {
        const Stream::Deadline deadline =
            seconds_ == 0 ? Stream::kNever : Stream::Clock::now() + std::chrono::seconds(seconds_);
        if (mark_->wait(deadline, &stream) || stream.gives_up()) {
            return ACL_SUCCESS;
        }
        message = "stream " + std::to_string(stream.id) + ": the event that it waits for has not come within " +
                  std::to_string(seconds_) + " s (aclrtSetOpWaitTimeout)";
        return ACL_ERROR_RT_WAIT_TIMEOUT;
    }
    const char *kind() const override { return "wait for event"; }

private:
    std::shared_ptr<Mark> mark_;
    uint32_t seconds_;
};

aclError synchronize(const char *function, aclrtEvent handle, int32_t timeout)
{
    aclError code;
    const std::shared_ptr<Event> event = runtime().event(function, handle, code);
    if (event == nullptr) {
        return code;
    }
    if (event->captured()) {
        return fail(ACL_ERROR_RT_EVENT_CAPTURED, "%s: the event was recorded while its stream was captured", function);
    }
    if (event->nothing_yet()) {
        return ACL_SUCCESS;
    }
    if (!event->recorded()) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the event has not been recorded", function);
    }
    if (!event->mark()->wait(Stream::within(timeout), nullptr)) {
        return fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "%s: the event has not come within %d ms", function, timeout);
    }
    return ACL_SUCCESS;
}

} // namespace

void Mark::pass()
{
    {
        std::lock_guard<std::mutex> lock(mutex_);
        passed_ = true;
        timestamp_ = now_ticks();
    }
    changed_.notify_all();
}

bool Mark::wait(Stream::Deadline deadline, Stream *stream)
{
    const Stream::Deadline begin = Stream::Clock::now();
    bool warned = false;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!passed_) {
        const Stream::Deadline now = Stream::Clock::now();
        if (now >= deadline || (stream != nullptr && stream->gives_up())) {
            return false;
        }
        if (stream != nullptr && !warned && now - begin > kPatience) {
            warned = true;
            fprintf(stderr, "opkg: stream %d has waited for 10 s for an event that no stream has reached\n",
                    stream->id);
        }
        changed_.wait_until(lock, std::min(deadline, now + kLookAgain));
    }
    return true;
}

bool Mark::passed()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return passed_;
}

uint64_t Mark::timestamp()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return timestamp_;
}

std::shared_ptr<Mark> Event::mark()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return mark_;
}

// The first recording passes the mark that earlier waits already hold.
std::shared_ptr<Mark> Event::record(std::shared_ptr<Graph> into)
{
    std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_) {
        mark_ = std::make_shared<Mark>();
    }
    recorded_ = true;
    captured_ = into != nullptr;
    graph_ = into;
    return mark_;
}

void Event::reset()
{
    std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_) {
        mark_ = std::make_shared<Mark>();
    }
    recorded_ = captured_ = false;
    graph_.reset();
}

bool Event::recorded()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_;
}

bool Event::captured()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return captured_;
}

std::shared_ptr<Graph> Event::graph()
{
    std::lock_guard<std::mutex> lock(mutex_);
    return graph_.lock();
}

} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return event == nullptr ? null_pointer("aclrtCreateEvent", "event")
                            : runtime().create_event("aclrtCreateEvent", 0, false, event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return event == nullptr ? null_pointer("aclrtCreateEventWithFlag", "event")
                            : runtime().create_event("aclrtCreateEventWithFlag", flag, false, event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return event == nullptr ? null_pointer("aclrtCreateEventExWithFlag", "event")
                            : runtime().create_event("aclrtCreateEventExWithFlag", flag, true, event);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    return event == nullptr ? null_pointer("aclrtDestroyEvent", "event") : runtime().destroy_event(event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    aclError code;
    const std::shared_ptr<Event> what = runtime().event("aclrtRecordEvent", event, code);
    const std::shared_ptr<Stream> where =
        what == nullptr ? nullptr : runtime().stream("aclrtRecordEvent", stream, code);
    if (where == nullptr) {
        return code;
    }
    return where->submit(std::make_shared<RecordTask>(what->record(where->capture())));
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    aclError code;
    const std::shared_ptr<Event> what = runtime().event("aclrtResetEvent", event, code);
    if (what == nullptr || runtime().stream("aclrtResetEvent", stream, code) == nullptr) {
        return code;
    }
    what->reset();
    return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    aclError code;
    const std::shared_ptr<Event> what = runtime().event("aclrtStreamWaitEvent", event, code);
    const std::shared_ptr<Stream> where =
        what == nullptr ? nullptr : runtime().stream("aclrtStreamWaitEvent", stream, code);
    if (where == nullptr) {
        return code;
    }
    // Tasks of a graph run in the order in which they were given, so a wait inside of it has nothing left to do.
    const std::shared_ptr<Graph> graph = what->graph();
    if (graph != nullptr) {
        return join_capture(where, graph);
    }
    if (what->captured()) {
        return fail(ACL_ERROR_RT_EVENT_CAPTURED, "aclrtStreamWaitEvent: the event was recorded in a capture that is no more");
    }
    if (where->capture() != nullptr) {
        return fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                    "aclrtStreamWaitEvent: stream %d is being captured, and the event was recorded outside of this capture",
                    where->id);
    }
    if (what->nothing_yet()) {
        return ACL_SUCCESS;
    }
    return where->submit(std::make_shared<WaitTask>(what->mark(), wait_timeout.load()));
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    wait_timeout.store(timeout);
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    if (status == nullptr) {
        return null_pointer("aclrtQueryEventStatus", "status");
    }
    aclError code;
    const std::shared_ptr<Event> what = runtime().event("aclrtQueryEventStatus", event, code);
    if (what != nullptr) {
        const bool done = what->nothing_yet() || (what->recorded() && what->mark()->passed());
        *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    }
    return code;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    if (status == nullptr) {
        return null_pointer("aclrtQueryEvent", "status");
    }
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError code = aclrtQueryEventStatus(event, &recorded);
    *status = recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return code;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    if (status == nullptr) {
        return null_pointer("aclrtQueryEventWaitStatus", "status");
    }
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError code = aclrtQueryEventStatus(event, &recorded);
    *status = recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE ? ACL_EVENT_WAIT_STATUS_COMPLETE
                                                             : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronize("aclrtSynchronizeEvent", event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    if (timeout < -1) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtSynchronizeEventWithTimeout: a timeout of %d ms", timeout);
    }
    return synchronize("aclrtSynchronizeEventWithTimeout", event, timeout);
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    if (timestamp == nullptr) {
        return null_pointer("aclrtEventGetTimestamp", "timestamp");
    }
    aclError code;
    const std::shared_ptr<Event> what = runtime().event("aclrtEventGetTimestamp", event, code);
    if (what == nullptr) {
        return code;
    }
    if (!what->timed() || !what->recorded() || !what->mark()->passed()) {
        return fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                    "an event has no time: it %s", !what->timed() ? "was created without ACL_EVENT_TIME_LINE"
                                                  : !what->recorded() ? "has not been recorded"
                                                                      : "has not been reached by its stream yet");
    }
    *timestamp = what->mark()->timestamp();
    return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    if (ms == nullptr) {
        return null_pointer("aclrtEventElapsedTime", "ms");
    }
    uint64_t start = 0;
    uint64_t end = 0;
    aclError code = aclrtEventGetTimestamp(startEvent, &start);
    code = code == ACL_SUCCESS ? aclrtEventGetTimestamp(endEvent, &end) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (end < start) {
        return fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                    "aclrtEventElapsedTime: the end event came before the start");
    }
    *ms = static_cast<float>(static_cast<double>(end - start) / 50000.0);
    return ACL_SUCCESS;
}
