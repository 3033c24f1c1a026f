// SPDX-License-Identifier: Apache-2.0
// Philox 4x32: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
#include "adv/random.h"

#include <string.h>

namespace opkg::twin {

namespace {

struct Four {
    uint32_t word[4];
};

Four philox(Four counter, uint32_t first_key, uint32_t second_key, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; ++i) {
        const uint64_t a = 0xd2511f53ull * counter.word[0];
        const uint64_t b = 0xcd9e8d57ull * counter.word[2];
        counter = {{static_cast<uint32_t>(b >> 32) ^ counter.word[1] ^ first_key, static_cast<uint32_t>(b),
                    static_cast<uint32_t>(a >> 32) ^ counter.word[3] ^ second_key, static_cast<uint32_t>(a)}};
        first_key += 0x9e3779b9u;
        second_key += 0xbb67ae85u;
    }
    return counter;
}

void advance(Four &counter, uint32_t steps)
{
    uint64_t carry = steps;
    for (uint32_t &word : counter.word) {
        carry += word;
        word = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

// In [0, 1): the lowest 23 bits, as the digits of a number in [1, 2), less 1.
uint32_t fraction_of(uint32_t bits)
{
    const uint32_t one = (bits & 0x7fffffu) | 0x3f800000u;
    float value;
    memcpy(&value, &one, sizeof(value));
    value -= 1.0f;
    uint32_t result;
    memcpy(&result, &value, sizeof(result));
    return result;
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_philox(uint32_t dtype, void *dst, uint32_t rounds, const uint32_t key[2], const uint32_t counter[4],
                      uint32_t rows, uint32_t columns, uint32_t stride)
{
    Four at{{counter[0], counter[1], counter[2], counter[3]}};
    uint32_t *to = static_cast<uint32_t *>(dst);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t k = 0; k < columns; k += 4) {
            const Four numbers = philox(at, key[0], key[1], rounds);
            advance(at, 1);
            for (uint32_t i = 0; i < 4 && k + i < columns; ++i) {
                *to++ = dtype == kF32 ? fraction_of(numbers.word[i]) : numbers.word[i];
            }
        }
        advance(at, (stride - columns) / 4);
    }
}
