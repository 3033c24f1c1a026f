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

template <typename T>
inline constexpr bool is_tuple = false;
template <typename... Ts>
inline constexpr bool is_tuple<AscendC::Std::tuple<Ts...>> = true;

// Whether a type has one value alone, such as Std::Int<3> or a tuple of these.
template <typename T>
inline constexpr bool is_fixed = false;
template <typename T, T v>
inline constexpr bool is_fixed<std::integral_constant<T, v>> = true;
template <typename... Ts>
inline constexpr bool is_fixed<AscendC::Std::tuple<Ts...>> = (is_fixed<Ts> && ...);

template <size_t i = 0, typename Shape>
constexpr size_t elements_of(const Shape &shape)
{
    if constexpr (!is_tuple<Shape>) {
        return shape;
    } else if constexpr (i + 1 == AscendC::Std::tuple_size_v<Shape>) {
        return elements_of(AscendC::Std::get<i>(shape));
    } else {
        return elements_of(AscendC::Std::get<i>(shape)) * elements_of<i + 1>(shape);
    }
}

// The sum of products of coordinates and strides, first to last. One number for several dimensions counts in the first of
// them first.
template <size_t i = 0, typename C, typename Shape, typename S>
constexpr auto index_of(const C &coord, const Shape &shape, const S &stride)
{
    if constexpr (!is_tuple<S>) {
        return coord * stride;
    } else {
        constexpr bool is_last = i + 1 == AscendC::Std::tuple_size_v<S>;
        if constexpr (is_tuple<C> && is_last) {
            return index_of(AscendC::Std::get<i>(coord), AscendC::Std::get<i>(shape), AscendC::Std::get<i>(stride));
        } else if constexpr (is_tuple<C>) {
            return index_of(AscendC::Std::get<i>(coord), AscendC::Std::get<i>(shape), AscendC::Std::get<i>(stride)) +
                   index_of<i + 1>(coord, shape, stride);
        } else if constexpr (is_last) {
            return index_of(coord, AscendC::Std::get<i>(shape), AscendC::Std::get<i>(stride));
        } else {
            const size_t here = elements_of(AscendC::Std::get<i>(shape));
            return index_of(coord % here, AscendC::Std::get<i>(shape), AscendC::Std::get<i>(stride)) +
                   index_of<i + 1>(coord / here, shape, stride);
        }
    }
}

} // namespace opkg::twin

namespace AscendC {

// Where the element of a coordinate lies; a constant where all of it is.
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride)
{
    if constexpr (opkg::twin::is_fixed<CoordType> && opkg::twin::is_fixed<ShapeType> && opkg::twin::is_fixed<StrideType>) {
        return Std::Int<opkg::twin::index_of(CoordType(), ShapeType(), StrideType())>();
    } else {
        return opkg::twin::index_of(coord, shape, stride);
    }
}

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
        return Crd2Idx(coord, shape_, stride_);
    }
    constexpr decltype(auto) layout() { return (*this); }
    constexpr decltype(auto) layout() const { return (*this); }

private:
    ShapeType shape_;
    StrideType stride_;
};

template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout)
{
    return layout(coord);
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
