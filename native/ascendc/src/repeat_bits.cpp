// SPDX-License-Identifier: Apache-2.0
// Comparisons and selections with repeat times and strides.
#include <string.h>

#include "runs.hpp"

namespace opkg::twin {
namespace {

// One repeat of an operand, made contiguous where it is not.
const void *contiguous(const void *base, const RepeatPlan &plan, uint32_t operand, uint32_t repeat, uint8_t *room)
{
    const uint32_t size = plan.element[operand];
    if (size == 0) {
        return base;
    }
    const uint8_t *start = at(base, static_cast<size_t>(repeat) * plan.repeat_stride[operand] * kBlockBytes);
    if (plan.block_stride[operand] == 1) {
        return start;
    }
    for (uint32_t block = 0; block < plan.mask_bits * size / kBlockBytes; ++block) {
        memcpy(room + block * kBlockBytes, start + static_cast<size_t>(block) * plan.block_stride[operand] * kBlockBytes,
               kBlockBytes);
    }
    return room;
}

uint32_t counted_repeats(const RepeatPlan &plan)
{
    const Core *core = opkg_twin_core;
    return core->counter_mode && plan.mask == nullptr
               ? static_cast<uint32_t>((core->mask[0] + plan.mask_bits - 1) / plan.mask_bits)
               : plan.repeat;
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_repeat_compare(CompareFn fn, uint8_t *dst, const void *a, const void *b, int32_t mode,
                              const RepeatPlan *plan)
{
    alignas(64) uint8_t room[2][256];
    const uint32_t repeats = counted_repeats(*plan);
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const void *x = contiguous(a, *plan, 1, repeat, room[0]);
        const void *y = contiguous(b, *plan, 2, repeat, room[1]);
        uint8_t *bits = dst + static_cast<size_t>(repeat) * plan->mask_bits / 8;
        fn(bits, x, y, plan->mask_bits, mode);
        for (uint32_t i = 0; plan->mask != nullptr && i < plan->mask_bits / 8; ++i) {
            bits[i] = static_cast<uint8_t>(bits[i] & plan->mask[i / 8] >> (i % 8 * 8));
        }
    }
}

void opkg_twin_repeat_select(void *dst, const uint8_t *mask, const void *a, const void *b, uint32_t flags,
                             const RepeatPlan *plan)
{
    const uint32_t size = plan->element[0];
    const SelectFn fn = opkg_twin_select[size == 8 ? 3 : size / 2];
    const uint32_t b_step = plan->element[2] == 0 ? 0 : 1;
    // A run begins anywhere in the mask, and the functions want their bits from bit 0 on.
    for_each_run_numbered(*plan, [&](const size_t *offset, uint32_t count, uint32_t repeat, uint32_t first) {
        const uint64_t bit = ((flags & kSameBits) != 0 ? 0 : static_cast<uint64_t>(repeat) * plan->mask_bits) + first;
        const uint8_t flip = (flags & kInvertedBits) != 0 ? 1 : 0;
        uint8_t bits[256 / 8 + 1] = {};
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t from = bit + i;
            bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | ((mask[from / 8] >> (from % 8) & 1) ^ flip) << (i % 8));
        }
        fn(at(dst, offset[0]), bits, at(a, offset[1]), at(b, offset[2]), b_step, count);
    });
}
