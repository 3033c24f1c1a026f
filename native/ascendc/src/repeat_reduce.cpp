// SPDX-License-Identifier: Apache-2.0
// Reductions of repeats, blocks and pairs. Elements that the mask leaves out count as zero in a sum and do not take part
// in a maximum or minimum.
#include <string.h>

#include <vector>

#include "runs.hpp"

namespace opkg::twin {
namespace {

// AscendC::ReduceOrder
enum Order : int32_t { kValueIndex, kIndexValue, kOnlyValue, kOnlyIndex };

// The active elements of one repeat, packed, and where each stood.
struct Active {
    alignas(64) uint8_t packed[256];
    alignas(64) uint8_t spread[256]; // with zeros where the mask is off
    uint32_t position[256];
    uint32_t count;
};

class Repeats {
public:
    Repeats(const RepeatPlan &plan, const void *src) : plan_(plan), src_(src), size_(plan.element[1]) {}

    uint32_t count() const
    {
        const Core *core = opkg_twin_core;
        return plan_.mask == nullptr && core->counter_mode
                   ? static_cast<uint32_t>((core->mask[0] + plan_.mask_bits - 1) / plan_.mask_bits)
                   : plan_.repeat;
    }

    void read(uint32_t repeat, Active &active) const
    {
        if (is_plain(repeat)) {
            read_plain(repeat, active);
            return;
        }
        active.count = 0;
        memset(active.spread, 0, sizeof active.spread);
        for (uint32_t i = 0; i < plan_.mask_bits; ++i) {
            if (is_active(repeat, i)) {
                const uint8_t *element = address(repeat, i);
                memcpy(active.packed + active.count * size_, element, size_);
                memcpy(active.spread + i * size_, element, size_);
                active.position[active.count++] = i;
            }
        }
    }

private:
    // All elements are active and stand together.
    bool is_plain(uint32_t repeat) const
    {
        if (plan_.block_stride[1] != 1) {
            return false;
        }
        const Core *core = opkg_twin_core;
        if (plan_.mask == nullptr && core->counter_mode) {
            return static_cast<uint64_t>(repeat + 1) * plan_.mask_bits <= core->mask[0];
        }
        const uint64_t *mask = plan_.mask != nullptr ? plan_.mask : core->mask;
        return plan_.mask_bits >= 64 && ~mask[0] == 0 && (plan_.mask_bits == 64 || ~mask[1] == 0);
    }

    void read_plain(uint32_t repeat, Active &active) const
    {
        const uint8_t *start = at(src_, static_cast<size_t>(repeat) * plan_.repeat_stride[1] * kBlockBytes);
        memcpy(active.packed, start, sizeof active.packed);
        memcpy(active.spread, start, sizeof active.spread);
        active.count = plan_.mask_bits;
        for (uint32_t i = 0; i < active.count; ++i) {
            active.position[i] = i;
        }
    }

    bool is_active(uint32_t repeat, uint32_t i) const
    {
        const Core *core = opkg_twin_core;
        if (plan_.mask == nullptr && core->counter_mode) {
            return static_cast<uint64_t>(repeat) * plan_.mask_bits + i < core->mask[0];
        }
        const uint64_t *mask = plan_.mask != nullptr ? plan_.mask : core->mask;
        return (mask[i / 64] >> (i % 64) & 1) != 0;
    }

    const uint8_t *address(uint32_t repeat, uint32_t i) const
    {
        const uint32_t in_block = kBlockBytes / size_;
        return at(src_, (static_cast<size_t>(repeat) * plan_.repeat_stride[1] +
                         static_cast<size_t>(i / in_block) * plan_.block_stride[1]) * kBlockBytes +
                            i % in_block * size_);
    }

    const RepeatPlan &plan_;
    const void *src_;
    uint32_t size_;
};

double as_number(const uint8_t *element, uint32_t dtype)
{
    float value = 0.0f;
    if (dtype == kF32) {
        memcpy(&value, element, 4);
    } else if (opkg_twin_cast[dtype][kF32] != nullptr) {
        alignas(64) uint8_t room[64] = {};
        float out[16];
        memcpy(room, element, dtype == kI32 || dtype == kU32 ? 4 : 2);
        opkg_twin_cast[dtype][kF32](out, room, 1, 0);
        value = out[0];
    }
    return value;
}

void write_extreme(uint8_t *to, const uint8_t *value, uint32_t position, uint32_t size, int32_t order)
{
    switch (order) {
        case kIndexValue:
            memcpy(to, &position, size);
            memcpy(to + size, value, size);
            break;
        case kOnlyValue:
            memcpy(to, value, size);
            break;
        case kOnlyIndex:
            memcpy(to, &position, 4);
            break;
        default:
            memcpy(to, value, size);
            memcpy(to + size, &position, size);
    }
}

// 16-bit integers into 32 bits.
void sum_widened(uint8_t *value, const Active &active, uint32_t dtype)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < active.count; ++i) {
        uint16_t element;
        memcpy(&element, active.packed + 2 * i, 2);
        total += dtype == kI16 ? static_cast<uint32_t>(static_cast<int16_t>(element)) : element;
    }
    memcpy(value, &total, 4);
}

// The best of all repeats; the first of equal ones.
void note_extreme(uint32_t op, double value, uint64_t position, bool first)
{
    Core *core = opkg_twin_core;
    if (first || (op == kReduceMax ? value > core->last_extreme : value < core->last_extreme)) {
        core->last_extreme = value;
        core->last_position = position;
    }
}

void reduce_whole(uint32_t op, uint32_t dtype, void *dst, const Active &active, uint32_t repeat, int32_t order,
                  const RepeatPlan &plan)
{
    const uint32_t size = plan.element[1];
    if (active.count == 0) {
        return;
    }
    uint8_t value[8];
    if (op == kReduceSum) {
        const uint32_t out = plan.element[0];
        out > size ? sum_widened(value, active, dtype)
                   : opkg_twin_reduce[op][dtype](value, active.spread, plan.mask_bits, nullptr);
        memcpy(at(dst, static_cast<size_t>(repeat) * plan.repeat_stride[0] * out), value, out);
        opkg_twin_core->last_sum = as_number(value, dtype);
        return;
    }
    uint32_t found = 0;
    opkg_twin_reduce[op][dtype](value, active.packed, active.count, &found);
    const uint32_t unit = order == kOnlyValue ? size : order == kOnlyIndex ? 4 : 2 * size;
    write_extreme(at(dst, static_cast<size_t>(repeat) * plan.repeat_stride[0] * unit), value, active.position[found],
                  size, order);
    note_extreme(op, as_number(value, dtype), repeat * plan.mask_bits + active.position[found], repeat == 0);
}

// Groups of `group` neighbouring elements; a group without an active element leaves dst as it is.
void reduce_groups(uint32_t op, uint32_t dtype, void *dst, const Active &active, uint32_t group)
{
    const uint32_t size = dtype == kF32 ? 4 : 2;
    for (uint32_t first = 0; first < active.count;) {
        const uint32_t number = active.position[first] / group;
        uint32_t end = first;
        while (end < active.count && active.position[end] / group == number) {
            ++end;
        }
        uint8_t value[8];
        if (op == kReduceSum) {
            opkg_twin_reduce[op][dtype](value, active.spread + number * group * size, group, nullptr);
        } else {
            opkg_twin_reduce[op][dtype](value, active.packed + first * size, end - first, nullptr);
        }
        memcpy(at(dst, number * size), value, size);
        first = end;
    }
}

// Sums of repeats are themselves added as a tree, 256 bytes at a time.
void sum_of_sums(uint32_t dtype, void *dst, std::vector<uint8_t> &sums, uint32_t size, uint32_t per_repeat)
{
    size_t n = sums.size() / size;
    while (n > 1) {
        const size_t groups = (n + per_repeat - 1) / per_repeat;
        for (size_t i = 0; i < groups; ++i) {
            const size_t here = n - i * per_repeat < per_repeat ? n - i * per_repeat : per_repeat;
            uint8_t value[8];
            opkg_twin_reduce[kReduceSum][dtype](value, sums.data() + i * per_repeat * size, here, nullptr);
            memcpy(sums.data() + i * size, value, size);
        }
        n = groups;
    }
    memcpy(dst, sums.data(), size);
}

void sum_all(uint32_t dtype, void *dst, const Repeats &repeats, const RepeatPlan &plan)
{
    const uint32_t size = plan.element[1];
    std::vector<uint8_t> sums(static_cast<size_t>(repeats.count()) * size);
    Active active;
    for (uint32_t repeat = 0; repeat < repeats.count(); ++repeat) {
        repeats.read(repeat, active);
        opkg_twin_reduce[kReduceSum][dtype](sums.data() + static_cast<size_t>(repeat) * size, active.spread,
                                            plan.mask_bits, nullptr);
    }
    sum_of_sums(dtype, dst, sums, size, plan.mask_bits);
}

void extreme_of_all(uint32_t op, uint32_t dtype, void *dst, const Repeats &repeats, const RepeatPlan &plan,
                    bool with_index)
{
    const uint32_t size = plan.element[1];
    std::vector<uint8_t> values;
    std::vector<uint32_t> positions;
    Active active;
    for (uint32_t repeat = 0; repeat < repeats.count(); ++repeat) {
        repeats.read(repeat, active);
        if (active.count == 0) {
            continue;
        }
        uint8_t value[8];
        uint32_t found = 0;
        opkg_twin_reduce[op][dtype](value, active.packed, active.count, &found);
        values.insert(values.end(), value, value + size);
        positions.push_back(repeat * plan.mask_bits + active.position[found]);
    }
    if (positions.empty()) {
        return;
    }
    uint32_t best = 0;
    opkg_twin_reduce[op][dtype](dst, values.data(), positions.size(), &best);
    if (with_index) {
        memcpy(at(dst, size), &positions[best], size < 4 ? size : 4);
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_repeat_reduce(uint32_t op, uint32_t dtype, uint32_t shape, void *dst, const void *src, int32_t order,
                             const RepeatPlan *plan)
{
    const Repeats repeats(*plan, src);
    const uint32_t size = plan->element[1];
    Active active;
    for (uint32_t repeat = 0; repeat < repeats.count(); ++repeat) {
        repeats.read(repeat, active);
        if (shape == kWholeRepeat) {
            reduce_whole(op, dtype, dst, active, repeat, order, *plan);
            continue;
        }
        const uint32_t unit = shape == kEachBlock ? 8 * size : 128;
        reduce_groups(op, dtype, at(dst, static_cast<size_t>(repeat) * plan->repeat_stride[0] * unit), active,
                      shape == kEachBlock ? kBlockBytes / size : 2);
    }
}

void opkg_twin_reduce_all(uint32_t op, uint32_t dtype, void *dst, const void *src, uint32_t with_index,
                          const RepeatPlan *plan)
{
    const Repeats repeats(*plan, src);
    if (repeats.count() == 0) {
        return;
    }
    if (op == kReduceSum) {
        sum_all(dtype, dst, repeats, *plan);
    } else {
        extreme_of_all(op, dtype, dst, repeats, *plan, with_index != 0);
    }
}
