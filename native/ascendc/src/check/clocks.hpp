// SPDX-License-Identifier: Apache-2.0
// Time inside a core: every pipe is a thread with a clock of its own, and knows how far the others are complete.
#ifndef OPKG_TWIN_CHECK_CLOCKS_HPP
#define OPKG_TWIN_CHECK_CLOCKS_HPP

#include <stdint.h>

#include <array>
#include <map>
#include <memory>

namespace opkg::twin::check {

enum Pipe : uint32_t { kScalar, kVector, kMatrix, kMte1, kMte2, kMte3, kFix, kPipes };

// From the numbers of pipe_t; kPipes stands for PIPE_ALL and whatever else has no pipe here.
Pipe pipe_of(uint32_t pipe);
const char *pipe_name(uint32_t pipe); // as in PIPE_MTE2 and MTE2_V
// The pipes of an AscendC::HardEvent.
struct EventPipes {
    Pipe source;
    Pipe destination;
};
EventPipes event_pipes(uint32_t event);

using Times = std::array<uint32_t, kPipes>;
// Of other cores, by their number.
using Others = std::map<uint32_t, Times>;

// How far the pipes of a core, and of other cores, are known to be complete.
struct Clock {
    Times own{};
    std::shared_ptr<const Others> others;

    void join(const Clock &other);
};

class Pipes {
public:
    // An instruction is handed to its pipe by the scalar unit: whatever that has waited for is complete.
    void issue(Pipe pipe);
    // What a flag says that is set behind the pipe's last instruction.
    Clock release(Pipe pipe);
    void acquire(Pipe pipe, const Clock &clock);
    void barrier(Pipe pipe);
    void barrier_all();
    // What other cores may know of this one: what a pipe (kPipes: every pipe) has done.
    Clock publish(Pipe pipe, uint32_t core);
    void acquire_all(const Clock &clock);
    // As the compiler does for accesses of the scalar unit: `pipe` waits for what `other` did until `time`.
    void wait_for(Pipe pipe, Pipe other, uint32_t time);

    uint32_t now(Pipe pipe) const { return now_[pipe]; }
    bool knows(Pipe pipe, Pipe other, uint32_t time) const { return known_[pipe].own[other] >= time; }
    bool knows(Pipe pipe, uint32_t core, Pipe other, uint32_t time) const;

    Pipes() { now_.fill(1); }

private:
    Times now_;
    std::array<Clock, kPipes> known_;
};

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_CLOCKS_HPP
