// SPDX-License-Identifier: Apache-2.0
// What a kernel prints, and assertions that do not hold.
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "core.hpp"

namespace opkg::twin {
namespace {

void print_element(const void *data, uint32_t dtype, uint32_t i)
{
    switch (dtype) {
        case kF32:
            printf("%f", static_cast<double>(static_cast<const float *>(data)[i]));
            break;
        case kF16:
        case kBF16: {
            alignas(64) uint16_t in[32] = {static_cast<const uint16_t *>(data)[i]};
            float out[32];
            opkg_twin_cast[dtype][kF32](out, in, 1, 0);
            printf("%f", static_cast<double>(out[0]));
            break;
        }
        case kI8:
            printf("%d", static_cast<const int8_t *>(data)[i]);
            break;
        case kU8:
            printf("%u", static_cast<const uint8_t *>(data)[i]);
            break;
        case kI16:
            printf("%d", static_cast<const int16_t *>(data)[i]);
            break;
        case kU16:
            printf("%u", static_cast<const uint16_t *>(data)[i]);
            break;
        case kI32:
            printf("%d", static_cast<const int32_t *>(data)[i]);
            break;
        case kU32:
            printf("%u", static_cast<const uint32_t *>(data)[i]);
            break;
        case kI64:
            printf("%" PRId64, static_cast<const int64_t *>(data)[i]);
            break;
        default:
            printf("%" PRIu64, static_cast<const uint64_t *>(data)[i]);
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_assert(const char *file, uint32_t line, const char *condition)
{
    opkg_twin_fail("%s:%u: the assertion %s does not hold", file, line, condition);
}

uint64_t opkg_twin_cycles()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 50000000u + static_cast<uint64_t>(now.tv_nsec) / 20u;
}

void opkg_twin_dump(const void *data, uint32_t dtype, uint32_t count, uint32_t tag, const char *where)
{
    static const char *const names[] = {"float32", "float16", "bfloat16", "int8",  "uint8",  "int16", "uint16",
                                        "int32",   "uint32",  "int64",    "uint64", "float64", "int4"};
    const uint8_t *ub = opkg_twin_core->base[kUb];
    const uint8_t *start = static_cast<const uint8_t *>(data);
    const bool on_chip = ub != nullptr && start >= ub && start < ub + opkg_twin_core->capacity[kUb];
    const uintptr_t address = on_chip ? static_cast<uintptr_t>(start - ub) : reinterpret_cast<uintptr_t>(start);
    flockfile(stdout);
    printf("DumpTensor: core=%u, desc=%u, addr=%" PRIxPTR ", data_type=%s, position=%s, dump_size=%u\n[",
           opkg_twin_core->index, tag, address, names[dtype], on_chip ? "UB" : where, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (i > 0) {
            printf(i % 32 == 0 ? ",\n" : ", ");
        }
        print_element(data, dtype, i);
    }
    printf("]\n");
    funlockfile(stdout);
}
