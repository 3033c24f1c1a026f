// SPDX-License-Identifier: Apache-2.0
// Copies to global memory that accumulate, and atomic operations on single values there.
#ifndef OPKG_TWIN_ATOMIC_H
#define OPKG_TWIN_ATOMIC_H

#include "twin/support.h"
#include "twin/sync.h"

namespace opkg::twin {

inline constexpr uint32_t kAccumulated = dtypes(kF32, kF16, kBF16, kI8, kI16, kI32);

template <typename T>
inline void set_atomic(BinaryOp op)
{
    opkg_twin_core->atomic_op = op;
    opkg_twin_core->atomic_dtype = DtypeOf<T>::value;
}

} // namespace opkg::twin

namespace AscendC {

// From here on DataCopy to global memory adds; the dtype is T.
template <typename T>
__aicore__ inline void SetAtomicAdd()
{
    OPKG_TWIN_REQUIRE("SetAtomicAdd", T, opkg::twin::kAccumulated);
    opkg::twin::set_atomic<T>(opkg::twin::kAdd);
}
template <typename T>
__aicore__ inline void SetAtomicMax()
{
    OPKG_TWIN_REQUIRE("SetAtomicMax", T, opkg::twin::kAccumulated);
    opkg::twin::set_atomic<T>(opkg::twin::kMax);
}
template <typename T>
__aicore__ inline void SetAtomicMin()
{
    OPKG_TWIN_REQUIRE("SetAtomicMin", T, opkg::twin::kAccumulated);
    opkg::twin::set_atomic<T>(opkg::twin::kMin);
}
template <typename T>
__aicore__ inline void SetAtomicType()
{
    opkg_twin_core->atomic_dtype = opkg::twin::DtypeOf<T>::value;
}
__aicore__ inline void SetAtomicNone() { opkg_twin_core->atomic_op = -1; }
__aicore__ inline void DisableDmaAtomic() { SetAtomicNone(); }

enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };

// Bits 6 to 10 of the control register have both.
template <AtomicDtype type, AtomicOp op>
__aicore__ inline void SetStoreAtomicConfig()
{
    opkg_twin_set_control(6, 10, static_cast<int64_t>(op) << 3 | static_cast<int64_t>(type));
}
__aicore__ inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
    atomicType = static_cast<uint16_t>(opkg_twin_control(6, 8));
    atomicOp = static_cast<uint16_t>(opkg_twin_control(9, 10));
}

} // namespace AscendC

namespace opkg::twin {

inline constexpr uint32_t kAtomicNumbers = dtypes(kI32, kU32, kF32, kI64, kU64);
inline constexpr uint32_t kAtomicBits = dtypes(kU32, kU64, kI32, kI64);

// Replaces the value at an address by what `change` makes of it, in one piece for all cores; returns the value before.
template <typename T, typename Change>
inline T change_atomically(T *address, const Change &change)
{
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    static_cast<void>(&LooksAtValues<T>::noted);
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, kPublish, kLooks, PIPE_S));
    settle();
    Bits *bits = reinterpret_cast<Bits *>(address);
    Bits before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &before,
                                        __builtin_bit_cast(Bits, static_cast<T>(change(__builtin_bit_cast(T, before)))),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    if (__atomic_load_n(bits, __ATOMIC_RELAXED) == before) { // a look at what another core is to change
        opkg_twin_poll();
    }
    OPKG_TWIN_HOOK(opkg_twin_check_sync(OPKG_TWIN_HEADERS, kAcquire, kLooks, PIPE_ALL));
    return __builtin_bit_cast(T, before);
}

} // namespace opkg::twin

namespace AscendC {

// Each returns the value before.
template <typename T>
__aicore__ inline T AtomicAdd(__gm__ T *address, T value)
{
    OPKG_TWIN_REQUIRE("AtomicAdd", T, opkg::twin::kAtomicNumbers);
    return opkg::twin::change_atomically(address, [value](T before) { return before + value; });
}
template <typename T>
__aicore__ inline T AtomicMax(__gm__ T *address, T value)
{
    OPKG_TWIN_REQUIRE("AtomicMax", T, opkg::twin::kAtomicNumbers);
    return opkg::twin::change_atomically(address, [value](T before) { return before > value ? before : value; });
}
template <typename T>
__aicore__ inline T AtomicMin(__gm__ T *address, T value)
{
    OPKG_TWIN_REQUIRE("AtomicMin", T, opkg::twin::kAtomicNumbers);
    return opkg::twin::change_atomically(address, [value](T before) { return before < value ? before : value; });
}
template <typename T>
__aicore__ inline T AtomicCas(__gm__ T *address, T expected, T value)
{
    OPKG_TWIN_REQUIRE("AtomicCas", T, opkg::twin::kAtomicBits);
    return opkg::twin::change_atomically(address, [=](T before) { return before == expected ? value : before; });
}
template <typename T>
__aicore__ inline T AtomicExch(__gm__ T *address, T value)
{
    OPKG_TWIN_REQUIRE("AtomicExch", T, opkg::twin::kAtomicBits);
    return opkg::twin::change_atomically(address, [value](T) { return value; });
}

} // namespace AscendC

#endif // OPKG_TWIN_ATOMIC_H
