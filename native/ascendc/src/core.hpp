// SPDX-License-Identifier: Apache-2.0
// What the files of the twin's library share.
#ifndef OPKG_TWIN_CORE_HPP
#define OPKG_TWIN_CORE_HPP

#include "opkg/soc_table.h"
#include "twin/abi.h"

namespace opkg::twin {

// Why a core stopped. It crosses the kernel's own frames, so that their destructors run.
struct Failure {
    int32_t code;
    char message[512];
};

// A core stops because another one failed, or behind a finding; it has nothing to report.
struct Cancelled {
};

// The on-chip buffers of the core that this thread runs; they are allocated when first used and kept for the next core.
uint8_t *thread_buffer(uint32_t kind, uint32_t bytes);

const char *buffer_name(uint32_t kind);

// Bytes of one element of a dtype, 1 for an int4b_t.
uint32_t element_bytes(uint32_t dtype);

// What the control register holds when a kernel begins.
uint64_t default_control(uint32_t npu_arch);

// Fails where the kernel has ended and the chip would not have: a pipe holds a mutex, or waits for a flag.
void check_pipes(const Core &core);

// Copies between global memory and a buffer, or between buffers that do not overlap.
void row_copy(void *dst, const void *src, size_t bytes);

// Copies to memory that will not be read again soon, without bringing it into the caches first.
// ahead: two addresses, or NULL, of which as many bytes will be read soon.
void stream_copy(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead);
// Makes the stores of stream_copy visible to other threads.
void stream_fence();

} // namespace opkg::twin

#endif // OPKG_TWIN_CORE_HPP
