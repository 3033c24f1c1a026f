// SPDX-License-Identifier: Apache-2.0
#include "adv/matmul_operands.hpp"

#include <string.h>

#include <vector>

#include "small_floats.hpp"
#include "core.hpp"
#include "vec/product.hpp"

namespace opkg::twin {
namespace {

// A matrix as it is stored: rows by columns, whichever of M, N, K they are.
struct Stored {
    const uint8_t *data;
    uint32_t dtype;
    uint32_t format;
    int64_t line;  // ND: elements from row to row
    int64_t tall;  // NZ: rows of each column of fractals
    int64_t block; // NZ: columns of a fractal
};

Stored stored(const MatmulOperand &operand, int64_t rows, int64_t columns)
{
    Stored matrix{static_cast<const uint8_t *>(operand.data), operand.dtype, operand.format, columns,
                  round_up(rows, 16), block_elements(operand.dtype)};
    if (operand.line != 0) {
        matrix.line = operand.line;
    } else if (operand.local != 0 || operand.format == kNdAlign) {
        matrix.line = round_up(columns, matrix.block);
    }
    return matrix;
}

void read_nibbles(const Stored &matrix, int64_t first, int64_t count, float *to)
{
    const float *values = small_float_values(matrix.dtype);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t index = first + i;
        const uint32_t code = matrix.data[index / 2] >> (index % 2 * 4) & 15u;
        to[i] = values != nullptr ? values[code] : static_cast<float>(static_cast<int32_t>(code ^ 8u) - 8);
    }
}

// Contiguous elements, as floats.
void read(const Stored &matrix, int64_t first, int64_t count, float *to)
{
    const size_t n = static_cast<size_t>(count);
    switch (matrix.dtype) {
        case kF32:
            memcpy(to, matrix.data + first * 4, n * 4);
            return;
        case kF16:
        case kBF16:
            opkg_twin_cast[matrix.dtype][kF32](to, matrix.data + first * 2, n, 0);
            return;
        case kI32:
            opkg_twin_cast[kI32][kF32](to, matrix.data + first * 4, n, 0);
            return;
        case kI8:
            product_functions.widen_int8(to, reinterpret_cast<const int8_t *>(matrix.data) + first, n);
            return;
        case kI4:
        case kF4E2M1:
        case kF4E1M2:
            read_nibbles(matrix, first, count, to);
            return;
        default:
            product_functions.widen_table(to, matrix.data + first, n, small_float_values(matrix.dtype));
    }
}

void fill_with(float value, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; ++i) {
        to[i] = value;
    }
}

// Row r of a matrix of fractals, one stretch of its columns.
void read_fractal_row(const Stored &matrix, int64_t row, int64_t column, int64_t columns, float *to)
{
    while (columns > 0) {
        const int64_t inside = column % matrix.block;
        const int64_t count = lesser(columns, matrix.block - inside);
        read(matrix, (column / matrix.block * matrix.tall + row) * matrix.block + inside, count, to);
        column += count;
        columns -= count;
        to += count;
    }
}

void copy_out(const Stored &matrix, const Rectangle &part, float *to)
{
    if (matrix.format == kScalarValue) {
        float value;
        read(matrix, 0, 1, &value);
        fill_with(value, part.rows * part.columns, to);
        return;
    }
    for (int64_t r = 0; r < part.rows; ++r, to += part.columns) {
        if (matrix.format == kNz) {
            read_fractal_row(matrix, part.row + r, part.column, part.columns, to);
        } else {
            read(matrix, (part.row + r) * matrix.line + part.column, part.columns, to);
        }
    }
}

// HF32 keeps 11 bits of a float's mantissa, 10 on the 950.
void round_to_hf32(float *values, int64_t count, uint32_t mode)
{
    const uint32_t dropped = opkg_twin_core->npu_arch >= 3510 ? 13 : 12;
    const uint32_t half = 1u << (dropped - 1);
    for (int64_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        if ((bits & 0x7f800000u) == 0x7f800000u) {
            continue;
        }
        const uint32_t odd = bits >> dropped & 1u;
        bits = (bits + (mode == 1 ? half - 1 + odd : half)) >> dropped << dropped;
        memcpy(&values[i], &bits, 4);
    }
}

// Scales of the MX forms: element (r, k / 32) of a matrix whose rows are those of A, or the columns of B.
struct Scales {
    Stored matrix;
    int64_t rows;  // of the whole matrix
    int64_t steps; // of K, an even number
    bool pairs;    // stored as steps / 2 groups of rows by 2
    bool fractal;
};

float scale_at(const Scales &scales, int64_t row, int64_t step)
{
    int64_t index = row * scales.steps + step;
    if (scales.fractal) {
        // Fractals of 16 rows by 2 steps; those of one group of 16 rows follow each other.
        index = (row / 16 * (scales.steps / 2) + step / 2) * 32 + row % 16 * 2 + step % 2;
    } else if (scales.pairs) {
        index = step / 2 * scales.rows * 2 + row * 2 + step % 2;
    }
    return small_float_values(kF8E8M0)[scales.matrix.data[index]];
}

Scales scales_of(const MatmulOperand &operand, int64_t rows, int64_t k, bool pairs)
{
    const bool fractal = operand.format == kNz;
    return {stored(operand, rows, k), rows, round_up((k + 31) / 32, 2), pairs, fractal};
}

// Values of a panel whose rows are lines of K (k_inner) or whose columns are.
void apply_scales(const Scales &scales, float *values, const Rectangle &part, bool k_inner)
{
    for (int64_t r = 0; r < part.rows; ++r) {
        for (int64_t c = 0; c < part.columns; ++c) {
            const int64_t line = k_inner ? part.row + r : part.column + c;
            const int64_t k = k_inner ? part.column + c : part.row + r;
            values[r * part.columns + c] *= scale_at(scales, line, k / 32);
        }
    }
}

bool stands_as_floats(const MatmulProblem &problem, const Stored &matrix, const MatmulOperand &scale)
{
    return matrix.dtype == kF32 && problem.hf32 == 0 && scale.data == nullptr && matrix.format != kNz &&
           matrix.format != kScalarValue;
}

// part: of the matrix as it is stored.
Panel panel(const MatmulProblem &problem, const Stored &matrix, const Rectangle &part, bool transposed,
            const MatmulOperand &scale, float *scratch)
{
    if (stands_as_floats(problem, matrix, scale)) {
        const float *values = reinterpret_cast<const float *>(matrix.data);
        return {values + part.row * matrix.line + part.column, matrix.line, transposed};
    }
    copy_out(matrix, part, scratch);
    if (problem.hf32 != 0 && matrix.dtype == kF32) {
        round_to_hf32(scratch, part.rows * part.columns, problem.hf32);
    }
    return {scratch, part.columns, transposed};
}

Rectangle turned(const Rectangle &part) { return {part.column, part.columns, part.row, part.rows}; }

// The two bits of one kept value: bytes of four of them, in fractals of 16 rows by 8 bytes.
uint32_t sparse_place(const MatmulProblem &problem, int64_t row, int64_t kept)
{
    const int64_t byte = kept / 4;
    const int64_t index = (byte / 8 * round_up(problem.org_n, 16) + row) * 8 + byte % 8;
    return problem.sparse_index[index] >> (kept % 4 * 2) & 3u;
}

// B of which two of four values along K are kept: spreads them out, with zeros between. Each kept value has two bits that
// say its place in the group of four; those of the first are its place, those of the second its place less one.
void spread(const MatmulProblem &problem, const Rectangle &part, float *to)
{
    const MatmulOperand &b = problem.b;
    const int64_t k = b.local != 0 ? problem.single_k : problem.org_kb;
    const Stored matrix = stored(b, problem.org_n, k / 2);
    float kept[2];
    for (int64_t n = 0; n < part.rows; ++n) {
        float *row = to + n * part.columns;
        fill_with(0.0f, part.columns, row);
        const int64_t line = part.row + n;
        for (int64_t group = part.column / 4; group * 4 < part.column + part.columns; ++group) {
            read(matrix, line * matrix.line + group * 2, 2, kept);
            for (int64_t i = 0; i < 2; ++i) {
                const uint32_t place = sparse_place(problem, line, group * 2 + i) + static_cast<uint32_t>(i);
                const int64_t column = group * 4 + place - part.column;
                if (kept[i] != 0.0f && column >= 0 && column < part.columns) {
                    row[column] = kept[i];
                }
            }
        }
    }
}

} // namespace

int64_t block_elements(uint32_t dtype)
{
    switch (dtype) {
        case kF32:
        case kI32:
        case kU32:
            return 8;
        case kF16:
        case kBF16:
            return 16;
        case kI4:
        case kF4E2M1:
        case kF4E1M2:
            return 64;
        default:
            return 32;
    }
}

void read_values(const MatmulOperand &operand, int64_t first, int64_t count, float *to)
{
    read(stored(operand, 1, first + count), first, count, to);
}

namespace {

// The parameter of each column of a part of B.
class ColumnValues {
public:
    ColumnValues(const MatmulOperand &operand, const Rectangle &part) : values_(static_cast<size_t>(part.columns))
    {
        if (operand.data != nullptr && operand.format == kScalarValue) {
            read_values(operand, 0, 1, values_.data());
            fill_with(values_[0], part.columns, values_.data());
        } else if (operand.data != nullptr) {
            read_values(operand, part.column, part.columns, values_.data());
        }
    }
    float operator[](int64_t column) const { return values_[static_cast<size_t>(column)]; }

private:
    std::vector<float> values_;
};

// Rounds floats to what half holds.
class Halves {
public:
    explicit Halves(int64_t count) : halves_(static_cast<size_t>(count)) {}
    void round(float *values)
    {
        opkg_twin_cast[kF32][kF16](halves_.data(), values, halves_.size(), kCastRint);
        opkg_twin_cast[kF16][kF32](values, halves_.data(), halves_.size(), 0);
    }

private:
    static constexpr int32_t kCastRint = 1; // RoundMode::CAST_RINT
    std::vector<uint16_t> halves_;
};

// A or B: lines along M or N, and whether they stand in the columns of what is stored.
struct Side {
    Stored matrix;
    int64_t lines;
    int64_t k;
    bool transposed;
};

// Matrices in buffers have the extents of this core's part; in L1 those of SetOrgShape, where the kernel called it.
bool has_own_extents(const MatmulProblem &problem, const MatmulOperand &operand)
{
    return operand.local == 1 || (operand.local == 2 && problem.org_set == 0);
}

Side side_of_a(const MatmulProblem &problem)
{
    const bool own = has_own_extents(problem, problem.a);
    const int64_t m = own ? problem.single_m : problem.org_m;
    const int64_t k = own ? problem.single_k : problem.org_ka;
    const bool transposed = (problem.a.transposed != 0) != (problem.a.format == kColumnMajor);
    return {transposed ? stored(problem.a, k, m) : stored(problem.a, m, k), m, k, transposed};
}

Side side_of_b(const MatmulProblem &problem)
{
    const bool own = has_own_extents(problem, problem.b);
    const int64_t n = own ? problem.single_n : problem.org_n;
    const int64_t k = own ? problem.single_k : problem.org_kb;
    const bool transposed = (problem.b.transposed != 0) != (problem.b.format == kColumnMajor);
    return {transposed ? stored(problem.b, n, k) : stored(problem.b, k, n), n, k, transposed};
}

// Up to the last of so many rows and columns of the matrix as it is stored.
int64_t elements_up_to(const Stored &matrix, int64_t rows, int64_t columns)
{
    const bool in_lines = matrix.format != kNz && matrix.format != kScalarValue;
    return in_lines ? (rows - 1) * matrix.line + columns : 0;
}

} // namespace

Panel panel_of_a(const MatmulProblem &problem, const Rectangle &part, float *scratch)
{
    const Side side = side_of_a(problem);
    const Rectangle from = side.transposed ? turned(part) : part;
    const Panel result = panel(problem, side.matrix, from, side.transposed, problem.scale_a, scratch);
    if (problem.scale_a.data != nullptr) {
        apply_scales(scales_of(problem.scale_a, side.lines, side.k, problem.scale_a.transposed != 0), scratch, from,
                     !side.transposed);
    }
    return result;
}

Panel panel_of_b(const MatmulProblem &problem, const Rectangle &part, float *scratch)
{
    if (problem.sparse_index != nullptr) {
        spread(problem, turned(part), scratch);
        return {scratch, part.rows, true};
    }
    const Side side = side_of_b(problem);
    const Rectangle from = side.transposed ? turned(part) : part;
    const Panel result = panel(problem, side.matrix, from, side.transposed, problem.scale_b, scratch);
    if (problem.scale_b.data != nullptr) {
        apply_scales(scales_of(problem.scale_b, side.lines, side.k, problem.scale_b.transposed == 0), scratch, from,
                     side.transposed);
    }
    return result;
}

bool mixes_dtypes(const MatmulProblem &problem) { return problem.a.dtype == kF16 && problem.b.dtype == kI8; }

void anti_quantize(const MatmulProblem &problem, const Rectangle &part, bool transposed, float *values)
{
    const ColumnValues offsets(problem.anti_offsets, part);
    const ColumnValues scales(problem.anti_scales, part);
    const int64_t rows = transposed ? part.columns : part.rows;
    const int64_t columns = transposed ? part.rows : part.columns;
    Halves halves(columns);
    for (int64_t r = 0; r < rows; ++r, values += columns) {
        if (problem.anti_offsets.data != nullptr) {
            for (int64_t c = 0; c < columns; ++c) {
                values[c] += offsets[transposed ? r : c];
            }
            halves.round(values);
        }
        for (int64_t c = 0; c < columns; ++c) {
            values[c] *= scales[transposed ? r : c];
        }
        halves.round(values);
    }
}

int64_t elements_of_a(const MatmulProblem &problem)
{
    const Side side = side_of_a(problem);
    if (problem.load_a != nullptr) {
        return 0;
    }
    return side.transposed ? elements_up_to(side.matrix, problem.single_k, problem.single_m)
                           : elements_up_to(side.matrix, problem.single_m, problem.single_k);
}

int64_t elements_of_b(const MatmulProblem &problem)
{
    const Side side = side_of_b(problem);
    if (problem.load_b != nullptr || problem.sparse_index != nullptr) {
        return 0;
    }
    return side.transposed ? elements_up_to(side.matrix, problem.single_n, problem.single_k)
                           : elements_up_to(side.matrix, problem.single_k, problem.single_n);
}

} // namespace opkg::twin
