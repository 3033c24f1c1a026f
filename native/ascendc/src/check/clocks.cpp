// SPDX-License-Identifier: Apache-2.0
#include "clocks.hpp"

namespace opkg::twin::check {
namespace {

void raise(uint32_t &time, uint32_t to) { time = time < to ? to : time; }

// The pipes of each HardEvent, in its order.
constexpr EventPipes kEvents[] = {
    {kMte2, kMte1},   {kMte1, kMte2},   {kMte1, kMatrix}, {kMatrix, kMte1},  {kMte2, kVector},  {kVector, kMte2},
    {kMte3, kVector}, {kVector, kMte3}, {kMatrix, kVector}, {kVector, kMatrix}, {kVector, kVector}, {kMte3, kMte1},
    {kMte1, kMte3},   {kMte1, kVector}, {kMte2, kMatrix}, {kMatrix, kMte2},  {kVector, kMte1},  {kMatrix, kFix},
    {kFix, kMatrix},  {kMte3, kMte2},   {kMte2, kMte3},   {kScalar, kVector}, {kVector, kScalar}, {kScalar, kMte2},
    {kMte2, kScalar}, {kScalar, kMte3}, {kMte3, kScalar}, {kMte2, kFix},     {kFix, kMte2},     {kFix, kScalar},
    {kMatrix, kScalar}, {kFix, kMte3},  {kMte1, kFix},    {kFix, kMte1},     {kFix, kFix},      {kFix, kVector},
    {kVector, kFix},  {kScalar, kFix},  {kScalar, kMatrix}, {kScalar, kMte1}, {kMte1, kScalar}};

} // namespace

Pipe pipe_of(uint32_t pipe)
{
    constexpr Pipe pipes[] = {kScalar, kVector, kMatrix, kMte1, kMte2, kMte3, kPipes, kPipes, kPipes, kVector, kFix};
    return pipe < sizeof pipes / sizeof *pipes ? pipes[pipe] : kPipes;
}

const char *pipe_name(uint32_t pipe)
{
    constexpr const char *names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
    return names[pipe < kPipes ? pipe : kPipes];
}

EventPipes event_pipes(uint32_t event)
{
    return event < sizeof kEvents / sizeof *kEvents ? kEvents[event] : EventPipes{kPipes, kPipes};
}

void Clock::join(const Clock &other)
{
    for (uint32_t i = 0; i < kPipes; ++i) {
        raise(own[i], other.own[i]);
    }
    if (others == other.others || other.others == nullptr) {
        return;
    }
    if (others == nullptr) {
        others = other.others;
        return;
    }
    auto joined = std::make_shared<Others>(*others);
    for (const auto &[core, times] : *other.others) {
        Times &mine = (*joined)[core];
        for (uint32_t i = 0; i < kPipes; ++i) {
            raise(mine[i], times[i]);
        }
    }
    others = std::move(joined);
}

void Pipes::issue(Pipe pipe)
{
    if (pipe == kScalar) {
        return;
    }
    // The scalar unit's own accesses are not among what it has waited for.
    const uint32_t scalar = known_[pipe].own[kScalar];
    known_[pipe].join(known_[kScalar]);
    known_[pipe].own[kScalar] = scalar;
}

Clock Pipes::release(Pipe pipe)
{
    if (pipe >= kPipes) {
        barrier_all();
        return known_[kScalar];
    }
    issue(pipe);
    Clock clock = known_[pipe];
    clock.own[pipe] = now_[pipe]++;
    return clock;
}

void Pipes::acquire(Pipe pipe, const Clock &clock)
{
    if (pipe >= kPipes) {
        acquire_all(clock);
        return;
    }
    issue(pipe);
    known_[pipe].join(clock);
}

void Pipes::barrier(Pipe pipe)
{
    if (pipe >= kPipes) {
        barrier_all();
        return;
    }
    issue(pipe);
    known_[pipe].own[pipe] = now_[pipe]++;
}

void Pipes::barrier_all()
{
    Clock all;
    for (uint32_t i = 0; i < kPipes; ++i) {
        all.join(known_[i]);
    }
    for (uint32_t i = 0; i < kPipes; ++i) {
        all.own[i] = now_[i]++;
    }
    known_.fill(all);
}

Clock Pipes::publish(Pipe pipe, uint32_t core)
{
    const Clock clock = release(pipe);
    auto others = clock.others ? std::make_shared<Others>(*clock.others) : std::make_shared<Others>();
    Times &mine = (*others)[core];
    for (uint32_t i = 0; i < kPipes; ++i) {
        raise(mine[i], clock.own[i]);
    }
    return {Times{}, std::move(others)};
}

void Pipes::acquire_all(const Clock &clock)
{
    for (Clock &known : known_) {
        known.join(clock);
    }
}

void Pipes::wait_for(Pipe pipe, Pipe other, uint32_t time)
{
    Clock clock = known_[other];
    clock.own[other] = time;
    known_[pipe].join(clock);
    if (time == now_[other]) {
        ++now_[other];
    }
}

bool Pipes::knows(Pipe pipe, uint32_t core, Pipe other, uint32_t time) const
{
    const auto &others = known_[pipe].others;
    if (others == nullptr) {
        return false;
    }
    const auto found = others->find(core);
    return found != others->end() && found->second[other] >= time;
}

} // namespace opkg::twin::check
