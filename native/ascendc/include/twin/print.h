// SPDX-License-Identifier: Apache-2.0
// printf in a kernel. Each core's lines come out whole and begin with the core, as on the chip; on the host it is the C
// library's.
#ifndef OPKG_TWIN_PRINT_H
#define OPKG_TWIN_PRINT_H

// Before the macro below, so that no later include of it takes the macro away.
#include <cstdio>

#include "twin/abi.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace opkg::twin {

// What a variadic call can carry: half and bfloat16_t become double.
template <typename T>
inline auto printable(T value)
{
    if constexpr (__is_class(T)) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return value;
    }
}

} // namespace opkg::twin

template <typename... Values>
inline int opkg_printf(const char *format, Values... values)
{
    if (ASCENDC_DUMP == 0 && opkg_twin_core != nullptr) {
        return 0;
    }
    return opkg_twin_printf(format, opkg::twin::printable(values)...);
}

// A function, because programs also call it AscendC::PRINTF.
template <typename... Values>
inline void PRINTF(const char *format, Values... values)
{
    opkg_printf(format, values...);
}

namespace AscendC {
using ::opkg_printf;
using ::PRINTF;
using ::printf;
} // namespace AscendC
namespace std {
using ::opkg_printf;
}

#define printf(...) opkg_printf(__VA_ARGS__)

#endif // OPKG_TWIN_PRINT_H
