// SPDX-License-Identifier: Apache-2.0
// Float registers of the instruction set that this file is compiled for, and 16-bit types widened into them. Everything
// is internal to its translation unit: the same names are compiled once for each instruction set.
#ifndef OPKG_TWIN_VEC_PACK_HPP
#define OPKG_TWIN_VEC_PACK_HPP

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define OPKG_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPKG_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
constexpr size_t kLanes = kBytes / 4;

typedef float F __attribute__((vector_size(kBytes)));
typedef int32_t I __attribute__((vector_size(kBytes)));
typedef uint32_t U __attribute__((vector_size(kBytes)));
typedef uint16_t H __attribute__((vector_size(kBytes / 2)));
typedef float LooseF __attribute__((vector_size(kBytes), aligned(4), may_alias));
typedef int32_t LooseI __attribute__((vector_size(kBytes), aligned(4), may_alias));
typedef uint16_t LooseH __attribute__((vector_size(kBytes / 2), aligned(2), may_alias));

struct half {
    uint16_t bits;
};
struct bfloat {
    uint16_t bits;
};

template <typename T>
inline constexpr bool is_real = false;
template <>
inline constexpr bool is_real<float> = true;
template <>
inline constexpr bool is_real<half> = true;
template <>
inline constexpr bool is_real<bfloat> = true;

inline F splat(float value)
{
    return value - F{};
}
// a * b + c, rounded once, on every instruction set.
inline F fused(F a, F b, F c)
{
#if defined(__AVX512F__)
    return (F)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (F)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    F sum{};
    for (size_t i = 0; i < kLanes; ++i) {
        sum[i] = __builtin_fmaf(a[i], b[i], c[i]);
    }
    return sum;
#endif
}
inline I splat_int(int32_t value)
{
    return value - I{};
}

inline F load(const float *p) { return *reinterpret_cast<const LooseF *>(p); }
inline void store(float *p, F v) { *reinterpret_cast<LooseF *>(p) = v; }
// To an aligned address that is not read again soon.
inline void store_past_caches(float *p, F v)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(p, (__m512)v);
#elif defined(__AVX2__)
    _mm256_stream_ps(p, (__m256)v);
#elif defined(__SSE2__)
    _mm_stream_ps(p, (__m128)v);
#else
    store(p, v);
#endif
}
inline I load_int(const int32_t *p) { return *reinterpret_cast<const LooseI *>(p); }
inline void store_int(int32_t *p, I v) { *reinterpret_cast<LooseI *>(p) = v; }

inline F load(const bfloat *p)
{
    const U wide = __builtin_convertvector(*reinterpret_cast<const LooseH *>(p), U);
    return (F)(wide << 16);
}

// Round to nearest even; a NaN stays one.
inline void store(bfloat *p, F v)
{
    const U bits = (U)v;
    const U rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const U quiet = (bits >> 16) | 0x40u;
    const U result = v != v ? quiet : rounded;
    *reinterpret_cast<LooseH *>(p) = __builtin_convertvector(result, H);
}

#if defined(__AVX512F__)
inline F load(const half *p) { return (F)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))); }
inline void store(half *p, F v)
{
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
}
inline F square_root(F v) { return (F)_mm512_sqrt_ps((__m512)v); }
inline F nearest(F v) { return (F)_mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#elif defined(__AVX2__)
inline F load(const half *p) { return (F)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))); }
inline void store(half *p, F v)
{
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}
inline F square_root(F v) { return (F)_mm256_sqrt_ps((__m256)v); }
inline F nearest(F v) { return (F)_mm256_round_ps((__m256)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#else

#if defined(__aarch64__)
typedef __fp16 HF __attribute__((vector_size(kBytes / 2)));
typedef __fp16 LooseHF __attribute__((vector_size(kBytes / 2), aligned(2), may_alias));
inline F load(const half *p) { return __builtin_convertvector(*reinterpret_cast<const LooseHF *>(p), F); }
inline void store(half *p, F v) { *reinterpret_cast<LooseHF *>(p) = __builtin_convertvector(v, HF); }
inline F square_root(F v)
{
    for (size_t i = 0; i < kLanes; ++i) {
        v[i] = __builtin_sqrtf(v[i]);
    }
    return v;
}
#else
// binary16 in integer arithmetic. Numbers: exponents are moved by a multiplication that is exact or rounds once.
inline F load(const half *p)
{
    const U raw = __builtin_convertvector(*reinterpret_cast<const LooseH *>(p), U);
    const U magnitude = (raw & 0x7fffu) << 13;
    const F scaled = (F)magnitude * splat(0x1p112f);
    const U special = (U)scaled | 0x7f800000u;
    const U value = magnitude >= (0x7c00u << 13) ? special : (U)scaled;
    return (F)(value | ((raw & 0x8000u) << 16));
}
inline void store(half *p, F v)
{
    const U bits = (U)v;
    const U sign = (bits >> 16) & 0x8000u;
    const U magnitude = bits & 0x7fffffffu;
    const U normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    // Adding 0.5 leaves a subnormal's rounded digits in the last places of the sum.
    const U subnormal = (U)((F)magnitude + splat(0.5f)) - 0x3f000000u;
    U result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x477ff000u ? (U)splat_int(0x7c00) : result;
    result = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : result;
    *reinterpret_cast<LooseH *>(p) = __builtin_convertvector(result | sign, H);
}
inline F square_root(F v) { return (F)_mm_sqrt_ps((__m128)v); }
#endif
// Below 2^23 in magnitude, adding and taking away 2^23 leaves the nearest integer; above, a float is one already.
inline F nearest(F v)
{
    const U sign = (U)v & 0x80000000u;
    const F magnitude = (F)((U)v & 0x7fffffffu);
    const F rounded = (magnitude + splat(0x1p23f)) - splat(0x1p23f);
    return magnitude < 0x1p23f ? (F)((U)rounded | sign) : v;
}
#endif

inline F magnitude_of(F v) { return (F)((U)v & 0x7fffffffu); }
inline F with_sign_of(F v, F sign) { return (F)(((U)v & 0x7fffffffu) | ((U)sign & 0x80000000u)); }

inline F round_down(F v)
{
    const F r = nearest(v);
    return with_sign_of(r > v ? r - 1.0f : r, r);
}
inline F round_up(F v)
{
    const F r = nearest(v);
    return with_sign_of(r < v ? r + 1.0f : r, v);
}
inline F toward_zero(F v) { return with_sign_of(round_down(magnitude_of(v)), v); }
inline F half_away(F v)
{
    const F m = magnitude_of(v);
    const F whole = round_down(m);
    return with_sign_of(m - whole >= 0.5f ? whole + 1.0f : whole, v);
}

// Bit k is set where lane k of a comparison holds.
inline uint32_t bits_of(I mask)
{
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX2__)
    return static_cast<uint32_t>(_mm256_movemask_ps((__m256)mask));
#elif defined(__SSE2__)
    return static_cast<uint32_t>(_mm_movemask_ps((__m128)mask));
#else
    uint32_t bits = 0;
    for (size_t i = 0; i < kLanes; ++i) {
        bits |= static_cast<uint32_t>(mask[i] & 1) << i;
    }
    return bits;
#endif
}

// The last, incomplete pack of a row: missing lanes are zero, and are not written.
template <typename T>
inline F load_part(const T *p, size_t count)
{
    T lanes[kLanes] = {};
    memcpy(lanes, p, count * sizeof(T));
    return load(lanes);
}
template <typename T>
inline void store_part(T *p, F v, size_t count)
{
    T lanes[kLanes];
    store(lanes, v);
    memcpy(p, lanes, count * sizeof(T));
}

} // namespace

#endif // OPKG_TWIN_VEC_PACK_HPP
