"""Products of small floats, with and without scales (Ascend950), and of matrices of which half is left out."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from matmul_kernels import fractals, product, tiling
from twin_harness import Compiler, Kernel

SOURCE = """
#include "lib/matmul_intf.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scaled(GM_ADDR a, GM_ADDR b, GM_ADDR sa, GM_ADDR sb, GM_ADDR c, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, t, tiling);
    TPipe pipe;
    constexpr TPosition kGm = TPosition::GM;
    Matmul<MatmulTypeWithScale<kGm, kGm, CubeFormat::ND, A_T, false, kGm, SCALE_F, TRANS_SA>,
           MatmulTypeWithScale<kGm, kGm, CubeFormat::ND, A_T, false, kGm, SCALE_F, TRANS_SB>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>, CFG_MDL,
           MatmulCallBackFunc<nullptr, nullptr, nullptr>, Impl::Detail::MatmulWithScalePolicy> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    GlobalTensor<A_T> A, B;
    GlobalTensor<fp8_e8m0_t> SA, SB;
    GlobalTensor<float> C;
    A.SetGlobalBuffer(reinterpret_cast<A_T *>(a));
    B.SetGlobalBuffer(reinterpret_cast<A_T *>(b));
    SA.SetGlobalBuffer(reinterpret_cast<fp8_e8m0_t *>(sa));
    SB.SetGlobalBuffer(reinterpret_cast<fp8_e8m0_t *>(sb));
    C.SetGlobalBuffer(reinterpret_cast<float *>(c));
    mm.SetTensorA(A);
    mm.SetTensorB(B);
    mm.SetTensorScaleA(SA, TRANS_SA);
    mm.SetTensorScaleB(SB, TRANS_SB);
    mm.IterateAll(C);
    mm.End();
}
"""
NEW_CHIP = "__NPU_ARCH__=3510"
TYPES = {"fp8_e4m3fn_t": ml_dtypes.float8_e4m3fn, "fp8_e5m2_t": ml_dtypes.float8_e5m2}


def codes(rng: np.random.Generator, shape: tuple[int, int], dtype: type) -> np.ndarray:
    """Any finite values of a dtype of 8 bits, not too large."""
    return rng.uniform(-4, 4, shape).astype(np.float32).astype(dtype)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("fractal", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_each_32_values_along_k_have_a_scale(compiler: Compiler, name: str, fractal: bool, turned: bool) -> None:
    defines = [f"A_T={name}", f"SCALE_F=CubeFormat::{'NZ' if fractal else 'ND'}", NEW_CHIP]
    defines += [f"TRANS_SA={str(turned).lower()}", f"TRANS_SB={str(not turned).lower()}"]
    kernel = compiler.compile(SOURCE, "scaled", *defines)
    rng = np.random.default_rng(1)
    m, n, k = 32, 48, 100  # four scales, of which the last is for four values
    a, b = codes(rng, (m, k), TYPES[name]), codes(rng, (k, n), TYPES[name])
    scale_a, scale_b = (rng.integers(124, 131, (size, 4)).astype(np.uint8) for size in (m, n))
    c = np.zeros((m, n), np.float32)
    if fractal:
        stored = [s.reshape(-1, 16, 2, 2).transpose(0, 2, 1, 3).copy() for s in (scale_a, scale_b)]
    else:
        # Pairs of steps stay together: [k / 64, line, 2] where the lines are not the outer axis.
        pairs = [s.reshape(-1, 2, 2).transpose(1, 0, 2).copy() for s in (scale_a, scale_b)]
        stored = [pairs[0] if turned else scale_a, pairs[1] if turned else scale_b]
    kernel(a, b, *stored, c, tiling(m, n, k, baseK=64), soc="Ascend950PR")
    wide_a = a.astype(np.float64) * 2.0 ** (np.repeat(scale_a, 32, axis=1)[:, :k].astype(int) - 127)
    wide_b = b.astype(np.float64) * 2.0 ** (np.repeat(scale_b, 32, axis=1)[:, :k].T.astype(int) - 127)
    np.testing.assert_allclose(c, wide_a @ wide_b, rtol=1e-4, atol=1e-2)


def high(code: int) -> float:
    """HiFloat8, from the words of its paper: dot, exponent as sign and magnitude with a hidden one, mantissa."""
    body, sign = code & 0x7F, -1.0 if code & 0x80 else 1.0
    if body < 8:
        return sign * 2.0 ** (body - 23) if body else 0.0
    text = f"{body:07b}"
    dot, bits = next(
        (d, n) for d, n in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)) if text.startswith(d)
    )
    field, mantissa = text[len(dot) : len(dot) + bits], text[len(dot) + bits :]
    exponent = (-1 if field[:1] == "1" else 1) * int("1" + field[1:], 2) if bits else 0
    return sign * (1 + int(mantissa, 2) / 2 ** len(mantissa)) * 2.0**exponent


@pytest.mark.parametrize("name", ["fp8_e4m3fn_t", "fp8_e5m2_t", "hifloat8_t"])
def test_every_value_of_eight_bits(compiler: Compiler, name: str) -> None:
    """A column of all codes times one."""
    kernel = product(compiler, "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);", A_T=name, B_T=name, ARCH="3510")
    a = np.arange(256, dtype=np.uint8)
    if name == "hifloat8_t":
        values, one = np.array([high(code) for code in range(256)]), np.array([8], np.uint8)
        values[[0x6F, 0xEF, 0x80]] = [np.inf, -np.inf, np.nan]
    else:
        values = a.view(TYPES[name]).astype(np.float64)
        one = np.array([1.0], np.float32).astype(TYPES[name])
    c = np.zeros((256, 1), np.float32)
    kernel(a, one, None, c, None, None, tiling(256, 1, 1), soc="Ascend950PR")
    np.testing.assert_array_equal(c[:, 0], values.astype(np.float32))


SPARSE = """
#include "lib/matmul_intf.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void sparse(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR c, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, t, tiling);
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, int8_t>,
           SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>,
           MatmulType<TPosition::GM, CubeFormat::ND, int32_t>, MatmulType<TPosition::GM, CubeFormat::ND, int32_t>,
           CFG_MDL> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    GlobalTensor<int8_t> A, B;
    GlobalTensor<uint8_t> I;
    GlobalTensor<int32_t> C;
    A.SetGlobalBuffer(reinterpret_cast<int8_t *>(a));
    B.SetGlobalBuffer(reinterpret_cast<int8_t *>(b));
    I.SetGlobalBuffer(index);
    C.SetGlobalBuffer(reinterpret_cast<int32_t *>(c));
    mm.SetTensorA(A);
    mm.SetTensorB(B, true);
    mm.SetSparseIndex(I);
    mm.IterateAll(C);
    mm.End();
}
"""


def test_two_of_four_values_of_b_are_kept(compiler: Compiler) -> None:
    kernel: Kernel = compiler.compile(SPARSE, "sparse")
    rng = np.random.default_rng(2)
    m, n, k = 20, 32, 128
    a, b = rng.integers(-9, 9, (m, k), dtype=np.int8), np.zeros((n, k), np.int8)
    kept, places = np.zeros((n, k // 2), np.int8), np.zeros((n, k // 2), np.uint8)
    for row in range(n):
        for group in range(k // 4):
            first, second = sorted(rng.choice(4, 2, replace=False))
            values = rng.integers(1, 9, 2)
            b[row, [4 * group + first, 4 * group + second]] = values
            kept[row, 2 * group : 2 * group + 2] = values
            places[row, 2 * group : 2 * group + 2] = first, second - 1
    shifts = np.array([0, 2, 4, 6], np.uint8)
    index = np.bitwise_or.reduce(places.reshape(n, k // 8, 4) << shifts, axis=2).astype(np.uint8)
    c = np.zeros((m, n), np.int32)
    kernel(a, kept, fractals(index, 8), c, tiling(m, n, k))
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.T.astype(np.int32))


SPLIT_M = """
TQue<TPosition::VECIN, 1> in;
pipe.InitBuffer(in, 1, t.baseM * t.baseN * sizeof(float));
mm.SetTensorA(A);
mm.SetTensorB(B);
while (mm.Iterate()) {
    LocalTensor<float> half = in.AllocTensor<float>();
    mm.GetTensorC(half);
    DataCopy(C[GetSubBlockIdx() * t.baseM / 2 * t.N], half, t.baseM / 2 * t.N);
    in.FreeTensor(half);
}
"""


def test_the_halves_of_a_block_go_to_both_vector_cores(compiler: Compiler) -> None:
    kernel = product(
        compiler,
        SPLIT_M,
        TASK="KERNEL_TYPE_MIX_AIC_1_2",
        POSITION_C="TPosition::VECIN",
        POLICY="Impl::Detail::SplitMMatmulPolicy",
        SHARE="true",
        ARCH="3510",
    )
    rng = np.random.default_rng(3)
    a, b = (rng.uniform(-1, 1, (32, 32)).astype(np.float16) for _ in range(2))
    c = np.zeros((32, 32), np.float32)
    kernel(a, b, None, c, None, None, tiling(32, 32, 32), soc="Ascend950PR")
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=0, atol=1e-5)


def test_of_an_odd_number_of_rows_the_first_core_has_one_more(compiler: Compiler) -> None:
    body = SPLIT_M.replace("t.baseM / 2 * t.N], half, t.baseM / 2 * t.N", "4 * t.N], half, GetSubBlockIdx() ? 96 : 128")
    kernel = product(
        compiler,
        body,
        TASK="KERNEL_TYPE_MIX_AIC_1_2",
        POSITION_C="TPosition::VECIN",
        POLICY="Impl::Detail::SplitMMatmulPolicy",
        SHARE="true",
        ARCH="3510",
    )
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1, 1, (7, 32)).astype(np.float16), rng.uniform(-1, 1, (32, 32)).astype(np.float16)
    c = np.zeros((7, 32), np.float32)
    kernel(a, b, None, c, None, None, tiling(7, 32, 32), soc="Ascend950PR")
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=0, atol=1e-5)


L0C = """
TQue<TPosition::CO1, 1> results;
pipe.InitBuffer(results, 1, t.M * t.N * sizeof(float));
LocalTensor<float> l0c = results.AllocTensor<float>();
mm.SetTensorA(A);
mm.SetTensorB(B);
for (int i = 0; mm.Iterate(false, l0c[i * t.baseM * t.baseN]); ++i) {}
for (int i = 0; i < t.M * t.N; ++i) { C.SetValue(i, l0c.GetValue(i)); }
results.FreeTensor(l0c);
"""


def test_blocks_in_the_l0c_buffer_are_fractals(compiler: Compiler) -> None:
    kernel = product(compiler, L0C, POSITION_C="TPosition::CO1", FORMAT_C="CubeFormat::NZ")
    rng = np.random.default_rng(4)
    a, b = (rng.uniform(-1, 1, shape).astype(np.float16) for shape in ((32, 40), (40, 64)))
    c = np.zeros((2, 2, 32, 16), np.float32)
    kernel(a, b, None, c, None, None, tiling(32, 64, 40))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.transpose(2, 0, 1, 3).reshape(32, 64), expected, rtol=0, atol=1e-5)


def test_blocks_in_the_l0c_buffer_may_be_added_to(compiler: Compiler) -> None:
    twice = "for (int i = 0; mm.Iterate(false, l0c[i * t.baseM * t.baseN]); ++i) {}"
    body = L0C.replace(twice, twice + twice.replace("false", "true")).replace("<float>", "<int32_t>")
    words = {"A_T": "int8_t", "B_T": "int8_t", "C_T": "int32_t", "BIAS_T": "int32_t"}
    kernel = product(compiler, body, POSITION_C="TPosition::CO1", FORMAT_C="CubeFormat::NZ", **words)
    rng = np.random.default_rng(5)
    a, b = rng.integers(-128, 128, (32, 2000), dtype=np.int8), rng.integers(-128, 128, (2000, 64), dtype=np.int8)
    a[0], b[:, 0] = 127, 127
    c = np.zeros((2, 2, 32, 16), np.int32)
    kernel(a, b, None, c, None, None, tiling(32, 64, 2000))
    expected = 2 * (a.astype(np.int32) @ b.astype(np.int32))
    np.testing.assert_array_equal(c.transpose(2, 0, 1, 3).reshape(32, 64), expected)
