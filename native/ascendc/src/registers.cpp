// SPDX-License-Identifier: Apache-2.0
// The control register of a core.
#include "core.hpp"

namespace opkg::twin {
namespace {

constexpr uint32_t kSaturation = 48; // 0: infinities become the largest number; this bit stands in Core::saturate
constexpr uint32_t kWholeCore = 60;  // saturation is set for all instructions at once
constexpr uint32_t kAtomicType = 6;  // three bits
constexpr uint32_t kAtomicOp = 9;    // two bits
constexpr uint64_t kAtomicBits = 0x1full << kAtomicType;

constexpr Dtype kAtomicTypes[] = {kDtypeSlots, kF32, kF16, kI16, kI32, kI8, kBF16};
constexpr BinaryOp kAtomicOps[] = {kAdd, kMax, kMin};

uint64_t mask_of(uint32_t first, uint32_t last) { return (~0ull >> (63 - (last - first))) << first; }

// The atomic mode as bits, and back.
uint64_t atomic_bits(const Core &core)
{
    uint64_t bits = 0;
    for (uint32_t i = 1; core.atomic_op >= 0 && i < sizeof kAtomicTypes / sizeof kAtomicTypes[0]; ++i) {
        bits |= core.atomic_dtype == static_cast<int32_t>(kAtomicTypes[i]) ? uint64_t{i} << kAtomicType : 0;
    }
    for (uint32_t i = 0; i < sizeof kAtomicOps / sizeof kAtomicOps[0]; ++i) {
        bits |= core.atomic_op == static_cast<int32_t>(kAtomicOps[i]) ? uint64_t{i} << kAtomicOp : 0;
    }
    return bits;
}

void set_atomic(Core &core, uint64_t bits)
{
    const uint64_t type = bits >> kAtomicType & 7;
    const uint64_t op = bits >> kAtomicOp & 3;
    if (type >= sizeof kAtomicTypes / sizeof kAtomicTypes[0] || op >= sizeof kAtomicOps / sizeof kAtomicOps[0]) {
        opkg_twin_fail("SetCtrlSpr: bits 6 to 10 name no atomic operation");
    }
    core.atomic_op = type == 0 ? -1 : static_cast<int32_t>(kAtomicOps[op]);
    core.atomic_dtype = static_cast<int32_t>(kAtomicTypes[type]);
}

uint64_t control_of(const Core &core)
{
    const uint64_t elsewhere = kAtomicBits | 1ull << kSaturation;
    return (core.control & ~elsewhere) | atomic_bits(core) | (core.saturate == 0 ? 1ull << kSaturation : 0);
}

void set_control(Core &core, uint64_t mask, uint64_t bits)
{
    if ((mask & ~kAtomicBits) != 0) {
        opkg_twin_settle(); // an instruction that waits was given under the mode before
    }
    const uint64_t before = control_of(core);
    const uint64_t control = (before & ~mask) | (bits & mask);
    core.control = control;
    if ((mask & kAtomicBits) != 0) {
        set_atomic(core, control);
    }
    if ((mask >> kSaturation & 1) != 0) {
        core.saturate = (control >> kSaturation & 1) != 0 ? 0 : 2;
    }
}

} // namespace

uint64_t default_control(uint32_t npu_arch) { return npu_arch >= 3510 ? 1ull << kWholeCore : 0; }

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_set_control(uint32_t first, uint32_t last, int64_t value)
{
    const uint64_t mask = mask_of(first, last);
    const uint64_t bits = static_cast<uint64_t>(value);
    if ((bits & ~(mask >> first)) != 0) {
        opkg_twin_fail("SetCtrlSpr: %lld does not fit into bits %u to %u", static_cast<long long>(value), first, last);
    }
    set_control(*opkg_twin_core, mask, bits << first);
}

int64_t opkg_twin_control(uint32_t first, uint32_t last)
{
    return static_cast<int64_t>((control_of(*opkg_twin_core) & mask_of(first, last)) >> first);
}

void opkg_twin_reset_control(uint32_t first, uint32_t last)
{
    Core &core = *opkg_twin_core;
    const uint64_t mask = mask_of(first, last);
    set_control(core, mask, default_control(core.npu_arch));
    if ((mask >> kSaturation & 1) != 0) {
        core.saturate = 1;
    }
}

int64_t opkg_twin_program_counter() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
