// SPDX-License-Identifier: Apache-2.0
// How a product is cut: first for the cores, then for the buffers of one.
#ifndef OPKG_HOST_MATMUL_SPLIT_HPP
#define OPKG_HOST_MATMUL_SPLIT_HPP

#include <string>

#include "adv/matmul_tiling.h"

namespace opkg::host {

// Fills `tiling`; or returns why there is none.
std::string SplitMatmul(const matmul_tiling::MatmulRequest &request, AscendC::tiling::TCubeTiling &tiling);

// Bits of an element; 0 for dtypes that no product takes.
int32_t MatmulBits(matmul_tiling::DataType dtype);

} // namespace opkg::host

#endif // OPKG_HOST_MATMUL_SPLIT_HPP
