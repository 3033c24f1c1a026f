// SPDX-License-Identifier: Apache-2.0
// How the mathematical library functions call the library's tables.
#ifndef OPKG_ADV_SUPPORT_H
#define OPKG_ADV_SUPPORT_H

#include "adv/common.h"
#include "adv/math_abi.h"
#include "twin/scalar.h"

namespace opkg::twin {

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
