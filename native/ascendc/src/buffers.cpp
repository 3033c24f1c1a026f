// SPDX-License-Identifier: Apache-2.0
// On-chip buffers: one arena a thread and kind, handed out from its start, and the slots of queues.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <new>

#include "check/findings.hpp"
#include "check/hooks.hpp"
#include "scheduler.hpp"

namespace opkg::twin {
namespace {

// Room behind a buffer's end, so that an instruction that works in whole blocks stays inside the allocation.
constexpr size_t kSlack = 4096;

struct Arena {
    uint8_t *memory[kBufferKinds] = {};
    uint32_t bytes[kBufferKinds] = {};

    ~Arena()
    {
        for (uint8_t *block : memory) {
            free(block);
        }
    }
};

thread_local Arena arena;

} // namespace

uint8_t *thread_buffer(uint32_t kind, uint32_t bytes)
{
    if (arena.bytes[kind] < bytes) {
        free(arena.memory[kind]);
        arena.memory[kind] = static_cast<uint8_t *>(aligned_alloc(4096, (bytes + kSlack + 4095) / 4096 * 4096));
        if (arena.memory[kind] == nullptr) {
            arena.bytes[kind] = 0;
            throw std::bad_alloc();
        }
        arena.bytes[kind] = bytes;
    }
    return arena.memory[kind];
}

const char *buffer_name(uint32_t kind)
{
    static const char *const names[kBufferKinds] = {"Unified Buffer", "L1 Buffer",  "L0A Buffer",    "L0B Buffer",
                                                    "L0C Buffer",     "BiasTable Buffer", "Fixpipe Buffer"};
    return names[kind];
}

} // namespace opkg::twin

using namespace opkg::twin;

namespace {

[[noreturn]] void give_up(const void *frame, check::Kind kind, const char *format, va_list arguments)
{
    Failure failure;
    failure.code = kCoreException;
    vsnprintf(failure.message, sizeof failure.message, format, arguments);
    check::record_failure(frame, kind, failure.message);
    throw failure;
}

[[noreturn]] __attribute__((format(printf, 2, 3))) void fail_as(check::Kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    give_up(__builtin_frame_address(0), kind, format, arguments);
}

} // namespace

void opkg_twin_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    give_up(__builtin_frame_address(0), check::kStopped, format, arguments);
}

uint8_t *opkg_twin_buffer(uint32_t kind)
{
    Core *core = opkg_twin_core;
    if (core->base[kind] == nullptr) {
        if (core->capacity[kind] == 0) {
            opkg_twin_fail("this chip has no %s", buffer_name(kind));
        }
        core->base[kind] = thread_buffer(kind, core->capacity[kind]);
    }
    return core->base[kind];
}

uint8_t *opkg_twin_place(uint32_t kind, uint64_t offset, uint64_t bytes)
{
    uint8_t *base = opkg_twin_buffer(kind);
    const uint32_t capacity = opkg_twin_core->capacity[kind];
    if (offset > capacity || bytes > capacity - offset) {
        opkg_twin_fail("a LocalTensor of %llu bytes at %llu does not lie in the %s, which has %u bytes",
                       static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset), buffer_name(kind),
                       capacity);
    }
    return base + offset;
}

uint8_t *opkg_twin_take(uint32_t kind, uint64_t bytes, const char *what)
{
    Core *core = opkg_twin_core;
    uint8_t *base = opkg_twin_buffer(kind);
    const uint64_t left = core->capacity[kind] - core->used[kind];
    if (bytes > left) {
        fail_as(check::kBufferCapacity, "InitBuffer asks for %llu bytes at %s, but only %llu of the %u bytes of the %s are left",
                       static_cast<unsigned long long>(bytes), what, static_cast<unsigned long long>(left),
                       core->capacity[kind], buffer_name(kind));
    }
    uint8_t *start = base + core->used[kind];
    core->used[kind] += static_cast<uint32_t>((bytes + 31) / 32 * 32);
    return start;
}

Slot *opkg_twin_allocate_slot(Slot *slots, uint32_t count, const char *position)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (slots[i].state == 0) {
            slots[i].state = 1;
            return &slots[i];
        }
    }
    if (count == 0) {
        fail_as(check::kQueueMisuse, "AllocTensor on a queue of %s that InitBuffer was not called for", position);
    }
    fail_as(check::kQueueMisuse, "AllocTensor on a queue of %s whose %u buffers are all in use: a FreeTensor is missing", position,
                   count);
}

void opkg_twin_free_slot(Slot *slots, uint32_t count, Slot *slot, const char *position)
{
    if (slot == nullptr) {
        fail_as(check::kQueueMisuse, "FreeTensor of a tensor that does not come from the AllocTensor of a queue (queue of %s)",
                       position);
    }
    if (slot->state == 0) {
        fail_as(check::kQueueMisuse, "FreeTensor of a tensor that is free already (queue of %s)", position);
    }
    // A tensor may be freed through the queue that received it, not only through the one that allocated it.
    (void)slots;
    (void)count;
    slot->state = 0;
}

void opkg_twin_empty_queue(const char *position)
{
    fail_as(check::kQueueMisuse, "DeQue on an empty queue of %s: an EnQue is missing", position);
}

namespace {

int8_t free_event(uint32_t hard_event, const char *function)
{
    const uint8_t ids = opkg_twin_core->events[hard_event];
    for (int8_t id = 0; id < 8; ++id) {
        if ((ids >> id & 1) == 0) {
            return id;
        }
    }
    opkg_twin_fail("%s: all 8 ids of this pair of pipes are in use: a ReleaseEventID is missing", function);
}

} // namespace

int8_t opkg_twin_allocate_event(uint32_t hard_event)
{
    const int8_t id = free_event(hard_event, "AllocEventID");
    opkg_twin_core->events[hard_event] = static_cast<uint8_t>(opkg_twin_core->events[hard_event] | 1u << id);
    return id;
}

int8_t opkg_twin_fetch_event(uint32_t hard_event) { return free_event(hard_event, "FetchEventID"); }

void opkg_twin_release_event(uint32_t hard_event, int8_t id)
{
    if (id < 0 || id > 7 || (opkg_twin_core->events[hard_event] >> id & 1) == 0) {
        opkg_twin_fail("ReleaseEventID of %d, which AllocEventID has not given out for this pair of pipes", id);
    }
    opkg_twin_core->events[hard_event] = static_cast<uint8_t>(opkg_twin_core->events[hard_event] & ~(1u << id));
}
