// SPDX-License-Identifier: Apache-2.0
// Sorting of scores with their indices, of region proposals, and merging of sorted queues.
#include <string.h>

#include <algorithm>
#include <vector>

#include "core.hpp"
#include "twin/half.h"

namespace opkg::twin {
namespace {

float score_at(const uint8_t *from, uint32_t dtype)
{
    if (dtype == kF16) {
        uint16_t bits;
        memcpy(&bits, from, 2);
        return half_to_float(bits);
    }
    float value;
    memcpy(&value, from, 4);
    return value;
}

// A NaN goes before all numbers, so that the order is a total one.
bool goes_before(float a, float b) { return a != a ? b == b : a > b; }

struct Ranked {
    float score;
    uint32_t place;
};

// The places of `count` scores, from the largest down.
void rank(std::vector<Ranked> &order, const uint8_t *scores, size_t step, uint32_t dtype, uint32_t count)
{
    order.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = {score_at(scores + i * step, dtype), i};
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Ranked &a, const Ranked &b) { return goes_before(a.score, b.score); });
}

// One merge of plan.queues queues; how many entries each gave is left in the core.
void merge_once(uint8_t *dst, const uint8_t *const *src, const MergePlan &plan)
{
    uint32_t *taken = opkg_twin_core->merged;
    float head[4] = {};
    for (uint32_t q = 0; q < 4; ++q) {
        taken[q] = 0;
        if (q < plan.queues && plan.length[q] > 0) {
            head[q] = score_at(src[q] + plan.key, plan.dtype);
        }
    }
    for (;;) {
        uint32_t best = 4;
        for (uint32_t q = 0; q < plan.queues; ++q) {
            if (taken[q] < plan.length[q] && (best == 4 || goes_before(head[q], head[best]))) {
                best = q;
            }
        }
        if (best == 4) {
            return;
        }
        memcpy(dst, src[best] + static_cast<size_t>(taken[best]) * plan.entry, plan.entry);
        dst += plan.entry;
        if (++taken[best] < plan.length[best]) {
            head[best] = score_at(src[best] + static_cast<size_t>(taken[best]) * plan.entry + plan.key, plan.dtype);
        } else if (plan.suspend) {
            return;
        }
    }
}

// Repeats count only for four queues of one length that stand one behind the other, and without suspension.
bool may_repeat(const MergePlan &plan)
{
    if (plan.queues != 4 || plan.suspend) {
        return false;
    }
    const size_t bytes = static_cast<size_t>(plan.length[0]) * plan.entry;
    for (uint32_t q = 1; q < 4; ++q) {
        const uint8_t *follows = static_cast<const uint8_t *>(plan.src[q - 1]) + bytes;
        if (plan.length[q] != plan.length[0] || plan.src[q] != follows) {
            return false;
        }
    }
    return true;
}

template <typename T>
void copy_apart(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t src_step, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        memmove(dst + i * dst_step, src + i * src_step, sizeof(T));
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_sort(void *dst, const void *scores, const uint32_t *index, uint32_t dtype, uint32_t group,
                    uint32_t groups)
{
    const uint32_t size = dtype == kF16 ? 2 : 4;
    const uint8_t *from = static_cast<const uint8_t *>(scores);
    uint8_t *to = static_cast<uint8_t *>(dst);
    std::vector<Ranked> order;
    std::vector<uint64_t> sorted(group);
    for (uint32_t g = 0; g < groups; ++g) {
        rank(order, from, size, dtype, group);
        for (uint32_t i = 0; i < group; ++i) {
            uint64_t pair = 0;
            memcpy(&pair, from + order[i].place * size, size);
            const uint64_t at = index == nullptr ? 0 : index[g * group + order[i].place];
            sorted[i] = pair | at << 32;
        }
        memcpy(to, sorted.data(), group * sizeof(uint64_t));
        from += static_cast<size_t>(group) * size;
        to += group * sizeof(uint64_t);
    }
}

void opkg_twin_sort_proposals(void *dst, const void *src, uint32_t dtype, uint32_t group, uint32_t groups)
{
    const uint32_t size = dtype == kF16 ? 2 : 4;
    const size_t entry = 8 * size;
    const uint8_t *from = static_cast<const uint8_t *>(src);
    uint8_t *to = static_cast<uint8_t *>(dst);
    std::vector<Ranked> order;
    std::vector<uint8_t> sorted(group * entry);
    for (uint32_t g = 0; g < groups; ++g) {
        rank(order, from + 4 * size, entry, dtype, group);
        for (uint32_t i = 0; i < group; ++i) {
            memcpy(sorted.data() + i * entry, from + order[i].place * entry, entry);
        }
        memcpy(to, sorted.data(), sorted.size());
        from += sorted.size();
        to += sorted.size();
    }
}

void opkg_twin_merge(void *dst, const MergePlan *plan)
{
    const uint8_t *src[4];
    size_t bytes = 0;
    for (uint32_t q = 0; q < 4; ++q) {
        src[q] = static_cast<const uint8_t *>(plan->src[q]);
        bytes += q < plan->queues ? static_cast<size_t>(plan->length[q]) * plan->entry : 0;
    }
    const uint32_t repeats = plan->repeat > 1 && !may_repeat(*plan) ? 1 : plan->repeat;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        merge_once(static_cast<uint8_t *>(dst) + repeat * bytes, src, *plan);
        for (uint32_t q = 0; q < plan->queues; ++q) {
            src[q] += bytes;
        }
    }
}

void opkg_twin_copy_apart(void *dst, size_t dst_step, const void *src, size_t src_step, uint32_t element, size_t count)
{
    uint8_t *to = static_cast<uint8_t *>(dst);
    const uint8_t *from = static_cast<const uint8_t *>(src);
    switch (element) {
        case 1:
            return copy_apart<uint8_t>(to, dst_step, from, src_step, count);
        case 2:
            return copy_apart<uint16_t>(to, dst_step, from, src_step, count);
        case 4:
            return copy_apart<uint32_t>(to, dst_step, from, src_step, count);
        default:
            return copy_apart<uint64_t>(to, dst_step, from, src_step, count);
    }
}
