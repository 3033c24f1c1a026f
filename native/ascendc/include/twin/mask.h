// SPDX-License-Identifier: Apache-2.0
// The mask register, for instructions that are called with isSetMask = false.
#ifndef OPKG_TWIN_MASK_H
#define OPKG_TWIN_MASK_H

#include "twin/support.h"

namespace AscendC {

inline constexpr uint64_t MASK_PLACEHOLDER = 0;
inline constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

__aicore__ inline void SetMaskNorm() { opkg_twin_core->counter_mode = 0; }
__aicore__ inline void SetMaskCount() { opkg_twin_core->counter_mode = 1; }

template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow)
{
    opkg_twin_core->mask[0] = maskLow;
    opkg_twin_core->mask[1] = maskHigh;
}
// A number of elements: of each repeat in the normal mode, of all of them in the counter mode.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t length)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(static_cast<uint64_t>(length));
    opkg_twin_core->mask[0] = mode == MaskMode::COUNTER ? static_cast<uint64_t>(length) : bits.bits[0];
    opkg_twin_core->mask[1] = mode == MaskMode::COUNTER ? 0 : bits.bits[1];
}
__aicore__ inline void ResetMask()
{
    opkg_twin_core->mask[0] = opkg_twin_core->mask[1] = ~0ull;
}

} // namespace AscendC

#endif // OPKG_TWIN_MASK_H
