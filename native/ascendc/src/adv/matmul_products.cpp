// SPDX-License-Identifier: Apache-2.0
#include "adv/matmul_products.hpp"

#include <vector>

#include "core.hpp"
#include "vec/product.hpp"

namespace opkg::twin {
namespace {

// Sums of so many products of 8-bit integers are whole numbers below 2^24, which float32 holds exactly.
constexpr int64_t kExactDepth = 1024;

// Working memory of a thread, kept from product to product.
struct Scratch {
    std::vector<float> a, b, sums, results;
};

Scratch &scratch()
{
    thread_local Scratch memory;
    return memory;
}

float *room(std::vector<float> &memory, int64_t values)
{
    if (memory.size() < static_cast<size_t>(values)) {
        memory.resize(static_cast<size_t>(values));
    }
    return memory.data();
}

// The kernel's own copy brings in one base block; it writes fractals, as into the L1 buffer.
Panel loaded_panel(const MatmulProblem &problem, bool of_a, const Rectangle &part, float *to)
{
    const MatmulOperand &from = of_a ? problem.a : problem.b;
    const int64_t row_step = of_a ? problem.base_m : problem.base_k;
    const int64_t column_step = of_a ? problem.base_k : problem.base_n;
    const int64_t block = block_elements(from.dtype);
    const bool turned = from.transposed != 0;
    const int64_t tall = round_up(turned ? part.columns : part.rows, 16);
    const int64_t wide = round_up(turned ? part.rows : part.columns, block);
    std::vector<uint8_t> local(static_cast<size_t>(tall * wide * 32 / block));
    (of_a ? problem.load_a : problem.load_b)(local.data(), static_cast<uint32_t>(local.size()), from.data,
                                             static_cast<int>(part.row / row_step),
                                             static_cast<int>(part.column / column_step), static_cast<int>(part.rows),
                                             static_cast<int>(part.columns), problem.user_tiling, problem.user_data);
    opkg_twin_settle(); // the copies into `local`
    MatmulProblem loaded = problem;
    MatmulOperand &operand = of_a ? loaded.a : loaded.b;
    operand.data = local.data();
    operand.format = kNz;
    operand.local = 1;
    operand.line = 0;
    loaded.org_set = 0;
    loaded.single_m = static_cast<int32_t>(part.rows);
    loaded.single_n = static_cast<int32_t>(part.columns);
    loaded.single_k = static_cast<int32_t>(of_a ? part.columns : part.rows);
    const Rectangle whole{0, part.rows, 0, part.columns};
    return of_a ? panel_of_a(loaded, whole, to) : panel_of_b(loaded, whole, to);
}

Product product_of(const Panel &a, const Panel &b, const Rectangle &part, int64_t depth, float *c, int64_t line,
                   bool onto)
{
    return {static_cast<size_t>(part.rows), static_cast<size_t>(part.columns), static_cast<size_t>(depth), a.data,
            static_cast<size_t>(a.line), a.transposed, b.data, static_cast<size_t>(b.line), b.transposed, c,
            static_cast<size_t>(line), onto};
}

void add_integers(const Sums &sums, const Rectangle &part, const float *products)
{
    for (int64_t r = 0; r < part.rows; ++r) {
        product_functions.accumulate(static_cast<int32_t *>(sums.values) + r * sums.line, products + r * part.columns,
                                     static_cast<size_t>(part.columns));
    }
}

int64_t depth_of(const MatmulProblem &problem)
{
    const bool own_copies = problem.load_a != nullptr || problem.load_b != nullptr;
    return own_copies && problem.base_k > 0 ? problem.base_k : lesser(kExactDepth, kBlock);
}

} // namespace

float *room_for_sums(int64_t values) { return room(scratch().sums, values); }

void add_products(const MatmulProblem &problem, const Rectangle &part, int64_t first_k, int64_t last_k,
                  const Sums &sums)
{
    Scratch &memory = scratch();
    const int64_t step = depth_of(problem);
    for (int64_t k = first_k; k < last_k; k += step) {
        const int64_t depth = lesser(step, last_k - k);
        const Rectangle of_a{part.row, part.rows, k, depth};
        const Rectangle of_b{k, depth, part.column, part.columns};
        float *room_a = room(memory.a, part.rows * depth);
        float *room_b = room(memory.b, depth * part.columns);
        const Panel a = problem.load_a != nullptr ? loaded_panel(problem, true, of_a, room_a)
                                                  : panel_of_a(problem, of_a, room_a);
        const Panel b = problem.load_b != nullptr ? loaded_panel(problem, false, of_b, room_b)
                                                  : panel_of_b(problem, of_b, room_b);
        if (mixes_dtypes(problem)) {
            anti_quantize(problem, of_b, b.transposed, room_b);
        }
        if (is_integer(problem.a.dtype)) {
            float *products = room(memory.results, part.rows * part.columns);
            multiply(product_of(a, b, part, depth, products, part.columns, false));
            add_integers(sums, part, products);
        } else {
            multiply(product_of(a, b, part, depth, static_cast<float *>(sums.values), sums.line, true));
        }
    }
}

} // namespace opkg::twin
