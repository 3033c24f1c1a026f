// SPDX-License-Identifier: Apache-2.0
// What a kernel shows of its tensors, assertions that do not hold, and time.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "check/hooks.hpp"
#include "print.hpp"
#include "scheduler.hpp"
#include "twin/half.h"

namespace opkg::twin {
namespace {

class Text {
public:
    void add(const char *format, ...) __attribute__((format(printf, 2, 3)))
    {
        char part[512];
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(part, sizeof part, format, arguments);
        va_end(arguments);
        text_.append(part, length < 0 ? 0 : std::min<size_t>(static_cast<size_t>(length), sizeof part - 1));
    }
    void print() const { print_block(text_.data(), text_.size()); }

private:
    std::string text_;
};

void add_real(Text &text, float value) { text.add("%f", static_cast<double>(value)); }

void add_element(Text &text, const void *data, uint32_t dtype, uint32_t i)
{
    const uint8_t *const bytes = static_cast<const uint8_t *>(data);
    switch (dtype) {
        case kF32:
            return add_real(text, static_cast<const float *>(data)[i]);
        case kF64:
            return text.add("%f", static_cast<const double *>(data)[i]);
        case kF16:
            return add_real(text, static_cast<const half *>(data)[i]);
        case kBF16:
            return add_real(text, static_cast<const bfloat16_t *>(data)[i]);
        case kI8:
            return text.add("%d", static_cast<const int8_t *>(data)[i]);
        case kU8:
            return text.add("%u", static_cast<const uint8_t *>(data)[i]);
        case kI16:
            return text.add("%d", static_cast<const int16_t *>(data)[i]);
        case kU16:
            return text.add("%u", static_cast<const uint16_t *>(data)[i]);
        case kI32:
            return text.add("%d", static_cast<const int32_t *>(data)[i]);
        case kU32:
            return text.add("%u", static_cast<const uint32_t *>(data)[i]);
        case kI64:
            return text.add("%" PRId64, static_cast<const int64_t *>(data)[i]);
        case kU64:
            return text.add("%" PRIu64, static_cast<const uint64_t *>(data)[i]);
        case kI4: {
            const int pair = bytes[i / 2] >> (i % 2 * 4) & 0xf;
            return text.add("%d", pair >= 8 ? pair - 16 : pair);
        }
        case kF4E2M1:
        case kF4E1M2:
            return add_real(text, opkg_twin_small_value(dtype, static_cast<uint8_t>(bytes[i / 2] >> (i % 2 * 4))));
        default: // floats of one byte
            return add_real(text, opkg_twin_small_value(dtype, bytes[i]));
    }
}

const char *dtype_name(uint32_t dtype)
{
    static const char *const names[] = {"float32", "float16", "bfloat16", "int8",  "uint8",   "int16", "uint16",
                                        "int32",   "uint32",  "int64",    "uint64", "float64", "int4"};
    static const char *const small[] = {"float8_e4m3fn", "float8_e5m2", "hifloat8", "float8_e8m0", "float4_e2m1", "float4_e1m2"};
    return dtype < sizeof names / sizeof names[0] ? names[dtype] : small[dtype - kF8E4M3];
}

// Where the bytes are: an on-chip buffer and the place in it, or global memory.
void add_head(Text &text, const void *data, uint32_t dtype, uint32_t count, uint32_t tag)
{
    static const char *const names[kBufferKinds] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
    const uint8_t *start = static_cast<const uint8_t *>(data);
    const char *position = "GM";
    uintptr_t address = reinterpret_cast<uintptr_t>(start);
    for (uint32_t kind = 0; kind < kBufferKinds; ++kind) {
        const uint8_t *base = opkg_twin_core->base[kind];
        if (base != nullptr && start >= base && start < base + opkg_twin_core->capacity[kind]) {
            position = names[kind];
            address = static_cast<uintptr_t>(start - base);
        }
    }
    text.add("DumpTensor: desc=%u, addr=0x%" PRIxPTR ", data_type=%s, position=%s, dump_size=%u\n", tag, address,
             dtype_name(dtype), position, count);
}

// Rows in brackets, as deep as there are dimensions; what was not dumped is a dash.
struct Shaped {
    Text &text;
    const void *data;
    uint32_t dtype;
    uint32_t count;
    const uint32_t *shape;
    uint32_t dims;
    uint32_t next = 0;

    void add(uint32_t dim)
    {
        text.add("[");
        for (uint32_t i = 0; i < shape[dim]; ++i) {
            if (dim + 1 < dims) {
                text.add(i == 0 ? "" : ",\n");
                add(dim + 1);
                continue;
            }
            text.add(i == 0 ? "" : ",");
            if (next < count) {
                add_element(text, data, dtype, next);
            } else {
                text.add("-");
            }
            ++next;
        }
        text.add("]");
    }
};

void add_shape_note(Text &text, const uint32_t *shape, uint32_t dims, uint32_t count)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < dims; ++i) {
        size *= shape[i];
    }
    if (size == count) {
        return;
    }
    text.add("shape is [");
    for (uint32_t i = 0; i < dims; ++i) {
        text.add("%s%u", i == 0 ? "" : ", ", shape[i]);
    }
    text.add("], dumpSize is %u, %s.\n", count,
             size < count ? "dumpSize is greater than shapeSize" : "data is not enough");
}

[[noreturn]] void assertion_fails(const char *file, uint32_t line, const char *condition, const char *says)
{
    size_t length = strlen(says);
    while (length > 0 && says[length - 1] == '\n') {
        --length;
    }
    const int shown = static_cast<int>(std::min<size_t>(length, 300));
    printf("[ASSERT] %s:%u: Assertion `%s' %.*s\n", file, line, condition, shown, says);
    fflush(stdout);
    if (opkg_twin_core == nullptr) {
        abort(); // an assertion of the host's
    }
    opkg_twin_fail("%s:%u: the assertion %s does not hold%s%.*s", file, line, condition, length > 0 ? ": " : "", shown,
                   says);
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_assert(const char *file, uint32_t line, const char *condition)
{
    assertion_fails(file, line, condition, "");
}

void opkg_twin_assert_says(const char *file, uint32_t line, const char *condition, const char *format, ...)
{
    char says[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(says, sizeof says, format, arguments);
    va_end(arguments);
    assertion_fails(file, line, condition, says);
}

void opkg_twin_trap()
{
    Failure failure;
    failure.code = kCoreTrap;
    snprintf(failure.message, sizeof failure.message, "Trap");
    check::record_failure(__builtin_frame_address(0), check::kStopped, failure.message);
    throw failure;
}

uint64_t opkg_twin_cycles()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 50000000u + static_cast<uint64_t>(now.tv_nsec) / 20u;
}

void opkg_twin_time_stamp(uint32_t id)
{
    Text text;
    text.add("descId is %u, rsv is 0, timeStamp is %" PRIu64 ", pcPtr is %" PRIuPTR ", entry is %" PRIu64 ".\n", id,
             opkg_twin_cycles(), reinterpret_cast<uintptr_t>(__builtin_return_address(0)),
             opkg_twin_core->launch->begun);
    text.print();
}

void opkg_twin_dump(const void *data, uint32_t dtype, uint32_t count, uint32_t tag, const char *)
{
    opkg_twin_settle();
    Text text;
    add_head(text, data, dtype, count, tag);
    text.add("[");
    for (uint32_t i = 0; i < count; ++i) {
        text.add("%s", i == 0 ? "" : i % 32 == 0 ? ",\n" : ", ");
        add_element(text, data, dtype, i);
    }
    text.add("]\n");
    text.print();
}

void opkg_twin_dump_shaped(const void *data, uint32_t dtype, uint32_t count, uint32_t tag, const uint32_t *shape,
                           uint32_t dims)
{
    if (dims == 0 || dims > 8) {
        return opkg_twin_dump(data, dtype, count, tag, "");
    }
    opkg_twin_settle();
    Text text;
    add_head(text, data, dtype, count, tag);
    add_shape_note(text, shape, dims, count);
    Shaped{text, data, dtype, count, shape, dims}.add(0);
    text.add("\n");
    text.print();
}

void opkg_twin_print_rows(const void *data, uint32_t dtype, uint32_t count, uint32_t per_row)
{
    Text text;
    for (uint32_t i = 0; i < count; ++i) {
        if (i % per_row == 0) {
            text.add("%s%04u:", i == 0 ? "" : "\n", i);
        }
        text.add(" ");
        add_element(text, data, dtype, i);
    }
    text.add("\n");
    text.print();
}

int32_t opkg_twin_save(const char *file, const void *data, uint64_t bytes)
{
    FILE *const out = fopen(file, "wb");
    if (out == nullptr) {
        return -1;
    }
    const bool written = fwrite(data, 1, bytes, out) == bytes;
    return fclose(out) == 0 && written ? 0 : -1;
}
