// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of libopkg_twin.so.1, in tables by dtype.
#ifndef OPKG_ADV_MATH_ABI_H
#define OPKG_ADV_MATH_ABI_H

#include "twin/abi.h"

namespace opkg::twin {

enum MathOp : uint32_t {
    kMathAcos, kMathAcosh, kMathAsin, kMathAsinh, kMathAtan, kMathAtanh, kMathCeil, kMathCos, kMathCosh,
    kMathDigamma, kMathErf, kMathErfc, kMathFloor, kMathFrac, kMathLgamma, kMathLog, kMathLog10, kMathLog2,
    kMathRint, kMathSign, kMathSin, kMathSinh, kMathTan, kMathTanh, kMathTrunc, kMathOps
};

// Functions of several sources. kMapLogical... and kMapIs... write bools; kMapIs...Number the source's type. kMapWhere
// takes bools as its first source.
enum MapOp : uint32_t {
    kMapFmod, kMapHypot, kMapPower, kMapFma, kMapClamp, kMapClampMin, kMapClampMax, kMapWhere, kMapLogicalAnd,
    kMapLogicalOr, kMapLogicalXor, kMapLogicalNot, kMapIsFinite, kMapIsInf, kMapIsNan, kMapIsFiniteNumber,
    kMapIsInfNumber, kMapIsNanNumber, kMapOps
};
// A step of 0 repeats the first element of a source, 1 takes the next.
using MapFn = void (*)(void *dst, const void *const *sources, const uint32_t *steps, size_t count);

} // namespace opkg::twin

extern "C" {
extern OPKG_TWIN_API opkg::twin::UnaryFn opkg_twin_math[][opkg::twin::kDtypeSlots];
extern OPKG_TWIN_API opkg::twin::MapFn opkg_twin_map[][opkg::twin::kDtypeSlots];

// e^floor(x) times the first terms of the series of e^(x - floor(x)); dtype is float or half.
OPKG_TWIN_API void opkg_twin_exp_series(uint32_t dtype, void *dst, const void *src, uint32_t terms, size_t count);
// Sums along the last axis or the first; last (may be NULL) receives the last column or row.
OPKG_TWIN_API void opkg_twin_cumsum(uint32_t dtype, void *dst, void *last, const void *src, uint32_t outer, uint32_t inner,
                                    uint32_t along_last);
} // extern "C"

#endif // OPKG_ADV_MATH_ABI_H
