// SPDX-License-Identifier: Apache-2.0
// Floating types of 8 and 4 bits: bits, without arithmetic of their own.
#ifndef OPKG_TWIN_SMALL_FLOATS_H
#define OPKG_TWIN_SMALL_FLOATS_H

#include "twin/types.h"

struct fp8_e4m3fn_t {
    uint8_t bits;
};
struct fp8_e5m2_t {
    uint8_t bits;
};
struct hifloat8_t {
    uint8_t bits;
};
// A power of two: 2 to the bits less 127.
struct fp8_e8m0_t {
    uint8_t bits;
};
// Two values in a byte, the first in its low bits. Counts and offsets of tensors are of values.
struct fp4x2_e2m1_t {
    uint8_t bits;
};
struct fp4x2_e1m2_t {
    uint8_t bits;
};

namespace AscendC {
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e4m3fn_t;
using ::fp8_e5m2_t;
using ::fp8_e8m0_t;
using ::hifloat8_t;
} // namespace AscendC

namespace opkg::twin {

#define OPKG_TWIN_SMALL_FLOAT(type, id)                                                                                \
    template <>                                                                                                        \
    struct DtypeOf<type> {                                                                                             \
        static constexpr Dtype value = id;                                                                             \
    };
OPKG_TWIN_SMALL_FLOAT(fp8_e4m3fn_t, kF8E4M3)
OPKG_TWIN_SMALL_FLOAT(fp8_e5m2_t, kF8E5M2)
OPKG_TWIN_SMALL_FLOAT(hifloat8_t, kHiF8)
OPKG_TWIN_SMALL_FLOAT(fp8_e8m0_t, kF8E8M0)
OPKG_TWIN_SMALL_FLOAT(fp4x2_e2m1_t, kF4E2M1)
OPKG_TWIN_SMALL_FLOAT(fp4x2_e1m2_t, kF4E1M2)
#undef OPKG_TWIN_SMALL_FLOAT

template <typename T>
inline constexpr bool is_small_float = DtypeOf<T>::value >= kF8E4M3;

} // namespace opkg::twin

#endif // OPKG_TWIN_SMALL_FLOATS_H
