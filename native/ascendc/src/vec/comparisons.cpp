// SPDX-License-Identifier: Apache-2.0
// Comparisons that set one bit an element, and selections that read one.
#include "pack.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

// AscendC::CMPMODE
enum Relation : int32_t { kLT, kGT, kEQ, kLE, kGE, kNE };

template <int32_t relation, typename V>
inline auto holds(V a, V b)
{
    if constexpr (relation == kLT) {
        return a < b;
    } else if constexpr (relation == kGT) {
        return a > b;
    } else if constexpr (relation == kEQ) {
        return a == b;
    } else if constexpr (relation == kLE) {
        return a <= b;
    } else if constexpr (relation == kGE) {
        return a >= b;
    } else {
        return a != b;
    }
}

// Eight results a byte.
template <int32_t relation, bool scalar, typename T>
inline uint8_t byte_of(const T *a, const T *b, size_t count)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        const F y = scalar ? splat(load_part(b, 1)[0]) : load_part(b + i, here);
        bits |= bits_of(holds<relation>(load_part(a + i, here), y)) << i;
    }
    return static_cast<uint8_t>(bits & ((1u << count) - 1));
}

template <int32_t relation, bool scalar, typename T>
void compare_floats(uint8_t *dst, const T *a, const T *b, size_t count)
{
    const F broadcast = splat(load_part(b, 1)[0]);
    size_t i = 0;
    constexpr size_t step = kLanes < 8 ? 8 : kLanes;
    for (; i + step <= count; i += step) {
        uint32_t bits = 0;
        for (size_t k = 0; k < step; k += kLanes) {
            const F y = scalar ? broadcast : load(b + (scalar ? 0 : i + k));
            bits |= bits_of(holds<relation>(load(a + i + k), y)) << k;
        }
        memcpy(dst + i / 8, &bits, step / 8);
    }
    for (; i < count; i += 8) {
        dst[i / 8] = byte_of<relation, scalar>(a + i, scalar ? b : b + i, count - i < 8 ? count - i : 8);
    }
}

template <int32_t relation, bool scalar, typename T>
void compare_integers(uint8_t *dst, const T *a, const T *b, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        uint32_t bits = 0;
        const size_t here = count - i < 8 ? count - i : 8;
        for (size_t k = 0; k < here; ++k) {
            bits |= static_cast<uint32_t>(holds<relation>(a[i + k], scalar ? b[0] : b[i + k])) << k;
        }
        dst[i / 8] = static_cast<uint8_t>(bits);
    }
}

template <int32_t relation, bool scalar, typename T>
void compare_one(uint8_t *dst, const T *a, const T *b, size_t count)
{
    if constexpr (is_real<T>) {
        compare_floats<relation, scalar>(dst, a, b, count);
    } else {
        compare_integers<relation, scalar>(dst, a, b, count);
    }
}

template <bool scalar, typename T>
void compare(uint8_t *dst, const void *src0, const void *src1, size_t count, int32_t mode)
{
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    using Fn = void (*)(uint8_t *, const T *, const T *, size_t);
    constexpr Fn functions[] = {compare_one<kLT, scalar, T>, compare_one<kGT, scalar, T>, compare_one<kEQ, scalar, T>,
                                compare_one<kLE, scalar, T>, compare_one<kGE, scalar, T>, compare_one<kNE, scalar, T>};
    functions[mode](dst, a, b, count);
}

template <bool scalar>
void fill_compare_row()
{
    CompareFn *row = opkg_twin_compare[scalar ? 1 : 0];
    row[kF32] = compare<scalar, float>;
    row[kF16] = compare<scalar, half>;
    row[kBF16] = compare<scalar, bfloat>;
    row[kF64] = compare<scalar, double>;
    row[kI8] = compare<scalar, int8_t>;
    row[kU8] = compare<scalar, uint8_t>;
    row[kI16] = compare<scalar, int16_t>;
    row[kU16] = compare<scalar, uint16_t>;
    row[kI32] = compare<scalar, int32_t>;
    row[kU32] = compare<scalar, uint32_t>;
    row[kI64] = compare<scalar, int64_t>;
    row[kU64] = compare<scalar, uint64_t>;
}

inline bool bit(const uint8_t *mask, size_t i) { return (mask[i / 8] >> (i % 8) & 1) != 0; }

template <typename T>
void select_tail(T *d, const uint8_t *mask, const T *a, const T *b, size_t b_step, size_t from, size_t count)
{
    for (size_t i = from; i < count; ++i) {
        d[i] = bit(mask, i) ? a[i] : b[i * b_step];
    }
}

void select_any(void *dst, const uint8_t *mask, const void *a, const void *b, size_t b_step, size_t count)
{
    select_tail(static_cast<uint64_t *>(dst), mask, static_cast<const uint64_t *>(a), static_cast<const uint64_t *>(b),
                b_step, 0, count);
}

void select_bytes(void *dst, const uint8_t *mask, const void *a, const void *b, size_t b_step, size_t count)
{
    select_tail(static_cast<uint8_t *>(dst), mask, static_cast<const uint8_t *>(a), static_cast<const uint8_t *>(b),
                b_step, 0, count);
}

// Lane k holds 1 << k, to test a mask's bits in all lanes at once.
template <typename V>
inline V lane_bits()
{
    V bits{};
    for (size_t k = 0; k < kLanes; ++k) {
        bits[k] = static_cast<decltype(bits[0] + 0)>(1u << k);
    }
    return bits;
}

inline uint32_t mask_of_pack(const uint8_t *mask, size_t i)
{
    if constexpr (kLanes >= 8) {
        uint32_t bits = 0;
        memcpy(&bits, mask + i / 8, kLanes / 8);
        return bits;
    } else {
        return mask[i / 8] >> (i % 8);
    }
}

template <typename V>
inline V load_pack(const void *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

template <typename T, typename V>
void select_packs(void *dst, const uint8_t *mask, const void *src0, const void *src1, size_t b_step, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    const V lanes = lane_bits<V>();
    const V one = b[0] - V{};
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const V bits = static_cast<T>(mask_of_pack(mask, i)) - V{};
        const V y = b_step == 0 ? one : load_pack<V>(b + i);
        const V x = load_pack<V>(a + i);
        const V chosen = (bits & lanes) != 0 ? x : y;
        memcpy(d + i, &chosen, sizeof chosen);
    }
    select_tail(d, mask, a, b, b_step, i, count);
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(comparisons)
{
    fill_compare_row<false>();
    fill_compare_row<true>();
    opkg_twin_select[0] = select_bytes;
    opkg_twin_select[1] = select_packs<uint16_t, H>;
    opkg_twin_select[2] = select_packs<uint32_t, U>;
    opkg_twin_select[3] = select_any;
}

} // namespace opkg::twin
