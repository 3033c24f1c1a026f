"""AscendC::Std and Layout: what the compiler and a kernel make of them."""

from __future__ import annotations

import numpy as np
from kernels import TILING, kernel, tiling
from twin_harness import Compiler

TRAITS = """
namespace S = AscendC::Std;
struct Base {};
struct Derived : Base {};
static_assert(S::is_void<const void>::value && !S::is_void_v<int>);
static_assert(S::is_integral<volatile bool>::value && !S::is_integral<float>::value);
static_assert(S::is_floating_point_v<const double>);
static_assert(S::is_array<int[2][3]>::value && S::is_pointer<char **>::value && S::is_reference_v<int &&>);
static_assert(S::is_const<const int[5]>::value && !S::is_const<const int *>::value);
static_assert(S::is_base_of_v<Base, Derived>);
static_assert(S::is_convertible_v<Derived *, Base *> && !S::is_convertible_v<Base *, Derived *>);
static_assert(S::is_same_v<S::remove_cv_t<const volatile int>, int> && S::is_same_v<S::add_pointer_t<int &>, int *>);
static_assert(S::is_same_v<S::add_rvalue_reference_t<int>, int &&>);
static_assert(S::is_same_v<S::conditional_t<false, int, float>, float>);
static_assert(S::Int<7>{} == 7 && S::integral_constant<int, -3>::value == -3);
static_assert(S::max(3, 5) == 5 && S::min(2u, 1u) == 1u && S::abs(-4) == 4);
static_assert(S::make_index_sequence<5>::size() == 5);
static_assert(S::is_same_v<S::make_index_sequence<3>, S::index_sequence<0, 1, 2>>);
static_assert(S::tuple_size_v<S::tuple<int, float, bool>> == 3);
static_assert(S::is_same_v<S::tuple_element_t<1, S::tuple<int, float>>, float>);
static_assert(S::get<1>(S::make_tuple(1, 2.5f, 'c')) == 2.5f);
constexpr auto laid_out = AscendC::MakeLayout(AscendC::MakeShape(2, 3, 4), AscendC::MakeStride(12, 4, 1));
static_assert(AscendC::is_layout_v<decltype(AscendC::MakeLayout(AscendC::MakeShape(2), AscendC::MakeStride(1)))>);
static_assert(laid_out(AscendC::MakeCoord(1, 2, 3)) == 23 && S::get<2>(laid_out.GetShape()) == 4);
static_assert(&laid_out.layout() == &laid_out && AscendC::Crd2Idx(AscendC::MakeCoord(1, 2, 3), laid_out) == 23);
constexpr auto nested_shape = AscendC::MakeShape(AscendC::MakeShape(2, 4), AscendC::MakeShape(3, 5));
constexpr auto nested_stride = AscendC::MakeStride(AscendC::MakeStride(3, 6), AscendC::MakeStride(1, 24));
static_assert(AscendC::Crd2Idx(AscendC::MakeCoord(11, 12), nested_shape, nested_stride) == 129);
static_assert(AscendC::Crd2Idx(AscendC::MakeCoord(AscendC::MakeCoord(1, 5), 12), nested_shape, nested_stride) == 129);
static_assert(AscendC::Crd2Idx(7 + 8 * 12, nested_shape, nested_stride) == 3 + 3 * 6 + 4 * 24);
using Fixed = decltype(AscendC::Crd2Idx(
    AscendC::MakeCoord(S::Int<20>(), S::Int<30>()),
    AscendC::MakeShape(AscendC::MakeShape(S::Int<13>(), S::Int<0>()), AscendC::MakeShape(S::Int<14>(), S::Int<0>())),
    AscendC::MakeStride(AscendC::MakeStride(S::Int<14>(), S::Int<182>()),
                        AscendC::MakeStride(S::Int<1>(), S::Int<154>()))));
static_assert(Fixed::value == 590);
"""


def test_types_and_values_that_the_compiler_knows(compiler: Compiler) -> None:
    compiler.compile(TRAITS + kernel("traits", ""), "traits", "DTYPE_X=float", tiling=TILING)


def test_tuples_and_roots_in_a_kernel(compiler: Compiler) -> None:
    body = """
    AscendC::Std::tuple<int32_t, float, LocalTensor<float>> all(4, 0.5f, d);
    AscendC::Std::tuple<int32_t, float, LocalTensor<float>> other;
    other = all;
    AscendC::Std::get<0>(other) += 2;
    Adds(AscendC::Std::get<2>(other), a, AscendC::Std::get<1>(all) * AscendC::Std::get<0>(other), 8);
    d.SetValue(8, static_cast<float>(AscendC::Std::sqrt(static_cast<int64_t>(1) << 62)));
    d.SetValue(9, static_cast<float>(AscendC::Std::sqrt(static_cast<int64_t>(24))));
    d.SetValue(10, AscendC::Std::sqrt(6.25f));
    const AscendC::Std::tuple<const int32_t, float> both(7, 0.25f);
    int32_t whole = 0; float part = 0;
    AscendC::Std::tie(whole, part) = both;
    d.SetValue(11, static_cast<float>(whole) + part);
    """
    x, y = np.arange(8, dtype=np.float32), np.zeros(12, np.float32)
    compiler.compile(kernel("tuples", body), "tuples", "DTYPE_X=float", tiling=TILING)(x, x, y, None, tiling(x, y))
    assert y.tolist() == [*(x + 3).tolist(), 2.0**31, 4.0, 2.5, 7.25]


def test_overflow_mode(compiler: Compiler) -> None:
    body = "AscendCUtils::SetOverflow(data.flag); Cast(d, a, RoundMode::CAST_RINT, 3);"
    compiled = compiler.compile(kernel("overflow", body, u="half"), "overflow", "DTYPE_X=float", tiling=TILING)
    x, y = np.float32([1e6, np.inf, np.nan]), np.zeros(3, np.float16)
    compiled(x, x, y, None, tiling(x, y, flag=0))
    assert y.tolist() == [65504, 65504, 0]
    compiled(x, x, y, None, tiling(x, y, flag=1))
    np.testing.assert_array_equal(y, np.float16([np.inf, np.inf, np.nan]))
