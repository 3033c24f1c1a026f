// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of the library: of one tensor, and of several.
#include <math.h>

#include "adv/math_abi.h"
#include "integers.hpp"
#include "tables.hpp"
#include "wide.hpp"

using namespace opkg::twin;

namespace {

// ---- floating point, a pack at a time ----

template <D (*f)(D)>
inline F in_doubles(F x)
{
    Halves v = widen(x);
    v.part[0] = f(v.part[0]);
    v.part[1] = f(v.part[1]);
    return narrow(v);
}

template <double (*f)(double)>
inline F in_lanes(F x)
{
    for (size_t i = 0; i < kLanes; ++i) {
        x[i] = static_cast<float>(f(static_cast<double>(x[i])));
    }
    return x;
}

inline D sine_of(D x) { return sine_and_cosine(x).sine; }
inline D cosine_of(D x) { return sine_and_cosine(x).cosine; }
inline D tangent_of(D x)
{
    const Angle a = sine_and_cosine(x);
    return a.sine / a.cosine;
}
inline double c_sine(double x) { return __builtin_sin(x); }
inline double c_cosine(double x) { return __builtin_cos(x); }
inline double c_tangent(double x) { return __builtin_tan(x); }

template <D (*near)(D), double (*far)(double)>
inline F of_angle(F x)
{
    F result = in_doubles<near>(x);
    const uint32_t large = bits_of(magnitude_of(x) > kLargestAngle);
    if (__builtin_expect(large != 0, 0)) {
        for (size_t i = 0; i < kLanes; ++i) {
            if ((large >> i & 1) != 0) {
                result[i] = static_cast<float>(far(static_cast<double>(x[i])));
            }
        }
    }
    return result;
}

inline double log_gamma(double x)
{
    int sign = 0;
    return lgamma_r(x, &sign);
}

// The recurrence leads up to where the asymptotic series is good for twelve digits; reflection leads from below zero.
inline double digamma_above(double x)
{
    double shift = 0.0;
    for (; x < 10.0; x += 1.0) {
        shift -= 1.0 / x;
    }
    const double z = 1.0 / (x * x);
    const double series =
        z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
    return shift + __builtin_log(x) - 0.5 / x - series;
}
inline double digamma(double x)
{
    if (x == 0.0) {
        return __builtin_copysign(__builtin_inf(), -x);
    }
    if (x > 0.0 || x != x) {
        return x == __builtin_inf() ? x : digamma_above(x);
    }
    if (__builtin_floor(x) == x) {
        return __builtin_nan("");
    }
    constexpr double pi = 3.14159265358979323846;
    return digamma_above(1.0 - x) - pi / __builtin_tan(pi * (x - __builtin_floor(x)));
}

inline D log_base_2(D x) { return logarithm(x) * 1.4426950408889634; }
inline D log_base_10(D x) { return logarithm(x) * 0.4342944819032518; }
inline D arc_cosine(D x) { return 1.5707963267948966 - arc_sine(x); }

inline F sign_of(F x)
{
    const F positive = x > 0.0f ? splat(1.0f) : F{};
    return x < 0.0f ? splat(-1.0f) : positive;
}

#define OPKG_MATH(name, expression)                                                                                    \
    struct name {                                                                                                      \
        static inline F apply(F x) { return expression; }                                                              \
    };
OPKG_MATH(Acos, in_doubles<arc_cosine>(x))
OPKG_MATH(Acosh, in_doubles<area_cosine>(x))
OPKG_MATH(Asin, in_doubles<arc_sine>(x))
OPKG_MATH(Asinh, in_doubles<area_sine>(x))
OPKG_MATH(Atan, in_doubles<arc_tangent>(x))
OPKG_MATH(Atanh, in_doubles<area_tangent>(x))
OPKG_MATH(Ceil, round_up(x))
OPKG_MATH(Cos, (of_angle<cosine_of, c_cosine>(x)))
OPKG_MATH(Cosh, in_doubles<hyperbolic_cosine>(x))
OPKG_MATH(Digamma, in_lanes<digamma>(x))
OPKG_MATH(Erf, in_doubles<error_function>(x))
OPKG_MATH(Erfc, in_doubles<complementary_error>(x))
OPKG_MATH(Floor, round_down(x))
OPKG_MATH(Frac, x - toward_zero(x))
OPKG_MATH(Lgamma, in_lanes<log_gamma>(x))
OPKG_MATH(Log, in_doubles<logarithm>(x))
OPKG_MATH(Log10, in_doubles<log_base_10>(x))
OPKG_MATH(Log2, in_doubles<log_base_2>(x))
OPKG_MATH(Rint, nearest(x))
OPKG_MATH(Sign, sign_of(x))
OPKG_MATH(Sin, (of_angle<sine_of, c_sine>(x)))
OPKG_MATH(Sinh, in_doubles<hyperbolic_sine>(x))
OPKG_MATH(Tan, (of_angle<tangent_of, c_tangent>(x)))
OPKG_MATH(Tanh, in_doubles<hyperbolic_tangent>(x))
OPKG_MATH(Trunc, toward_zero(x))
#undef OPKG_MATH

// A source that moves along or repeats its first element.
template <typename T>
struct Source {
    const T *data;
    uint32_t step;
    F first;

    Source(const void *from, uint32_t by) : data(static_cast<const T *>(from)), step(by), first(by == 0 ? splat(one()) : F{}) {}
    float one() const { return load_part(data, 1)[0]; }
    F take(size_t i, size_t count) const
    {
        if (step == 0) {
            return first;
        }
        return count == kLanes ? load(data + i) : load_part(data + i, count);
    }
};

template <typename T>
inline void put(T *to, F value, size_t count)
{
    count == kLanes ? store(to, value) : store_part(to, value, count);
}

template <typename Op, typename T>
void unary(void *dst, const void *src, size_t count)
{
    T *d = static_cast<T *>(dst);
    const Source<T> a(src, 1);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        put(d + i, Op::apply(a.take(i, here)), here);
    }
}

template <typename Op, typename T>
void map_two(void *dst, const void *const *sources, const uint32_t *steps, size_t count)
{
    T *d = static_cast<T *>(dst);
    if (count == 0) {
        return;
    }
    const Source<T> a(sources[0], steps[0]);
    const Source<T> b(sources[1], steps[1]);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        put(d + i, Op::apply(a.take(i, here), b.take(i, here)), here);
    }
}

template <typename Op, typename T>
void map_three(void *dst, const void *const *sources, const uint32_t *steps, size_t count)
{
    T *d = static_cast<T *>(dst);
    if (count == 0) {
        return;
    }
    const Source<T> a(sources[0], steps[0]);
    const Source<T> b(sources[1], steps[1]);
    const Source<T> c(sources[2], steps[2]);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        put(d + i, Op::apply(a.take(i, here), b.take(i, here), c.take(i, here)), here);
    }
}

inline D hypotenuse_of(D a, D b) { return root(a * a + b * b); }

inline F hypotenuse(F a, F b)
{
    const Halves x = widen(a), y = widen(b);
    const F length = narrow({{hypotenuse_of(x.part[0], y.part[0]), hypotenuse_of(x.part[1], y.part[1])}});
    const F largest = splat(__builtin_inff());
    const F known = magnitude_of(a) == largest ? largest : length;
    return magnitude_of(b) == largest ? largest : known;
}

// e^(y ln x) where x is an ordinary positive number, the C library's rules elsewhere.
inline F power_of(F x, F y)
{
    const Halves base = widen(x), exponent = widen(y);
    Halves v;
    for (size_t k = 0; k < 2; ++k) {
        v.part[k] = exponential(exponent.part[k] * logarithm(base.part[k]));
    }
    F result = narrow(v);
    const I ordinary = (x > 0.0f) & (x < __builtin_inff()) & (magnitude_of(y) < __builtin_inff());
    const uint32_t others = ~bits_of(ordinary) & (kLanes == 32 ? ~0u : (1u << kLanes) - 1);
    if (others != 0) {
        for (size_t i = 0; i < kLanes; ++i) {
            if ((others >> i & 1) != 0) {
                result[i] = static_cast<float>(__builtin_pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
            }
        }
    }
    return result;
}

inline F remainder_of(F a, F b)
{
    for (size_t i = 0; i < kLanes; ++i) {
        a[i] = __builtin_fmodf(a[i], b[i]);
    }
    return a;
}

#define OPKG_TWO(name, expression)                                                                                     \
    struct name {                                                                                                      \
        static inline F apply(F a, F b) { return expression; }                                                         \
    };
#define OPKG_THREE(name, expression)                                                                                   \
    struct name {                                                                                                      \
        static inline F apply(F a, F b, F c) { return expression; }                                                    \
    };
OPKG_TWO(Fmod, remainder_of(a, b))
OPKG_TWO(Hypot, hypotenuse(a, b))
OPKG_TWO(Power, power_of(a, b))
OPKG_TWO(ClampMin, (a < b ? b : a))
OPKG_TWO(ClampMax, (a > b ? b : a))
OPKG_THREE(Fma, fused(a, b, c))
// Where the bounds are the wrong way round the upper one wins; a NaN stays.
OPKG_THREE(Clamp, ClampMax::apply(ClampMin::apply(a, b), c))
#undef OPKG_TWO
#undef OPKG_THREE

// ---- elements one by one ----

template <typename T>
inline bool is_true(T value)
{
    if constexpr (is_real<T> && sizeof(T) == 2) {
        return (value.bits & 0x7fffu) != 0;
    } else {
        return value != 0;
    }
}

template <typename T>
inline T integer_power(T base, T exponent)
{
    using W = Wrapping<T>;
    if (is_signed<T> && exponent < 0) {
        const bool odd = (exponent & 1) != 0;
        return base == T(1) ? T(1) : base == static_cast<T>(-1) ? static_cast<T>(odd ? -1 : 1) : T(0);
    }
    W result = 1;
    W square = static_cast<W>(base);
    for (W left = static_cast<W>(exponent); left != 0; left >>= 1) {
        result = (left & 1) != 0 ? static_cast<W>(result * square) : result;
        square = static_cast<W>(square * square);
    }
    return static_cast<T>(result);
}

struct IntegerPower {
    template <typename T>
    static inline T apply(T a, T b) { return integer_power(a, b); }
};
struct And {
    template <typename T>
    static inline uint8_t apply(T a, T b) { return is_true(a) && is_true(b); }
};
struct Or {
    template <typename T>
    static inline uint8_t apply(T a, T b) { return is_true(a) || is_true(b); }
};
struct Xor {
    template <typename T>
    static inline uint8_t apply(T a, T b) { return is_true(a) != is_true(b); }
};

template <typename Op, typename T, typename R>
void each_two(void *dst, const void *const *sources, const uint32_t *steps, size_t count)
{
    R *d = static_cast<R *>(dst);
    const T *a = static_cast<const T *>(sources[0]);
    const T *b = static_cast<const T *>(sources[1]);
    const size_t a_step = steps[0], b_step = steps[1];
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::apply(a[i * a_step], b[i * b_step]);
    }
}

template <typename T>
void logical_not(void *dst, const void *const *sources, const uint32_t *, size_t count)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const T *a = static_cast<const T *>(sources[0]);
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = !is_true(a[i]);
    }
}

template <typename T>
void integer_clamp(void *dst, const void *const *sources, const uint32_t *steps, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *a = static_cast<const T *>(sources[0]);
    const T *low = static_cast<const T *>(sources[1]);
    const T *high = static_cast<const T *>(sources[2]);
    const size_t low_step = steps[1], high_step = steps[2];
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        const T least = low[i * low_step], most = high[i * high_step];
        const T raised = a[i] < least ? least : a[i];
        d[i] = raised > most ? most : raised;
    }
}

template <typename T>
void where(void *dst, const void *const *sources, const uint32_t *steps, size_t count)
{
    T *d = static_cast<T *>(dst);
    const uint8_t *condition = static_cast<const uint8_t *>(sources[0]);
    const T *a = static_cast<const T *>(sources[1]);
    const T *b = static_cast<const T *>(sources[2]);
    const size_t a_step = steps[1], b_step = steps[2];
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = condition[i] != 0 ? a[i * a_step] : b[i * b_step];
    }
}

struct Finite {
    static inline I apply(F x) { return magnitude_of(x) < __builtin_inff(); }
};
struct Infinite {
    static inline I apply(F x) { return magnitude_of(x) == __builtin_inff(); }
};
struct NotNumber {
    static inline I apply(F x) { return x != x; }
};

// To a bool, or to 1 and 0 of the source's type.
template <typename Op, typename T, bool number>
void classify(void *dst, const void *const *sources, const uint32_t *, size_t count)
{
    const Source<T> a(sources[0], 1);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        const I holds = Op::apply(a.take(i, here));
        if constexpr (number) {
            put(static_cast<T *>(dst) + i, holds ? splat(1.0f) : F{}, here);
        } else {
            for (size_t k = 0; k < here; ++k) {
                static_cast<uint8_t *>(dst)[i + k] = static_cast<uint8_t>(holds[k] & 1);
            }
        }
    }
}

// ---- the tables ----

template <typename Op>
void unary_row(MathOp op)
{
    opkg_twin_math[op][kF32] = unary<Op, float>;
    opkg_twin_math[op][kF16] = unary<Op, half>;
}
template <typename Op>
void row_of_two(MapOp op)
{
    opkg_twin_map[op][kF32] = map_two<Op, float>;
    opkg_twin_map[op][kF16] = map_two<Op, half>;
    opkg_twin_map[op][kBF16] = map_two<Op, bfloat>;
}
template <typename Op>
void row_of_three(MapOp op)
{
    opkg_twin_map[op][kF32] = map_three<Op, float>;
    opkg_twin_map[op][kF16] = map_three<Op, half>;
    opkg_twin_map[op][kBF16] = map_three<Op, bfloat>;
}
template <typename Op, bool number>
void row_of_classes(MapOp op)
{
    opkg_twin_map[op][kF32] = classify<Op, float, number>;
    opkg_twin_map[op][kF16] = classify<Op, half, number>;
    opkg_twin_map[op][kBF16] = classify<Op, bfloat, number>;
}
template <typename T>
void logical_column(Dtype dtype)
{
    opkg_twin_map[kMapLogicalAnd][dtype] = each_two<And, T, uint8_t>;
    opkg_twin_map[kMapLogicalOr][dtype] = each_two<Or, T, uint8_t>;
    opkg_twin_map[kMapLogicalXor][dtype] = each_two<Xor, T, uint8_t>;
    opkg_twin_map[kMapLogicalNot][dtype] = logical_not<T>;
}
template <typename T>
void integer_column(Dtype dtype)
{
    logical_column<T>(dtype);
    opkg_twin_map[kMapPower][dtype] = each_two<IntegerPower, T, T>;
    opkg_twin_map[kMapClamp][dtype] = integer_clamp<T>;
}

template <typename T>
void sign_of_integers(void *dst, const void *src, size_t count)
{
    const T *s = static_cast<const T *>(src);
    T *d = static_cast<T *>(dst);
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        d[i] = static_cast<T>((s[i] > 0) - (s[i] < 0));
    }
}

void fill_unary()
{
    unary_row<Acos>(kMathAcos);
    unary_row<Acosh>(kMathAcosh);
    unary_row<Asin>(kMathAsin);
    unary_row<Asinh>(kMathAsinh);
    unary_row<Atan>(kMathAtan);
    unary_row<Atanh>(kMathAtanh);
    unary_row<Ceil>(kMathCeil);
    unary_row<Cos>(kMathCos);
    unary_row<Cosh>(kMathCosh);
    unary_row<Digamma>(kMathDigamma);
    unary_row<Erf>(kMathErf);
    unary_row<Erfc>(kMathErfc);
    unary_row<Floor>(kMathFloor);
    unary_row<Frac>(kMathFrac);
    unary_row<Lgamma>(kMathLgamma);
    unary_row<Log>(kMathLog);
    unary_row<Log10>(kMathLog10);
    unary_row<Log2>(kMathLog2);
    unary_row<Rint>(kMathRint);
    unary_row<Sign>(kMathSign);
    unary_row<Sin>(kMathSin);
    unary_row<Sinh>(kMathSinh);
    unary_row<Tan>(kMathTan);
    unary_row<Tanh>(kMathTanh);
    unary_row<Trunc>(kMathTrunc);
    opkg_twin_math[kMathSign][kI64] = sign_of_integers<int64_t>;
}

void fill_where()
{
    MapFn *row = opkg_twin_map[kMapWhere];
    row[kI8] = row[kU8] = where<uint8_t>;
    row[kI16] = row[kU16] = row[kF16] = row[kBF16] = where<uint16_t>;
    row[kI32] = row[kU32] = row[kF32] = where<uint32_t>;
    row[kI64] = row[kU64] = where<uint64_t>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(elementary)
{
    fill_unary();
    fill_where();
    row_of_two<Fmod>(kMapFmod);
    row_of_two<Hypot>(kMapHypot);
    row_of_two<Power>(kMapPower);
    row_of_two<ClampMin>(kMapClampMin);
    row_of_two<ClampMax>(kMapClampMax);
    row_of_three<Fma>(kMapFma);
    row_of_three<Clamp>(kMapClamp);
    row_of_classes<Finite, false>(kMapIsFinite);
    row_of_classes<Infinite, false>(kMapIsInf);
    row_of_classes<NotNumber, false>(kMapIsNan);
    row_of_classes<Finite, true>(kMapIsFiniteNumber);
    row_of_classes<Infinite, true>(kMapIsInfNumber);
    row_of_classes<NotNumber, true>(kMapIsNanNumber);
    logical_column<float>(kF32);
    logical_column<half>(kF16);
    logical_column<bfloat>(kBF16);
    integer_column<int8_t>(kI8);
    integer_column<uint8_t>(kU8);
    integer_column<int16_t>(kI16);
    integer_column<uint16_t>(kU16);
    integer_column<int32_t>(kI32);
    integer_column<uint32_t>(kU32);
    integer_column<int64_t>(kI64);
    integer_column<uint64_t>(kU64);
}

} // namespace opkg::twin
