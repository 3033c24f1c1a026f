"""Comparisons into bits and selections by bits."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler, KernelError

RELATIONS = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}


def bits(flags: np.ndarray) -> np.ndarray:
    return np.packbits(flags, bitorder="little")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("n", [128, 256, 640])
def test_compare_sets_one_bit_an_element(compiler: Compiler, dtype: str, n: int) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { Compare(d, a, b, static_cast<CMPMODE>(data.mode), n); }"
        "if (TILING_KEY_IS(1)) { CompareScalar(d, a, s, static_cast<CMPMODE>(data.mode), n); }"
        "if (TILING_KEY_IS(2)) { Compare(d, a, b, static_cast<CMPMODE>(data.mode), 256 / sizeof(DTYPE_X), data.repeat,"
        " BinaryRepeatParams{1, 1, 1, 8, 8, 8}); }"
    )
    text = kernel("compare", body, u="uint8_t")
    compiled = compiler.compile(text, "compare", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    a, b = samples(dtype, n, 1), samples(dtype, n, 2)
    b[::3] = a[::3]
    s = a[n // 2]
    repeat = a.nbytes // 256
    for mode, (name, relation) in enumerate(RELATIONS.items()):
        if dtype == "int32" and name != "EQ":
            continue
        for key, wanted in ((0, relation(a, b)), (1, relation(a, s)), (2, relation(a, b))):
            y = np.zeros(n // 8, np.uint8)
            compiled(a, b, y, None, tiling(a, y, s, count=n, mode=mode, repeat=repeat), key=key)
            np.testing.assert_array_equal(y, bits(wanted), err_msg=f"{name}, key {key}")


def test_in_counter_mode_the_mask_says_how_many_repeats_are_compared(compiler: Compiler) -> None:
    body = (
        "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(n);"
        "Compare<float, uint8_t, false>(d, a, b, CMPMODE::LT, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});"
        "SetMaskNorm(); ResetMask();"
    )
    compiled = compiler.compile(kernel("counted", body, t="float", u="uint8_t"), "counted", tiling=TILING)
    a, b = samples("float32", 256, 1), samples("float32", 256, 2)
    y = np.full(32, 0x5A, np.uint8)
    compiled(a, b, y, None, tiling(a, y, count=150))
    np.testing.assert_array_equal(y[:24], bits(a < b)[:24])
    assert (y[24:] == 0x5A).all()


def test_int32_compares_for_equality_only(compiler: Compiler) -> None:
    text = kernel("less", "Compare(d, a, b, CMPMODE::LT, n);", t="int32_t", u="uint8_t")
    compiled = compiler.compile(text, "less", tiling=TILING)
    a = np.zeros(64, np.int32)
    with pytest.raises(KernelError, match="only CMPMODE::EQ"):
        compiled(a, a, np.zeros(8, np.uint8), None, tiling(a, np.zeros(8, np.uint8), count=64))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("n", [1, 40, 64, 200, 1000])
def test_select_by_tensor_and_by_scalar(compiler: Compiler, dtype: str, n: int) -> None:
    body = (
        "LocalTensor<uint8_t> m = frame.load<uint8_t>(3, workspace, 512);"
        "if (TILING_KEY_IS(0)) { Select(d, m, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, n); }"
        "if (TILING_KEY_IS(1)) { Select(d, m, a, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, n); }"
        "if (TILING_KEY_IS(2)) { Select(d, m, a, b, SELMODE::VSEL_CMPMASK_SPR, n); }"
    )
    text = kernel("select", body)
    compiled = compiler.compile(text, "select", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    a, b = samples(dtype, n, 1), samples(dtype, n, 2)
    mask = np.random.default_rng(n).integers(0, 256, 512, dtype=np.uint8)
    flags = np.unpackbits(mask, bitorder="little").astype(bool)
    first = np.resize(flags[: 256 // a.itemsize], n)
    s = np.dtype(dtype).type(-3.5)
    wanted = [np.where(flags[:n], a, b), np.where(flags[:n], a, s), np.where(first, a, b)]
    for key, expected in enumerate(wanted):
        y = np.zeros_like(a)
        compiled(a, b, y, mask, tiling(a, y, s, count=n), key=key)
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_select_with_mask_and_repeats(compiler: Compiler, dtype: str) -> None:
    body = (
        "LocalTensor<uint8_t> m = frame.load<uint8_t>(3, workspace, 512);"
        "BinaryRepeatParams p{1, 1, 1, 8, 8, 8}; uint64_t mask[2] = {data.mask[0], data.mask[1]};"
        "if (TILING_KEY_IS(0)) { Select(d, m, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, mask, 3, p); }"
        "if (TILING_KEY_IS(1)) { Select(d, m, a, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, mask, 3, p); }"
        "if (TILING_KEY_IS(2)) { Select(d, m, a, b, SELMODE::VSEL_CMPMASK_SPR, mask, 3, p); }"
    )
    compiled = compiler.compile(kernel("select3", body), "select3", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    per = 256 // np.dtype(dtype).itemsize
    a, b = samples(dtype, 3 * per, 1), samples(dtype, 3 * per, 2)
    chosen = np.random.default_rng(4).integers(0, 256, 512, dtype=np.uint8)
    flags = np.unpackbits(chosen, bitorder="little").astype(bool)[: 3 * per]
    mask = np.array([0x0F0F00FFFF0000F1, 0x8000000000000003], np.uint64)
    active = np.tile(np.unpackbits(mask.view(np.uint8), bitorder="little").astype(bool)[:per], 3)
    s = np.dtype(dtype).type(9)
    wanted = [np.where(flags, a, b), np.where(flags, a, s), np.where(np.tile(flags[:per], 3), a, b)]
    for key, expected in enumerate(wanted):
        y = np.full_like(a, 77)
        compiled(a, b, y, chosen, tiling(a, y, s, mask=mask), key=key)
        np.testing.assert_array_equal(y, np.where(active, expected, np.dtype(dtype).type(77)), err_msg=f"key {key}")


def test_the_comparison_register_feeds_a_selection(compiler: Compiler) -> None:
    body = "BinaryRepeatParams p{1, 1, 1, 8, 8, 8}; Compare(a, b, CMPMODE::GT, 64, p);Select(d, a, b, 1, p);"
    compiled = compiler.compile(kernel("by_register", body, t="float", u="float"), "by_register", tiling=TILING)
    a, b = samples("float32", 64, 1), samples("float32", 64, 2)
    y = np.zeros_like(a)
    compiled(a, b, y, None, tiling(a, y))
    np.testing.assert_array_equal(y, np.where(a > b, a, b))
