// SPDX-License-Identifier: Apache-2.0
// Reductions of contiguous elements. Sums follow the chip's order: inside a repeat of 256 bytes neighbours are added in a
// binary tree, the repeats one after the other, and every addition is rounded to the dtype.
#include "integers.hpp"
#include "pack.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

#if defined(__clang__)
#define OPKG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define OPKG_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, I{__VA_ARGS__})
#endif

// Sums of neighbours of the lanes of a followed by those of b.
inline F add_neighbours(F a, F b)
{
#if defined(__AVX512F__)
    const F even = OPKG_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const F odd = OPKG_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif defined(__AVX2__)
    const F even = OPKG_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    const F odd = OPKG_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    const F even = OPKG_SHUFFLE(a, b, 0, 2, 4, 6);
    const F odd = OPKG_SHUFFLE(a, b, 1, 3, 5, 7);
#endif
    return even + odd;
}

template <typename T>
inline F rounded(F v)
{
    T lanes[kLanes];
    store(lanes, v);
    return load(lanes);
}
template <>
inline F rounded<float>(F v)
{
    return v;
}
#if defined(__AVX512F__)
template <>
inline F rounded<half>(F v)
{
    return (F)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__AVX2__)
template <>
inline F rounded<half>(F v)
{
    return (F)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}
#endif

template <typename T>
inline constexpr size_t kRepeat = 256 / sizeof(T);

// The tree of one repeat down to one pack of partial sums; count <= kRepeat. Missing elements are zeros of the tree.
template <typename T>
inline F sum_to_pack(const T *s, size_t count)
{
    constexpr size_t packs = kRepeat<T> / kLanes;
    F level[packs];
    for (size_t i = 0; i < packs; ++i) {
        const size_t at = i * kLanes;
        level[i] = at + kLanes <= count ? load(s + at) : at < count ? load_part(s + at, count - at) : F{};
    }
    for (size_t n = packs; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; ++i) {
            level[i] = rounded<T>(add_neighbours(level[2 * i], level[2 * i + 1]));
        }
    }
    return level[0];
}

// The sums of kLanes whole repeats, one a lane: their trees share the additions, and each keeps its own order.
template <typename T>
inline F sum_repeats(const T *s)
{
    F level[kLanes];
    for (size_t r = 0; r < kLanes; ++r) {
        level[r] = sum_to_pack(s + r * kRepeat<T>, kRepeat<T>);
    }
    for (size_t n = kLanes; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; ++i) {
            level[i] = rounded<T>(add_neighbours(level[2 * i], level[2 * i + 1]));
        }
    }
    return level[0];
}

template <typename T>
inline float sum_repeat(const T *s, size_t count)
{
    F last = sum_to_pack(s, count);
    for (size_t n = kLanes; n > 1; n /= 2) {
        last = rounded<T>(add_neighbours(last, last));
    }
    return last[0];
}

template <typename T>
void write_float(void *dst, float value)
{
    T lanes[kLanes];
    store(lanes, splat(value));
    memcpy(dst, lanes, sizeof(T));
}

template <typename T>
void sum(void *dst, const void *src, size_t count, uint32_t *)
{
    const T *s = static_cast<const T *>(src);
    float total = 0.0f;
    const auto add = [&total](size_t at, float part) { total = at == 0 ? part : rounded<T>(splat(total + part))[0]; };
    size_t i = 0;
    for (; i + kLanes * kRepeat<T> <= count; i += kLanes * kRepeat<T>) {
        const F parts = sum_repeats(s + i);
        for (size_t r = 0; r < kLanes; ++r) {
            add(i + r, parts[r]);
        }
    }
    for (; i < count; i += kRepeat<T>) {
        add(i, sum_repeat(s + i, count - i < kRepeat<T> ? count - i : kRepeat<T>));
    }
    write_float<T>(dst, total);
}

template <typename T>
void integer_sum(void *dst, const void *src, size_t count, uint32_t *)
{
    const T *s = static_cast<const T *>(src);
    Wrapping<T> total = 0;
    for (size_t i = 0; i < count; ++i) {
        total += static_cast<Wrapping<T>>(s[i]);
    }
    const T result = static_cast<T>(total);
    memcpy(dst, &result, sizeof(T));
}

template <bool largest>
inline F better(F a, F b)
{
    const F m = largest ? (a > b ? a : b) : (a < b ? a : b);
    return a != a ? a : m;
}

template <bool largest>
inline float better_one(float a, float b)
{
    return a != a ? a : largest ? (a > b ? a : b) : (a < b ? a : b);
}

// The last pack of a row that is not a whole number of packs: it overlaps the one before, or repeats the first element.
template <typename T>
inline F load_last(const T *s, size_t count)
{
    if (count >= kLanes) {
        return load(s + count - kLanes);
    }
    T lanes[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
        lanes[i] = s[i < count ? i : 0];
    }
    return load(lanes);
}

template <bool largest, typename T>
float extreme_value(const T *s, size_t count)
{
    F best = load_last(s, count);
    size_t i = 0;
    if (count >= 4 * kLanes) {
        F side[4] = {best, best, best, best};
        for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
            for (size_t k = 0; k < 4; ++k) {
                side[k] = better<largest>(side[k], load(s + i + k * kLanes));
            }
        }
        best = better<largest>(better<largest>(side[0], side[1]), better<largest>(side[2], side[3]));
    }
    for (; i + kLanes <= count; i += kLanes) {
        best = better<largest>(best, load(s + i));
    }
    float lanes[kLanes];
    memcpy(lanes, &best, sizeof lanes);
    for (size_t n = kLanes / 2; n > 0; n /= 2) {
        for (size_t k = 0; k < n; ++k) {
            lanes[k] = better_one<largest>(lanes[k], lanes[k + n]);
        }
    }
    return lanes[0];
}

// The first position of a value; a NaN is found as well.
template <typename T>
uint32_t first_position(const T *s, size_t count, float value)
{
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        const F v = here == kLanes ? load(s + i) : load_part(s + i, here);
        const uint32_t found = bits_of(value != value ? v != v : v == value) & ((2u << (here - 1)) - 1);
        if (found != 0) {
            return static_cast<uint32_t>(i) + static_cast<uint32_t>(__builtin_ctz(found));
        }
    }
    return 0;
}

template <bool largest, typename T>
void extreme(void *dst, const void *src, size_t count, uint32_t *index)
{
    const T *s = static_cast<const T *>(src);
    const float value = extreme_value<largest>(s, count);
    if (index != nullptr) {
        *index = first_position(s, count, value);
    }
    write_float<T>(dst, value);
}

template <bool largest, typename T>
void integer_extreme(void *dst, const void *src, size_t count, uint32_t *index)
{
    const T *s = static_cast<const T *>(src);
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        if (largest ? s[i] > s[best] : s[i] < s[best]) {
            best = i;
        }
    }
    if (index != nullptr) {
        *index = static_cast<uint32_t>(best);
    }
    memcpy(dst, s + best, sizeof(T));
}

template <typename T>
void fill_floats(Dtype dtype)
{
    opkg_twin_reduce[kReduceSum][dtype] = sum<T>;
    opkg_twin_reduce[kReduceMax][dtype] = extreme<true, T>;
    opkg_twin_reduce[kReduceMin][dtype] = extreme<false, T>;
}

template <typename T>
void fill_integers(Dtype dtype)
{
    opkg_twin_reduce[kReduceSum][dtype] = integer_sum<T>;
    opkg_twin_reduce[kReduceMax][dtype] = integer_extreme<true, T>;
    opkg_twin_reduce[kReduceMin][dtype] = integer_extreme<false, T>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(reductions)
{
    fill_floats<float>(kF32);
    fill_floats<half>(kF16);
    fill_floats<bfloat>(kBF16);
    fill_integers<int8_t>(kI8);
    fill_integers<uint8_t>(kU8);
    fill_integers<int16_t>(kI16);
    fill_integers<uint16_t>(kU16);
    fill_integers<int32_t>(kI32);
    fill_integers<uint32_t>(kU32);
    fill_integers<int64_t>(kI64);
    fill_integers<uint64_t>(kU64);
}

} // namespace opkg::twin
