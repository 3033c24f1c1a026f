// SPDX-License-Identifier: Apache-2.0
// Copies from global memory that have not been made yet.
#ifndef OPKG_TWIN_DEFERRED_HPP
#define OPKG_TWIN_DEFERRED_HPP

#include "core.hpp"

namespace opkg::twin {

// Notes a copy instead of making it; false where it must be made now.
bool defer(uint8_t *local, const uint8_t *global, size_t bytes);

// Before [begin, end) of a buffer is written as a whole: copies inside it are dropped, those that reach beyond are made.
void settle_overwritten(const uint8_t *begin, const uint8_t *end);

// Before bytes of a buffer are copied into global memory: makes the copies that bring the former or read the latter.
void settle_for_store(const uint8_t *from, size_t from_bytes, const uint8_t *to, size_t to_bytes);

// Does what `late` says with the elements from byte `done` on, as many as are in `bytes` bytes.
inline void execute(const Postponed &late, uint8_t *dst, size_t done, size_t bytes)
{
    const size_t count = bytes / (late.bytes / late.count);
    if (late.sources == 2) {
        opkg_twin_binary[late.op][late.dtype](dst, late.a + done, late.b + done, count);
    } else {
        opkg_twin_unary[late.op][late.dtype](dst, late.a + done, count);
    }
}

// The postponed instruction, if its result is [from, from + bytes) and may go straight `to` global memory. From then on it is
// the caller's to execute, and the buffer is taken to hold what lies there.
bool take_postponed(const uint8_t *from, size_t bytes, const uint8_t *to, Postponed &taken);

} // namespace opkg::twin

#endif // OPKG_TWIN_DEFERRED_HPP
