// SPDX-License-Identifier: Apache-2.0
#include "adv/matmul_checks.hpp"

#include "adv/matmul_results.hpp"
#include "scheduler.hpp"
#include "twin/access.h"

namespace opkg::twin {
namespace {

bool is_checked()
{
    const uint32_t *flags = opkg_twin_core->launch->kernel->library_flags;
    return flags != nullptr && (*flags & kChecked) != 0;
}

// What a check build says of matrices that end too early. needed: elements from the first to the last that is read.
void check_operand(const char *name, const char *setter, int64_t needed, uint64_t limit)
{
    if (limit != 0 && needed > static_cast<int64_t>(limit)) {
        opkg_twin_fail("Matmul reads %lld elements of %s, but the tensor given to %s ends after %llu; on the last cores "
                       "of an axis SetTail says how much is left",
                       static_cast<long long>(needed), name, setter, static_cast<unsigned long long>(limit));
    }
}

} // namespace

void check_target(const MatmulProblem &problem, const MatmulTarget &target, const Rectangle &at)
{
    if (target.limit == 0 || problem.result_format == kNz || problem.result_format == kColumnMajor || !is_checked()) {
        return;
    }
    const int64_t last = (at.row + at.rows - 1) * result_line(problem, target) + at.column + at.columns;
    if (last > static_cast<int64_t>(target.limit)) {
        opkg_twin_fail("Matmul writes %lld elements of C, but the tensor ends after %llu; on the last cores of an axis "
                       "SetTail says how much is left",
                       static_cast<long long>(last), static_cast<unsigned long long>(target.limit));
    }
}

void check_product(const MatmulProblem &problem)
{
    if (problem.a.data == nullptr || problem.b.data == nullptr) {
        opkg_twin_fail("Matmul: %s was not called before the product is asked for",
                       problem.a.data == nullptr ? "SetTensorA" : "SetTensorB");
    }
    if (problem.base_m <= 0 || problem.base_n <= 0 || problem.base_k <= 0) {
        opkg_twin_fail("Matmul: its tiling has base blocks of %d by %d by %d: was the object given a tiling?",
                       problem.base_m, problem.base_n, problem.base_k);
    }
    const bool mixed = mixes_dtypes(problem);
    if (mixed && problem.anti_scales.data == nullptr) {
        opkg_twin_fail("Matmul of half and int8_t needs SetAntiQuantScalar or SetAntiQuantVector before the product is "
                       "asked for");
    }
    opkg_twin_settle();
    if (is_checked()) {
        check_operand("A", "SetTensorA", elements_of_a(problem), problem.a.limit);
        check_operand("B", "SetTensorB", elements_of_b(problem), problem.b.limit);
        if (mixed && problem.anti_scales.format != kScalarValue) {
            check_operand("the scales", "SetAntiQuantVector", problem.single_n, problem.anti_scales.limit);
            check_operand("the offsets", "SetAntiQuantVector", problem.single_n, problem.anti_offsets.limit);
        }
    }
}

} // namespace opkg::twin
