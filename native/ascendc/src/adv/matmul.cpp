// SPDX-License-Identifier: Apache-2.0
// Matmul objects: the loops over base blocks, and what the cores of a block have to do with each other.
#include <stdlib.h>

#include <new>
#include <vector>

#include "adv/matmul_checks.hpp"
#include "adv/matmul_products.hpp"
#include "scheduler.hpp"

namespace opkg::twin {
namespace {

// The base block that an Iterate has made. Its sums follow.
struct Tile {
    Rectangle part;

    float *values() { return reinterpret_cast<float *>(this + 1); }
};

bool skipped(const MatmulProblem &problem, int64_t block_row, int64_t block_column)
{
    return (problem.triangle == kUpper && block_row > block_column) ||
           (problem.triangle == kLower && block_row < block_column);
}

bool skipped(const MatmulProblem &problem, const Rectangle &part)
{
    return skipped(problem, part.row / problem.base_m, part.column / problem.base_n);
}

// What DataCopyOutParams in matmul_config.h holds.
struct CopyOutParams {
    uint16_t bursts;
    uint16_t burst_length;
    uint16_t source_stride;
    uint32_t target_stride;
    uint16_t columns;
    bool unit_flag;
    uint64_t quant_scalar;
    uint64_t quant_address;
};

// The kernel's own copy takes one base block out of the L0C buffer.
void hand_over(const MatmulProblem &problem, const Rectangle &part, const Sums &sums, const MatmulTarget &target)
{
    const int64_t tall = round_up(part.rows, 16);
    std::vector<float> fractals(static_cast<size_t>(tall * round_up(part.columns, 16)));
    write_fractals(sums, part.rows, part.columns, fractals.data(), false, false);
    const int64_t line = result_line(problem, target);
    CopyOutParams params{};
    params.bursts = static_cast<uint16_t>((part.columns + 15) / 16);
    params.burst_length = static_cast<uint16_t>(part.rows * 16 * 4 / 32);
    params.source_stride = static_cast<uint16_t>((tall - part.rows) * 16 * 4 / 32);
    params.target_stride = static_cast<uint32_t>(line);
    params.columns = static_cast<uint16_t>(part.columns);
    params.quant_scalar = problem.quant_scalar;
    const int64_t place = target.sequential != 0 ? 0 : part.row * line + part.column;
    problem.store(static_cast<uint8_t *>(target.data) + static_cast<size_t>(place) * result_bytes(problem), fractals.data(),
                  static_cast<uint32_t>(fractals.size() * 4), &params, problem.user_tiling, problem.user_data);
    opkg_twin_settle(); // copies into `fractals`, which ends here
}

// at: the block's place in the target.
void make_block(const MatmulProblem &problem, const Rectangle &part, const MatmulTarget &target, const Rectangle &at)
{
    check_target(problem, target, at);
    Sums sums{room_for_sums(part.rows * part.columns), part.columns};
    const bool in_place = problem.store == nullptr && sums_are_results(problem, target);
    if (in_place) {
        const int64_t line = result_line(problem, target);
        sums = {static_cast<float *>(target.data) + part.row * line + part.column, line};
    }
    begin_sums(problem, part, sums);
    add_products(problem, part, 0, problem.single_k, sums);
    if (problem.store != nullptr) {
        hand_over(problem, part, sums, target);
    } else if (!in_place) {
        write_results(problem, part, sums, target, at);
    }
}

int64_t blocks_of(int64_t size, int64_t base) { return (size + base - 1) / base; }

struct Steps {
    int64_t m, n, k;

    int64_t all() const { return m * n * k; }
};

Steps steps_of(const MatmulProblem &problem)
{
    return {blocks_of(problem.single_m, problem.base_m), blocks_of(problem.single_n, problem.base_n),
            problem.partial != 0 ? blocks_of(problem.single_k, problem.base_k) : 1};
}

Rectangle part_of(const MatmulProblem &problem, int64_t block)
{
    const Steps steps = steps_of(problem);
    const int64_t row = problem.n_first != 0 ? block / steps.n : block % steps.m;
    const int64_t column = problem.n_first != 0 ? block % steps.n : block / steps.m;
    return {row * problem.base_m, lesser(problem.base_m, problem.single_m - row * problem.base_m),
            column * problem.base_n, lesser(problem.base_n, problem.single_n - column * problem.base_n)};
}

Tile &tile_of(MatmulProblem &problem)
{
    const uint64_t bytes = sizeof(Tile) + static_cast<uint64_t>(problem.base_m) * static_cast<uint64_t>(problem.base_n) * 4;
    if (problem.tile_bytes < bytes) {
        opkg_twin_matmul_release(&problem);
        problem.tile = calloc(1, bytes);
        if (problem.tile == nullptr) {
            throw std::bad_alloc();
        }
        problem.tile_bytes = bytes;
    }
    return *static_cast<Tile *>(problem.tile);
}

// Makes base block number `step`; with isPartialOutput, one step of its K.
void make_tile(MatmulProblem &problem, int64_t step, bool onto)
{
    Tile &tile = tile_of(problem);
    const int64_t k_steps = steps_of(problem).k;
    const int64_t k = step % k_steps;
    tile.part = part_of(problem, step / k_steps);
    const Sums sums{tile.values(), tile.part.columns};
    if (!onto) {
        MatmulProblem first = problem;
        first.bias.data = k == 0 ? problem.bias.data : nullptr;
        begin_sums(first, tile.part, sums);
    }
    const bool partial = problem.partial != 0;
    add_products(problem, tile.part, partial ? k * problem.base_k : 0,
                 partial ? lesser((k + 1) * problem.base_k, problem.single_k) : problem.single_k, sums);
}

// Of a block that is cut in two, the half of this vector core.
Rectangle half_of(const MatmulProblem &problem, const Rectangle &part)
{
    Rectangle half = part;
    if (problem.split == kNoSplit || opkg_twin_core->sub_count < 2) {
        return half;
    }
    int64_t &first = problem.split == kSplitM ? half.row : half.column;
    int64_t &count = problem.split == kSplitM ? half.rows : half.columns;
    const int64_t upper = (count + 1) / 2;
    first += opkg_twin_core->sub_index == 0 ? 0 : upper;
    count = opkg_twin_core->sub_index == 0 ? upper : count - upper;
    return half;
}

// Flags above those that kernels use.
constexpr uint32_t kJoinFlag = 15;

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

uint32_t opkg_twin_matmul_served(uint32_t both_kinds_run)
{
    const Core &core = *opkg_twin_core;
    return core.kind == kCubeCore && core.launch->vector_cores > 0 && both_kinds_run == 0 ? 1 : 0;
}

uint32_t opkg_twin_matmul_makes(uint32_t cube_makes)
{
    const Core &core = *opkg_twin_core;
    if (cube_makes != 0 && core.launch->cube_cores > 0 && core.launch->vector_cores > 0) {
        return core.kind == kCubeCore ? 1 : 0;
    }
    return core.kind == kCubeCore || core.sub_index == 0 ? 1 : 0;
}

void opkg_twin_matmul_join(uint32_t cube_makes)
{
    const Core &core = *opkg_twin_core;
    const Launch &launch = *core.launch;
    if (cube_makes != 0 && launch.cube_cores > 0 && launch.vector_cores > 0) {
        if (core.kind == kCubeCore) {
            opkg_twin_cross_core_set(2, kJoinFlag);
        } else {
            opkg_twin_cross_core_wait(kJoinFlag);
        }
    } else if (core.kind == kVectorCore && launch.vector_cores > 1) {
        opkg_twin_cross_core_set(1, kJoinFlag);
        opkg_twin_cross_core_wait(kJoinFlag);
    }
}

void opkg_twin_matmul_all(MatmulProblem *problem, const MatmulTarget *target)
{
    check_product(*problem);
    const bool whole_blocks = problem->triangle == kFull && problem->load_a == nullptr && problem->load_b == nullptr &&
                              problem->store == nullptr && target->sequential == 0;
    const int64_t rows = whole_blocks ? kBlock : problem->base_m;
    const int64_t columns = whole_blocks ? kBlock : problem->base_n;
    MatmulTarget to = *target;
    const Steps steps{blocks_of(problem->single_m, rows), blocks_of(problem->single_n, columns), 1};
    for (int64_t step = 0; step < steps.all(); ++step) {
        const int64_t m = problem->n_first != 0 ? step / steps.n : step % steps.m;
        const int64_t n = problem->n_first != 0 ? step % steps.n : step / steps.m;
        if (skipped(*problem, m, n)) {
            continue;
        }
        const Rectangle part{m * rows, lesser(rows, problem->single_m - m * rows), n * columns,
                             lesser(columns, problem->single_n - n * columns)};
        make_block(*problem, part, to, to.sequential != 0 ? Rectangle{0, part.rows, 0, part.columns} : part);
        if (to.sequential != 0) {
            to.data = static_cast<uint8_t *>(to.data) + static_cast<size_t>(rows * columns) * result_bytes(*problem);
            to.limit = 0;
        }
    }
}

uint32_t opkg_twin_matmul_step(MatmulProblem *problem, uint32_t onto)
{
    check_product(*problem);
    const Steps steps = steps_of(*problem);
    while (problem->step < steps.all()) {
        const int64_t step = problem->step++;
        const Rectangle part = part_of(*problem, step / steps.k);
        if (!skipped(*problem, part)) {
            make_tile(*problem, step, onto != 0);
            return 1;
        }
    }
    problem->step = 0;
    return 0;
}

uint32_t opkg_twin_matmul_step_into(MatmulProblem *problem, uint32_t onto, void *l0c)
{
    if (opkg_twin_matmul_step(problem, 0) == 0) {
        return 0;
    }
    Tile &tile = tile_of(*problem);
    write_fractals({tile.values(), tile.part.columns}, tile.part.rows, tile.part.columns, l0c, onto != 0,
                   is_integer(problem->a.dtype));
    return 1;
}

void opkg_twin_matmul_place(const MatmulProblem *problem, int32_t *row, int32_t *column, int32_t *height, int32_t *width)
{
    const Rectangle part = problem->tile == nullptr ? Rectangle{} : static_cast<const Tile *>(problem->tile)->part;
    *row = static_cast<int32_t>(part.row);
    *column = static_cast<int32_t>(part.column);
    *height = static_cast<int32_t>(part.rows);
    *width = static_cast<int32_t>(part.columns);
}

void opkg_twin_matmul_fetch(MatmulProblem *problem, const MatmulTarget *target)
{
    if (problem->tile == nullptr) {
        opkg_twin_fail("GetTensorC without an Iterate before it: there is no result to fetch");
    }
    opkg_twin_settle();
    Tile &tile = tile_of(*problem);
    const Rectangle part = target->local != 0 ? half_of(*problem, tile.part) : tile.part;
    const Sums sums{tile.values() + (part.row - tile.part.row) * tile.part.columns + part.column - tile.part.column,
                    tile.part.columns};
    if (problem->store != nullptr && target->local == 0) {
        hand_over(*problem, part, sums, *target);
        return;
    }
    const Rectangle at = target->sequential != 0 ? Rectangle{0, part.rows, 0, part.columns} : part;
    check_target(*problem, *target, at);
    write_results(*problem, part, sums, *target, at);
}

void opkg_twin_matmul_run_ahead(MatmulProblem *problem, void *workspace)
{
    if (workspace == nullptr) {
        opkg_twin_fail("Iterate<false> without SetWorkspace: the base blocks have nowhere to wait");
    }
    const uint64_t bytes = static_cast<uint64_t>(problem->base_m) * static_cast<uint64_t>(problem->base_n) *
                           result_bytes(*problem);
    problem->step = 0;
    problem->taken = 0;
    while (opkg_twin_matmul_step(problem, 0) != 0) {
        const size_t place = static_cast<size_t>(problem->step - 1) * bytes;
        const MatmulTarget target{static_cast<uint8_t *>(workspace) + place, 0, 0, 1, 0, 0};
        opkg_twin_matmul_fetch(problem, &target);
    }
}

void *opkg_twin_matmul_take(MatmulProblem *problem, void *workspace)
{
    const Steps steps = steps_of(*problem);
    while (problem->taken < steps.all() && skipped(*problem, part_of(*problem, problem->taken / steps.k))) {
        ++problem->taken;
    }
    if (problem->taken >= steps.all()) {
        opkg_twin_fail("GetTensorC<false>: all %d base blocks have been fetched already", problem->taken);
    }
    const int64_t block = problem->taken++;
    return static_cast<uint8_t *>(workspace) + static_cast<size_t>(block) * static_cast<size_t>(problem->base_m) *
                                                   static_cast<size_t>(problem->base_n) * result_bytes(*problem);
}

void opkg_twin_matmul_copy_block(MatmulProblem *problem, const void *block, const MatmulTarget *target)
{
    const Rectangle part = part_of(*problem, (problem->taken - 1) / steps_of(*problem).k);
    const Rectangle at = target->sequential != 0 ? Rectangle{0, part.rows, 0, part.columns} : part;
    check_target(*problem, *target, at);
    place_block(*problem, block, *target, at);
}

void opkg_twin_matmul_release(MatmulProblem *problem)
{
    free(problem->tile);
    problem->tile = nullptr;
    problem->tile_bytes = 0;
}
