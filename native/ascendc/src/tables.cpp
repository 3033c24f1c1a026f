// SPDX-License-Identifier: Apache-2.0
// The tables of instructions, filled when the library is loaded with the best code that this processor can run.
#include <stdlib.h>
#include <string.h>

#include "adv/math_abi.h"
#include "core.hpp"
#include "vec/copies.hpp"
#include "vec/tables.hpp"

using namespace opkg::twin;

BinaryFn opkg_twin_binary[kBinaryOps][kDtypeSlots];
ScalarFn opkg_twin_scalar[kScalarOps][kDtypeSlots];
UnaryFn opkg_twin_unary[kUnaryOps][kDtypeSlots];
CastFn opkg_twin_cast[kDtypeSlots][kDtypeSlots];
CompareFn opkg_twin_compare[2][kDtypeSlots];
SelectFn opkg_twin_select[4];
ReduceFn opkg_twin_reduce[kReduceOps][kDtypeSlots];
UnaryFn opkg_twin_math[kMathOps][kDtypeSlots];
MapFn opkg_twin_map[kMapOps][kDtypeSlots];

namespace opkg::twin {

BinaryFn stream_floats[kBinaryOps];
void (*copy_function)(void *dst, const void *src, size_t bytes);
void (*stream_function)(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead);

namespace {

enum Level { kBaseline, kV3, kV4 };

Level level_of_processor()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const Level best = v4 ? kV4 : v3 ? kV3 : kBaseline;
#else
    const Level best = kBaseline;
#endif
    // For tests and for comparing machines: OPKG_TWIN_ISA=base or v3 lowers the level, never raises it.
    const char *wish = getenv("OPKG_TWIN_ISA");
    if (wish == nullptr) {
        return best;
    }
    const Level wanted = strcmp(wish, "base") == 0 ? kBaseline : strcmp(wish, "v3") == 0 ? kV3 : best;
    return wanted < best ? wanted : best;
}

__attribute__((constructor)) void fill_tables()
{
    const Level level = level_of_processor();
    (void)level;
#if defined(__x86_64__)
#define OPKG_TWIN_CHOOSE(family)                                                                                       \
    if (level == kV4) {                                                                                                \
        fill_##family##_v4();                                                                                          \
    } else if (level == kV3) {                                                                                         \
        fill_##family##_v3();                                                                                          \
    } else {                                                                                                           \
        fill_##family##_base();                                                                                        \
    }
#else
#define OPKG_TWIN_CHOOSE(family) fill_##family##_base();
#endif
    OPKG_TWIN_FAMILIES(OPKG_TWIN_CHOOSE)
    fill_fused();
}

} // namespace

void row_copy(void *dst, const void *src, size_t bytes) { copy_function(dst, src, bytes); }

void stream_copy(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead)
{
    stream_function(dst, src, bytes, ahead);
}

void stream_fence()
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

} // namespace opkg::twin
