// SPDX-License-Identifier: Apache-2.0
// From sums to the result: bias before, scale, rounding and placing after.
#ifndef OPKG_TWIN_MATMUL_RESULTS_HPP
#define OPKG_TWIN_MATMUL_RESULTS_HPP

#include "adv/matmul_operands.hpp"

namespace opkg::twin {

// Sums of a rectangle of C, float32 or int32, rows one after the other.
struct Sums {
    void *values;
    int64_t line;
};

size_t result_bytes(const MatmulProblem &problem);

// The place of an element of the result in its target.
int64_t result_line(const MatmulProblem &problem, const MatmulTarget &target);

// Whether sums may be made where the result stands: it is of their dtype, in rows, and nothing is left to do to them. Not
// in global memory: cores may make the same product twice, and none of them must see the other's unfinished sums.
bool sums_are_results(const MatmulProblem &problem, const MatmulTarget &target);

// Fills the sums with the bias, or with zeros where there is none.
void begin_sums(const MatmulProblem &problem, const Rectangle &part, const Sums &sums);

// Converts the sums of a rectangle and writes them to their place. row and column of the target's own rectangle: `at`.
void write_results(const MatmulProblem &problem, const Rectangle &part, const Sums &sums, const MatmulTarget &target,
                   const Rectangle &at);

// Writes values that are results already, `line` elements from row to row.
void place_results(const MatmulProblem &problem, const void *values, int64_t line, const MatmulTarget &target,
                   const Rectangle &at);

// A base block as it waits in a workspace, by itself: puts it into its place.
void place_block(const MatmulProblem &problem, const void *block, const MatmulTarget &target, const Rectangle &at);

// Sums as fractals of 16 by 16, as the L0C buffer holds them.
void write_fractals(const Sums &sums, int64_t rows, int64_t columns, void *to, bool onto, bool integers);

} // namespace opkg::twin

#endif // OPKG_TWIN_MATMUL_RESULTS_HPP
