// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor.
#include "integers.hpp"
#include "math.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

#define OPKG_FLOAT(name, expression)                                                                                   \
    struct name {                                                                                                      \
        static inline F apply(F a) { return expression; }                                                              \
    };
OPKG_FLOAT(FloatExp, exponential(a))
OPKG_FLOAT(FloatLn, logarithm(a))
OPKG_FLOAT(FloatAbs, magnitude_of(a))
OPKG_FLOAT(FloatSqrt, square_root(a))
OPKG_FLOAT(FloatRsqrt, 1.0f / square_root(a))
OPKG_FLOAT(FloatReciprocal, 1.0f / a)
OPKG_FLOAT(FloatRelu, (a < 0.0f ? F{} : a))
OPKG_FLOAT(FloatNeg, (F)((U)a ^ 0x80000000u))
#undef OPKG_FLOAT

#define OPKG_INTEGER(name, expression)                                                                                 \
    template <typename T>                                                                                              \
    struct name {                                                                                                      \
        static inline T apply(T a)                                                                                     \
        {                                                                                                              \
            using W = Wrapping<T>;                                                                                     \
            [[maybe_unused]] const W x = static_cast<W>(a);                                                            \
            return static_cast<T>(expression);                                                                         \
        }                                                                                                              \
    };
OPKG_INTEGER(IntAbs, (a < 0 ? W(0) - x : x))
OPKG_INTEGER(IntRelu, (a < 0 ? W(0) : x))
OPKG_INTEGER(IntNot, ~x)
OPKG_INTEGER(IntNeg, W(0) - x)
OPKG_INTEGER(IntReciprocal, divide(T(1), a))
#undef OPKG_INTEGER

template <typename Op, typename T>
void unary(void *dst, const void *src, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src);
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        store(d + i, Op::apply(load(a + i)));
    }
    if (const size_t rest = count - i; rest != 0) {
        store_part(d + i, Op::apply(load_part(a + i, rest)), rest);
    }
}

template <typename Op, typename T>
void integer_unary(void *dst, const void *src, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(src);
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::apply(a[i]);
    }
}

template <typename T>
void copy(void *dst, const void *src, size_t count)
{
    memmove(dst, src, count * sizeof(T));
}

template <typename Op>
void floats(UnaryOp op)
{
    opkg_twin_unary[op][kF32] = unary<Op, float>;
    opkg_twin_unary[op][kF16] = unary<Op, half>;
    opkg_twin_unary[op][kBF16] = unary<Op, bfloat>;
}

template <template <typename> class Op>
void integers(UnaryOp op)
{
    opkg_twin_unary[op][kI8] = integer_unary<Op<int8_t>, int8_t>;
    opkg_twin_unary[op][kU8] = integer_unary<Op<uint8_t>, uint8_t>;
    opkg_twin_unary[op][kI16] = integer_unary<Op<int16_t>, int16_t>;
    opkg_twin_unary[op][kU16] = integer_unary<Op<uint16_t>, uint16_t>;
    opkg_twin_unary[op][kI32] = integer_unary<Op<int32_t>, int32_t>;
    opkg_twin_unary[op][kU32] = integer_unary<Op<uint32_t>, uint32_t>;
    opkg_twin_unary[op][kI64] = integer_unary<Op<int64_t>, int64_t>;
    opkg_twin_unary[op][kU64] = integer_unary<Op<uint64_t>, uint64_t>;
}

void fill_copy_row()
{
    UnaryFn *row = opkg_twin_unary[kCopy];
    row[kI8] = row[kU8] = copy<uint8_t>;
    row[kI16] = row[kU16] = row[kF16] = row[kBF16] = copy<uint16_t>;
    row[kI32] = row[kU32] = row[kF32] = copy<uint32_t>;
    row[kI64] = row[kU64] = row[kF64] = copy<uint64_t>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(functions)
{
    floats<FloatExp>(kExp);
    floats<FloatLn>(kLn);
    floats<FloatAbs>(kAbs);
    floats<FloatSqrt>(kSqrt);
    floats<FloatRsqrt>(kRsqrt);
    floats<FloatReciprocal>(kReciprocal);
    floats<FloatRelu>(kRelu);
    floats<FloatNeg>(kNeg);
    integers<IntAbs>(kAbs);
    integers<IntRelu>(kRelu);
    integers<IntNot>(kNot);
    integers<IntNeg>(kNeg);
    opkg_twin_unary[kNot][kF16] = integer_unary<IntNot<uint16_t>, uint16_t>;
    opkg_twin_unary[kNot][kF32] = integer_unary<IntNot<uint32_t>, uint32_t>;
    opkg_twin_unary[kReciprocal][kI64] = integer_unary<IntReciprocal<int64_t>, int64_t>;
    opkg_twin_unary[kReciprocal][kU64] = integer_unary<IntReciprocal<uint64_t>, uint64_t>;
    fill_copy_row();
}

} // namespace opkg::twin
