// SPDX-License-Identifier: Apache-2.0
// What the library functions share: their temporary memory and the ways to call the library's tables.
#ifndef OPKG_ADV_SUPPORT_H
#define OPKG_ADV_SUPPORT_H

#include "adv/math_abi.h"
#include "twin/access.h"
#include "twin/scalar.h"

namespace opkg::twin {

// The twin needs no temporary memory; a function that would not run on the chip without it says so here as well. One
// repeat is the least that any of them works with.
inline constexpr uint32_t kLeastTemporary = kWideChip ? 0 : 256;

inline void want(const char *function, const AscendC::LocalTensor<uint8_t> &buffer, uint32_t bytes = kLeastTemporary)
{
    if (buffer.GetLength() < bytes) {
        opkg_twin_want_buffer(function, buffer.GetLength(), bytes);
    }
}
inline void want(const char *function, uint32_t bytes = kLeastTemporary) { opkg_twin_want_room(function, bytes); }

template <typename T>
inline void math(MathOp op, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint32_t count)
{
    const Operands<T, T, T> all(dst, src, src, count);
    opkg_twin_math[op][DtypeOf<T>::value](all.dst, all.a, all.count);
}

// A source of opkg_twin_map: a tensor, or a number that stands for as many of itself as are wanted.
template <typename T>
inline const void *source_of(const AscendC::LocalTensor<T> &tensor) { return tensor.data(); }
template <typename T>
inline const void *source_of(const T &number) { return &number; }
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

// key: the dtype whose column of the table is meant.
template <typename T, typename... Sources>
inline void map(MapOp op, Dtype key, const AscendC::LocalTensor<T> &dst, uint32_t count, const Sources &...sources)
{
    const void *from[] = {source_of(sources)...};
    const uint32_t steps[] = {is_tensor<Sources>...};
    opkg_twin_map[op][key](dst.data(), from, steps, count);
}

} // namespace opkg::twin

#endif // OPKG_ADV_SUPPORT_H
