// SPDX-License-Identifier: Apache-2.0
#include "half.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opkg::openvino {
namespace {

uint32_t bits_of(float value) noexcept {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

float float_of(uint32_t bits) noexcept {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// IEEE 754 binary32 to binary16. Subnormal results come from the addition of a constant that aligns the mantissa.
uint16_t half_of(float value) noexcept {
    const uint32_t bits = bits_of(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
    if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u); // rounds to 65536 or is infinite
    if (magnitude < 0x38800000u) {
        const float aligned = float_of(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (bits_of(aligned) - 0x3f000000u));
    }
    const uint32_t odd = magnitude >> 13 & 1u;
    return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

float half_value(uint16_t half) noexcept {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x0400u) return float_of(sign | ((magnitude << 13) + 0x38000000u));
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return float_of(sign | bits_of(value));
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) uint64_t halves_fast(const float* from, uint64_t count, uint16_t* to) noexcept {
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    return i;
}

__attribute__((target("avx,f16c"))) uint64_t floats_fast(const uint16_t* from, uint64_t count, float* to) noexcept {
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    return i;
}

bool has_f16c() noexcept {
    static const bool found = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
    return found;
}
#else
uint64_t halves_fast(const float*, uint64_t, uint16_t*) noexcept { return 0; }
uint64_t floats_fast(const uint16_t*, uint64_t, float*) noexcept { return 0; }
bool has_f16c() noexcept { return false; }
#endif

} // namespace

void float_to_half(const float* from, uint64_t count, uint16_t* to) noexcept {
    for (uint64_t i = has_f16c() ? halves_fast(from, count, to) : 0; i < count; ++i) to[i] = half_of(from[i]);
}

void half_to_float(const uint16_t* from, uint64_t count, float* to) noexcept {
    for (uint64_t i = has_f16c() ? floats_fast(from, count, to) : 0; i < count; ++i) to[i] = half_value(from[i]);
}

void float_to_bfloat(const float* from, uint64_t count, uint16_t* to) noexcept {
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t bits = bits_of(from[i]);
        const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
        to[i] = static_cast<uint16_t>(nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    }
}

void bfloat_to_float(const uint16_t* from, uint64_t count, float* to) noexcept {
    for (uint64_t i = 0; i < count; ++i) to[i] = float_of(static_cast<uint32_t>(from[i]) << 16);
}

} // namespace opkg::openvino
