// SPDX-License-Identifier: Apache-2.0
// The instructions of one instruction set, each a row of functions by dtype.
#ifndef OPKG_TWIN_VEC_TABLES_HPP
#define OPKG_TWIN_VEC_TABLES_HPP

#include "twin/abi.h"

namespace opkg::twin {

// Each family of each instruction set fills its rows in.
#define OPKG_TWIN_FAMILIES(X)                                                                                          \
    X(arithmetic) X(functions) X(conversions) X(comparisons) X(reductions) X(copies) X(elementary) X(product)              \
    X(activations) X(normalizations) X(softmax)
#define OPKG_TWIN_DECLARE(family)                                                                                      \
    void fill_##family##_base();                                                                                       \
    void fill_##family##_v3();                                                                                         \
    void fill_##family##_v4();
OPKG_TWIN_FAMILIES(OPKG_TWIN_DECLARE)
// Rows made of the others, by fused.cpp.
void fill_fused();
#undef OPKG_TWIN_DECLARE

} // namespace opkg::twin

#define OPKG_TWIN_JOIN2(a, b) a##_##b
#define OPKG_TWIN_JOIN(a, b) OPKG_TWIN_JOIN2(a, b)
#define OPKG_TWIN_FILL(family) void OPKG_TWIN_JOIN(fill_##family, OPKG_TWIN_ISA)()

#endif // OPKG_TWIN_VEC_TABLES_HPP
