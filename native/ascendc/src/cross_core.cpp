// SPDX-License-Identifier: Apache-2.0
// Order between cores: SyncAll and flags.
#include <stdio.h>

#include "scheduler.hpp"

namespace opkg::twin {
namespace {

// A waiter for a barrier is told from others by its `ready`, which is never true by itself.
bool at_barrier(void *) { return false; }

void open(Launch &launch, Barrier &barrier)
{
    barrier.arrived = 0;
    for (Waiter *waiter = launch.waiters; waiter != nullptr; waiter = waiter->next) {
        if (waiter->ready == at_barrier && waiter->argument == &barrier) {
            wake(launch, *waiter);
        }
    }
}

void arrive(Launch &launch, Lock &lock, Barrier &barrier, const char *what)
{
    if (++barrier.arrived >= barrier.expected) {
        open(launch, barrier);
        return;
    }
    Waiter waiter{opkg_twin_core, what, at_barrier, &barrier, false, nullptr, {}};
    wait_for(launch, lock, waiter);
}

Barrier &keyed_barrier(Launch &launch, const void *key)
{
    std::unique_ptr<Barrier> *link = &launch.keyed_barriers;
    while (*link != nullptr && (*link)->key != key) {
        link = &(*link)->next;
    }
    if (*link == nullptr) {
        link->reset(new Barrier);
        (*link)->key = key;
    }
    return **link;
}

CoreFlags &flags_of(Launch &launch, uint32_t number)
{
    if (launch.flags == nullptr) {
        launch.flags.reset(new CoreFlags[launch.total]());
    }
    return launch.flags[number];
}

void deliver_to(Launch &launch, uint32_t number, uint32_t &count, uint32_t flag)
{
    CoreFlags &flags = launch.flags[number];
    if (++count > CoreFlags::kMost) {
        opkg_twin_fail("flag %u has been set %u times for a core that has not waited for it; its counter ends at %u",
                       flag, count, CoreFlags::kMost);
    }
    if (flags.waiter != nullptr && flags.waited == &count) {
        wake(launch, *flags.waiter);
    }
}

void deliver(Launch &launch, uint32_t number, uint32_t flag)
{
    deliver_to(launch, number, launch.flags[number].count[flag], flag);
}

// Calls `action` with the number of each core of a kind in a block.
template <typename Action>
void each_in_block(const Launch &launch, uint32_t block, uint32_t kind, Action action)
{
    const uint32_t first = block * launch.of_block() + (kind == kCubeCore ? 0 : launch.cube_cores);
    const uint32_t count = kind == kCubeCore ? launch.cube_cores : launch.vector_cores;
    for (uint32_t i = 0; i < count; ++i) {
        action(first + i);
    }
}

// Mode 0: when all cores of a kind have set the flag, each of them gets it.
void set_for_kind(Launch &launch, const Core &core, uint32_t flag)
{
    KindFlag &all = launch.kind_flags[core.kind][flag];
    if (launch.flags[core.number].set[0][flag] != all.rounds + 1 || ++all.arrived < launch.of_kind(core.kind)) {
        return;
    }
    ++all.rounds;
    all.arrived = 0;
    for (uint32_t block = 0; block < launch.block_dim; ++block) {
        each_in_block(launch, block, core.kind, [&](uint32_t number) {
            all.arrived += launch.flags[number].set[0][flag] > all.rounds;
            deliver(launch, number, flag);
        });
    }
}

// Modes 1 and 2: when all cores of this kind in the block have set the flag, the cores of a kind in it get it.
void set_in_block(Launch &launch, const Core &core, uint32_t mode, uint32_t flag, uint32_t receivers)
{
    const uint32_t mine = launch.flags[core.number].set[mode][flag];
    bool last = true;
    each_in_block(launch, core.block, core.kind,
                  [&](uint32_t number) { last = last && launch.flags[number].set[mode][flag] >= mine; });
    if (last) {
        each_in_block(launch, core.block, receivers, [&](uint32_t number) { deliver(launch, number, flag); });
    }
}

// Mode 4: between the cube core and one vector core, whose flags are the cube core's upper ones for the second of them.
void set_paired(Launch &launch, const Core &core, uint32_t flag)
{
    const uint32_t first = core.block * launch.of_block();
    const uint32_t half = CoreFlags::kFlags;
    const uint32_t partner = core.kind == kCubeCore ? flag / half : core.sub_index;
    if (launch.cube_cores == 0 || partner >= launch.vector_cores) {
        return;
    }
    const uint32_t number = core.kind == kCubeCore ? first + 1 + partner : first;
    const uint32_t place = core.kind == kCubeCore ? flag % half : partner * half + flag % half;
    deliver_to(launch, number, launch.flags[number].paired[place], flag);
}

// Enters a waiter into the core's flags as long as it is on the stack.
class FlagWait {
public:
    FlagWait(CoreFlags &flags, Waiter &waiter, const uint32_t &count) : flags_(flags)
    {
        flags.waiter = &waiter;
        flags.waited = &count;
    }
    ~FlagWait() { flags_.waiter = nullptr; }
    FlagWait(const FlagWait &) = delete;
    FlagWait &operator=(const FlagWait &) = delete;

private:
    CoreFlags &flags_;
};

void wait_for_count(Launch &launch, Lock &lock, uint32_t &count, const char *what)
{
    if (count == 0) {
        Waiter waiter{opkg_twin_core, what, nullptr, nullptr, false, nullptr, {}};
        const FlagWait entered(launch.flags[opkg_twin_core->number], waiter, count);
        wait_for(launch, lock, waiter);
    }
    --count;
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_sync_all(uint32_t vector_only)
{
    const Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    const uint32_t own_kind = core.kind == kVectorCore ? kVectorCores : kCubeCores;
    opkg_twin_publish();
    Lock lock(launch.mutex);
    arrive(launch, lock, launch.barriers[vector_only ? own_kind : kAllCores], "SyncAll");
}

void opkg_twin_sync_some(const void *workspace, uint32_t cores)
{
    const Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    const uint32_t all = launch.of_kind(core.kind);
    if (cores > all) {
        opkg_twin_fail("SyncAll of %u cores, but the launch has %u", cores, all);
    }
    opkg_twin_publish();
    Lock lock(launch.mutex);
    Barrier &barrier = keyed_barrier(launch, workspace);
    barrier.expected = cores == 0 ? all : cores;
    arrive(launch, lock, barrier, "SyncAll");
}

void opkg_twin_cross_core_set(uint32_t mode, uint32_t flag)
{
    const Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    opkg_twin_publish();
    Lock lock(launch.mutex);
    CoreFlags &mine = flags_of(launch, core.number);
    launch.events.fetch_add(1, std::memory_order_relaxed);
    if (mode == 4) {
        set_paired(launch, core, flag % (2 * CoreFlags::kFlags));
        return;
    }
    flag %= CoreFlags::kFlags; // the chip looks at the lowest bits only
    mode = mode < 3 ? mode : 2;
    ++mine.set[mode][flag];
    if (mode == 0) {
        set_for_kind(launch, core, flag);
    } else {
        const uint32_t other = core.kind == kCubeCore ? kVectorCore : kCubeCore;
        set_in_block(launch, core, mode, flag, mode == 1 ? core.kind : other);
    }
}

void opkg_twin_cross_core_wait(uint32_t flag) { opkg_twin_cross_core_wait_mode(0, flag); }

void opkg_twin_cross_core_wait_mode(uint32_t mode, uint32_t flag)
{
    const Core &core = *opkg_twin_core;
    Launch &launch = *core.launch;
    char what[48];
    snprintf(what, sizeof what, "CrossCoreWaitFlag(%u)", flag);
    Lock lock(launch.mutex);
    CoreFlags &mine = flags_of(launch, core.number);
    uint32_t &count =
        mode == 4 ? mine.paired[flag % (2 * CoreFlags::kFlags)] : mine.count[flag % CoreFlags::kFlags];
    wait_for_count(launch, lock, count, what);
}
