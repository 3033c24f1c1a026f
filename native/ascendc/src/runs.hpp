// SPDX-License-Identifier: Apache-2.0
// Instructions with mask, repeat times and strides, taken apart into runs of contiguous elements.
#ifndef OPKG_TWIN_RUNS_HPP
#define OPKG_TWIN_RUNS_HPP

#include "core.hpp"

namespace opkg::twin {

inline constexpr uint32_t kBlockBytes = 32;

// Calls body(offsets, count, repeat, first) for each run; offsets are bytes from the start of each operand, first is the
// run's position in its repeat.
template <typename Body>
class Runs {
public:
    Runs(const RepeatPlan &plan, const Body &body) : plan_(plan), body_(body) {}

    void go()
    {
        const Core *core = opkg_twin_core;
        if (plan_.mask == nullptr && core->counter_mode) {
            go_counted(core->mask[0]);
            return;
        }
        const uint64_t *mask = plan_.mask != nullptr ? plan_.mask : core->mask;
        const uint64_t low = plan_.mask_bits >= 64 ? mask[0] : mask[0] & ((1ull << plan_.mask_bits) - 1);
        const uint64_t high = plan_.mask_bits > 64 ? mask[1] : 0;
        const uint32_t first = leading_ones(low, high);
        if (first == plan_.mask_bits && is_contiguous()) {
            if (plan_.repeat > 0) {
                run(0, 0, plan_.mask_bits * plan_.repeat);
            }
            return;
        }
        const bool only_first = is_only_first(low, high, first);
        for (uint32_t repeat = 0; repeat < plan_.repeat; ++repeat) {
            only_first ? run(repeat, 0, first) : one_repeat(repeat, low, high);
        }
    }

private:
    static uint32_t leading_ones(uint64_t low, uint64_t high)
    {
        const uint32_t n = ~low == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(~low));
        return n < 64 ? n : 64 + (~high == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(~high)));
    }

    static bool is_only_first(uint64_t low, uint64_t high, uint32_t n)
    {
        const uint64_t rest_low = n >= 64 ? 0 : low >> n;
        const uint64_t rest_high = n >= 128 ? 0 : n > 64 ? high >> (n - 64) : high;
        return rest_low == 0 && rest_high == 0;
    }

    // Each repeat begins where the one before ended, in every operand.
    bool is_contiguous() const
    {
        for (uint32_t i = 0; i < plan_.operands; ++i) {
            const bool fits = plan_.block_stride[i] == 1 &&
                              plan_.repeat_stride[i] * kBlockBytes == plan_.mask_bits * plan_.element[i];
            if (plan_.element[i] != 0 && !fits) {
                return false;
            }
        }
        return true;
    }

    // Counter mode: the mask register holds how many elements all repeats have together.
    void go_counted(uint64_t elements)
    {
        for (uint32_t repeat = 0; elements > 0; ++repeat) {
            const uint32_t here = elements < plan_.mask_bits ? static_cast<uint32_t>(elements) : plan_.mask_bits;
            run(repeat, 0, here);
            elements -= here;
        }
    }

    void one_repeat(uint32_t repeat, uint64_t low, uint64_t high)
    {
        uint32_t at = 0;
        while (at < plan_.mask_bits) {
            if (!bit(low, high, at)) {
                ++at;
                continue;
            }
            uint32_t end = at + 1;
            while (end < plan_.mask_bits && bit(low, high, end)) {
                ++end;
            }
            run(repeat, at, end - at);
            at = end;
        }
    }

    static bool bit(uint64_t low, uint64_t high, uint32_t at)
    {
        return ((at < 64 ? low >> at : high >> (at - 64)) & 1) != 0;
    }

    // Elements [first, first + count) of one repeat, cut where an operand is not contiguous.
    void run(uint32_t repeat, uint32_t first, uint32_t count)
    {
        while (count > 0) {
            uint32_t here = count;
            size_t offsets[4] = {};
            for (uint32_t i = 0; i < plan_.operands; ++i) {
                here = smaller(here, locate(i, repeat, first, offsets[i]));
            }
            body_(offsets, here, repeat, first);
            first += here;
            count -= here;
        }
    }

    // Where an operand's element stands, and how many follow it without a gap.
    uint32_t locate(uint32_t operand, uint32_t repeat, uint32_t element, size_t &offset) const
    {
        const uint32_t size = plan_.element[operand];
        if (size == 0) {
            offset = 0;
            return ~0u;
        }
        const uint32_t in_block = kBlockBytes / size;
        const uint32_t block = element / in_block;
        const uint32_t inside = element % in_block;
        offset = (static_cast<size_t>(repeat) * plan_.repeat_stride[operand] +
                  static_cast<size_t>(block) * plan_.block_stride[operand]) * kBlockBytes + inside * size;
        return plan_.block_stride[operand] == 1 ? ~0u : in_block - inside;
    }

    static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

    const RepeatPlan &plan_;
    const Body &body_;
};

template <typename Body>
void for_each_run_numbered(const RepeatPlan &plan, const Body &body)
{
    Runs<Body>(plan, body).go();
}

template <typename Body>
void for_each_run(const RepeatPlan &plan, const Body &body)
{
    for_each_run_numbered(plan, [&body](const size_t *offsets, uint32_t count, uint32_t, uint32_t) {
        body(offsets, count);
    });
}

inline uint8_t *at(void *base, size_t offset) { return static_cast<uint8_t *>(base) + offset; }
inline const uint8_t *at(const void *base, size_t offset) { return static_cast<const uint8_t *>(base) + offset; }

} // namespace opkg::twin

#endif // OPKG_TWIN_RUNS_HPP
