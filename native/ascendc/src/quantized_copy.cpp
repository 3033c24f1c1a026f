// SPDX-License-Identifier: Apache-2.0
// Copies out of the L0C Buffer that quantize what they move.
#include <math.h>
#include <string.h>

#include "core.hpp"
#include "twin/half.h"

using namespace opkg::twin;

namespace {

// AscendC::DeqScale
enum Scale : uint32_t { kNone, kDeq, kVectorDeq, kDeq8, kVectorDeq8, kDeq16, kVectorDeq16 };

constexpr uint32_t kColumns = 16; // of a square
constexpr int32_t kRint = 1;      // AscendC::RoundMode

// What a 64-bit parameter says. Its offset has nine bits, one of them a sign.
float factor_of(uint64_t value) { return __builtin_bit_cast(float, static_cast<uint32_t>(value)); }
uint32_t shift_of(uint64_t value) { return static_cast<uint32_t>(value >> 32 & 15) + 1; }
bool shifts_first(uint64_t value) { return (value >> 36 & 1) != 0; }
int32_t offset_of(uint64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value >> 37) << 23) >> 23; }
bool has_sign(uint64_t value) { return (value >> 46 & 1) != 0; }
bool has_relu(uint64_t value) { return (value >> 47 & 1) != 0; }

float between(float v, float low, float high) { return v != v ? 0.0f : v < low ? low : v > high ? high : v; }
int32_t shifted(int32_t sum, uint64_t value)
{
    return static_cast<int32_t>(between(static_cast<float>(sum >> shift_of(value)), -32768.0f, 32767.0f));
}

class Copier {
public:
    explicit Copier(const QuantizedCopy &plan) : plan_(plan) {}

    void row(uint8_t *dst, const uint8_t *src, uint32_t number) const
    {
        for (uint32_t i = 0; i < plan_.elements; ++i) {
            one(dst, src, i, parameter(number, i % kColumns));
        }
    }

private:
    bool by_column() const { return plan_.scale == kVectorDeq || plan_.scale == kVectorDeq8 || plan_.scale == kVectorDeq16; }

    // The flag of a parameter of its own holds where all elements have one.
    bool relu(uint64_t value) const { return plan_.relu != 0 || (!by_column() && plan_.scale > kVectorDeq && has_relu(value)); }

    uint64_t parameter(uint32_t row, uint32_t column) const
    {
        if (!by_column()) {
            return plan_.value;
        }
        const uint32_t size = plan_.scale == kVectorDeq ? 2 : 8;
        uint64_t value = 0;
        memcpy(&value, static_cast<const uint8_t *>(plan_.table) + (row * kColumns + column) * size, size);
        return value;
    }

    float number(const uint8_t *src, uint32_t i, uint64_t value) const
    {
        if (plan_.src_dtype == kF32) {
            return reinterpret_cast<const float *>(src)[i];
        }
        if (plan_.src_dtype == kF16) {
            return reinterpret_cast<const half *>(src)[i];
        }
        const int32_t sum = reinterpret_cast<const int32_t *>(src)[i];
        const bool first = plan_.scale >= kDeq8 && shifts_first(value);
        return static_cast<float>(first ? shifted(sum, value) : sum);
    }

    void one(uint8_t *dst, const uint8_t *src, uint32_t i, uint64_t value) const
    {
        if (plan_.dst_dtype == kI16) {
            const int32_t kept = shifted(reinterpret_cast<const int32_t *>(src)[i], value);
            reinterpret_cast<int16_t *>(dst)[i] = static_cast<int16_t>(relu(value) && kept < 0 ? 0 : kept);
            return;
        }
        const float factor = plan_.scale == kNone   ? 1.0f
                             : plan_.scale < kDeq8 ? static_cast<float>(half::from_bits(static_cast<uint16_t>(value)))
                                                   : factor_of(value);
        float scaled = number(src, i, value) * factor;
        scaled = relu(value) && scaled < 0.0f ? 0.0f : scaled;
        if (plan_.dst_dtype == kF16) {
            opkg_twin_cast[kF32][kF16](dst + 2 * i, &scaled, 1, kRint);
            return;
        }
        const bool sign = has_sign(value);
        const float moved = rintf(scaled + static_cast<float>(offset_of(value)));
        const uint32_t place = plan_.storage == 2 ? i : i / kColumns * 2 * kColumns + plan_.storage * kColumns + i % kColumns;
        dst[place] = static_cast<uint8_t>(
            static_cast<int32_t>(between(moved, sign ? -128.0f : 0.0f, sign ? 127.0f : 255.0f)));
    }

    const QuantizedCopy &plan_;
};

} // namespace

void opkg_twin_copy_quantized(void *dst, const void *src, const QuantizedCopy *plan)
{
    const Copier copier(*plan);
    for (uint32_t row = 0; row < plan->rows; ++row) {
        copier.row(static_cast<uint8_t *>(dst) + row * plan->dst_step, static_cast<const uint8_t *>(src) + row * plan->src_step,
                   row);
    }
}
