// SPDX-License-Identifier: Apache-2.0
// Copies to global memory that accumulate, and atomic operations on single values there.
#ifndef OPKG_TWIN_ATOMIC_H
#define OPKG_TWIN_ATOMIC_H

#include "twin/support.h"

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

// Each returns the value before.
template <typename T>
__aicore__ inline T AtomicAdd(__gm__ T *address, T value)
{
    opkg::twin::settle();
    T before = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(address, &before, static_cast<T>(before + value), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return before;
}
template <>
__aicore__ inline float AtomicAdd(__gm__ float *address, float value)
{
    opkg::twin::settle();
    uint32_t *bits = reinterpret_cast<uint32_t *>(address);
    uint32_t before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    for (;;) {
        const float sum = __builtin_bit_cast(float, before) + value;
        if (__atomic_compare_exchange_n(bits, &before, __builtin_bit_cast(uint32_t, sum), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
            return __builtin_bit_cast(float, before);
        }
    }
}
template <typename T>
__aicore__ inline T AtomicMax(__gm__ T *address, T value)
{
    opkg::twin::settle();
    T before = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(address, &before, before > value ? before : value, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return before;
}
template <typename T>
__aicore__ inline T AtomicMin(__gm__ T *address, T value)
{
    opkg::twin::settle();
    T before = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(address, &before, before < value ? before : value, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return before;
}
template <typename T>
__aicore__ inline T AtomicCas(__gm__ T *address, T expected, T value)
{
    opkg::twin::settle();
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
template <typename T>
__aicore__ inline T AtomicExch(__gm__ T *address, T value)
{
    opkg::twin::settle();
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}

} // namespace AscendC

#endif // OPKG_TWIN_ATOMIC_H
