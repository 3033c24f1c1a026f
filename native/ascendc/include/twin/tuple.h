// SPDX-License-Identifier: Apache-2.0
// Std::tuple: several values of their own types, as one.
#ifndef OPKG_TWIN_TUPLE_H
#define OPKG_TWIN_TUPLE_H

#include "twin/std.h"
#include "twin/types.h"

namespace opkg::twin {

// The type at a position.
template <size_t i, typename First, typename... Rest>
struct TypeAt {
    using type = typename TypeAt<i - 1, Rest...>::type;
};
template <typename First, typename... Rest>
struct TypeAt<0, First, Rest...> {
    using type = First;
};

} // namespace opkg::twin

namespace AscendC::Std {

template <typename... Ts>
class tuple;

template <>
class tuple<> {
};

template <typename First, typename... Rest>
class tuple<First, Rest...> {
public:
    constexpr tuple() : first(), rest() {}
    constexpr tuple(const First &head, const Rest &...tail) : first(head), rest(tail...) {}

    // Element by element, from a tuple of other types as well.
    template <typename Head, typename... Tail>
    constexpr tuple &operator=(const tuple<Head, Tail...> &other)
    {
        static_assert(sizeof...(Tail) == sizeof...(Rest), "the tuples must be of one length");
        first = other.first;
        if constexpr (sizeof...(Rest) > 0) {
            rest = other.rest;
        }
        return *this;
    }

    First first;
    tuple<Rest...> rest;
};

template <typename... Ts>
tuple(const Ts &...) -> tuple<Ts...>;

template <size_t i, typename First, typename... Rest>
constexpr auto &get(tuple<First, Rest...> &t)
{
    if constexpr (i == 0) {
        return t.first;
    } else {
        return get<i - 1>(t.rest);
    }
}
template <size_t i, typename First, typename... Rest>
constexpr const auto &get(const tuple<First, Rest...> &t)
{
    if constexpr (i == 0) {
        return t.first;
    } else {
        return get<i - 1>(t.rest);
    }
}

template <size_t i, typename First, typename... Rest>
constexpr auto &&get(tuple<First, Rest...> &&t)
{
    return move(get<i>(t));
}

template <typename T>
struct tuple_size;
template <typename... Ts>
struct tuple_size<tuple<Ts...>> {
    static constexpr size_t value = sizeof...(Ts);
};
template <typename... Ts>
struct tuple_size<const tuple<Ts...>> {
    static constexpr size_t value = sizeof...(Ts);
};
template <typename T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;

template <size_t i, typename T>
struct tuple_element;
template <size_t i, typename... Ts>
struct tuple_element<i, tuple<Ts...>> {
    using type = typename opkg::twin::TypeAt<i, Ts...>::type;
};
template <size_t i, typename T>
using tuple_element_t = typename tuple_element<i, T>::type;

template <typename... Ts>
constexpr tuple<decay_t<Ts>...> make_tuple(Ts &&...values)
{
    return tuple<decay_t<Ts>...>(static_cast<Ts &&>(values)...);
}

// References, for taking a tuple apart: tie(a, b) = t.
template <typename... Ts>
constexpr tuple<Ts &...> tie(Ts &...values)
{
    return tuple<Ts &...>(values...);
}

} // namespace AscendC::Std

#endif // OPKG_TWIN_TUPLE_H
