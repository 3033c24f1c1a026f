"""Instructions with mask, repeat times and strides; the mask register; copies, fills and gathers."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler

MASKS = [
    np.array([2**64 - 1, 2**64 - 1], np.uint64),
    np.array([0xFFFF, 0], np.uint64),
    np.array([0xF0F0123456789ABC, 0x1], np.uint64),
    np.array([0xFFFF, 0xF], np.uint64),
    np.array([2**64 - 1, 0b101], np.uint64),
]


def address(per: int, element: int, block: int, step: int, repeats: int) -> np.ndarray:
    """Element numbers that a repeat's elements stand at."""
    in_block = 32 // element
    i = np.arange(per)
    inside = (i // in_block * block) * in_block + i % in_block
    return np.array([inside + repeat * step * in_block for repeat in range(repeats)])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(
    "strides", [[1, 1, 1, 8, 8, 8], [2, 1, 1, 16, 8, 0], [1, 2, 1, 8, 16, 8], [1, 1, 1, 0, 8, 8], [1, 1, 0, 8, 8, 8]]
)
def test_binary_with_mask_repeat_and_strides(
    compiler: Compiler, dtype: str, mask: np.ndarray, strides: list[int]
) -> None:
    body = (
        "uint64_t mask[2] = {data.mask[0], data.mask[1]}; const uint32_t *t = data.strides;"
        "Add(d, a, b, mask, data.repeat, BinaryRepeatParams(t[0], t[1], t[2], t[3], t[4], t[5]));"
    )
    compiled = compiler.compile(kernel("binary", body), "binary", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    size = np.dtype(dtype).itemsize
    per, repeats = 256 // size, 3
    a, b = (np.random.default_rng(k).integers(-99, 99, 6 * per).astype(dtype) for k in (1, 2))
    y = np.full(6 * per, 7, dtype)
    expected = y.copy()
    active = np.unpackbits(mask.view(np.uint8), bitorder="little").astype(bool)[:per]
    places = [address(per, size, strides[k], strides[3 + k], repeats) for k in range(3)]
    for repeat in range(repeats):
        to, left, right = (p[repeat][active] for p in places)
        expected[to] = a[left] + b[right]
    compiled(a, b, y, None, tiling(a, y, repeat=repeats, mask=mask, strides=strides))
    np.testing.assert_array_equal(y, expected)


def test_a_continuous_mask_takes_the_first_elements(compiler: Compiler) -> None:
    body = "Muls(d, a, s, data.mask[0], data.repeat, UnaryRepeatParams{1, 1, 8, 8});"
    compiled = compiler.compile(kernel("scaled", body), "scaled", "DTYPE_X=half", tiling=TILING)
    a = np.arange(256).astype(np.float16)
    for count in (1, 40, 64, 100, 128):
        y = np.zeros_like(a)
        compiled(a, a, y, None, tiling(a, y, np.float16(2), repeat=2, mask=[count, 0]))
        active = np.arange(256) % 128 < count
        np.testing.assert_array_equal(y, np.where(active, a * np.float16(2), np.float16(0)))


def test_casts_with_repeats_count_by_the_wider_type(compiler: Compiler) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { Cast(d, a, RoundMode::CAST_NONE, 64, 2, UnaryRepeatParams{1, 1, 8, 4}); }"
        "if (TILING_KEY_IS(1)) { Cast(d, a, RoundMode::CAST_NONE, 20, 2, UnaryRepeatParams{1, 1, 8, 4}); }"
    )
    compiled = compiler.compile(kernel("widen", body, t="half", u="float"), "widen", tiling=TILING)
    a = np.random.default_rng(1).standard_normal(128).astype(np.float16)
    y = np.zeros(128, np.float32)
    compiled(a, a, y, None, tiling(a, y), key=0)
    np.testing.assert_array_equal(y, a.astype(np.float32))
    y = np.zeros(128, np.float32)
    compiled(a, a, y, None, tiling(a, y), key=1)
    np.testing.assert_array_equal(y, np.where(np.arange(128) % 64 < 20, a.astype(np.float32), 0))


def test_the_mask_register_in_both_modes(compiler: Compiler) -> None:
    body = (
        "BinaryRepeatParams p{1, 1, 1, 8, 8, 8};"
        "if (TILING_KEY_IS(0)) { SetMaskNorm(); SetVectorMask<float, MaskMode::NORMAL>(0, 0xff); "
        "  Add<float, false>(d, a, b, MASK_PLACEHOLDER, 2, p); }"
        "if (TILING_KEY_IS(1)) { SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(100); "
        "  Add<float, false>(d, a, b, MASK_PLACEHOLDER, 1, p); SetMaskNorm(); ResetMask(); }"
    )
    compiled = compiler.compile(kernel("registers", body, t="float", u="float"), "registers", tiling=TILING)
    a, b = samples("float32", 192, 1), samples("float32", 192, 2)
    with np.errstate(all="ignore"):
        total = a + b
    i = np.arange(192)
    for key, active in ((0, (i % 64 < 8) & (i < 128)), (1, i < 100)):
        y = np.zeros_like(a)
        compiled(a, b, y, None, tiling(a, y), key=key)
        np.testing.assert_array_equal(y, np.where(active, total, np.float32(0)))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int16", "uint16", "int32", "uint32"])
def test_duplicate_and_copy(compiler: Compiler, dtype: str) -> None:
    body = (
        "uint64_t mask[2] = {data.mask[0], data.mask[1]};"
        "if (TILING_KEY_IS(0)) { Duplicate(d, s, n); }"
        "if (TILING_KEY_IS(1)) { Duplicate(d, s, mask, 2, 1, 16); }"
        "if (TILING_KEY_IS(2)) { Copy(d, a, mask, 2, CopyRepeatParams{1, 1, 8, 8}); }"
    )
    compiled = compiler.compile(kernel("duplicate", body), "duplicate", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    plain = "uint16" if dtype == "bfloat16" else dtype
    per = 256 // np.dtype(plain).itemsize
    a = np.random.default_rng(1).integers(0, 100, 3 * per).astype(plain)
    s = np.dtype(plain).type(42)
    active = np.unpackbits(MASKS[2].view(np.uint8), bitorder="little").astype(bool)[:per]
    wanted = [np.zeros_like(a) for _ in range(3)]
    wanted[0][:77] = s
    wanted[1][np.flatnonzero(active)] = s
    wanted[1][2 * per + np.flatnonzero(active)] = s
    for start in (0, per):
        wanted[2][start + np.flatnonzero(active)] = a[start + np.flatnonzero(active)]
    for key, expected in enumerate(wanted):
        y = np.zeros_like(a)
        compiled(a, a, y, None, tiling(a, y, s, count=77, mask=MASKS[2]), key=key)
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int16"])
def test_sequences(compiler: Compiler, dtype: str) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { CreateVecIndex(d, s, static_cast<uint32_t>(n)); }"
        "if (TILING_KEY_IS(1)) { ArithProgression(d, s, DTYPE_X(3), n); }"
        "if (TILING_KEY_IS(2)) { CreateVecIndex(d, s, 5, 2, 1, 8); }"
    )
    compiled = compiler.compile(kernel("sequence", body), "sequence", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    s = np.dtype(dtype).type(4)
    per = 256 // np.dtype(dtype).itemsize
    i = np.arange(2 * per)
    for key, expected in (
        (0, np.where(i < 70, i + 4, 0)),
        (1, np.where(i < 70, 3 * i + 4, 0)),
        (2, np.where(i % per < 5, i + 4, 0)),
    ):
        y = np.zeros(2 * per, dtype)
        compiled(y, y, y, None, tiling(y, y, s, count=70), key=key)
        np.testing.assert_array_equal(y, expected.astype(dtype), err_msg=f"key {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint16"])
def test_brcb_fills_a_block_with_each_element(compiler: Compiler, dtype: str) -> None:
    compiled = compiler.compile(
        kernel("brcb", "Brcb(d, a, 2, BrcbRepeatParams{1, 8});"), "brcb", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING
    )
    a = np.arange(16).astype(dtype)
    per_block = 32 // a.itemsize
    y = np.zeros(16 * per_block, dtype)
    compiled(a, a, y, None, tiling(a, y))
    np.testing.assert_array_equal(y, np.repeat(a, per_block))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int16"])
def test_gather_by_byte_offsets(compiler: Compiler, dtype: str) -> None:
    body = (
        "LocalTensor<uint32_t> o = frame.load<uint32_t>(3, workspace, 400);"
        "if (TILING_KEY_IS(0)) { Gather(d, a, o, data.flag, static_cast<uint32_t>(n)); }"
        "if (TILING_KEY_IS(1)) { Gather(d, a, o, data.flag, 10, 1, 8); }"
    )
    compiled = compiler.compile(kernel("gather", body), "gather", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    rng = np.random.default_rng(3)
    a = rng.integers(-100, 100, 200).astype(dtype)
    places = rng.integers(0, 150, 100).astype(np.uint32)
    offsets = (places * a.itemsize).astype(np.uint32)
    for key, count in ((0, 100), (1, 10)):
        y = np.zeros(100, dtype)
        compiled(a, a, y, offsets, tiling(a, y, count=100, flag=50 * a.itemsize), key=key)
        np.testing.assert_array_equal(y, np.where(np.arange(100) < count, a[places + 50], 0))


@pytest.mark.parametrize(("dtype", "u"), [("float32", "uint32_t"), ("float16", "uint16_t")])
def test_gather_mask_packs_what_the_pattern_keeps(compiler: Compiler, dtype: str, u: str) -> None:
    body = (
        f"LocalTensor<{u}> o = frame.load<{u}>(3, workspace, 64); uint64_t kept = 0;"
        "if (TILING_KEY_IS(0)) { GatherMask(d, a, static_cast<uint8_t>(data.flag), false, 0, {1, 2, 8, 0}, kept); }"
        "if (TILING_KEY_IS(1)) { GatherMask(d, a, o, false, 0, {1, 2, 8, 0}, kept); }"
        "if (TILING_KEY_IS(2)) { GatherMask(d, a, o, true, 40, {1, 2, 8, 1}, kept); }"
        "GlobalTensor<uint64_t> count; count.SetGlobalBuffer((__gm__ uint64_t *)x1); count.SetValue(0, kept);"
    )
    compiled = compiler.compile(kernel("pack", body), "pack", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    per = 256 // np.dtype(dtype).itemsize
    a = np.arange(2 * per).astype(dtype)
    chosen = np.random.default_rng(8).integers(0, 256, 64, dtype=np.uint8)
    flags = np.unpackbits(chosen, bitorder="little").astype(bool)

    def check(key: int, expected: np.ndarray, flag: int = 0) -> None:
        y, count = np.zeros_like(a), np.zeros(a.nbytes // 8, np.uint64)
        compiled(a, count, y, chosen, tiling(a, y, flag=flag), key=key)
        assert count[0] == len(expected)
        np.testing.assert_array_equal(y[: len(expected)], expected)

    for flag, start, step in ((1, 0, 2), (2, 1, 2), (3, 0, 4), (4, 1, 4), (5, 2, 4), (6, 3, 4), (7, 0, 1)):
        check(0, a[start::step], flag)
    check(1, a[np.tile(flags[:per], 2)])
    second = flags[256 : 256 + 40]
    check(2, np.concatenate([a[:40][flags[:40]], a[per : per + 40][second]]))
