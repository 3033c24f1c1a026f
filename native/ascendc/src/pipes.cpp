// SPDX-License-Identifier: Apache-2.0
// Mutexes and flags between the pipes of one core. Instructions are complete when they return, so nothing waits here; what
// would wait for ever on the chip is found by counting.
#include "core.hpp"

namespace opkg::twin {
namespace {

constexpr uint8_t kMutexes = 28; // four more belong to the system

void check_mutex(uint8_t id)
{
    if (id >= sizeof Core::mutex_held / sizeof Core::mutex_held[0]) {
        opkg_twin_fail("mutex %u is out of range: they go from 0 to 31", id);
    }
}

const char *event_name(uint32_t hard_event)
{
    static const char *const names[] = {
        "MTE2_MTE1", "MTE1_MTE2", "MTE1_M",    "M_MTE1",    "MTE2_V",    "V_MTE2",    "MTE3_V",    "V_MTE3",  "M_V",
        "V_M",       "V_V",       "MTE3_MTE1", "MTE1_MTE3", "MTE1_V",    "MTE2_M",    "M_MTE2",    "V_MTE1",  "M_FIX",
        "FIX_M",     "MTE3_MTE2", "MTE2_MTE3", "S_V",       "V_S",       "S_MTE2",    "MTE2_S",    "S_MTE3",  "MTE3_S",
        "MTE2_FIX",  "FIX_MTE2",  "FIX_S",     "M_S",       "FIX_MTE3",  "MTE1_FIX",  "FIX_MTE1",  "FIX_FIX", "FIX_V",
        "V_FIX",     "S_FIX",     "S_M",       "S_MTE1",    "MTE1_S"};
    return hard_event < sizeof names / sizeof names[0] ? names[hard_event] : "MAX";
}

void check_flags(const Core &core)
{
    constexpr uint32_t kEvents = sizeof core.flags / sizeof core.flags[0];
    for (uint32_t event = 0; event < kEvents; ++event) {
        for (uint32_t id = 0; id < 8; ++id) {
            if (core.flags[event][id] < 0) {
                opkg_twin_fail("the kernel has waited for a flag that it does not set: a SetFlag<HardEvent::%s>(%u) is missing",
                               event_name(event), id);
            }
        }
    }
}

void check_mutexes(const Core &core)
{
    for (uint32_t id = 0; id < sizeof core.mutex_held / sizeof core.mutex_held[0]; ++id) {
        if (core.mutex_held[id] != 0) {
            opkg_twin_fail("the kernel ends while mutex %u is locked: a Mutex::Unlock is missing", id);
        }
    }
}

} // namespace

void check_pipes(const Core &core)
{
    if (core.flags_by_pipe == 0) {
        check_flags(core);
    }
    check_mutexes(core);
}

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_bad_event(uint32_t hard_event, int32_t id)
{
    opkg_twin_fail("event %d of %s is out of range: they go from 0 to 7", id, event_name(hard_event));
}

uint8_t opkg_twin_allocate_mutex()
{
    Core &core = *opkg_twin_core;
    for (uint8_t id = 0; id < kMutexes; ++id) {
        if ((core.mutex_ids >> id & 1) == 0) {
            core.mutex_ids |= 1u << id;
            return id;
        }
    }
    opkg_twin_fail("AllocMutexID: all %u mutexes are in use: a ReleaseMutexID is missing", kMutexes);
}

void opkg_twin_release_mutex(uint8_t id)
{
    check_mutex(id);
    if ((opkg_twin_core->mutex_ids >> id & 1) == 0) {
        opkg_twin_fail("ReleaseMutexID of mutex %u, which AllocMutexID has not given out", id);
    }
    opkg_twin_core->mutex_ids &= ~(1u << id);
}

void opkg_twin_lock_mutex(uint8_t id, uint32_t pipe, const char *name)
{
    check_mutex(id);
    uint32_t &held = opkg_twin_core->mutex_held[id];
    if ((held >> pipe & 1) != 0) {
        opkg_twin_fail("Mutex::Lock<%s>(%u): this pipe holds the mutex already; Lock and Unlock take turns", name, id);
    }
    held |= 1u << pipe;
}

void opkg_twin_unlock_mutex(uint8_t id, uint32_t pipe, const char *name)
{
    check_mutex(id);
    uint32_t &held = opkg_twin_core->mutex_held[id];
    if ((held >> pipe & 1) == 0) {
        opkg_twin_fail("Mutex::Unlock<%s>(%u): this pipe does not hold the mutex", name, id);
    }
    held &= ~(1u << pipe);
}
