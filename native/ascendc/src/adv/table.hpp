// SPDX-License-Identifier: Apache-2.0
// What of the library functions is compiled for each instruction set.
#ifndef OPKG_TWIN_ADV_TABLE_HPP
#define OPKG_TWIN_ADV_TABLE_HPP

#include "adv/norm_abi.h"

namespace opkg::twin {

using ActivationFn = void (*)(void *dst, const void *a, const void *b, float scalar, size_t count);

// Filled in when the library is loaded.
struct AdvancedTable {
    ActivationFn activation[kActivations][kDtypeSlots];
    void (*softmax)(const SoftmaxPlan &plan);
    void (*norm)(const NormPlan &plan);
    void (*welford_update)(const WelfordPlan &plan);
    void (*welford_finalize)(const WelfordPlan &plan);
};
extern AdvancedTable advanced;

} // namespace opkg::twin

#endif // OPKG_TWIN_ADV_TABLE_HPP
