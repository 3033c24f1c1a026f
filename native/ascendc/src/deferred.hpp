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

// Makes the copies whose buffer bytes lie in [begin, end), and those that read global memory there.
void settle_around(const uint8_t *begin, const uint8_t *end);
void settle_readers(const uint8_t *begin, const uint8_t *end);

} // namespace opkg::twin

#endif // OPKG_TWIN_DEFERRED_HPP
