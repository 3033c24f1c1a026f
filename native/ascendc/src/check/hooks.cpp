// SPDX-License-Identifier: Apache-2.0
// Where kernels of check builds enter the checker.
#define OPKG_TWIN_CHECK
#include "twin/access.h"

void opkg_twin_check_enter(const char *, const char *, uint32_t, const opkg::twin::Touched *, uint32_t) {}
void opkg_twin_check_leave() {}
void opkg_twin_check_note(const void *, uint64_t, uint32_t) {}
void opkg_twin_check_escape(const void *, uint64_t) {}
void opkg_twin_check_global(const void *, uint64_t) {}
void opkg_twin_check_flag(const char *, uint32_t, uint32_t, int32_t) {}
void opkg_twin_check_barrier(uint32_t) {}
void opkg_twin_check_buffers(const char *, const void *, uint64_t, uint32_t, const void *, uint32_t, uint32_t) {}
void opkg_twin_check_queue(const char *, uint32_t, const void *, const void *, uint32_t, uint32_t) {}
void opkg_twin_check_sync(const char *, const char *) {}
void opkg_twin_check_tiling(const char *, const void *, uint64_t) {}
void opkg_twin_check_reset() {}
