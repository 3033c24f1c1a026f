// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "operator.hpp"

namespace opkg::host {

// Arguments of the operator's kernel: inputs, outputs, the block for computed shapes, workspace, tiling.
uint32_t KernelArguments(const Operator &op);

// Kernels compiled with checks want to know how large the memory is that they are given; 0 bytes: it is given back. Empty
// until the first of them is loaded.
using TellAllocated = void (*)(const void *address, uint64_t bytes);
extern std::atomic<TellAllocated> tell_allocated;

// The kernel of a column, loaded when first asked for. Reports and returns a code where it cannot be used.
int32_t LoadKernel(Operator &op, uint32_t column, const opkg_kernel_table_v1 *&kernel, const opkg_exec_v1 *exec);

} // namespace opkg::host
