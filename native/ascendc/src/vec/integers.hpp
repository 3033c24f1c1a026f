// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic without undefined behaviour: it wraps as the chip does.
#ifndef OPKG_TWIN_VEC_INTEGERS_HPP
#define OPKG_TWIN_VEC_INTEGERS_HPP

#include <stdint.h>

namespace {

template <typename T>
struct WrappingOf {
    using type = uint32_t; // 8, 16 and 32 bits
};
template <>
struct WrappingOf<int64_t> {
    using type = uint64_t;
};
template <>
struct WrappingOf<uint64_t> {
    using type = uint64_t;
};
template <typename T>
using Wrapping = typename WrappingOf<T>::type;

template <typename T>
inline constexpr bool is_signed = T(-1) < T(0);

// Division by zero gives all ones, and the most negative number over -1 wraps.
template <typename T>
inline T divide(T a, T b)
{
    if (b == 0) {
        return static_cast<T>(-1);
    }
    if (is_signed<T> && b == static_cast<T>(-1)) {
        return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(a));
    }
    return static_cast<T>(a / b);
}

template <typename T>
inline constexpr int width = static_cast<int>(sizeof(T) * 8);

template <typename T>
inline Wrapping<T> shift_left(T value, T by)
{
    const auto bits = static_cast<Wrapping<T>>(value);
    return static_cast<Wrapping<T>>(by) >= width<T> ? 0 : bits << by;
}

template <typename T>
inline T shift_right(T value, T by)
{
    const bool all = static_cast<Wrapping<T>>(by) >= width<T>;
    return all ? static_cast<T>(is_signed<T> && value < 0 ? -1 : 0) : static_cast<T>(value >> by);
}

// The bit below the last one kept is added.
template <typename T>
inline T shift_right_round(T value, T by)
{
    if (by <= 0 || static_cast<Wrapping<T>>(by) > width<T>) {
        return shift_right(value, by);
    }
    const T up = static_cast<T>((shift_right(value, static_cast<T>(by - 1))) & 1);
    return static_cast<T>(static_cast<Wrapping<T>>(shift_right(value, by)) + static_cast<Wrapping<T>>(up));
}

} // namespace

#endif // OPKG_TWIN_VEC_INTEGERS_HPP
