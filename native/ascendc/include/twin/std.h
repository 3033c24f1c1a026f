// SPDX-License-Identifier: Apache-2.0
// AscendC::Std: properties of types and small helpers, which are those of the C++ library.
#ifndef OPKG_TWIN_STD_H
#define OPKG_TWIN_STD_H

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

namespace AscendC::Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;

template <size_t v>
using Int = integral_constant<size_t, v>;

template <typename T, T... values>
struct IntegerSequence {
    using value_type = T;
    static constexpr size_t size() { return sizeof...(values); }
};
#if defined(__clang__)
template <typename T, T n>
using MakeIntegerSequence = __make_integer_seq<IntegerSequence, T, n>;
#else
template <typename T, T n>
using MakeIntegerSequence = IntegerSequence<T, __integer_pack(n)...>;
#endif
template <size_t... indices>
using index_sequence = IntegerSequence<size_t, indices...>;
template <size_t n>
using make_index_sequence = MakeIntegerSequence<size_t, n>;

template <typename T>
constexpr T &&forward(remove_reference_t<T> &value) noexcept
{
    return static_cast<T &&>(value);
}
template <typename T>
constexpr T &&forward(remove_reference_t<T> &&value) noexcept
{
    return static_cast<T &&>(value);
}
template <typename T>
constexpr remove_reference_t<T> &&move(T &&value) noexcept
{
    return static_cast<remove_reference_t<T> &&>(value);
}

template <typename T, typename U>
constexpr auto max(const T &src0, const U &src1)
{
    static_assert(is_same<T, U>::value, "max takes two values of one type");
    return src0 < src1 ? src1 : src0;
}
template <typename T, typename U>
constexpr auto min(const T &src0, const U &src1)
{
    static_assert(is_same<T, U>::value, "min takes two values of one type");
    return src1 < src0 ? src1 : src0;
}
template <typename T>
constexpr T abs(const T src)
{
    return src < T(0) ? static_cast<T>(-src) : src;
}
// Of an int64_t: the whole part of its root.
template <typename T>
inline T sqrt(const T src)
{
    static_assert(is_same<T, float>::value || is_same<T, int64_t>::value, "sqrt takes float or int64_t");
    if constexpr (is_same<T, float>::value) {
        return __builtin_sqrtf(src);
    } else {
        const T root = static_cast<T>(__builtin_sqrt(static_cast<double>(src)));
        return root - (static_cast<__int128>(root) * root > src ? 1 : 0);
    }
}

} // namespace AscendC::Std

#endif // OPKG_TWIN_STD_H
