// SPDX-License-Identifier: Apache-2.0
#include "adv/matmul_results.hpp"

#include <math.h>
#include <string.h>

#include <vector>

#include "core.hpp"
#include "small_floats.hpp"

namespace opkg::twin {
namespace {

constexpr int32_t kToNearest = 1; // RoundMode::CAST_RINT

// One quantisation parameter: a scale of 19 bits and, for results of 8 bits, an offset of 9 bits.
struct Quant {
    float scale;
    int32_t offset;
};

Quant quant_of(uint64_t bits)
{
    const uint32_t scale = static_cast<uint32_t>(bits) & 0xffffe000u;
    Quant quant;
    memcpy(&quant.scale, &scale, 4);
    quant.offset = static_cast<int32_t>(bits >> 37 & 0x1ff);
    quant.offset -= quant.offset >= 256 ? 512 : 0;
    return quant;
}

Quant quant_at(const MatmulProblem &problem, int64_t column)
{
    switch (problem.quant) {
        case kQuantScalar:
            return quant_of(problem.quant_scalar);
        case kQuantVector:
            return quant_of(problem.quant_vector[column]);
        default:
            return {1.0f, 0};
    }
}

// Sums of one row as floats, scaled.
void scaled_row(const MatmulProblem &problem, const void *sums, int64_t column, int64_t count, float *to)
{
    if (is_integer(problem.a.dtype)) {
        opkg_twin_cast[kI32][kF32](to, sums, static_cast<size_t>(count), kToNearest);
    } else {
        memcpy(to, sums, static_cast<size_t>(count) * 4);
    }
    for (int64_t i = 0; problem.relu != 0 && i < count; ++i) {
        to[i] = to[i] < 0.0f ? 0.0f : to[i];
    }
    for (int64_t i = 0; problem.quant != kNoQuant && i < count; ++i) {
        to[i] *= quant_at(problem, column + i).scale;
    }
}

void write_bytes(const MatmulProblem &problem, const float *values, int64_t column, int64_t count, uint8_t *to)
{
    const bool is_signed = problem.result_dtype == kI8;
    const float low = is_signed ? -128.0f : 0.0f;
    const float high = is_signed ? 127.0f : 255.0f;
    for (int64_t i = 0; i < count; ++i) {
        const float moved = nearbyintf(values[i]) + static_cast<float>(quant_at(problem, column + i).offset);
        const float fits = moved != moved ? 0.0f : fminf(fmaxf(moved, low), high);
        to[i] = static_cast<uint8_t>(static_cast<int32_t>(fits));
    }
}

// One row of results.
void convert_row(const MatmulProblem &problem, const void *sums, int64_t column, int64_t count, float *scratch, void *to)
{
    const uint32_t dtype = problem.result_dtype;
    scaled_row(problem, sums, column, count, scratch);
    switch (dtype) {
        case kI8:
        case kU8:
            write_bytes(problem, scratch, column, count, static_cast<uint8_t *>(to));
            return;
        case kF8E4M3:
        case kF8E5M2:
        case kHiF8:
            for (int64_t i = 0; i < count; ++i) {
                static_cast<uint8_t *>(to)[i] = to_small_float(dtype, scratch[i], kNearestFinite);
            }
            return;
        case kF32:
            memcpy(to, scratch, static_cast<size_t>(count) * 4);
            return;
        default:
            opkg_twin_cast[kF32][dtype](to, scratch, static_cast<size_t>(count), kToNearest);
    }
}

// Stores rows; in global memory with the atomic operation that the call asks for, or the one that the core has set.
void store_rows(const MatmulTarget &target, uint8_t *to, const uint8_t *from, int64_t rows, size_t bytes, size_t to_step,
                size_t from_step, uint32_t dtype)
{
    if (target.local != 0) {
        opkg_twin_load(to, from, static_cast<uint32_t>(rows), bytes, to_step, from_step);
        return;
    }
    constexpr int32_t kOperations[] = {-1, kAdd, kMax, kMin};
    Core *core = opkg_twin_core;
    const int32_t operation = core->atomic_op;
    const int32_t operation_dtype = core->atomic_dtype;
    if (target.atomic != 0) {
        core->atomic_op = kOperations[target.atomic & 3];
        core->atomic_dtype = -1;
    }
    opkg_twin_store(to, from, static_cast<uint32_t>(rows), bytes, to_step, from_step, dtype);
    core->atomic_op = operation;
    core->atomic_dtype = operation_dtype;
}

int64_t fractal_columns(const MatmulProblem &problem)
{
    const size_t size = result_bytes(problem);
    return size == 1 ? 32 : size == 4 && problem.channel_split != 0 ? 8 : 16;
}

// Columns of fractals; what is missing of the last one is 0.
void place_fractals(const MatmulProblem &problem, const uint8_t *values, int64_t line, const MatmulTarget &target,
                    const Rectangle &at)
{
    const int64_t block = fractal_columns(problem);
    const int64_t size = static_cast<int64_t>(result_bytes(problem));
    const int64_t tall = round_up(target.sequential != 0 ? problem.base_m
                                  : target.local != 0    ? problem.single_m
                                                         : problem.org_m,
                                  16);
    std::vector<uint8_t> stage(static_cast<size_t>(at.rows * block * size));
    for (int64_t done = 0; done < at.columns;) {
        const int64_t column = at.column + done;
        const int64_t inside = column % block;
        const int64_t count = lesser(at.columns - done, block - inside);
        const bool last = done + count == at.columns;
        const int64_t filled = last ? block - inside : count;
        for (int64_t r = 0; r < at.rows; ++r) {
            uint8_t *row = stage.data() + r * filled * size;
            memcpy(row, values + (r * line + done) * size, static_cast<size_t>(count * size));
            memset(row + count * size, 0, static_cast<size_t>((filled - count) * size));
        }
        uint8_t *to = static_cast<uint8_t *>(target.data) + ((column / block * tall + at.row) * block + inside) * size;
        store_rows(target, to, stage.data(), at.rows, static_cast<size_t>(filled * size),
                   static_cast<size_t>(block * size), static_cast<size_t>(filled * size), problem.result_dtype);
        done += count;
    }
}

// The result stands column by column.
void place_columns(const MatmulProblem &problem, const uint8_t *values, int64_t line, const MatmulTarget &target,
                   const Rectangle &at)
{
    const size_t size = result_bytes(problem);
    const int64_t tall = target.sequential != 0 ? problem.base_m : problem.org_m;
    std::vector<uint8_t> stage(static_cast<size_t>(at.rows) * size);
    for (int64_t c = 0; c < at.columns; ++c) {
        for (int64_t r = 0; r < at.rows; ++r) {
            memcpy(stage.data() + static_cast<size_t>(r) * size, values + static_cast<size_t>(r * line + c) * size, size);
        }
        uint8_t *to = static_cast<uint8_t *>(target.data) + static_cast<size_t>((at.column + c) * tall + at.row) * size;
        store_rows(target, to, stage.data(), 1, stage.size(), 0, 0, problem.result_dtype);
    }
}

} // namespace

size_t result_bytes(const MatmulProblem &problem)
{
    return static_cast<size_t>(32 / block_elements(problem.result_dtype));
}

int64_t result_line(const MatmulProblem &problem, const MatmulTarget &target)
{
    const int64_t block = block_elements(problem.result_dtype);
    if (target.line != 0) {
        return target.line;
    }
    if (target.sequential != 0) {
        return problem.base_n;
    }
    if (target.local != 0) {
        return round_up(problem.single_n, block);
    }
    const int64_t columns = problem.org_kc != 0 ? problem.org_kc : problem.org_n;
    return problem.result_format == kNdAlign ? round_up(columns, block) : columns;
}

namespace {

// Nothing is left to do to the sums but to place them.
bool are_final(const MatmulProblem &problem)
{
    const uint32_t sums = is_integer(problem.a.dtype) ? kI32 : kF32;
    return sums == problem.result_dtype && problem.quant == kNoQuant && problem.relu == 0;
}

} // namespace

bool sums_are_results(const MatmulProblem &problem, const MatmulTarget &target)
{
    const bool rows = problem.result_format == kNd || problem.result_format == kNdAlign;
    return target.local != 0 && are_final(problem) && rows && target.sequential == 0;
}

void begin_sums(const MatmulProblem &problem, const Rectangle &part, const Sums &sums)
{
    const size_t bytes = static_cast<size_t>(part.columns) * 4;
    uint8_t *first = static_cast<uint8_t *>(sums.values);
    if (problem.bias.data == nullptr) {
        memset(first, 0, bytes);
    } else if (problem.bias.dtype == kI32) {
        memcpy(first, static_cast<const int32_t *>(problem.bias.data) + part.column, bytes);
    } else {
        read_values(problem.bias, part.column, part.columns, static_cast<float *>(sums.values));
    }
    for (int64_t r = 1; r < part.rows; ++r) {
        memcpy(first + static_cast<size_t>(r * sums.line) * 4, first, bytes);
    }
}

void place_results(const MatmulProblem &problem, const void *values, int64_t line, const MatmulTarget &target,
                   const Rectangle &at)
{
    const uint8_t *from = static_cast<const uint8_t *>(values);
    if (problem.result_format == kNz) {
        place_fractals(problem, from, line, target, at);
        return;
    }
    if (problem.result_format == kColumnMajor) {
        place_columns(problem, from, line, target, at);
        return;
    }
    const size_t size = result_bytes(problem);
    const int64_t to_line = result_line(problem, target);
    uint8_t *to = static_cast<uint8_t *>(target.data) + static_cast<size_t>(at.row * to_line + at.column) * size;
    store_rows(target, to, from, at.rows, static_cast<size_t>(at.columns) * size, static_cast<size_t>(to_line) * size,
               static_cast<size_t>(line) * size, problem.result_dtype);
}

void place_block(const MatmulProblem &problem, const void *block, const MatmulTarget &target, const Rectangle &at)
{
    const bool columns = problem.result_format == kColumnMajor;
    if (!columns && problem.result_format != kNz) {
        place_results(problem, block, problem.base_n, target, at);
        return;
    }
    const int64_t width = columns ? 1 : fractal_columns(problem);
    const int64_t tall = columns ? problem.base_m : round_up(problem.base_m, 16);
    const size_t size = result_bytes(problem);
    std::vector<uint8_t> rows(static_cast<size_t>(at.rows * at.columns) * size);
    for (int64_t i = 0; i < at.rows * at.columns; ++i) {
        const int64_t r = i / at.columns, c = i % at.columns;
        const int64_t place = (c / width * tall + r) * width + c % width;
        memcpy(rows.data() + static_cast<size_t>(i) * size,
               static_cast<const uint8_t *>(block) + static_cast<size_t>(place) * size, size);
    }
    place_results(problem, rows.data(), at.columns, target, at);
}

void write_results(const MatmulProblem &problem, const Rectangle &part, const Sums &sums, const MatmulTarget &target,
                   const Rectangle &at)
{
    if (are_final(problem)) {
        place_results(problem, sums.values, sums.line, target, at);
        return;
    }
    const size_t size = result_bytes(problem);
    std::vector<uint8_t> results(static_cast<size_t>(part.rows * part.columns) * size);
    std::vector<float> scratch(static_cast<size_t>(part.columns));
    for (int64_t r = 0; r < part.rows; ++r) {
        convert_row(problem, static_cast<const float *>(sums.values) + r * sums.line, part.column, part.columns,
                    scratch.data(), results.data() + static_cast<size_t>(r * part.columns) * size);
    }
    place_results(problem, results.data(), part.columns, target, at);
}

void write_fractals(const Sums &sums, int64_t rows, int64_t columns, void *to, bool onto, bool integers)
{
    const int64_t tall = round_up(rows, 16);
    for (int64_t c = 0; c < columns; c += 16) {
        const size_t count = static_cast<size_t>(lesser(16, columns - c));
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t place = (c / 16 * tall + r) * 16;
            const void *from = static_cast<const float *>(sums.values) + r * sums.line + c;
            void *at = static_cast<float *>(to) + place;
            if (onto) {
                opkg_twin_binary[kAdd][integers ? kI32 : kF32](at, at, from, count);
            } else {
                memcpy(at, from, count * 4);
            }
        }
    }
}

} // namespace opkg::twin
