// SPDX-License-Identifier: Apache-2.0
// A stream: tasks in order, on a thread that is started by the first of them.
#ifndef OPKG_ACL_STREAM_HPP
#define OPKG_ACL_STREAM_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace opkg::acl {

class Stream;

// One piece of work. It may run several times, when its stream was captured.
class Task {
public:
    virtual ~Task() = default;
    // Returns 0, or a code with a sentence in `message`.
    virtual aclError run(Stream &stream, std::string &message) = 0;
    virtual const char *kind() const = 0;
    virtual const char *name() const { return ""; }
    // Whether the thread that waits for the stream may run it in place of the stream's own.
    virtual bool anywhere() const { return false; }
    // Called where the stream drops the task instead of running it.
    virtual void drop() {}
};
using TaskPtr = std::shared_ptr<Task>;

// Tasks of captured streams, in the order in which they were given.
struct Graph {
    struct Node {
        int32_t stream;
        TaskPtr task;
    };
    std::mutex mutex;
    std::vector<Node> nodes;
    std::weak_ptr<Stream> origin;
    std::vector<std::weak_ptr<Stream>> streams; // that take part
    bool complete = false;
};

struct Context;

class Stream : public std::enable_shared_from_this<Stream> {
public:
    using Clock = std::chrono::steady_clock;
    using Deadline = Clock::time_point;
    static constexpr Deadline kNever = Deadline::max();
    // So many milliseconds from now; never for less than none.
    static Deadline within(int32_t milliseconds)
    {
        return milliseconds < 0 ? kNever : Clock::now() + std::chrono::milliseconds(milliseconds);
    }

    Stream(int32_t id, const std::shared_ptr<Context> &owner, int32_t device)
        : id(id), device(device), context(owner)
    {
    }

    // Queues a task, or keeps it in the graph while the stream is captured.
    aclError submit(TaskPtr task);

    // Waits until everything queued so far has run. Returns the first failure since the last wait, once.
    aclError synchronize(Deadline deadline, aclError timeout_code);

    // Waits like synchronize, but leaves a failure to whoever synchronises. Does nothing on the stream's own thread, or
    // while it is captured.
    void finish();

    // The same, but stops at a task that may itself wait for what the caller does next. Returns the number of the last task
    // queued so far.
    uint64_t drain();

    // Whether every task up to this one has run.
    bool has_finished(uint64_t number);

    // Whether everything queued has run.
    bool idle();

    // Runs what is queued, or with `force` drops it, and ends the thread.
    void close(bool force);

    // Drops what is queued and waits for the task that runs, until the deadline.
    void abort(Deadline deadline = kNever);

    void begin_capture(std::shared_ptr<Graph> graph);
    void end_capture();
    std::shared_ptr<Graph> capture();

    // Whether a task that waits should give up, because its stream drops everything.
    bool gives_up() const { return giving_up_.load(); }

    const int32_t id;
    const int32_t device;
    const std::weak_ptr<Context> context;
    std::atomic<uint64_t> failure_mode{ACL_CONTINUE_ON_FAILURE};

private:
    using Lock = std::unique_lock<std::mutex>;
    struct Queued {
        TaskPtr task;
        uint64_t number;
    };

    aclError start(Lock &lock);
    void serve();
    void run_front(Lock &lock);
    aclError run_task(Task &task, uint64_t number, std::string &message);
    bool may_help() const;
    bool may_be_stuck() const;
    void wait_for_tasks(Lock &lock, uint64_t upto, Deadline deadline);
    void drop_queue(Lock &lock);
    bool on_own_thread() const { return std::this_thread::get_id() == thread_; }

    std::mutex mutex_;
    std::condition_variable wake_;    // the stream's thread: something to do
    std::condition_variable changed_; // who waits for the stream
    std::deque<Queued> queue_;
    std::thread::id thread_; // none: not started
    bool running_ = false;   // a task has left the queue and not yet returned
    bool anywhere_ = false;  // and any thread might run it
    bool closing_ = false;
    std::atomic<bool> giving_up_{false};
    uint64_t submitted_ = 0;
    uint64_t finished_ = 0;
    uint64_t aborts_ = 0;
    aclError error_ = ACL_SUCCESS;
    std::string error_message_;
    std::shared_ptr<Graph> graph_;
};

} // namespace opkg::acl

#endif // OPKG_ACL_STREAM_HPP
