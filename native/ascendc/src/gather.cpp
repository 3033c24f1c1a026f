// SPDX-License-Identifier: Apache-2.0
// Elements picked by byte offsets and by patterns of bits.
#include <string.h>

#include "runs.hpp"

namespace opkg::twin {
namespace {

template <typename T>
void gather(void *dst, const void *src, const uint32_t *offsets, size_t count)
{
    T *to = static_cast<T *>(dst);
    for (size_t i = 0; i < count; ++i) {
        memcpy(to + i, at(src, offsets[i]), sizeof(T));
    }
}

template <typename T>
void scatter(void *dst, const void *src, const uint32_t *offsets, size_t count)
{
    const T *from = static_cast<const T *>(src);
    for (size_t i = 0; i < count; ++i) {
        memcpy(at(dst, offsets[i]), from + i, sizeof(T));
    }
}

bool pattern_bit(const uint8_t *pattern, uint32_t step, uint32_t repeat, uint32_t i)
{
    if (step == ~0u) { // one byte of pattern for all
        return (*pattern >> (i % 8) & 1) != 0;
    }
    const uint8_t *row = pattern + static_cast<size_t>(repeat) * step;
    return (row[i / 8] >> (i % 8) & 1) != 0;
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_gather(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count)
{
    switch (element) {
        case 1:
            return gather<uint8_t>(dst, src, offsets, count);
        case 2:
            return gather<uint16_t>(dst, src, offsets, count);
        case 4:
            return gather<uint32_t>(dst, src, offsets, count);
        default:
            return gather<uint64_t>(dst, src, offsets, count);
    }
}

void opkg_twin_scatter(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count)
{
    switch (element) {
        case 1:
            return scatter<uint8_t>(dst, src, offsets, count);
        case 2:
            return scatter<uint16_t>(dst, src, offsets, count);
        case 4:
            return scatter<uint32_t>(dst, src, offsets, count);
        default:
            return scatter<uint64_t>(dst, src, offsets, count);
    }
}

uint64_t opkg_twin_gather_mask(void *dst, const void *src, const uint8_t *pattern, uint32_t pattern_step,
                               uint32_t per_repeat, const RepeatPlan *plan)
{
    const uint32_t size = plan->element[1];
    const uint32_t in_block = kBlockBytes / size;
    uint64_t kept = 0;
    for (uint32_t repeat = 0; repeat < plan->repeat; ++repeat) {
        const uint8_t *start = at(src, static_cast<size_t>(repeat) * plan->repeat_stride[1] * kBlockBytes);
        for (uint32_t i = 0; i < per_repeat; ++i) {
            if (pattern_bit(pattern, pattern_step, repeat, i)) {
                const size_t block = static_cast<size_t>(i / in_block) * plan->block_stride[1] * kBlockBytes;
                memmove(at(dst, kept++ * size), start + block + i % in_block * size, size);
            }
        }
    }
    return kept;
}
