// SPDX-License-Identifier: Apache-2.0
// Memory whose size the twin was told: what AscendCL, GmAlloc and a package's host library hand to kernels.
#ifndef OPKG_TWIN_CHECK_ALLOCATIONS_HPP
#define OPKG_TWIN_CHECK_ALLOCATIONS_HPP

#include <stdint.h>

namespace opkg::twin::check {

// The bytes from an address to the end of its allocation; 0 if it is in none.
uint64_t allocated_from(const void *address);

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_ALLOCATIONS_HPP
