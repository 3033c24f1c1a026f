// SPDX-License-Identifier: Apache-2.0
// Shapes with the strides of their dimensions.
#ifndef OPKG_TWIN_LAYOUT_H
#define OPKG_TWIN_LAYOUT_H

#include "twin/tuple.h"

namespace AscendC {

template <typename... Ts>
using Shape = Std::tuple<Ts...>;
template <typename... Ts>
using Stride = Std::tuple<Ts...>;
template <typename... Ts>
using Coord = Std::tuple<Ts...>;

template <typename... Ts>
__aicore__ inline constexpr Shape<Ts...> MakeShape(const Ts &...t)
{
    return {t...};
}
template <typename... Ts>
__aicore__ inline constexpr Stride<Ts...> MakeStride(const Ts &...t)
{
    return {t...};
}
template <typename... Ts>
__aicore__ inline constexpr Coord<Ts...> MakeCoord(const Ts &...t)
{
    return {t...};
}

} // namespace AscendC

namespace opkg::twin {

// The sum of products of coordinates and strides, first to last.
template <size_t i, typename C, typename S>
constexpr auto position_of(const C &coord, const S &stride)
{
    if constexpr (i + 1 == AscendC::Std::tuple_size_v<C>) {
        return AscendC::Std::get<i>(coord) * AscendC::Std::get<i>(stride);
    } else {
        return AscendC::Std::get<i>(coord) * AscendC::Std::get<i>(stride) + position_of<i + 1>(coord, stride);
    }
}

} // namespace opkg::twin

namespace AscendC {

template <typename ShapeType, typename StrideType>
struct Layout {
    constexpr Layout() = default;
    constexpr Layout(const ShapeType &shape, const StrideType &stride = {}) : shape_(shape), stride_(stride) {}

    constexpr decltype(auto) GetShape() { return (shape_); }
    constexpr decltype(auto) GetShape() const { return (shape_); }
    constexpr decltype(auto) GetStride() { return (stride_); }
    constexpr decltype(auto) GetStride() const { return (stride_); }

    // Where an element lies.
    template <typename CoordType>
    constexpr auto operator()(const CoordType &coord) const
    {
        return opkg::twin::position_of<0>(coord, stride_);
    }

private:
    ShapeType shape_;
    StrideType stride_;
};

template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout {
    static constexpr bool value = false;
};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> {
    static constexpr bool value = true;
};
template <typename T>
inline constexpr bool is_layout_v = is_layout<T>::value;

} // namespace AscendC

#endif // OPKG_TWIN_LAYOUT_H
