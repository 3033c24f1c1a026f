// SPDX-License-Identifier: Apache-2.0
// A tile that is copied into the Unified Buffer goes through the caches twice before it is used once. So a copy of a whole
// row is only noted, and the instruction that wants it reads global memory. Nothing can tell the difference: a copy is made
// before its source or its destination changes and before a single element of it is wanted, and a kernel that keeps
// addresses has no deferred copies. Likewise the last instruction on such rows waits for the copy of its result, and from
// then on the buffer is taken to be a copy of the global memory that the result went to.
#include "deferred.hpp"

namespace opkg::twin {
namespace {

// Shorter rows stay in the first cache anyway.
constexpr size_t kWorthwhile = 1024;
constexpr size_t kFetched = 8192;

bool overlaps(const uint8_t *begin, const uint8_t *end, const uint8_t *other, size_t bytes)
{
    return begin < other + bytes && other < end;
}

void forget(Core &core, uint32_t i) { core.deferred[i] = core.deferred[--core.deferred_count]; }

void make(Core &core, uint32_t i)
{
    const Deferred copy = core.deferred[i];
    forget(core, i);
    row_copy(copy.local, copy.global, copy.bytes);
}

// Instructions read elements there.
bool is_aligned(const uint8_t *global) { return reinterpret_cast<uintptr_t>(global) % 8 == 0; }

// Before [begin, end) of a buffer is written as a whole: copies into it are dropped, those that reach beyond are made.
void overwrite(Core &core, const uint8_t *begin, const uint8_t *end)
{
    for (uint32_t i = core.deferred_count; i-- > 0;) {
        const Deferred &copy = core.deferred[i];
        if (begin <= copy.local && copy.local + copy.bytes <= end) {
            forget(core, i);
        } else if (overlaps(begin, end, copy.local, copy.bytes)) {
            make(core, i);
        }
    }
}

void make_partly_overwritten(Core &core, const uint8_t *begin, const uint8_t *end, bool reads)
{
    for (uint32_t i = core.deferred_count; i-- > 0;) {
        const Deferred &copy = core.deferred[i];
        const bool whole = begin <= copy.local && copy.local + copy.bytes <= end;
        if (overlaps(begin, end, copy.local, copy.bytes) && (reads || !whole)) {
            make(core, i);
        }
    }
}

// A kernel that works row by row on a tile in global memory wants the next row when it has computed this one. That it
// reads a row again says that it computes for a while.
void fetch_next(Core &core, uint32_t which, const uint8_t *next, size_t bytes)
{
    if (core.fetched[which] != next) {
        core.fetched[which] = next;
        return;
    }
    const size_t part = bytes < kFetched ? bytes : kFetched;
    for (size_t i = 0; i < part; i += 64) {
        __builtin_prefetch(next + i, 0, 2);
    }
}

// Whether the bytes of a source are in global memory; points it there.
bool locate(Core &core, uint32_t which, const void **source, size_t bytes)
{
    const uint8_t *begin = static_cast<const uint8_t *>(*source);
    if (bytes == 0) { // else a buffer that ends here would seem to hold it
        return false;
    }
    for (uint32_t i = core.deferred_count; i-- > 0;) {
        const Deferred &copy = core.deferred[i];
        if (copy.local <= begin && begin + bytes <= copy.local + copy.bytes) {
            *source = copy.global + (begin - copy.local);
            core.ahead[which] = copy.global + copy.bytes;
            fetch_next(core, which, static_cast<const uint8_t *>(*source) + bytes, bytes);
            return true;
        }
        if (overlaps(begin, begin + bytes, copy.local, copy.bytes)) {
            make(core, i);
        }
    }
    return false;
}

void execute_postponed(Core &core)
{
    if (core.postponed.sources != 0) {
        const Postponed late = core.postponed;
        core.postponed = {};
        execute(late, late.dst, 0, late.bytes);
    }
}

// Before bytes of a buffer are read.
void settle_around(const uint8_t *begin, const uint8_t *end)
{
    execute_postponed(*opkg_twin_core);
    make_partly_overwritten(*opkg_twin_core, begin, end, true);
}

void make_readers(Core &core, const uint8_t *begin, const uint8_t *end)
{
    for (uint32_t i = core.deferred_count; i-- > 0;) {
        if (overlaps(begin, end, core.deferred[i].global, core.deferred[i].bytes)) {
            make(core, i);
        }
    }
}

} // namespace

bool defer(uint8_t *local, const uint8_t *global, size_t bytes)
{
    Core &core = *opkg_twin_core;
    execute_postponed(core);
    overwrite(core, local, local + bytes);
    if (!core.may_defer || bytes < kWorthwhile || !is_aligned(global)) {
        return false;
    }
    if (core.deferred_count == kMostDeferred) {
        make(core, 0);
    }
    core.deferred[core.deferred_count++] = {local, global, bytes};
    return true;
}

void settle_overwritten(const uint8_t *begin, const uint8_t *end)
{
    execute_postponed(*opkg_twin_core);
    overwrite(*opkg_twin_core, begin, end);
}

void settle_for_store(const uint8_t *from, size_t from_bytes, const uint8_t *to, size_t to_bytes)
{
    settle_around(from, from + from_bytes);
    make_readers(*opkg_twin_core, to, to + to_bytes);
}

bool take_postponed(const uint8_t *from, size_t bytes, const uint8_t *to, Postponed &taken)
{
    Core &core = *opkg_twin_core;
    taken = core.postponed;
    if (taken.sources == 0 || taken.dst != from || taken.bytes != bytes || !is_aligned(to) ||
        core.deferred_count == kMostDeferred || overlaps(to, to + bytes, taken.a, bytes) ||
        overlaps(to, to + bytes, taken.b, bytes)) {
        return false;
    }
    core.postponed = {};
    make_readers(core, to, to + bytes);
    core.deferred[core.deferred_count++] = {taken.dst, to, bytes};
    return true;
}

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_settle()
{
    Core &core = *opkg_twin_core;
    execute_postponed(core);
    while (core.deferred_count > 0) {
        make(core, core.deferred_count - 1);
    }
}

void opkg_twin_settle_bytes(const void *local, size_t bytes)
{
    const uint8_t *begin = static_cast<const uint8_t *>(local);
    settle_around(begin, begin + bytes);
}

uint32_t opkg_twin_resolve(void *dst, size_t dst_bytes, uint32_t reads_dst, const void **a, size_t a_bytes, const void **b,
                           size_t b_bytes)
{
    Core &core = *opkg_twin_core;
    uint8_t *begin = static_cast<uint8_t *>(dst);
    execute_postponed(core);
    make_partly_overwritten(core, begin, begin + dst_bytes, reads_dst != 0);
    const bool far_a = locate(core, 0, a, a_bytes);
    const bool far_b = locate(core, 1, b, b_bytes);
    overwrite(core, begin, begin + dst_bytes);
    // Without a deferred copy nobody would ask whether something waits.
    const bool asked = core.deferred_count != 0;
    return asked && far_a && far_b && reads_dst == 0 && a_bytes == dst_bytes && b_bytes == dst_bytes;
}

void opkg_twin_postpone(const Postponed *instruction) { opkg_twin_core->postponed = *instruction; }
