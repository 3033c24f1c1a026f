// SPDX-License-Identifier: Apache-2.0
// Elementary functions on packs of doubles, to about eleven digits: enough that a result rounded to float is correct but
// for rare ties, and that compositions of them need no further care. No fused multiply-add, so that every instruction set
// gives the same bits.
#ifndef OPKG_TWIN_VEC_WIDE_HPP
#define OPKG_TWIN_VEC_WIDE_HPP

#include "pack.hpp"

namespace {

constexpr size_t kWideLanes = kLanes / 2;
typedef double D __attribute__((vector_size(kBytes)));
typedef int64_t L __attribute__((vector_size(kBytes)));
typedef float NarrowF __attribute__((vector_size(kBytes / 2)));

inline D wide(double value) { return value - D{}; }
inline L wide_int(int64_t value) { return value - L{}; }

// The two halves of a pack of floats.
struct Halves {
    D part[2];
};
inline Halves widen(F v)
{
    NarrowF narrow[2];
    memcpy(narrow, &v, sizeof(v));
    return {{__builtin_convertvector(narrow[0], D), __builtin_convertvector(narrow[1], D)}};
}
inline F narrow(const Halves &v)
{
    const NarrowF parts[2] = {__builtin_convertvector(v.part[0], NarrowF), __builtin_convertvector(v.part[1], NarrowF)};
    F result;
    memcpy(&result, parts, sizeof(result));
    return result;
}

inline D absolute(D v) { return (D)((L)v & 0x7fffffffffffffffll); }
inline D signed_as(D v, D sign) { return (D)(((L)v & 0x7fffffffffffffffll) | ((L)sign & (-0x7fffffffffffffffll - 1))); }
inline D root(D v)
{
#if defined(__AVX512F__)
    return (D)_mm512_sqrt_pd((__m512d)v);
#elif defined(__AVX2__)
    return (D)_mm256_sqrt_pd((__m256d)v);
#elif defined(__SSE2__)
    return (D)_mm_sqrt_pd((__m128d)v);
#else
    for (size_t i = 0; i < kWideLanes; ++i) {
        v[i] = __builtin_sqrt(v[i]);
    }
    return v;
#endif
}

template <size_t n>
inline D polynomial(D x, const double (&coefficients)[n])
{
    D y = wide(coefficients[n - 1]);
    for (size_t i = n - 1; i-- > 0;) {
        y = y * x + coefficients[i];
    }
    return y;
}

// Adding 1.5 * 2^52 leaves the nearest integer in the low digits of the sum.
constexpr double kIntegerMagic = 0x1.8p52;

// e^x; beyond +-700, where it is e^700 or e^-700, no float result is affected.
inline D exponential(D x)
{
    constexpr double terms[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                                1.0 / 362880, 1.0 / 3628800};
    const D kept = x > 700.0 ? wide(700.0) : x < -700.0 ? wide(-700.0) : x;
    const D shifted = kept * 1.4426950408889634 + kIntegerMagic;
    const D n = shifted - kIntegerMagic;
    const D r = (kept - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b39p-40;
    const D scale = (D)(((L)shifted << 52) + 0x3ff0000000000000ll);
    return polynomial(r, terms) * scale;
}

// ln x; -inf for 0, NaN below. x is no subnormal double.
inline D logarithm(D x)
{
    constexpr double terms[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17};
    const L bits = (L)x;
    D e = (D)(((bits >> 52) & 0x7ff) | 0x4330000000000000ll) - 0x1.00000000003ffp52;
    D m = (D)((bits & 0x000fffffffffffffll) | 0x3ff0000000000000ll);
    const L high = m > 1.4142135623730951;
    m = high ? m * 0.5 : m;
    e = high ? e + 1.0 : e;
    const D f = (m - 1.0) / (m + 1.0);
    const D result = e * 0.6931471805599453 + f * polynomial(f * f, terms);
    const D special = x == 0.0 ? wide(-__builtin_inf()) : wide(__builtin_nan(""));
    const D known = x > 0.0 ? result : special;
    return x == __builtin_inf() || x != x ? x : known;
}

// Beyond this the reduction by multiples of pi/2 below is not exact enough; callers use the C library.
constexpr float kLargestAngle = 0x1p19f;

struct Angle {
    D sine;
    D cosine;
};
inline Angle sine_and_cosine(D x)
{
    constexpr double sine_terms[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                                     1.0 / 6227020800};
    constexpr double cosine_terms[] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
                                       1.0 / 479001600, -1.0 / 87178291200};
    const D shifted = x * 0.63661977236758134 + kIntegerMagic;
    const D n = shifted - kIntegerMagic;
    // pi/2 in three parts of 33 digits, so that the products are exact
    const D r = ((x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
    const D z = r * r;
    const D s = r * polynomial(z, sine_terms);
    const D c = polynomial(z, cosine_terms);
    const L quadrant = (L)shifted;
    const L swapped = (quadrant & 1) != 0;
    const D sine = swapped ? c : s;
    const D cosine = swapped ? s : c;
    return {(quadrant & 2) != 0 ? -sine : sine, ((quadrant + 1) & 2) != 0 ? -cosine : cosine};
}

inline D arc_tangent(D x)
{
    constexpr double terms[] = {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
    const D a = absolute(x);
    const L far = a > 1.0;
    D y = far ? 1.0 / a : a;
    y = y / (1.0 + root(1.0 + y * y));
    y = y / (1.0 + root(1.0 + y * y));
    const D angle = 4.0 * y * polynomial(y * y, terms);
    return signed_as(far ? 1.5707963267948966 - angle : angle, x);
}

inline D arc_sine(D x) { return arc_tangent(x / root((1.0 - x) * (1.0 + x))); }

inline D hyperbolic_tangent(D x)
{
    const D z = x * x;
    const D near = x * (1.0 + z * (-1.0 / 3 + z * (2.0 / 15)));
    const D kept = x > 40.0 ? wide(40.0) : x < -40.0 ? wide(-40.0) : x;
    const D far = 1.0 - 2.0 / (exponential(kept + kept) + 1.0);
    return z < 1e-4 ? near : far;
}

inline D hyperbolic_sine(D x)
{
    const D z = x * x;
    const D near = x * (1.0 + z * (1.0 / 6 + z * (1.0 / 120)));
    const D e = exponential(x);
    return z < 1e-4 ? near : 0.5 * (e - 1.0 / e);
}

inline D hyperbolic_cosine(D x)
{
    const D e = exponential(x);
    return 0.5 * (e + 1.0 / e);
}

inline D area_sine(D x)
{
    const D a = absolute(x);
    const D z = x * x;
    const D near = a * (1.0 + z * (-1.0 / 6 + z * (3.0 / 40)));
    return signed_as(z < 1e-4 ? near : logarithm(a + root(z + 1.0)), x);
}

inline D area_cosine(D x)
{
    const D result = logarithm(x + root((x - 1.0) * (x + 1.0)));
    return x < 1.0 ? wide(__builtin_nan("")) : result;
}

inline D area_tangent(D x)
{
    const D z = x * x;
    const D near = x * (1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7))));
    return z < 1e-4 ? near : 0.5 * logarithm((1.0 + x) / (1.0 - x));
}

// erfc(x) for x >= 0: t e^(-x^2 + P(u)) with t = 2 / (2 + x). P fits ln(erfc(x) e^(x^2) / t) on t in [0.12, 1], mapped to
// u in [-1, 1], to 3e-12; smaller t give results that are zero as floats.
inline D complementary_error_tail(D x)
{
    constexpr double fit[] = {-0.5904780123748354,     0.6000903483410315,      0.023049724185210355,
                              -0.03429166383809797,    -0.0026025340141317722,  0.004952605484410106,
                              -8.294168492966845e-05,  -0.0008857233192795865,    0.00017224502088417345,
                              0.00014423206129026155,  -6.859278313476003e-05,  -1.4618566956758538e-05,
                              1.816833705499526e-05,   -6.722639553583018e-07,  -3.250754803248935e-06,
                              3.809254874974607e-07,   3.0524753360865554e-07};
    const D kept = x > 14.0 ? wide(14.0) : x;
    const D t = 2.0 / (2.0 + kept);
    return t * exponential(polynomial((t - 0.56) * (1.0 / 0.44), fit) - kept * kept);
}

inline D error_near_zero(D x)
{
    constexpr double terms[] = {1.0, -1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216, -1.0 / 1320, 1.0 / 9360, -1.0 / 75600,
                                1.0 / 685440, -1.0 / 6894720};
    return x * 1.1283791670955126 * polynomial(x * x, terms);
}

inline D error_function(D x)
{
    const D a = absolute(x);
    return a < 0.5 ? error_near_zero(x) : signed_as(1.0 - complementary_error_tail(a), x);
}

inline D complementary_error(D x)
{
    const D a = absolute(x);
    const D tail = complementary_error_tail(a);
    const D far = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.5 ? 1.0 - error_near_zero(x) : far;
}

} // namespace

#endif // OPKG_TWIN_VEC_WIDE_HPP
