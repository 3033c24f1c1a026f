// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a product before it is made.
#ifndef OPKG_TWIN_MATMUL_CHECKS_HPP
#define OPKG_TWIN_MATMUL_CHECKS_HPP

#include "adv/matmul_operands.hpp"

namespace opkg::twin {

// Fails where matrices or the tiling are missing and, in a check build, where A or B end too early. Makes deferred copies.
void check_product(const MatmulProblem &problem);

// In a check build: fails where this rectangle of the target is not all in its tensor.
void check_target(const MatmulProblem &problem, const MatmulTarget &target, const Rectangle &at);

} // namespace opkg::twin

#endif // OPKG_TWIN_MATMUL_CHECKS_HPP
