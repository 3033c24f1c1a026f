// SPDX-License-Identifier: Apache-2.0
// The thread that waits for a stream runs tasks that are still queued itself, so a launch and its wait need no
// hand-over between threads.
#include "stream.hpp"

#include <stdio.h>

#include <algorithm>
#include <system_error>

#include "exception.hpp"
#include "runtime.hpp"

namespace opkg::acl {
namespace {

// Whether what belongs to this thread alone, such as a core's buffers, is gone: after main, destructors may still wait.
bool thread_is_ending()
{
    thread_local bool ending = false;
    struct Last {
        ~Last() { ending = true; }
    };
    thread_local Last last;
    (void)last;
    return ending;
}

} // namespace

aclError Stream::start(Lock &)
{
    if (thread_ != std::thread::id()) {
        return ACL_SUCCESS;
    }
    leave_at_exit();
    try {
        std::thread thread([self = shared_from_this()] { self->serve(); });
        thread_ = thread.get_id();
        thread.detach();
    } catch (const std::system_error &error) {
        return fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the system has no thread for a stream: %s", error.what());
    }
    return ACL_SUCCESS;
}

aclError Stream::submit(TaskPtr task)
{
    Lock lock(mutex_);
    if (graph_ != nullptr) {
        std::lock_guard<std::mutex> graph_lock(graph_->mutex);
        if (!graph_->complete) {
            graph_->nodes.push_back({id, std::move(task)});
            return ACL_SUCCESS;
        }
    }
    const aclError code = closing_ ? fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream %d has been destroyed", id) : start(lock);
    if (code != ACL_SUCCESS) {
        lock.unlock();
        task->drop(); // an event that was to be recorded here keeps nobody waiting
        return code;
    }
    queue_.push_back({std::move(task), ++submitted_});
    lock.unlock();
    wake_.notify_one();
    return ACL_SUCCESS;
}

void Stream::serve()
{
    if (const std::shared_ptr<Context> owner = context.lock()) {
        adopt_context(*owner);
    }
    Lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return !running_ && (closing_ || !queue_.empty()); });
        if (queue_.empty()) {
            return;
        }
        run_front(lock);
    }
}

aclError Stream::run_task(Task &task, uint64_t number, std::string &message)
{
    const aclError code = task.run(*this, message);
    if (code != ACL_SUCCESS) {
        fflush(stdout);
        fprintf(stderr, "opkg: %s [%d]\n", message.c_str(), code);
        report_exception(*this, number, code);
    }
    return code;
}

// The lock is open while the task runs.
void Stream::run_front(Lock &lock)
{
    Queued front = std::move(queue_.front());
    queue_.pop_front();
    running_ = true;
    anywhere_ = front.task->anywhere();
    const bool dropped = error_ != ACL_SUCCESS && failure_mode.load() == ACL_STOP_ON_FAILURE;
    lock.unlock();
    std::string message;
    aclError code = ACL_SUCCESS;
    if (dropped) {
        front.task->drop();
    } else {
        code = run_task(*front.task, front.number, message);
    }
    front.task.reset();
    lock.lock();
    if (code != ACL_SUCCESS && error_ == ACL_SUCCESS) {
        error_ = code;
        error_message_ = std::move(message);
    }
    running_ = false;
    finished_ = std::max(finished_, front.number);
    changed_.notify_all();
    if (closing_ || !queue_.empty()) {
        wake_.notify_one();
    }
}

bool Stream::may_help() const
{
    return !running_ && !queue_.empty() && queue_.front().task->anywhere() && !thread_is_ending();
}

// Waits for events and callbacks of the program may end only after what this thread does next.
bool Stream::may_be_stuck() const
{
    return on_own_thread() || (running_ ? !anywhere_ : !queue_.empty() && !queue_.front().task->anywhere());
}

void Stream::wait_for_tasks(Lock &lock, uint64_t upto, Deadline deadline)
{
    while (finished_ < upto) {
        if (deadline == kNever && may_help()) {
            run_front(lock);
        } else if (deadline == kNever) {
            changed_.wait(lock);
        } else if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
            return;
        }
    }
}

aclError Stream::synchronize(Deadline deadline, aclError timeout_code)
{
    Lock lock(mutex_);
    if (graph_ != nullptr) {
        return fail(ACL_ERROR_RT_STREAM_CAPTURED,
                    "stream %d is being captured: nothing runs, so there is nothing to wait "
                    "for", id);
    }
    if (on_own_thread()) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "stream %d cannot be waited for by a callback that it runs itself", id);
    }
    const uint64_t upto = submitted_;
    const uint64_t aborts = aborts_;
    wait_for_tasks(lock, upto, deadline);
    if (aborts_ != aborts) {
        return fail(ACL_ERROR_RT_STREAM_ABORT, "stream %d was aborted by another thread meanwhile", id);
    }
    if (finished_ < upto) {
        return fail(timeout_code, "stream %d still has %llu tasks to finish", id,
                    static_cast<unsigned long long>(upto - finished_));
    }
    if (error_ == ACL_SUCCESS) {
        return ACL_SUCCESS;
    }
    const aclError code = error_;
    error_ = ACL_SUCCESS;
    return fail_with(code, error_message_);
}

void Stream::finish()
{
    Lock lock(mutex_);
    if (graph_ == nullptr && !on_own_thread()) {
        wait_for_tasks(lock, submitted_, kNever);
    }
}

uint64_t Stream::drain()
{
    Lock lock(mutex_);
    const uint64_t upto = submitted_;
    while (finished_ < upto && !may_be_stuck()) {
        if (may_help()) {
            run_front(lock);
        } else {
            changed_.wait(lock);
        }
    }
    return upto;
}

bool Stream::has_finished(uint64_t number)
{
    Lock lock(mutex_);
    return finished_ >= number;
}

bool Stream::idle()
{
    Lock lock(mutex_);
    return finished_ == submitted_;
}

void Stream::drop_queue(Lock &lock)
{
    std::deque<Queued> dropped;
    dropped.swap(queue_);
    lock.unlock();
    for (Queued &queued : dropped) {
        queued.task->drop();
    }
    lock.lock();
}

void Stream::abort(Deadline deadline)
{
    Lock lock(mutex_);
    giving_up_.store(true);
    ++aborts_;
    const uint64_t upto = submitted_; // others may submit while the lock is open
    drop_queue(lock);
    const auto stopped = [this] { return !running_; };
    if (deadline == kNever && !on_own_thread()) {
        changed_.wait(lock, stopped);
    } else if (!on_own_thread()) {
        changed_.wait_until(lock, deadline, stopped);
    }
    finished_ = std::max(finished_, upto);
    giving_up_.store(false);
    changed_.notify_all();
}

void Stream::close(bool force)
{
    if (force) {
        abort();
    }
    Lock lock(mutex_);
    if (!on_own_thread()) {
        wait_for_tasks(lock, submitted_, kNever);
    }
    closing_ = true;
    wake_.notify_one();
}

void Stream::begin_capture(std::shared_ptr<Graph> graph)
{
    Lock lock(mutex_);
    graph_ = std::move(graph);
}

void Stream::end_capture()
{
    Lock lock(mutex_);
    graph_.reset();
}

std::shared_ptr<Graph> Stream::capture()
{
    Lock lock(mutex_);
    return graph_;
}

} // namespace opkg::acl
