// SPDX-License-Identifier: Apache-2.0
// Cores that wait for words in global memory. The words change under the launch's mutex only, so that every waiting core
// can be asked whether it may go on, and a wait that nobody will end is seen at once.
#include <sched.h>

#include "scheduler.hpp"

namespace opkg::twin {
namespace {

struct WordCondition {
    const int32_t *words;
    uint32_t count;
    int32_t expected;
};

bool equals(void *condition)
{
    const WordCondition &c = *static_cast<const WordCondition *>(condition);
    return *c.words == c.expected;
}

bool all_reached(void *condition)
{
    const WordCondition &c = *static_cast<const WordCondition *>(condition);
    for (uint32_t i = 0; i < c.count; ++i) {
        if (c.words[i] < c.expected) {
            return false;
        }
    }
    return true;
}

// On the chip all blocks run at once or not at all, so a wait among more blocks than there are cores never ends.
void require_cores(const Launch &launch, const char *what)
{
    const uint32_t there_are = launch.soc->aiv_cores();
    const uint32_t of_block = launch.soc->split ? launch.vector_cores : 1;
    if (launch.block_dim * of_block > there_are) {
        opkg_twin_fail("%s in a launch of %u vector cores: the chip has %u, and would hang", what,
                       launch.block_dim * of_block, there_are);
    }
}

// Another core may take what a core was woken for, so it looks again.
void await(Launch &launch, Lock &lock, bool (*ready)(void *), void *condition, const char *what)
{
    while (!ready(condition)) {
        Waiter waiter{opkg_twin_core, what, ready, condition, false, nullptr, {}};
        wait_for(launch, lock, waiter);
    }
}

uint32_t vector_cores(const Launch &launch)
{
    return launch.block_dim * (launch.vector_cores > 0 ? launch.vector_cores : 1);
}

Turns *find_turns(Launch &launch, const void *workspace)
{
    Turns *turns = launch.turns.get();
    while (turns != nullptr && turns->workspace != workspace) {
        turns = turns->next.get();
    }
    return turns;
}

Turns &turns_of(Launch &launch, const void *workspace, const char *function)
{
    Turns *turns = find_turns(launch, workspace);
    if (turns == nullptr) {
        opkg_twin_fail("%s before InitDetermineComputeWorkspace", function);
    }
    return *turns;
}

struct TurnCondition {
    const uint64_t *done;
    uint32_t core;
    uint32_t cores;
};

// The first core waits until the last one has had its turn as often as itself, another one for the core before it.
bool is_turn(void *condition)
{
    const TurnCondition &c = *static_cast<const TurnCondition *>(condition);
    return c.core == 0 ? c.done[c.cores - 1] >= c.done[0] : c.done[c.core - 1] > c.done[c.core];
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_publish()
{
    opkg_twin_settle();
    stream_fence();
}

void opkg_twin_exchange_when(int32_t *word, int32_t expected, int32_t desired, const char *what)
{
    Launch &launch = *opkg_twin_core->launch;
    require_cores(launch, what);
    opkg_twin_publish();
    Lock lock(launch.mutex);
    WordCondition condition{word, 1, expected};
    await(launch, lock, equals, &condition, what);
    *word = desired;
    wake_ready(launch);
}

void opkg_twin_count_up(int32_t *word)
{
    Launch &launch = *opkg_twin_core->launch;
    opkg_twin_publish();
    std::lock_guard<std::mutex> lock(launch.mutex);
    ++*word;
    wake_ready(launch);
}

void opkg_twin_await_counts(const int32_t *words, uint32_t count, int32_t at_least, const char *what)
{
    Launch &launch = *opkg_twin_core->launch;
    require_cores(launch, what);
    opkg_twin_publish();
    Lock lock(launch.mutex);
    WordCondition condition{words, count, at_least};
    await(launch, lock, all_reached, &condition, what);
}

void opkg_twin_turns(const void *workspace)
{
    Launch &launch = *opkg_twin_core->launch;
    require_cores(launch, "InitDetermineComputeWorkspace");
    std::lock_guard<std::mutex> lock(launch.mutex);
    if (find_turns(launch, workspace) == nullptr) {
        std::unique_ptr<Turns> turns(new Turns{workspace, nullptr, nullptr});
        turns->done.reset(new uint64_t[vector_cores(launch)]());
        turns->next = std::move(launch.turns);
        launch.turns = std::move(turns);
    }
}

void opkg_twin_await_turn(const void *workspace)
{
    Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    opkg_twin_publish();
    Lock lock(launch.mutex);
    TurnCondition condition{turns_of(launch, workspace, "WaitPreBlock").done.get(), core.index,
                                  vector_cores(launch)};
    await(launch, lock, is_turn, &condition, "WaitPreBlock");
}

void opkg_twin_end_turn(const void *workspace)
{
    Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    opkg_twin_publish();
    std::lock_guard<std::mutex> lock(launch.mutex);
    ++turns_of(launch, workspace, "NotifyNextBlock").done[core.index];
    wake_ready(launch);
}

void opkg_twin_poll()
{
    constexpr uint32_t kPatience = 64;
    Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    opkg_twin_publish();
    if (++core.polls % kPatience != 0) {
        return;
    }
    if (launch.failed.load(std::memory_order_relaxed)) {
        throw Cancelled();
    }
    if (core.helped == 0 && launch.next.load() < launch.total) {
        core.helped = 1;
        Lock lock(launch.mutex);
        start_helper(launch, lock);
    }
    sched_yield();
}
