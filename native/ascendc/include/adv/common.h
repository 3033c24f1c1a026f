// SPDX-License-Identifier: Apache-2.0
// What the library functions of this folder share: their temporary memory, and operands that are a tensor or a number.
#ifndef OPKG_ADV_COMMON_H
#define OPKG_ADV_COMMON_H

#include "adv/norm_abi.h"
#include "kernel_tiling/kernel_tiling.h"
#include "opkg/adv/norm_sizes.h"
#include "twin/access.h"
#include "twin/support.h"

namespace opkg::twin {

// What no queue or buffer has taken. It is told from a kernel's own buffer by its position.
inline AscendC::LocalTensor<uint8_t> stack_buffer()
{
    const uint32_t used = opkg_twin_core->used[kUb];
    return {opkg_twin_buffer(kUb) + used, opkg_twin_core->capacity[kUb] - used, AscendC::TPosition::MAX};
}

// The twin itself needs no temporary memory. A kernel that has too little for the chip is told so; the 950 needs none.
inline void need_shared(const char *function, const AscendC::LocalTensor<uint8_t> &buffer,
                        uint32_t least = adv::kLeastOfElements)
{
    if (!kWideChip && buffer.GetLength() < least) {
        const bool own = buffer.GetPosition() != static_cast<int32_t>(AscendC::TPosition::MAX);
        opkg_twin_need_memory(function, own ? "sharedTmpBuffer" : "the rest of the Unified Buffer", buffer.GetLength(),
                              least);
    }
}

// How much of a buffer check builds see written: nothing of what no tensor of the kernel owns.
inline uint64_t own_bytes(const AscendC::LocalTensor<uint8_t> &buffer)
{
    return buffer.GetPosition() != static_cast<int32_t>(AscendC::TPosition::MAX) ? buffer.GetLength() : 0;
}
// Elements of a tensor that may be absent.
template <typename T>
uint64_t if_there(const AscendC::LocalTensor<T> &tensor, uint64_t elements)
{
    return tensor.place() != nullptr ? elements : 0;
}

template <typename T>
inline constexpr bool is_tensor = false;
template <typename T>
inline constexpr bool is_tensor<AscendC::LocalTensor<T>> = true;

template <typename T>
struct ElementOf {
    using type = T;
};
template <typename T>
struct ElementOf<AscendC::LocalTensor<T>> {
    using type = T;
};

#ifdef OPKG_TWIN_CHECK
// opkg_reads of what may be a number.
template <typename T>
inline Touched reads_source(const AscendC::LocalTensor<T> &tensor, uint64_t elements) { return opkg_reads(tensor, elements); }
template <typename T>
inline Touched reads_source(const T &number, uint64_t) { return touched(&number, uint64_t{0}, uint64_t{0}, kReads); }
#endif

// For assertions inside templates.
template <typename>
inline constexpr bool wide_chip = kWideChip;

template <typename T>
inline constexpr uint32_t kPerBlock = 32 / sizeof(T);

} // namespace opkg::twin

#endif // OPKG_ADV_COMMON_H
