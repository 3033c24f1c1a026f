"""Reductions, in the order that the chip adds."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler, Kernel


def tree(values: np.ndarray) -> np.generic:
    """Neighbours added in a binary tree, each sum rounded to the dtype."""
    size = 1 << max(0, (len(values) - 1).bit_length())
    level = np.zeros(size, values.dtype)
    level[: len(values)] = values
    while len(level) > 1:
        level = level[0::2] + level[1::2]
    return level[0]


def sum_in_order(values: np.ndarray) -> np.generic:
    per = 256 // values.itemsize
    total = tree(values[:per])
    for start in range(per, len(values), per):
        total = total + tree(values[start : start + per])
    return total


@pytest.fixture(scope="module")
def reductions(compiler: Compiler) -> dict[str, Kernel]:
    body = """
    uint64_t mask[2] = {data.mask[0], data.mask[1]};
    const int32_t r = data.repeat, ds = data.strides[0], sb = data.strides[1], sr = data.strides[2];
    const ReduceOrder order = static_cast<ReduceOrder>(data.mode);
    if (TILING_KEY_IS(0)) { ReduceSum(d, a, w, n); }
    if (TILING_KEY_IS(1)) { ReduceMax(d, a, w, n, data.flag); }
    if (TILING_KEY_IS(2)) { ReduceMin(d, a, w, n, data.flag); }
    if (TILING_KEY_IS(3)) { WholeReduceSum(d, a, mask, r, ds, sb, sr); }
    if (TILING_KEY_IS(4)) { WholeReduceMax(d, a, mask, r, ds, sb, sr, order); }
    if (TILING_KEY_IS(5)) { WholeReduceMin(d, a, mask, r, ds, sb, sr, order); }
    if (TILING_KEY_IS(6)) { BlockReduceSum(d, a, r, mask, ds, sb, sr); }
    if (TILING_KEY_IS(7)) { BlockReduceMax(d, a, r, mask, ds, sb, sr); }
    if (TILING_KEY_IS(8)) { PairReduceSum(d, a, r, mask, ds, sb, sr); }
    if (TILING_KEY_IS(9)) { ReduceSum(d, a, w, mask, r, sr); }
    if (TILING_KEY_IS(10)) { ReduceMax(d, a, w, mask, r, sr, true); }
    if (TILING_KEY_IS(11)) { WholeReduceSum(d, a, n, r, ds, sb, sr); }
    if (TILING_KEY_IS(12)) { ReduceSum<DTYPE_X>(d, a, w, n, r, sr); }
    if (TILING_KEY_IS(20)) {
        SetMaskCount(); SetVectorMask<DTYPE_X, MaskMode::COUNTER>(n);
        if (data.flag == 0) { WholeReduceSum<DTYPE_X, false>(d, a, MASK_PLACEHOLDER, 1, ds, sb, sr); }
        if (data.flag == 1) { WholeReduceMax<DTYPE_X, false>(d, a, MASK_PLACEHOLDER, 1, ds, sb, sr, order); }
        if (data.flag == 2) { BlockReduceMin<DTYPE_X, false>(d, a, 1, MASK_PLACEHOLDER, ds, sb, sr); }
        SetMaskNorm(); ResetMask();
    }
    """
    text = kernel("reductions", body)
    return {
        dtype: compiler.compile(text, "reductions", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
        for dtype in ("float32", "float16")
    }


FULL = np.array([2**64 - 1, 2**64 - 1], np.uint64)
SOME = np.array([0x00FFF00F0000F001, 0x8000000100000000], np.uint64)


def run(kernel_: Kernel, key: int, a: np.ndarray, out: int, fill: float = -7, **fields: object) -> np.ndarray:
    y = np.full(out, fill, a.dtype)
    kernel_(a, a, y, None, tiling(a, y, **fields), key=key)
    return y


def index_at(y: np.ndarray, i: int) -> int:
    return int(y[i : i + 1].view("uint16" if y.itemsize == 2 else "uint32")[0])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 300, 1000])
def test_a_sum_is_added_as_the_chip_adds(reductions: dict[str, Kernel], dtype: str, n: int) -> None:
    a = np.random.default_rng(n).standard_normal(n).astype(dtype)
    assert run(reductions[dtype], 0, a, 8, count=n)[0] == sum_in_order(a)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("n", [1, 5, 64, 100, 999])
def test_extremes_come_with_the_first_position(reductions: dict[str, Kernel], dtype: str, n: int) -> None:
    a = np.random.default_rng(n).integers(-50, 50, n).astype(dtype)
    for key, find in ((1, np.argmax), (2, np.argmin)):
        y = run(reductions[dtype], key, a, 8, count=n, flag=1)
        assert y[0] == a[find(a)]
        assert index_at(y, 1) == find(a)
        alone = run(reductions[dtype], key, a, 8, count=n, flag=0)
        assert (alone[0], alone[1]) == (a[find(a)], -7)


def test_an_infinity_or_a_nan_wins(reductions: dict[str, Kernel]) -> None:
    a = samples("float32", 100, 1)
    a = np.where(np.isnan(a), np.float32(0), a)
    assert run(reductions["float32"], 1, a, 8, count=100)[0] == np.inf
    a[40] = np.nan
    y = run(reductions["float32"], 1, a, 8, count=100, flag=1)
    assert np.isnan(y[0])
    assert index_at(y, 1) == 40


def test_nothing_to_reduce_writes_nothing(reductions: dict[str, Kernel]) -> None:
    a = np.ones(8, np.float32)
    for key in (0, 1, 3, 9, 10):
        assert (run(reductions["float32"], key, a, 8, count=0, repeat=0, mask=FULL) == -7).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mask", [FULL, SOME])
def test_each_repeat_is_reduced_with_its_mask(reductions: dict[str, Kernel], dtype: str, mask: np.ndarray) -> None:
    per = 256 // np.dtype(dtype).itemsize
    a = np.random.default_rng(2).standard_normal(3 * per).astype(dtype)
    active = np.unpackbits(mask.view(np.uint8), bitorder="little").astype(bool)[:per]
    rows = a.reshape(3, per)
    fields = {"repeat": 3, "strides": [1, 1, 8, 0, 0, 0], "mask": mask}
    sums = run(reductions[dtype], 3, a, 8, **fields)
    np.testing.assert_array_equal(sums[:3], [tree(np.where(active, row, np.dtype(dtype).type(0))) for row in rows])
    for key, worst, find in ((4, -np.inf, np.argmax), (5, np.inf, np.argmin)):
        places = [find(np.where(active, row, worst)) for row in rows]
        both = run(reductions[dtype], key, a, 8, mode=0, **fields)
        np.testing.assert_array_equal(both[0:6:2], [row[p] for row, p in zip(rows, places, strict=True)])
        assert [index_at(both, i) for i in (1, 3, 5)] == places
        swapped = run(reductions[dtype], key, a, 8, mode=1, **fields)
        assert [index_at(swapped, i) for i in (0, 2, 4)] == places
        alone = run(reductions[dtype], key, a, 8, mode=2, **fields)
        np.testing.assert_array_equal(alone[:3], both[0:6:2])
        indices = run(reductions[dtype], key, a, 16, mode=3, **fields)
        assert indices.view(np.uint32)[:3].tolist() == places


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_blocks_and_pairs(reductions: dict[str, Kernel], dtype: str) -> None:
    size = np.dtype(dtype).itemsize
    per, block = 256 // size, 32 // size
    a = np.random.default_rng(5).standard_normal(2 * per).astype(dtype)
    fields = {"repeat": 2, "strides": [1, 1, 8, 0, 0, 0], "mask": FULL}
    sums = run(reductions[dtype], 6, a, 16, **fields)
    np.testing.assert_array_equal(sums, [tree(row) for row in a.reshape(16, block)])
    np.testing.assert_array_equal(run(reductions[dtype], 7, a, 16, **fields), a.reshape(16, block).max(1))
    pairs = run(reductions[dtype], 8, a, per, **fields)
    np.testing.assert_array_equal(pairs, a[0::2] + a[1::2])


def test_a_block_without_an_active_element_keeps_what_was_there(reductions: dict[str, Kernel]) -> None:
    a = np.arange(64, dtype=np.float32)
    y = run(reductions["float32"], 6, a, 8, repeat=1, strides=[1, 1, 8, 0, 0, 0], mask=[0xFF00FF, 0])
    assert y.tolist() == [28.0, -7.0, a[16:24].sum(), -7.0, -7.0, -7.0, -7.0, -7.0]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_in_counter_mode_the_mask_says_how_many_elements_there_are(reductions: dict[str, Kernel], dtype: str) -> None:
    per, block = 256 // np.dtype(dtype).itemsize, 32 // np.dtype(dtype).itemsize
    a = np.arange(4 * per).astype(dtype) - np.dtype(dtype).type(300)
    count = 2 * per + 2 * block + 3
    rows = [a[:per], a[per : 2 * per], a[2 * per : count]]
    fields = {"count": count, "strides": [1, 1, 8, 0, 0, 0], "mode": 0}
    sums = run(reductions[dtype], 20, a, 8, flag=0, **fields)
    assert sums.tolist() == [*(tree(row) for row in rows), -7, -7, -7, -7, -7]
    best = run(reductions[dtype], 20, a, 8, flag=1, **fields)
    assert best[0:6:2].tolist() == [row.max() for row in rows]
    assert [index_at(best, i) for i in (1, 3, 5)] == [per - 1, per - 1, len(rows[2]) - 1]
    assert (best[6:] == -7).all()
    least = run(reductions[dtype], 20, a, 24, flag=2, **fields)
    assert least.tolist() == [*a[:count:block], *[-7] * (24 - 19)]


def test_strides_skip_blocks_and_space_results(reductions: dict[str, Kernel]) -> None:
    a = np.random.default_rng(6).standard_normal(2 * 16 * 8).astype(np.float32)
    y = run(reductions["float32"], 3, a, 8, repeat=2, strides=[3, 2, 16, 0, 0, 0], mask=FULL)
    rows = a.reshape(2, 8, 2, 8)[:, :, 0, :].reshape(2, 64)
    assert (y[0], y[3], y[1]) == (tree(rows[0]), tree(rows[1]), -7)


def test_a_mask_may_be_a_count(reductions: dict[str, Kernel]) -> None:
    a = np.arange(128, dtype=np.float32)
    y = run(reductions["float32"], 11, a, 8, count=10, repeat=2, strides=[1, 1, 8, 0, 0, 0])
    assert y[:2].tolist() == [45.0, 685.0]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_all_repeats_at_once_add_as_a_tree(reductions: dict[str, Kernel], dtype: str) -> None:
    per = 256 // np.dtype(dtype).itemsize
    a = np.random.default_rng(7).standard_normal(5 * per).astype(dtype)
    y = run(reductions[dtype], 9, a, 8, repeat=5, strides=[0, 0, 8, 0, 0, 0], mask=FULL)
    assert y[0] == tree(np.array([tree(row) for row in a.reshape(5, per)]))
    best = run(reductions[dtype], 10, a, 8, repeat=5, strides=[0, 0, 8, 0, 0, 0], mask=FULL)
    assert (best[0], index_at(best, 1)) == (a.max(), a.argmax())
    some = run(reductions[dtype], 10, a, 8, repeat=5, strides=[0, 0, 8, 0, 0, 0], mask=SOME)
    active = np.tile(np.unpackbits(SOME.view(np.uint8), bitorder="little").astype(bool)[:per], 5)
    left = np.where(active, a, -np.inf)
    assert (some[0], index_at(some, 1)) == (left.max(), left.argmax())
    counted = run(reductions[dtype], 12, a, 8, count=20, repeat=5, strides=[0, 0, 8, 0, 0, 0])
    expected = np.array([tree(row[:20]) for row in a.reshape(5, per)])
    assert counted[0] == tree(expected)
