// SPDX-License-Identifier: Apache-2.0
// Philox random numbers, and filling global memory.
#ifndef OPKG_ADV_RANDOM_H
#define OPKG_ADV_RANDOM_H

#include "adv/support.h"

namespace opkg::twin {

inline constexpr uint32_t kRandom = on_chip(0, dtypes(kU32, kI32, kF32));
inline constexpr uint32_t kFilledGlobally = on_chip(dtypes(kI16, kU16, kF16) | kB32, kB8 | kB64 | dtypes(kBF16));

} // namespace opkg::twin

extern "C" {
// Rows of so many columns out of a sequence that gives each row `stride` numbers; four numbers a step of the counter.
OPKG_TWIN_API void opkg_twin_philox(uint32_t dtype, void *dst, uint32_t rounds, const uint32_t key[2],
                                    const uint32_t counter[4], uint32_t rows, uint32_t columns, uint32_t stride);
} // extern "C"

namespace AscendC {

using PhiloxKey = uint32_t[2];
using PhiloxCounter = uint32_t[4];
struct PhiloxRandomParams {
    uint32_t stride;
    uint32_t row;
    uint32_t column;
};

template <uint16_t Rounds = 7, typename T>
__aicore__ inline void PhiloxRandom(const LocalTensor<T> &dstLocal, const PhiloxKey &philoxKey,
                                    const PhiloxCounter &philoxCounter, uint16_t count)
{
    OPKG_TWIN_REQUIRE("PhiloxRandom", T, opkg::twin::kRandom);
    static_assert(Rounds == 7 || Rounds == 10, "PhiloxRandom has 7 or 10 rounds");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, count));
    opkg_twin_philox(opkg::twin::DtypeOf<T>::value, dstLocal.data(), Rounds, philoxKey, philoxCounter, 1, count, count);
}
template <uint16_t Rounds = 7, typename T>
__aicore__ inline void PhiloxRandom(const LocalTensor<T> &dstLocal, const PhiloxKey &philoxKey,
                                    const PhiloxCounter &philoxCounter, const PhiloxRandomParams &params)
{
    OPKG_TWIN_REQUIRE("PhiloxRandom", T, opkg::twin::kRandom);
    static_assert(Rounds == 7 || Rounds == 10, "PhiloxRandom has 7 or 10 rounds");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, params.row * params.column));
    if (params.column % 4 != 0 || params.stride % 4 != 0 || params.stride < params.column) {
        opkg_twin_fail("PhiloxRandom: %u columns out of %u; both must be multiples of 4", params.column, params.stride);
    }
    opkg_twin_philox(opkg::twin::DtypeOf<T>::value, dstLocal.data(), Rounds, philoxKey, philoxCounter, params.row,
                     params.column, params.stride);
}

// So many elements of global memory become value.
template <typename T>
__aicore__ inline void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size,
                            const typename opkg::twin::Same<T>::type value)
{
    OPKG_TWIN_REQUIRE("Fill", T, opkg::twin::kFilledGlobally);
    OPKG_TWIN_ACCESS(PIPE_MTE3, opkg_writes(gmWorkspaceAddr, size));
    opkg::twin::settle();
    opkg_twin_scalar[opkg::twin::kDuplicate][opkg::twin::DtypeOf<T>::value](gmWorkspaceAddr.data(), nullptr, &value, size);
}
template <typename T>
__aicore__ inline void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size,
                                        const typename opkg::twin::Same<T>::type value)
{
    Fill(gmWorkspaceAddr, size, value);
}

template <typename T>
__aicore__ inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size,
                                  const typename opkg::twin::Same<T>::type value = 0)
{
    Fill(gmWorkspaceAddr, size, value);
}

} // namespace AscendC

#endif // OPKG_ADV_RANDOM_H
