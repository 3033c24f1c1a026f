// SPDX-License-Identifier: Apache-2.0
// Sums of products: panels of A and B, multiplied and added up.
#ifndef OPKG_TWIN_MATMUL_PRODUCTS_HPP
#define OPKG_TWIN_MATMUL_PRODUCTS_HPP

#include "adv/matmul_results.hpp"

namespace opkg::twin {

// Blocks that a whole part is made in: they amortise the widening of operands and stay in the caches.
inline constexpr int64_t kBlock = 512;

// Room for so many sums, of this thread; it holds them until the next call.
float *room_for_sums(int64_t values);

// Adds the products of a rectangle of C over one stretch of K to its sums.
void add_products(const MatmulProblem &problem, const Rectangle &part, int64_t first_k, int64_t last_k,
                  const Sums &sums);

} // namespace opkg::twin

#endif // OPKG_TWIN_MATMUL_PRODUCTS_HPP
