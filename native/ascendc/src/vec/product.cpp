// SPDX-License-Identifier: Apache-2.0
// Products of float32 matrices, for machines without the BLAS that is preferred, and the widening of operands. A panel of
// A and one of B are packed, so that the innermost loop reads both in order.
#include "product.hpp"

#include <stdlib.h>

#include "pack.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

// A register block: rows of A by columns of B, as many as the registers hold.
#if defined(__AVX512F__)
constexpr size_t kRows = 12;
#elif defined(__aarch64__)
constexpr size_t kRows = 8;
#else
constexpr size_t kRows = 6;
#endif
constexpr size_t kPacks = 2;
constexpr size_t kColumns = kPacks * kLanes;
// Panels that stay in the caches.
constexpr size_t kDepth = 256;
constexpr size_t kHeight = 8 * kRows;
constexpr size_t kWidth = 512;

struct Scratch {
    float *memory = nullptr;

    Scratch() : memory(static_cast<float *>(aligned_alloc(64, bytes()))) {}
    ~Scratch() { free(memory); }
    static constexpr size_t bytes()
    {
        return (kHeight * kDepth + (kWidth + kColumns) * kDepth) * sizeof(float) / 64 * 64 + 64;
    }
    float *a() const { return memory; }
    float *b() const { return memory + kHeight * kDepth; }
};

// Element (r, c) of a matrix that may be read the other way round.
inline float at(const float *m, size_t line, bool transposed, size_t r, size_t c)
{
    return transposed ? m[c * line + r] : m[r * line + c];
}

// Strips of kRows rows (of kColumns columns of B), each one depth after depth; what is missing is 0.
void pack_rows(float *to, const float *from, size_t line, bool transposed, size_t rows, size_t depth)
{
    for (size_t r = 0; r < rows; r += kRows) {
        for (size_t d = 0; d < depth; ++d) {
            for (size_t i = 0; i < kRows; ++i) {
                *to++ = r + i < rows ? at(from, line, transposed, r + i, d) : 0.0f;
            }
        }
    }
}
void pack_columns(float *to, const float *from, size_t line, bool transposed, size_t columns, size_t depth)
{
    for (size_t c = 0; c < columns; c += kColumns) {
        const size_t count = columns - c < kColumns ? columns - c : kColumns;
        for (size_t d = 0; d < depth; ++d) {
            if (!transposed && count == kColumns) {
                memcpy(to, from + d * line + c, sizeof(float) * kColumns);
            } else {
                for (size_t i = 0; i < kColumns; ++i) {
                    to[i] = i < count ? at(from, line, transposed, d, c + i) : 0.0f;
                }
            }
            to += kColumns;
        }
    }
}

void add_block(float *c, size_t line, const F (&sums)[kRows][kPacks], size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; ++r) {
        float *row = c + r * line;
        for (size_t p = 0; p < kPacks; ++p) {
            const size_t first = p * kLanes;
            if (columns >= first + kLanes) {
                store(row + first, load(row + first) + sums[r][p]);
            } else if (columns > first) {
                store_part(row + first, load_part(row + first, columns - first) + sums[r][p], columns - first);
            }
        }
    }
}

void block(const float *a, const float *b, size_t depth, float *c, size_t line, size_t rows, size_t columns)
{
    F sums[kRows][kPacks] = {};
    for (size_t d = 0; d < depth; ++d, a += kRows, b += kColumns) {
        for (size_t r = 0; r < kRows; ++r) {
            const F left = splat(a[r]);
            for (size_t p = 0; p < kPacks; ++p) {
                sums[r][p] += left * load(b + p * kLanes);
            }
        }
    }
    add_block(c, line, sums, rows, columns);
}

void clear(float *c, size_t line, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; ++r) {
        memset(c + r * line, 0, columns * sizeof(float));
    }
}

size_t least(size_t a, size_t b) { return a < b ? a : b; }

void panels(const Scratch &scratch, const Product &p, size_t m, size_t n, size_t k)
{
    const size_t rows = least(kHeight, p.m - m);
    const size_t columns = least(kWidth, p.n - n);
    const size_t depth = least(kDepth, p.k - k);
    pack_rows(scratch.a(), p.a + (p.a_transposed ? k * p.a_line + m : m * p.a_line + k), p.a_line, p.a_transposed, rows,
              depth);
    for (size_t c = 0; c < columns; c += kColumns) {
        for (size_t r = 0; r < rows; r += kRows) {
            block(scratch.a() + r * depth, scratch.b() + c * depth, depth, p.c + (m + r) * p.c_line + n + c, p.c_line,
                  least(kRows, rows - r), least(kColumns, columns - c));
        }
    }
}

void product(const Product &p)
{
    thread_local Scratch scratch;
    if (!p.onto) {
        clear(p.c, p.c_line, p.m, p.n);
    }
    for (size_t n = 0; n < p.n; n += kWidth) {
        for (size_t k = 0; k < p.k; k += kDepth) {
            pack_columns(scratch.b(), p.b + (p.b_transposed ? n * p.b_line + k : k * p.b_line + n), p.b_line,
                         p.b_transposed, least(kWidth, p.n - n), least(kDepth, p.k - k));
            for (size_t m = 0; m < p.m; m += kHeight) {
                panels(scratch, p, m, n, k);
            }
        }
    }
}

void widen_int8(float *to, const int8_t *from, size_t count)
{
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        to[i] = static_cast<float>(from[i]);
    }
}

void widen_table(float *to, const uint8_t *from, size_t count, const float *values)
{
    for (size_t i = 0; i < count; ++i) {
        to[i] = values[from[i]];
    }
}

void accumulate(int32_t *to, const float *from, size_t count)
{
    OPKG_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
        to[i] = static_cast<int32_t>(static_cast<uint32_t>(to[i]) + static_cast<uint32_t>(static_cast<int32_t>(from[i])));
    }
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(product)
{
    product_functions.multiply = product;
    product_functions.widen_int8 = widen_int8;
    product_functions.widen_table = widen_table;
    product_functions.accumulate = accumulate;
}

} // namespace opkg::twin
