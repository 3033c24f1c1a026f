// SPDX-License-Identifier: Apache-2.0
// The control register of a core, and the state that a kernel begins with.
#ifndef OPKG_TWIN_REGISTERS_H
#define OPKG_TWIN_REGISTERS_H

#include "twin/data_copy.h"

namespace opkg::twin {

// Which bits kernels may set: on the 910B family saturation (48); on the Ascend950 also atomics (6 to 10), hifloat8 (45),
// NaNs (50), saturation of integers (53) and of casts to integers (59), and whether these hold for all instructions (60).
inline constexpr uint64_t kSaturationBit = 1ull << 48;
inline constexpr uint64_t kControlBits = kWideChip ? 0x1full << 6 | 1ull << 45 | kSaturationBit | 1ull << 50 | 1ull << 53 |
                                                         1ull << 59 | 1ull << 60
                                                   : kSaturationBit;

constexpr uint64_t bits_between(int32_t first, int32_t last) { return (~0ull >> (63 - (last - first))) << first; }
constexpr bool are_bits(int32_t first, int32_t last) { return 0 <= first && first <= last && last <= 63; }

} // namespace opkg::twin

namespace AscendC {

template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value)
{
    static_assert(opkg::twin::are_bits(startBit, endBit), "SetCtrlSpr takes bits from 0 to 63, the lower one first");
    static_assert((opkg::twin::bits_between(startBit, endBit) & ~opkg::twin::kControlBits) == 0,
                  "SetCtrlSpr: kernels may not set these bits on this SoC");
    opkg_twin_set_control(startBit, endBit, value);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr()
{
    static_assert(opkg::twin::are_bits(startBit, endBit), "GetCtrlSpr takes bits from 0 to 63, the lower one first");
    return opkg_twin_control(startBit, endBit);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline void ResetCtrlSpr()
{
    static_assert(opkg::twin::are_bits(startBit, endBit), "ResetCtrlSpr takes bits from 0 to 63, the lower one first");
    static_assert((opkg::twin::bits_between(startBit, endBit) & ~opkg::twin::kControlBits) == 0,
                  "ResetCtrlSpr: kernels may not set these bits on this SoC");
    opkg_twin_reset_control(startBit, endBit);
}

enum class SpecialPurposeReg { AR };

// AR counts what the Reg instruction Squeeze has kept. The twin has none of these, so nothing ever counts.
template <SpecialPurposeReg spr>
__aicore__ inline int64_t GetSpr()
{
    static_assert(spr == SpecialPurposeReg::AR && opkg::twin::kWideChip, "GetSpr is there on the Ascend950 only, for AR");
    return 0;
}
template <SpecialPurposeReg spr>
__aicore__ inline void ClearSpr()
{
    static_assert(spr == SpecialPurposeReg::AR && opkg::twin::kWideChip,
                  "ClearSpr is there on the Ascend950 only, for AR");
}

// Where kernels without a TPipe begin: no atomics, every element takes part; on the Ascend950 also no loops around copies,
// a scale of 1, and the control register without bit 48 as it was before any kernel.
__aicore__ inline void InitSocState()
{
    opkg::twin::Core &core = *opkg_twin_core;
    core.atomic_op = -1;
    core.counter_mode = 0;
    core.mask[0] = core.mask[1] = ~0ull;
    if constexpr (opkg::twin::kWideChip) {
        core.loops[0] = core.loops[1] = {};
        core.deq_scale = 1.0f;
        opkg_twin_reset_control(0, 47);
        opkg_twin_reset_control(49, 63);
    }
}

class AscendCUtils {
public:
    // CTRL[48]. 0: infinities become the largest number and NaNs zero; 1: they stay what they are.
    static void SetOverflow(uint64_t ctrlValue) { opkg_twin_set_control(48, 48, static_cast<int64_t>(ctrlValue)); }
};

} // namespace AscendC

#endif // OPKG_TWIN_REGISTERS_H
