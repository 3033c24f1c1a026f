// SPDX-License-Identifier: Apache-2.0
// Products of float32 matrices, rows one after the other.
#ifndef OPKG_TWIN_VEC_PRODUCT_HPP
#define OPKG_TWIN_VEC_PRODUCT_HPP

#include <stddef.h>
#include <stdint.h>

namespace opkg::twin {

// c (m by n) = a (m by k) times b (k by n), added to c where `onto` says so. A line is the distance from row to row of the
// matrix as it is stored; a transposed one is stored k by m, or n by k.
struct Product {
    size_t m, n, k;
    const float *a;
    size_t a_line;
    bool a_transposed;
    const float *b;
    size_t b_line;
    bool b_transposed;
    float *c;
    size_t c_line;
    bool onto;
};

struct ProductFunctions {
    void (*multiply)(const Product &product);
    void (*widen_int8)(float *to, const int8_t *from, size_t count);
    void (*widen_table)(float *to, const uint8_t *from, size_t count, const float *values); // values: 256
    void (*accumulate)(int32_t *to, const float *from, size_t count);                       // of whole numbers
};
extern ProductFunctions product_functions;

// The same with the BLAS at hand, else with product_functions.
void multiply(const Product &product);

} // namespace opkg::twin

#endif // OPKG_TWIN_VEC_PRODUCT_HPP
