// SPDX-License-Identifier: Apache-2.0
// An event: a mark that a stream passes. Every recording is a mark of its own, so an event can be recorded again while
// others still wait for the last time.
#ifndef OPKG_ACL_EVENT_HPP
#define OPKG_ACL_EVENT_HPP

#include <condition_variable>
#include <memory>
#include <mutex>

#include "runtime.hpp"

namespace opkg::acl {

class Mark {
public:
    void pass();
    // False where the deadline came first, or `stream` (which may be NULL) is being closed.
    bool wait(Stream::Deadline deadline, Stream *stream);
    bool passed();
    uint64_t timestamp();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool passed_ = false;
    uint64_t timestamp_ = 0;
};

struct Event {
    Event(uint32_t flag, bool reusable) : flag(flag), reusable(reusable) {}

    std::shared_ptr<Mark> mark();
    std::shared_ptr<Mark> record(std::shared_ptr<Graph> into);
    void reset();
    bool recorded();
    // There is nothing to wait for before the first recording of an event that may be recorded again and again.
    bool nothing_yet() { return reusable && !recorded(); }
    bool captured(); // the last recording is a capture's, so no stream reaches it
    std::shared_ptr<Graph> graph();
    bool timed() const { return flag == 0 || (flag & ACL_EVENT_TIME_LINE) != 0; }

    const uint32_t flag;
    const bool reusable;

private:
    std::mutex mutex_;
    bool recorded_ = false;
    bool captured_ = false;
    std::shared_ptr<Mark> mark_ = std::make_shared<Mark>();
    std::weak_ptr<Graph> graph_; // that holds the last recording
};

} // namespace opkg::acl

#endif // OPKG_ACL_EVENT_HPP
