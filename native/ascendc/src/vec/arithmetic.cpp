// SPDX-License-Identifier: Apache-2.0
// Element-wise arithmetic of two tensors, and of a tensor and a scalar.
#include "copies.hpp"
#include "integers.hpp"
#include "pack.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

inline F largest(F a, F b)
{
    const F m = a > b ? a : b; // b where either is a NaN
    return a != a ? a : m;
}
inline F smallest(F a, F b)
{
    const F m = a < b ? a : b;
    return a != a ? a : m;
}
inline F positive(F v) { return v < 0.0f ? F{} : v; }

// Operations on packs; d is what dst held before.
#define OPKG_FLOAT(name, expression)                                                                                   \
    struct name {                                                                                                      \
        static inline F apply([[maybe_unused]] F a, [[maybe_unused]] F b, [[maybe_unused]] F d) { return expression; } \
    };
OPKG_FLOAT(FloatAdd, a + b)
OPKG_FLOAT(FloatSub, a - b)
OPKG_FLOAT(FloatMul, a *b)
OPKG_FLOAT(FloatDiv, a / b)
OPKG_FLOAT(FloatMax, largest(a, b))
OPKG_FLOAT(FloatMin, smallest(a, b))
OPKG_FLOAT(FloatAddRelu, positive(a + b))
OPKG_FLOAT(FloatSubRelu, positive(a - b))
OPKG_FLOAT(FloatAbsSub, magnitude_of(a - b))
OPKG_FLOAT(FloatMulAddDst, a *b + d)
OPKG_FLOAT(FloatFusedMulAdd, a *d + b)
OPKG_FLOAT(FloatFusedMulAddRelu, positive(a *d + b))
OPKG_FLOAT(FloatSubFrom, b - a)
OPKG_FLOAT(FloatDivFrom, b / a)
OPKG_FLOAT(FloatLeakyRelu, a < 0.0f ? a * b : a)
#undef OPKG_FLOAT

// Operations on integers. They are done without sign and cut to the type, as the chip does by default.
#define OPKG_INTEGER(name, expression)                                                                                 \
    template <typename T>                                                                                              \
    struct name {                                                                                                      \
        static inline T apply([[maybe_unused]] T a, [[maybe_unused]] T b)                                              \
        {                                                                                                              \
            using W = Wrapping<T>;                                                                                     \
            [[maybe_unused]] const W x = static_cast<W>(a), y = static_cast<W>(b);                                     \
            return static_cast<T>(expression);                                                                         \
        }                                                                                                              \
    };
OPKG_INTEGER(IntAdd, x + y)
OPKG_INTEGER(IntSub, x - y)
OPKG_INTEGER(IntMul, x *y)
OPKG_INTEGER(IntMax, a > b ? a : b)
OPKG_INTEGER(IntMin, a < b ? a : b)
OPKG_INTEGER(IntAnd, x &y)
OPKG_INTEGER(IntOr, x | y)
OPKG_INTEGER(IntXor, x ^ y)
OPKG_INTEGER(IntAddRelu, (static_cast<T>(x + y) > 0 ? x + y : W(0)))
OPKG_INTEGER(IntSubRelu, (static_cast<T>(x - y) > 0 ? x - y : W(0)))
OPKG_INTEGER(IntDiv, divide(a, b))
OPKG_INTEGER(IntSubFrom, y - x)
OPKG_INTEGER(IntDivFrom, divide(b, a))
OPKG_INTEGER(IntShiftLeft, shift_left(a, b))
OPKG_INTEGER(IntShiftRight, shift_right(a, b))
OPKG_INTEGER(IntShiftRightRound, shift_right_round(a, b))
OPKG_INTEGER(IntLeakyRelu, (a < 0 ? x * y : x))
#undef OPKG_INTEGER

// What sums, differences and products of integers are where bit 53 of the control register is set.
template <typename Op>
struct Saturating {
    static constexpr bool known = false;
};
template <typename T>
T end_of(bool lower)
{
    constexpr T top = is_signed<T> ? static_cast<T>((1ull << (width<T> - 1)) - 1) : static_cast<T>(~0ull);
    return lower ? static_cast<T>(is_signed<T> ? -top - 1 : 0) : top;
}
#define OPKG_SATURATING(Op, overflows, lower)                                                                          \
    template <typename T>                                                                                              \
    struct Saturating<Op<T>> {                                                                                         \
        static constexpr bool known = true;                                                                            \
        static T apply(T a, T b)                                                                                       \
        {                                                                                                              \
            T result;                                                                                                  \
            return overflows ? end_of<T>(lower) : result;                                                              \
        }                                                                                                              \
    };
OPKG_SATURATING(IntAdd, __builtin_add_overflow(a, b, &result), is_signed<T> && a < 0)
OPKG_SATURATING(IntSub, __builtin_sub_overflow(a, b, &result), !is_signed<T> || a < 0)
OPKG_SATURATING(IntSubFrom, __builtin_sub_overflow(b, a, &result), !is_signed<T> || b < 0)
OPKG_SATURATING(IntMul, __builtin_mul_overflow(a, b, &result), is_signed<T> && (a < 0) != (b < 0))
#undef OPKG_SATURATING
bool saturates() { return (opkg_twin_core->control >> 53 & 1) != 0; }

template <typename Op, typename T>
void binary(void *dst, const void *src0, const void *src1, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        store(d + i, Op::apply(load(a + i), load(b + i), load(d + i)));
    }
    if (const size_t rest = count - i; rest != 0) {
        store_part(d + i, Op::apply(load_part(a + i, rest), load_part(b + i, rest), load_part(d + i, rest)), rest);
    }
}

template <typename Op>
void stream_binary(void *dst, const void *src0, const void *src1, size_t count)
{
    constexpr size_t pack = kLanes * sizeof(float);
    float *d = static_cast<float *>(dst);
    const float *a = static_cast<const float *>(src0);
    const float *b = static_cast<const float *>(src1);
    const size_t past = reinterpret_cast<uintptr_t>(dst) % pack;
    const size_t head = past % sizeof(float) != 0 ? count : past != 0 ? (pack - past) / sizeof(float) : 0;
    size_t i = head < count ? head : count;
    binary<Op, float>(d, a, b, i);
    for (; i + kLanes <= count; i += kLanes) {
        store_past_caches(d + i, Op::apply(load(a + i), load(b + i), F{}));
    }
    binary<Op, float>(d + i, a + i, b + i, count - i);
}

template <typename Op, typename T>
void integer_binary(void *dst, const void *src0, const void *src1, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    if constexpr (Saturating<Op>::known) {
        if (saturates()) {
            for (size_t i = 0; i < count; ++i) {
                d[i] = Saturating<Op>::apply(a[i], b[i]);
            }
            return;
        }
    }
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::apply(a[i], b[i]);
    }
}

template <typename T>
F load_scalar(const void *scalar)
{
    T lanes[kLanes] = {};
    memcpy(lanes, scalar, sizeof(T));
    return splat(load(lanes)[0]);
}

template <typename Op, typename T>
void scalar(void *dst, const void *src, const void *value, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src);
    const F b = load_scalar<T>(value);
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        store(d + i, Op::apply(load(a + i), b, load(d + i)));
    }
    if (const size_t rest = count - i; rest != 0) {
        store_part(d + i, Op::apply(load_part(a + i, rest), b, load_part(d + i, rest)), rest);
    }
}

template <typename Op, typename T>
void integer_scalar(void *dst, const void *src, const void *value, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src);
    T b;
    memcpy(&b, value, sizeof(T));
    if constexpr (Saturating<Op>::known) {
        if (saturates()) {
            for (size_t i = 0; i < count; ++i) {
                d[i] = Saturating<Op>::apply(a[i], b);
            }
            return;
        }
    }
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::apply(a[i], b);
    }
}

// dst of float, src of half: dst + src * scalar, and dst + src0 * src1.
void axpy_widen(void *dst, const void *src, const void *value, size_t count)
{
    float *d = static_cast<float *>(dst);
    const half *a = static_cast<const half *>(src);
    const F b = load_scalar<half>(value);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        store_part(d + i, load_part(a + i, here) * b + load_part(d + i, here), here);
    }
}

void mul_add_dst_widen(void *dst, const void *src0, const void *src1, size_t count)
{
    float *d = static_cast<float *>(dst);
    const half *a = static_cast<const half *>(src0);
    const half *b = static_cast<const half *>(src1);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        store_part(d + i, load_part(a + i, here) * load_part(b + i, here) + load_part(d + i, here), here);
    }
}

// Integers of 64 bits with what dst held before: products added to it, or the sum of its product and another tensor.
template <typename T>
void integer_mul_add_dst(void *dst, const void *src0, const void *src1, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    for (size_t i = 0; i < count; ++i) {
        d[i] = static_cast<T>(static_cast<uint64_t>(a[i]) * static_cast<uint64_t>(b[i]) + static_cast<uint64_t>(d[i]));
    }
}

template <typename T, bool relu>
void integer_fused_mul_add(void *dst, const void *src0, const void *src1, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    for (size_t i = 0; i < count; ++i) {
        const T sum =
            static_cast<T>(static_cast<uint64_t>(a[i]) * static_cast<uint64_t>(d[i]) + static_cast<uint64_t>(b[i]));
        d[i] = relu && sum < T(0) ? T(0) : sum;
    }
}

template <typename T>
void integer_axpy(void *dst, const void *src, const void *value, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src);
    T b;
    memcpy(&b, value, sizeof(T));
    for (size_t i = 0; i < count; ++i) {
        d[i] = static_cast<T>(static_cast<uint64_t>(a[i]) * static_cast<uint64_t>(b) + static_cast<uint64_t>(d[i]));
    }
}

template <typename T>
void wide_integers(Dtype dtype)
{
    opkg_twin_binary[kMulAddDst][dtype] = integer_mul_add_dst<T>;
    opkg_twin_binary[kFusedMulAdd][dtype] = integer_fused_mul_add<T, false>;
    opkg_twin_binary[kFusedMulAddRelu][dtype] = integer_fused_mul_add<T, true>;
    opkg_twin_scalar[kAxpy][dtype] = integer_axpy<T>;
}

template <typename T>
void fill(void *dst, const void *, const void *value, size_t count)
{
    T *d = static_cast<T *>(dst);
    T b;
    memcpy(&b, value, sizeof(T));
    for (size_t i = 0; i < count; ++i) {
        d[i] = b;
    }
}

template <typename Op>
void floats(BinaryOp op)
{
    stream_floats[op] = stream_binary<Op>;
    opkg_twin_binary[op][kF32] = binary<Op, float>;
    opkg_twin_binary[op][kF16] = binary<Op, half>;
    opkg_twin_binary[op][kBF16] = binary<Op, bfloat>;
}

template <typename Op>
void floats(ScalarOp op)
{
    opkg_twin_scalar[op][kF32] = scalar<Op, float>;
    opkg_twin_scalar[op][kF16] = scalar<Op, half>;
    opkg_twin_scalar[op][kBF16] = scalar<Op, bfloat>;
}

template <template <typename> class Op>
void integers(BinaryOp op)
{
    opkg_twin_binary[op][kI8] = integer_binary<Op<int8_t>, int8_t>;
    opkg_twin_binary[op][kU8] = integer_binary<Op<uint8_t>, uint8_t>;
    opkg_twin_binary[op][kI16] = integer_binary<Op<int16_t>, int16_t>;
    opkg_twin_binary[op][kU16] = integer_binary<Op<uint16_t>, uint16_t>;
    opkg_twin_binary[op][kI32] = integer_binary<Op<int32_t>, int32_t>;
    opkg_twin_binary[op][kU32] = integer_binary<Op<uint32_t>, uint32_t>;
    opkg_twin_binary[op][kI64] = integer_binary<Op<int64_t>, int64_t>;
    opkg_twin_binary[op][kU64] = integer_binary<Op<uint64_t>, uint64_t>;
}

template <template <typename> class Op>
void integers(ScalarOp op)
{
    opkg_twin_scalar[op][kI8] = integer_scalar<Op<int8_t>, int8_t>;
    opkg_twin_scalar[op][kU8] = integer_scalar<Op<uint8_t>, uint8_t>;
    opkg_twin_scalar[op][kI16] = integer_scalar<Op<int16_t>, int16_t>;
    opkg_twin_scalar[op][kU16] = integer_scalar<Op<uint16_t>, uint16_t>;
    opkg_twin_scalar[op][kI32] = integer_scalar<Op<int32_t>, int32_t>;
    opkg_twin_scalar[op][kU32] = integer_scalar<Op<uint32_t>, uint32_t>;
    opkg_twin_scalar[op][kI64] = integer_scalar<Op<int64_t>, int64_t>;
    opkg_twin_scalar[op][kU64] = integer_scalar<Op<uint64_t>, uint64_t>;
}

void fill_binary_rows()
{
    floats<FloatAdd>(kAdd);
    floats<FloatSub>(kSub);
    floats<FloatMul>(kMul);
    floats<FloatDiv>(kDiv);
    floats<FloatMax>(kMax);
    floats<FloatMin>(kMin);
    floats<FloatAddRelu>(kAddRelu);
    floats<FloatSubRelu>(kSubRelu);
    floats<FloatAbsSub>(kAbsSub);
    floats<FloatMulAddDst>(kMulAddDst);
    floats<FloatFusedMulAdd>(kFusedMulAdd);
    floats<FloatFusedMulAddRelu>(kFusedMulAddRelu);
    floats<FloatLeakyRelu>(kPrelu);
    opkg_twin_binary[kMulAddDstWiden][kF16] = mul_add_dst_widen;
    integers<IntAdd>(kAdd);
    integers<IntSub>(kSub);
    integers<IntMul>(kMul);
    integers<IntDiv>(kDiv);
    integers<IntMax>(kMax);
    integers<IntMin>(kMin);
    integers<IntAnd>(kAnd);
    integers<IntOr>(kOr);
    integers<IntXor>(kXor);
    integers<IntAddRelu>(kAddRelu);
    integers<IntSubRelu>(kSubRelu);
    integers<IntShiftLeft>(kShiftLeftBy);
    integers<IntShiftRight>(kShiftRightBy);
}

void fill_scalar_rows()
{
    floats<FloatAdd>(kAdds);
    floats<FloatMul>(kMuls);
    floats<FloatMax>(kMaxs);
    floats<FloatMin>(kMins);
    floats<FloatMulAddDst>(kAxpy);
    floats<FloatLeakyRelu>(kLeakyRelu);
    floats<FloatSub>(kSubs);
    floats<FloatSubFrom>(kSubsFrom);
    floats<FloatDiv>(kDivs);
    floats<FloatDivFrom>(kDivsFrom);
    opkg_twin_scalar[kAxpyWiden][kF16] = axpy_widen;
    integers<IntAdd>(kAdds);
    integers<IntMul>(kMuls);
    integers<IntMax>(kMaxs);
    integers<IntMin>(kMins);
    integers<IntLeakyRelu>(kLeakyRelu);
    integers<IntShiftLeft>(kShiftLeft);
    integers<IntShiftRight>(kShiftRight);
    integers<IntShiftRightRound>(kShiftRightRound);
    integers<IntSub>(kSubs);
    integers<IntSubFrom>(kSubsFrom);
    integers<IntDiv>(kDivs);
    integers<IntDivFrom>(kDivsFrom);
    integers<IntAnd>(kAnds);
    integers<IntOr>(kOrs);
}

void fill_duplicate_row()
{
    ScalarFn *row = opkg_twin_scalar[kDuplicate];
    row[kI8] = row[kU8] = fill<uint8_t>;
    row[kI16] = row[kU16] = row[kF16] = row[kBF16] = fill<uint16_t>;
    row[kI32] = row[kU32] = row[kF32] = fill<uint32_t>;
    row[kI64] = row[kU64] = row[kF64] = fill<uint64_t>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(arithmetic)
{
    fill_binary_rows();
    fill_scalar_rows();
    fill_duplicate_row();
    wide_integers<int64_t>(kI64);
    wide_integers<uint64_t>(kU64);
}

} // namespace opkg::twin
