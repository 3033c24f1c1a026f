// SPDX-License-Identifier: Apache-2.0
// Quantization and its reverse, a row at a time, out of the library's own instructions: each step rounds as the
// instruction does.
#include <string.h>

#include <vector>

#include "table.hpp"
#include "../core.hpp"

using namespace opkg::twin;

namespace {

constexpr int32_t kRint = 1, kRound = 4, kTrunc = 5, kHybrid = 7; // RoundMode

uint32_t bytes_of(uint32_t dtype)
{
    switch (dtype) {
        case kF32:
        case kI32:
            return 4;
        case kU64:
            return 8;
        case kF16:
        case kBF16:
            return 2;
        default:
            return 1;
    }
}

// Numbers of one row in any type.
class Line {
public:
    explicit Line(size_t count) : bytes_(count * 4) {}
    uint8_t *data() { return bytes_.data(); }

private:
    std::vector<uint8_t> bytes_;
};

bool is_small(uint32_t dtype) { return dtype >= kF8E4M3; }
bool is_pair(uint32_t dtype) { return dtype == kF4E2M1 || dtype == kF4E1M2; }

// There is a cast between float and each type, of floats of 4 bits by way of bfloat16_t.
void convert(void *d, uint32_t to, const void *s, uint32_t from, size_t count, int32_t mode = kRint)
{
    if (to == from) {
        memmove(d, s, count * bytes_of(to));
    } else if (is_pair(from) || is_pair(to)) {
        std::vector<uint16_t> middle(count);
        const CastFn first = is_pair(from) ? opkg_twin_small_cast(from, kBF16) : opkg_twin_cast[from][kBF16];
        const CastFn second = is_pair(to) ? opkg_twin_small_cast(kBF16, to) : opkg_twin_cast[kBF16][to];
        first(middle.data(), s, count, kRint);
        second(d, middle.data(), count, mode);
    } else {
        (is_small(from) || is_small(to) ? opkg_twin_small_cast(from, to) : opkg_twin_cast[from][to])(d, s, count, mode);
    }
}

// The mode of the last cast: the one that was asked for, where the target knows it.
int32_t mode_for(uint32_t dtype, int32_t wanted)
{
    switch (dtype) {
        case kHiF8:
            return wanted == kHybrid ? kHybrid : kRound;
        case kI8:
        case kF4E2M1:
        case kF4E1M2:
            return wanted <= kTrunc ? wanted : kRint;
        default:
            return kRint;
    }
}

class Quantizer {
public:
    explicit Quantizer(const QuantPlan &plan)
        : plan_(plan), values_(plan.columns), scales_(plan.columns), offsets_(plan.columns), wide_(plan.columns)
    {
        parameters(scales_, plan.scale, plan.scale_value, 0);
        parameters(offsets_, plan.offset, plan.offset_value, 0);
    }

    void row(size_t r)
    {
        if (r > 0 && plan_.spread != kPerTensor && plan_.spread != kPerChannel) {
            parameters(scales_, plan_.scale, plan_.scale_value, r);
            parameters(offsets_, plan_.offset, plan_.offset_value, r);
        }
        load(r);
        const BinaryFn times = opkg_twin_binary[kMul][plan_.middle_dtype];
        const BinaryFn plus = opkg_twin_binary[kAdd][plan_.middle_dtype];
        uint8_t *v = values_.data();
        if (plan_.kind == kAntiQuant && plan_.has_offset) {
            plus(v, v, offsets_.data(), plan_.columns);
        }
        times(v, v, scales_.data(), plan_.columns);
        if (plan_.kind == kQuant && plan_.has_offset) {
            plus(v, v, offsets_.data(), plan_.columns);
        }
        store(r);
    }

private:
    // The parameter that each column of a row has.
    void parameters(Line &line, const void *base, float value, size_t r)
    {
        float *wide = reinterpret_cast<float *>(wide_.data());
        for (size_t i = 0; i < plan_.columns; ++i) {
            wide[i] = base == nullptr ? value : one(base, place(r, i));
        }
        convert(line.data(), plan_.middle_dtype, wide, kF32, plan_.columns);
    }

    size_t place(size_t r, size_t column) const
    {
        switch (plan_.spread) {
            case kPerTensor:
                return 0;
            case kPerToken:
                return r;
            case kPerRowGroup:
                return r / plan_.group * plan_.columns + column;
            case kPerColumnGroup:
                return r * ((plan_.columns + plan_.group - 1) / plan_.group) + column / plan_.group;
            default:
                return column;
        }
    }

    // One parameter; of 64 bits the lower half is a float.
    float one(const void *base, size_t at) const
    {
        const uint8_t *p = static_cast<const uint8_t *>(base) + at * bytes_of(plan_.scale_dtype);
        float value;
        if (plan_.scale_dtype == kF8E8M0) {
            return opkg_twin_small_value(kF8E8M0, *p);
        }
        if (plan_.scale_dtype == kF32 || plan_.scale_dtype == kU64) {
            memcpy(&value, p, sizeof(value));
        } else {
            convert(&value, kF32, p, plan_.scale_dtype, 1);
        }
        return value;
    }

    void load(size_t r)
    {
        const size_t first = r * plan_.src_step;
        const uint8_t *base = static_cast<const uint8_t *>(plan_.src);
        if (plan_.src_dtype == kI4) {
            int8_t *narrow = reinterpret_cast<int8_t *>(wide_.data());
            for (size_t i = 0; i < plan_.columns; ++i) {
                const uint8_t pair = base[(first + i) / 2];
                narrow[i] = static_cast<int8_t>((first + i) % 2 == 0 ? pair << 4 : pair & 0xf0) / 16;
            }
            convert(values_.data(), plan_.middle_dtype, narrow, kI8, plan_.columns);
            return;
        }
        const uint8_t *start = base + first * bytes_of(plan_.src_dtype) / (is_pair(plan_.src_dtype) ? 2 : 1);
        convert(values_.data(), plan_.middle_dtype, start, plan_.src_dtype, plan_.columns);
    }
    void store(size_t r)
    {
        const size_t first = r * plan_.dst_step;
        uint8_t *start =
            static_cast<uint8_t *>(plan_.dst) + first * bytes_of(plan_.dst_dtype) / (is_pair(plan_.dst_dtype) ? 2 : 1);
        convert(start, plan_.dst_dtype, values_.data(), plan_.middle_dtype, plan_.columns,
                mode_for(plan_.dst_dtype, plan_.round_mode));
    }

    const QuantPlan &plan_;
    Line values_, scales_, offsets_, wide_;
};

} // namespace

void opkg_twin_quant(const QuantPlan *plan)
{
    if (plan->rows == 0 || plan->columns == 0) {
        return;
    }
    Quantizer quantizer(*plan);
    for (size_t r = 0; r < plan->rows; ++r) {
        quantizer.row(r);
    }
}
