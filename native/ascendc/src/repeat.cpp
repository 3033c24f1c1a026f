// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions with mask, repeat times and strides.
#include "runs.hpp"

using namespace opkg::twin;

void opkg_twin_repeat_binary(BinaryFn fn, void *dst, const void *a, const void *b, const RepeatPlan *plan)
{
    for_each_run(*plan, [&](const size_t *offset, uint32_t count) {
        fn(at(dst, offset[0]), at(a, offset[1]), at(b, offset[2]), count);
    });
}

void opkg_twin_repeat_scalar(ScalarFn fn, void *dst, const void *src, const void *scalar, const RepeatPlan *plan)
{
    for_each_run(*plan, [&](const size_t *offset, uint32_t count) {
        fn(at(dst, offset[0]), at(src, offset[1]), scalar, count);
    });
}

void opkg_twin_repeat_unary(UnaryFn fn, void *dst, const void *src, const RepeatPlan *plan)
{
    for_each_run(*plan,
                 [&](const size_t *offset, uint32_t count) { fn(at(dst, offset[0]), at(src, offset[1]), count); });
}

void opkg_twin_repeat_cast(CastFn fn, void *dst, const void *src, int32_t round_mode, const RepeatPlan *plan)
{
    for_each_run(*plan, [&](const size_t *offset, uint32_t count) {
        fn(at(dst, offset[0]), at(src, offset[1]), count, round_mode);
    });
}
