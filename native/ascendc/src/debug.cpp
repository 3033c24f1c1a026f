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
            printf("%g", static_cast<double>(static_cast<const float *>(data)[i]));
            break;
        case kF16:
        case kBF16: {
            alignas(64) uint16_t in[32] = {static_cast<const uint16_t *>(data)[i]};
            float out[32];
            opkg_twin_cast[dtype][kF32](out, in, 1, 0);
            printf("%g", static_cast<double>(out[0]));
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
    flockfile(stdout);
    printf("DumpTensor: core %u, desc %u, %s, %u elements:", opkg_twin_core->index, tag, where, count);
    for (uint32_t i = 0; i < count; ++i) {
        fputc(i % 16 == 0 ? '\n' : ' ', stdout);
        print_element(data, dtype, i);
    }
    fputc('\n', stdout);
    funlockfile(stdout);
}
