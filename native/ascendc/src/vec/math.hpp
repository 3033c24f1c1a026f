// SPDX-License-Identifier: Apache-2.0
// Elementary functions on packs, within two units in the last place. The compiler fuses nothing by itself, so that
// every instruction set gives the same bits.
#ifndef OPKG_TWIN_VEC_MATH_HPP
#define OPKG_TWIN_VEC_MATH_HPP

#include "pack.hpp"

namespace {

// y 2^n; outside of AVX-512 in two factors, so that subnormal results come out right.
inline F scaled_by(F y, F n)
{
#if defined(__AVX512F__)
    return (F)_mm512_scalef_ps((__m512)y, (__m512)n);
#else
    const I whole = __builtin_convertvector(n == n ? n : F{}, I);
    const I first = whole >> 1;
    const I second = whole - first;
    return y * (F)((first + 127) << 23) * (F)((second + 127) << 23);
#endif
}

// e^x = 2^n e^r with |r| <= ln(2)/2; ln(2) is split in two so that n times its head is exact. The polynomial is that of
// the Cephes library's expf.
inline F exponential(F x)
{
    x = x > 89.0f ? splat(89.0f) : x;
    x = x < -104.0f ? splat(-104.0f) : x;
    const F n = nearest(x * 1.44269504088896341f);
    const F r = fused(n, splat(2.12194440e-4f), fused(n, splat(-0.693359375f), x));
    F y = fused(splat(1.9875691500e-4f), r, splat(1.3981999507e-3f));
    y = fused(y, r, splat(8.3334519073e-3f));
    y = fused(y, r, splat(4.1665795894e-2f));
    y = fused(y, r, splat(1.6666665459e-1f));
    y = fused(y, r, splat(5.0000001201e-1f));
    return scaled_by(fused(y, r * r, r) + 1.0f, n);
}

// ln x = e ln(2) + ln(m) with m in [sqrt(1/2), sqrt(2)); the polynomial is that of the Cephes library's logf.
inline F logarithm(F x)
{
    const I tiny = x < 0x1p-126f;
    const F scaled = tiny ? x * 0x1p25f : x;
    const I bits = (I)scaled;
    F e = __builtin_convertvector((bits >> 23) - 126, F);
    e = tiny ? e - 25.0f : e;
    F m = (F)((bits & 0x007fffff) | 0x3f000000);
    const I low = m < 0.707106781186547524f;
    e = low ? e - 1.0f : e;
    m = low ? m + m - 1.0f : m - 1.0f;
    const F z = m * m;
    F y = m * 7.0376836292e-2f - 1.1514610310e-1f;
    y = y * m + 1.1676998740e-1f;
    y = y * m - 1.2420140846e-1f;
    y = y * m + 1.4249322787e-1f;
    y = y * m - 1.6668057665e-1f;
    y = y * m + 2.0000714765e-1f;
    y = y * m - 2.4999993993e-1f;
    y = y * m + 3.3333331174e-1f;
    y = y * m * z;
    y = y - e * 2.12194440e-4f;
    y = y - z * 0.5f;
    F result = (m + y) + e * 0.693359375f;
    result = x == 0.0f ? splat(-__builtin_inff()) : result;
    result = x < 0.0f ? splat(__builtin_nanf("")) : result;
    return x == __builtin_inff() || x != x ? x : result;
}

} // namespace

#endif // OPKG_TWIN_VEC_MATH_HPP
