// SPDX-License-Identifier: Apache-2.0
// The matrices of a Matmul object as float32 panels.
#ifndef OPKG_TWIN_MATMUL_OPERANDS_HPP
#define OPKG_TWIN_MATMUL_OPERANDS_HPP

#include "adv/matmul_abi.h"

namespace opkg::twin {

// Numbers of CubeFormat.
enum Format : uint32_t { kNd, kNz, kZn, kZz, kNn, kNdAlign, kScalarValue, kVectorRow, kColumnMajor = 8 };

constexpr int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }
constexpr int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

// Elements of 32 bytes.
int64_t block_elements(uint32_t dtype);
constexpr bool is_integer(uint32_t dtype) { return dtype == kI8 || dtype == kI4 || dtype == kU8; }

// A rectangle of A (rows along M, columns along K) or of B (rows along K, columns along N).
struct Rectangle {
    int64_t row, rows, column, columns;
};

// A panel: either where the matrix stands, or a copy in scratch. It may be stored the other way round.
struct Panel {
    const float *data;
    int64_t line;
    bool transposed;
};

// scratch has room for rows * columns values.
Panel panel_of_a(const MatmulProblem &problem, const Rectangle &part, float *scratch);
Panel panel_of_b(const MatmulProblem &problem, const Rectangle &part, float *scratch);

// A of half and B of int8. Such a B becomes half once it is read; part: of B, values: as panel_of_b left them.
bool mixes_dtypes(const MatmulProblem &problem);
void anti_quantize(const MatmulProblem &problem, const Rectangle &part, bool transposed, float *values);

// Elements from the first to the last that this core's part reads; 0 for formats that are not lines.
int64_t elements_of_a(const MatmulProblem &problem);
int64_t elements_of_b(const MatmulProblem &problem);

// count values of a one-dimensional operand, from `first` on.
void read_values(const MatmulOperand &operand, int64_t first, int64_t count, float *to);

} // namespace opkg::twin

#endif // OPKG_TWIN_MATMUL_OPERANDS_HPP
