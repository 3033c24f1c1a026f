// SPDX-License-Identifier: Apache-2.0
// ICPU_RUN_KF: a kernel called by a program that has no runtime, and the memory of such programs.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.hpp"
#include "tikicpulib.h"

namespace {

// In front of each allocation, so that GmFree knows its own.
struct alignas(64) Header {
    uint64_t magic;
    size_t size;
};
constexpr uint64_t kAllocated = 0x6f706b67474d0001u;
constexpr uint64_t kFreed = 0x6f706b67474d0000u;

// A DataCopy moves whole blocks of 32 bytes, also where the last tensor of a program ends within one.
constexpr size_t kSlack = 64;

uint32_t mode_cube = 1;
uint32_t mode_vector = 2;
uint64_t mode_key = 0;

[[noreturn]] void give_up(const char *message, int32_t code)
{
    fflush(stdout);
    fprintf(stderr, "opkg: %s [%d]\n", message, code);
    exit(EXIT_FAILURE);
}

} // namespace

void *opkg_twin_gm_allocate(size_t size)
{
    const size_t bytes = sizeof(Header) + (size + 63) / 64 * 64 + kSlack;
    void *memory = bytes < size ? nullptr : aligned_alloc(64, bytes);
    if (memory == nullptr) {
        fprintf(stderr, "opkg: GmAlloc: no memory for %zu bytes\n", size);
        return nullptr;
    }
    memset(memory, 0, bytes);
    Header *header = static_cast<Header *>(memory);
    header->magic = kAllocated;
    header->size = size;
    opkg_twin_allocated(header + 1, (size + 31) / 32 * 32);
    return header + 1;
}

void opkg_twin_gm_free(void *memory)
{
    if (memory == nullptr) {
        return;
    }
    Header *header = static_cast<Header *>(memory) - 1;
    if (reinterpret_cast<uintptr_t>(memory) % 64 != 0 || header->magic != kAllocated) {
        give_up("GmFree of memory that GmAlloc did not give, or that is free already", 107000);
    }
    header->magic = kFreed;
    opkg_twin_allocated(memory, 0);
    free(header);
}

void opkg_twin_set_kernel_mode(uint32_t cube, uint32_t vector)
{
    mode_cube = cube;
    mode_vector = vector;
}

void opkg_twin_set_tiling_key(uint64_t key)
{
    if (static_cast<int64_t>(key) <= 0) {
        fprintf(stderr, "opkg: ICPU_SET_TILING_KEY(%" PRId64 "): tiling keys are positive numbers\n",
                static_cast<int64_t>(key));
    }
    mode_key = key;
}

void opkg_twin_run_kf(const char *name, uint32_t npu_arch, uint32_t blocks, const uint32_t *library_flags,
                      void (*invoke)(void *argument), void *argument)
{
    using namespace opkg::twin;
    char message[800];
    const RunPlan plan = {sizeof plan, blocks,   name,          npu_arch, mode_cube, mode_vector, 0,
                          mode_key,    library_flags, invoke,   argument, message,   sizeof message};
    const int32_t code = opkg_twin_run(&plan);
    if (code != 0) {
        give_up(message, code);
    }
}
