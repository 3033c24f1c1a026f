// SPDX-License-Identifier: Apache-2.0
// The C symbols of the library functions.
#include <string.h>

#include "table.hpp"
#include "../core.hpp"

using namespace opkg::twin;

namespace opkg::twin {

AdvancedTable advanced;

namespace {

template <typename T>
bool has_bits(const void *base, size_t at, uint32_t bits)
{
    T value;
    memcpy(&value, static_cast<const uint8_t *>(base) + at * sizeof(T), sizeof(T));
    return value == static_cast<T>(bits);
}

// The first element of a run of a row, and how many there are, for both layouts.
template <typename T>
void fill_row(void *base, T value, size_t row, size_t rows, size_t columns, bool nz)
{
    T *start = static_cast<T *>(base);
    for (size_t column = 0; column < columns; ++column) {
        start[nz ? column / 16 * rows * 16 + row * 16 + column % 16 : row * columns + column] = value;
    }
}

} // namespace
} // namespace opkg::twin

void opkg_twin_softmax(const SoftmaxPlan *plan) { advanced.softmax(*plan); }
void opkg_twin_norm(const NormPlan *plan) { advanced.norm(*plan); }
void opkg_twin_welford_update(const WelfordPlan *plan) { advanced.welford_update(*plan); }
void opkg_twin_welford_finalize(const WelfordPlan *plan) { advanced.welford_finalize(*plan); }

void opkg_twin_activation(uint32_t kind, uint32_t dtype, void *dst, const void *a, const void *b, float scalar,
                          size_t count)
{
    advanced.activation[kind][dtype](dst, a, b, scalar, count);
}

uint32_t opkg_twin_adjust_rows(void *rows, uint32_t dtype, const void *max, uint32_t max_dtype, uint32_t max_step,
                               uint32_t from, const void *to, uint32_t row_count, uint32_t columns, uint32_t nz)
{
    uint32_t found = 0;
    for (size_t row = 0; row < row_count; ++row) {
        const size_t at = row * max_step;
        if (!(max_dtype == kF32 ? has_bits<uint32_t>(max, at, from) : has_bits<uint16_t>(max, at, from))) {
            continue;
        }
        found = 1;
        uint32_t value = 0;
        memcpy(&value, to, dtype == kF32 ? 4 : 2);
        dtype == kF32 ? fill_row<uint32_t>(rows, value, row, row_count, columns, nz != 0)
                      : fill_row<uint16_t>(rows, static_cast<uint16_t>(value), row, row_count, columns, nz != 0);
    }
    return found;
}

void opkg_twin_need_memory(const char *function, const char *whose, uint64_t bytes, uint64_t least)
{
    if (bytes < least) {
        opkg_twin_fail("%s needs %llu bytes of temporary memory, but %s has %llu", function,
                       static_cast<unsigned long long>(least), whose, static_cast<unsigned long long>(bytes));
    }
}
