// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of the library that are more than a loop over elements.
#include <math.h>
#include <string.h>

#include "adv/math_abi.h"
#include "core.hpp"
#include "twin/half.h"

namespace opkg::twin {

namespace {

template <typename T>
void exp_series(T *dst, const T *src, uint32_t terms, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const double x = static_cast<float>(src[i]);
        const double whole = floor(x);
        double item = 1.0;
        double sum = 1.0;
        for (uint32_t k = 1; k <= terms; ++k) {
            item *= (x - whole) / k;
            sum += item;
        }
        dst[i] = T(static_cast<float>(exp(whole) * sum));
    }
}

// So many sums of so many elements each: where the next sum begins, and its next element. half is summed in float and
// rounded once.
template <typename T>
void cumsum_lines(T *dst, T *last, const T *src, uint32_t sums, uint32_t elements, size_t to_sum, size_t to_element)
{
    for (uint32_t i = 0; i < sums; ++i) {
        float sum = 0.0f;
        for (uint32_t k = 0; k < elements; ++k) {
            const size_t at = i * to_sum + k * to_element;
            const float value = static_cast<float>(src[at]);
            sum = k == 0 ? value : sum + value;
            dst[at] = T(sum);
        }
        if (last != nullptr) {
            last[i] = T(sum);
        }
    }
}

template <typename T>
void cumsum(void *dst, void *last, const void *src, uint32_t outer, uint32_t inner, bool along_last)
{
    T *to = static_cast<T *>(dst);
    T *lasts = static_cast<T *>(last);
    const T *from = static_cast<const T *>(src);
    if (along_last) {
        cumsum_lines(to, lasts, from, outer, inner, inner, 1);
    } else {
        cumsum_lines(to, lasts, from, inner, outer, 1, inner);
    }
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_exp_series(uint32_t dtype, void *dst, const void *src, uint32_t terms, size_t count)
{
    dtype == kF16 ? exp_series(static_cast<half *>(dst), static_cast<const half *>(src), terms, count)
                  : exp_series(static_cast<float *>(dst), static_cast<const float *>(src), terms, count);
}

void opkg_twin_cumsum(uint32_t dtype, void *dst, void *last, const void *src, uint32_t outer, uint32_t inner,
                      uint32_t along_last)
{
    (dtype == kF16 ? cumsum<half> : cumsum<float>)(dst, last, src, outer, inner, along_last != 0);
}
