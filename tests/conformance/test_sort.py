"""Sorting: pairs of a score and an index, region proposals, and merging of sorted queues."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, tiling
from twin_harness import Compiler

PROPOSALS = ("__NPU_ARCH__=2002", "__CCE_AICORE__=200")


def pairs(scores: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Entries of eight bytes, as bytes: the score, and from byte 4 on the index."""
    made = np.zeros((len(scores), 2), np.uint32)
    made[:, 0] = scores.view(np.uint16 if scores.itemsize == 2 else np.uint32)
    made[:, 1] = index
    return made.reshape(-1)


def downwards(scores: np.ndarray) -> np.ndarray:
    """Positions from the largest score down; ties keep their order, NaNs go first."""
    key = np.where(np.isnan(scores), -np.inf, -scores.astype(np.float64))
    return np.lexsort((np.arange(len(scores)), key, ~np.isnan(scores)))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("repeats", [0, 1, 5])
def test_sort32_sorts_each_32_scores_with_their_indices(compiler: Compiler, dtype: str, repeats: int) -> None:
    body = (
        "LocalTensor<uint32_t> o = frame.load<uint32_t>(3, workspace, 640);"
        "Sort32(d, a, o, static_cast<int32_t>(data.repeat));"
    )
    compiled = compiler.compile(kernel("sort32", body), "sort32", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    rng = np.random.default_rng(repeats)
    scores = rng.integers(-9, 9, 160).astype(dtype)
    scores[[3, 40, 41]] = [np.inf, -np.inf, np.nan]
    index = rng.integers(0, 2**32, 160, dtype=np.uint32)
    y = np.full(320, 7, np.uint32)
    compiled(scores, scores, y, index, tiling(scores, y, repeat=repeats))
    expected = np.full(320, 7, np.uint32)
    for r in range(repeats):
        here = slice(32 * r, 32 * r + 32)
        order = downwards(scores[here])
        expected[64 * r : 64 * r + 64] = pairs(scores[here][order], index[here][order])
    np.testing.assert_array_equal(y, expected)


MERGE = """
MrgSort4Info info;
for (uint32_t i = 0; i < 4; ++i) { info.elementLengths[i] = data.strides[i]; }
info.ifExhaustedSuspension = data.flag != 0;
info.validBit = data.mode;
info.repeatTimes = data.repeat;
const uint32_t unit = GetSortOffset<DTYPE_X>(1);
const uint32_t second = data.strides[0] * unit + data.strides[4], third = second + data.strides[1] * unit,
               fourth = third + data.strides[2] * unit;
MrgSortSrcList<DTYPE_X> list(a[0], a[second], a[third], a[fourth]);
MrgSort(d, list, info);
uint16_t r[4];
GetMrgSortResult(r[0], r[1], r[2], r[3]);
GlobalTensor<uint32_t> counts; counts.SetGlobalBuffer((__gm__ uint32_t *)x1);
for (uint32_t i = 0; i < 4; ++i) { counts.SetValue(i, r[i]); }
"""


def merged(queues: list[np.ndarray], suspend: bool) -> tuple[np.ndarray, list[int]]:
    """The largest head of all queues first; the first queue wins ties."""
    taken = [0] * 4
    result: list[np.ndarray] = []
    while any(taken[q] < len(queue) for q, queue in enumerate(queues)):
        heads = [(-queue[taken[q]]["score"], q) for q, queue in enumerate(queues) if taken[q] < len(queue)]
        best = min(heads)[1]
        result.append(queues[best][taken[best]])
        taken[best] += 1
        if suspend and taken[best] == len(queues[best]):
            break
    return np.array(result, queues[0].dtype), taken


def queue(rng: np.random.Generator, n: int, dtype: str) -> np.ndarray:
    made = np.zeros(n, [("score", dtype), ("spare", "u1", 4 - np.dtype(dtype).itemsize), ("index", "<u4")])
    made["score"] = -np.sort(-rng.integers(-20, 20, n)).astype(dtype)
    made["index"] = rng.integers(0, 1000, n)
    return made


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(
    ("lengths", "valid", "suspend"),
    [
        ([5, 9, 1, 32], 15, False),
        ([5, 9, 7, 0], 7, False),
        ([40, 3, 0, 0], 3, False),
        ([5, 9, 7, 30], 15, True),
        ([6, 2, 0, 0], 3, True),
    ],
)
def test_queues_are_merged(compiler: Compiler, dtype: str, lengths: list[int], valid: int, suspend: bool) -> None:
    compiled = compiler.compile(kernel("mrgsort", MERGE), "mrgsort", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    rng = np.random.default_rng(sum(lengths))
    queues = [queue(rng, n, dtype) for n in lengths if n]
    x = np.concatenate(queues)
    y = np.zeros_like(x)
    counts = np.zeros(x.nbytes // 4, np.uint32)
    # A repeat count has no effect where the queues differ in length.
    plan = tiling(x, y, mode=valid, flag=suspend, repeat=2, strides=[*lengths, 0, 0])
    compiled(x, counts, y, None, plan)
    expected, taken = merged(queues, suspend)
    np.testing.assert_array_equal(y[: len(expected)], expected)
    assert not y[len(expected) :].view(np.uint8).any()
    assert counts[:4].tolist() == taken


def test_four_equal_queues_in_a_row_repeat(compiler: Compiler) -> None:
    compiled = compiler.compile(kernel("mrgsort", MERGE), "mrgsort", "DTYPE_X=float", tiling=TILING)
    rng = np.random.default_rng(2)
    queues = [queue(rng, 8, "float32") for _ in range(12)]
    x = np.concatenate(queues)
    y = np.zeros_like(x)
    counts = np.zeros(x.nbytes // 4, np.uint32)
    compiled(x, counts, y, None, tiling(x, y, mode=15, repeat=3, strides=[8, 8, 8, 8, 0, 0]))
    expected = np.concatenate([merged(queues[k : k + 4], False)[0] for k in (0, 4, 8)])
    np.testing.assert_array_equal(y, expected)
    # Not in a row: once only.
    y = np.zeros_like(x)
    compiled(x, counts, y, None, tiling(x, y, mode=15, repeat=2, strides=[8, 8, 8, 8, 16, 0]))
    assert not y[32:].view(np.uint8).any()
    compiled(x, counts, y, None, tiling(x, y, mode=15, repeat=0, strides=[8, 8, 8, 8, 0, 0]))
    assert not y[32:].view(np.uint8).any()


@pytest.mark.parametrize("chip", [(), PROPOSALS])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("full", [True, False])
def test_concat_sort_and_extract(compiler: Compiler, chip: tuple[str, ...], dtype: str, full: bool) -> None:
    per = 16 if chip else 32
    body = f"""
    LocalTensor<uint32_t> index = frame.load<uint32_t>(3, workspace, 384);
    LocalTensor<DTYPE_X> concat, room = frame.buffers[4].Get<DTYPE_X>(), sorted = d[96], tmp = b;
    Concat(concat, a, room, 96 / 16);
    Sort<DTYPE_X, {str(full).lower()}>(sorted, concat, index, tmp, 96 / {per});
    LocalTensor<uint32_t> places = sorted[GetSortLen<DTYPE_X>(96)].template ReinterpretCast<uint32_t>();
    Extract(d, places, sorted, 96 / {per});
    GlobalTensor<uint32_t> out; out.SetGlobalBuffer((__gm__ uint32_t *)x1); DataCopy(out, places, 96);
    """
    compiled = compiler.compile(kernel("sorted", body), "sorted", f"DTYPE_X={C_TYPES[dtype]}", *chip, tiling=TILING)
    rng = np.random.default_rng(11)
    scores = rng.integers(-50, 50, 96).astype(dtype)
    index = rng.permutation(96).astype(np.uint32) + 70000
    places = np.zeros(96, np.uint32)
    y = np.zeros(96, dtype)
    compiled(scores, places, y, index, tiling(scores, y), soc="Ascend310P3" if chip else "Ascend910B1")
    size = 96 if full else per
    order = np.concatenate([k + downwards(scores[k : k + size]) for k in range(0, 96, size)])
    np.testing.assert_array_equal(y, scores[order])
    np.testing.assert_array_equal(places, index[order])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_region_proposals(compiler: Compiler, dtype: str) -> None:
    body = """
    for (int32_t place = 0; place < 6; ++place) { ProposalConcat(d, a[32 * place], 2, place); }
    RpSort16(d, d, 2);
    if (TILING_KEY_IS(1)) {
        MrgSortSrcList<DTYPE_X> list(d[0], d[128], d, d);
        uint16_t lengths[4] = {16, 16, 0, 0};
        MrgSort4(b, list, MrgSort4Info(lengths, false, 3, 1));
        for (int32_t place = 0; place < 6; ++place) { ProposalExtract(d[32 * place], b, 2, place); }
    }
    """
    compiled = compiler.compile(
        kernel("proposals", body), "proposals", f"DTYPE_X={C_TYPES[dtype]}", *PROPOSALS, tiling=TILING
    )
    fields = np.random.default_rng(4).integers(-30, 30, (6, 32)).astype(dtype)
    y = np.zeros((32, 8), dtype)
    compiled(fields, fields, y, None, tiling(fields, y), soc="Ascend310P3")
    order = np.concatenate([k + downwards(fields[4, k : k + 16]) for k in (0, 16)])
    np.testing.assert_array_equal(y[:, :6], fields.T[order])
    y = np.zeros((6, 32), dtype)
    compiled(fields, fields, y, None, tiling(fields, y), key=1, soc="Ascend310P3")
    np.testing.assert_array_equal(y, fields[:, downwards(fields[4])])


@pytest.mark.parametrize(
    ("call", "chip"),
    [
        ("Sort32(d, a, a.ReinterpretCast<uint32_t>(), 1);", PROPOSALS),
        ("RpSort16(d, a, 1);", ()),
        ("ProposalConcat(d, a, 1, 4);", ()),
    ],
)
def test_each_chip_sorts_its_own_way(compiler: Compiler, call: str, chip: tuple[str, ...]) -> None:
    text = compiler.errors(kernel("absent", call), "absent", "DTYPE_X=float", *chip)
    assert f"{call.partition('(')[0]} does not support float on this SoC" in text
