"""Library functions that reduce, sort, select and rearrange, against numpy."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler, KernelError

WIDE_CHIP = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
WIDE_SOC = "Ascend950PR"


def chip(wide: bool) -> tuple[tuple[str, ...], str]:
    return (WIDE_CHIP, WIDE_SOC) if wide else ((), "Ascend910B1")


@pytest.fixture
def run(compiler: Compiler) -> Callable[..., None]:
    """Compiles a body and runs it once over a, b and d."""

    def once(
        body: str,
        a: np.ndarray,
        d: np.ndarray,
        *,
        b: np.ndarray | None = None,
        wide: bool = False,
        t: str = "DTYPE_X",
        u: str = "DTYPE_X",
        scalar: np.generic | None = None,
        **fields: object,
    ) -> None:
        defines, soc = chip(wide)
        temporary = "[[maybe_unused]] LocalTensor<uint8_t> t = frame.buffers[3].Get<uint8_t>();"
        source = kernel("library", temporary + body, t=t, u=u)
        types = [f"DTYPE_X={C_TYPES[a.dtype.name]}"] if a.dtype.name in C_TYPES else []
        compiled = compiler.compile(source, "library", *types, *defines, tiling=TILING)
        compiled(a, a if b is None else b, d, None, tiling(a, d, scalar, **fields), soc=soc)

    return once


def padded(x: np.ndarray) -> np.ndarray:
    """Rows filled up to whole blocks with what must not be read."""
    block = 32 // x.itemsize
    width = -(-x.shape[1] // block) * block
    out = np.full((x.shape[0], width), 99, x.dtype)
    out[:, : x.shape[1]] = x
    return out


# ---- reductions ----

SHAPES = [(1, 8), (3, 5), (7, 64), (17, 136)]
REDUCTIONS: dict[str, tuple[Callable[..., np.ndarray], str, str]] = {
    "ReduceMax": (np.max, "float16 float32", "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "ReduceMin": (np.min, "float16 float32", "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "ReduceSum": (np.sum, "float32", "int32 uint32 int64 uint64"),
    "ReduceProd": (np.prod, "float32", ""),
    "ReduceMean": (np.mean, "float32", ""),
    "ReduceAll": (np.min, "uint8 float32", ""),
    "ReduceAny": (np.max, "uint8 float32", ""),
}
REDUCED = [
    ("float16", False), ("float32", False), ("uint8", False),
    *[(dtype, True) for dtype in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()],
]  # fmt: skip


def matrix(name: str, dtype: str, shape: tuple[int, int]) -> np.ndarray:
    """Values that the reduction says something about."""
    rng = np.random.default_rng(1)
    if name in ("ReduceAll", "ReduceAny"):
        return (rng.random(shape) < (0.95 if name == "ReduceAll" else 0.05)).astype(dtype)
    if name == "ReduceProd":
        return rng.uniform(0.8, 1.2, shape).astype(dtype)
    if dtype.startswith("float"):
        return rng.uniform(-9, 9, shape).astype(dtype)
    return samples(dtype, shape[0] * shape[1], 1).reshape(shape)


def reduced(name: str, x: np.ndarray, axis: int) -> np.ndarray:
    same_type = {"dtype": x.dtype} if name in ("ReduceSum", "ReduceProd") else {}
    with np.errstate(over="ignore"):
        return REDUCTIONS[name][0](x, axis=axis, **same_type)


@pytest.mark.parametrize(("dtype", "wide"), REDUCED)
def test_reductions_along_an_axis(run: Callable[..., None], dtype: str, wide: bool) -> None:
    names = [n for n, (_, every, only_wide) in REDUCTIONS.items() if dtype in (only_wide if wide else every).split()]
    body = "const uint32_t shape[2] = {data.strides[0], data.strides[1]};"
    body += "using AR = Pattern::Reduce::AR; using RA = Pattern::Reduce::RA;"
    for i, name in enumerate(names):
        body += f"if (data.mode == {i}) {{"
        body += f"if (data.flag == 0) {name}<DTYPE_X, AR>(d, a, shape, true);"
        body += f"if (data.flag == 1) {name}<DTYPE_X, RA>(d, a, shape, true);"
        body += f"if (data.flag == 2) {name}<DTYPE_X, AR, false>(d, a, t, shape, true);"
        body += f"if (data.flag == 3) {name}<DTYPE_X, RA, true>(d, a, t, shape, true); }}"
    for (i, name), shape, flag in itertools.product(enumerate(names), SHAPES, range(4)):
        x, axis = matrix(name, dtype, shape), 1 - flag % 2
        y = np.full(shape[1 - axis] + 2, 5, dtype)
        run(body, padded(x), y, wide=wide, mode=i, flag=flag, strides=[*shape, 0, 0, 0, 0])
        expected = reduced(name, x, axis)
        if name in ("ReduceSum", "ReduceProd", "ReduceMean") and dtype == "float32":
            np.testing.assert_allclose(y[:-2], expected, rtol=1e-5, atol=1e-4)
        else:
            np.testing.assert_array_equal(y[:-2], expected)
        assert y[-2:].tolist() == [5, 5]


def test_reductions_carry_nans(run: Callable[..., None]) -> None:
    x = np.float32([[1, np.nan, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, -np.inf]])
    y = np.zeros(2, np.float32)
    run("uint32_t shape[2] = {2, 8}; ReduceMax<float, Pattern::Reduce::AR>(d, a, shape, true);", x, y)
    np.testing.assert_array_equal(y, np.float32([np.nan, 7]))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ["Sum", "Mean"])
def test_rows(run: Callable[..., None], name: str, dtype: str) -> None:
    body = f"{name}Params p; p.outter = data.strides[0]; p.inner = data.strides[1]; p.n = data.strides[2];"
    body += f"if (data.flag == 0) {name}(d, a, p); else {name}(d, a, t, p);"
    rng = np.random.default_rng(2)
    for rows, n in [(1, 1), (2, 3), (3, 32), (5, 200), (2, 1000)]:
        x = rng.integers(-8, 8, (rows, n)).astype(dtype)
        wide_rows = padded(x)
        for flag in (0, 1):
            y = np.full(rows + 1, 5, dtype)
            run(body, wide_rows, y, flag=flag, strides=[rows, wide_rows.shape[1], n, 0, 0, 0])
            total = x.astype(np.float32).sum(axis=1)
            expected = total if name == "Sum" else total / np.float32(n)
            np.testing.assert_array_equal(y, [*expected.astype(dtype), 5])


def test_means_of_halves_in_float(run: Callable[..., None]) -> None:
    x = np.full((1, 64), 60000, np.float16)
    y = np.zeros(1, np.float16)
    body = "MeanParams p; p.inner = 64; p.n = 64; Mean<half, {}>(d, a, p);"
    run(body.format("float"), x, y)
    assert y[0] == 60000
    run(body.format("half"), x, y)
    assert np.isinf(y[0])


def test_sums_of_exclusive_ors(run: Callable[..., None]) -> None:
    a, b = np.int16([0, 1, 2, 300, -5]), np.int16([1, 1, 1, 17, 9])
    y = np.zeros(2, np.int16)
    for call in ("ReduceXorSum(d, a, b, static_cast<uint32_t>(n));", "ReduceXorSum<int16_t, false>(d, a, b, t, n);"):
        run(call, a, y, b=b, count=5)
        assert y.tolist() == [int((a ^ b).astype(int).sum()), 0]
    many, zero = np.full(100, 20000, np.int16), np.zeros(100, np.int16)
    run("ReduceXorSum(d, a, b, static_cast<uint32_t>(n));", many, y, b=zero, count=100)
    assert y[0] == 32767
    run("ReduceXorSum(d, a, b, static_cast<uint32_t>(n));", -many, y, b=zero, count=100)
    assert y[0] == -32768


# ---- sorting ----

TOPK = """
LocalTensor<bool> finish = frame.buffers[4].Get<bool>();
for (int i = 0; i < 8; ++i) { finish.SetValue(i, i == 1); }
LocalTensor<int32_t> given = frame.load<int32_t>(1, x1, data.strides[3] * 4);
LocalTensor<int32_t> found = frame.buffers[3].Get<int32_t>()[4096];
TopkTiling topk{};
TopKInfo info; info.outter = data.strides[0]; info.inner = data.strides[1]; info.n = data.strides[2];
"""


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("largest", [True, False])
def test_topk(run: Callable[..., None], dtype: str, largest: bool) -> None:
    body = (
        TOPK
        + f"constexpr bool largest = {str(largest).lower()};"
        + """
    if (data.flag == 0) { TopK<DTYPE_X>(d, found, a, given, finish, data.mode, topk, info, largest); }
    if (data.flag == 1) { TopK<DTYPE_X, true, true>(d, found, a, given, finish, t, data.mode, topk, info, largest); }
    if (data.flag == 2) {
        TopK<DTYPE_X, true, false, false, TopKMode::TOPK_NSMALL>(d, found, a, given, finish, data.mode, topk, info,
                                                                 largest);
    }
    frame.store(x1, found, data.strides[4] * 4);
    """
    )
    rng = np.random.default_rng(3)
    for rows, inner, n, k in [(1, 32, 32, 1), (2, 64, 50, 5), (3, 32, 32, 32), (2, 256, 256, 17)]:
        x = rng.integers(-20, 20, (rows, inner)).astype(dtype)
        x[:, n:] = -np.inf if largest else np.inf
        x[0, 3] = np.inf
        order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
        for flag in range(3 if inner == 32 else 2):
            small = flag == 2
            block = 1 if small else 32 // x.itemsize
            value_step, index_step = -(-k // block) * block, k if small else -(-k // 8) * 8
            given = np.arange(1000, 1000 + rows * inner, dtype=np.int32)
            indices = np.full(max(rows * index_step, given.size), -1, np.int32)
            indices[: given.size] = given
            y = np.zeros((rows, value_step), dtype)
            run(
                body, x, y, b=indices, flag=flag, mode=k,
                strides=[rows, inner, n, given.size, rows * index_step, 0],
            )  # fmt: skip
            np.testing.assert_array_equal(y[:, :k], np.take_along_axis(x, order, 1))
            expected = order.copy()
            if flag == 1:
                expected = order + 1000
                expected[1:2] = n
            if small:
                expected = np.take_along_axis(given.reshape(rows, inner), order, 1)
            np.testing.assert_array_equal(indices[: rows * index_step].reshape(rows, index_step)[:, :k], expected)


def test_topk_puts_nans_first(run: Callable[..., None]) -> None:
    x = np.zeros((1, 32), np.float32)
    x[0, 5], x[0, 9] = np.nan, np.inf
    y = np.zeros((1, 8), np.float32)
    indices = np.zeros(32, np.int32)
    for largest, second in ((True, 9), (False, 0)):
        call = f"TopK<float>(d, found, a, given, finish, 2, topk, info, {str(largest).lower()});"
        run(TOPK + call + "frame.store(x1, found, 8);", x, y, b=indices, strides=[1, 32, 32, 32, 8, 0])
        assert indices[:2].tolist() == [5, second]


def test_topk_and_sort_take_both_zeros_for_equal(run: Callable[..., None]) -> None:
    x = np.full((1, 32), -1, np.float32)
    x[0, [2, 4, 6, 7]] = [-0.0, 0.0, -0.0, 0.0]
    y, indices = np.zeros((1, 8), np.float32), np.zeros(32, np.int32)
    call = "TopK<float>(d, found, a, given, finish, 4, topk, info, true); frame.store(x1, found, 16);"
    run(TOPK + call, x, y, b=indices, strides=[1, 32, 32, 32, 8, 0])
    assert indices[:4].tolist() == [2, 4, 6, 7]
    assert np.signbit(y[0, :4]).tolist() == [True, False, True, False]


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float32"])
def test_topk_of_other_types(run: Callable[..., None], dtype: str) -> None:
    config = "static constexpr TopKConfig config{TopKAlgo::RADIX_SELECT, TopKOrder::SMALLEST, false};"
    call = (
        "TopK<DTYPE_X, false, false, false, TopKMode::TOPK_NORMAL, config>(d, found, a, given, finish, 9, topk, info);"
    )
    x = samples(dtype, 64, 1).reshape(1, 64)
    x = np.where(np.isnan(x), x.dtype.type(1), x)
    y = np.zeros((1, 32), dtype)
    indices = np.zeros(64, np.int32)
    body = config + TOPK + call + "frame.store(x1, found, 64);"
    run(body, x, y, b=indices, wide=True, strides=[1, 64, 64, 64, 16, 0])
    order = np.argsort(x[0], kind="stable")[:9]
    last = x[0, order[-1]]
    expected = sorted(order, key=lambda i: (x[0, i] == last, i))
    assert indices[:9].tolist() == expected
    np.testing.assert_array_equal(y[0, :9], x[0, expected])


def test_topk_of_rows_that_it_does_not_take(run: Callable[..., None]) -> None:
    x, y, indices = np.zeros((1, 40), np.float32), np.zeros((1, 8), np.float32), np.zeros(64, np.int32)
    call = TOPK + "TopK<float>(d, found, a, given, finish, data.mode, topk, info);"
    with pytest.raises(KernelError, match="TopK: rows of 40 elements; they must be a multiple of 32"):
        run(call, x, y, b=indices, mode=1, strides=[1, 40, 40, 1, 8, 0])
    with pytest.raises(KernelError, match="TopK: k = 33 of 32 elements in rows of 32"):
        run(call, x, y, b=indices, mode=33, strides=[1, 32, 32, 1, 8, 0])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32"])
def test_sorting_of_values(run: Callable[..., None], dtype: str) -> None:
    body = """
    static constexpr SortConfig up{SortType::RADIX_SORT, false}, down{SortType::RADIX_SORT, true};
    LocalTensor<uint32_t> found = frame.buffers[4].Get<uint32_t>();
    LocalTensor<uint32_t> given = frame.load<uint32_t>(1, x1, n * 4);
    const uint32_t count = static_cast<uint32_t>(n);
    if (data.flag == 0) { data.mode ? Sort<DTYPE_X, false, down>(d, a, count) : Sort<DTYPE_X, false, up>(d, a, count); }
    if (data.flag == 1 && data.mode) { Sort<DTYPE_X, false, down>(d, found, a, t, count); }
    if (data.flag == 1 && !data.mode) { Sort<DTYPE_X, false, up>(d, found, a, count); }
    if (data.flag == 2 && data.mode) { Sort<DTYPE_X, uint32_t, false, down>(d, found, a, given, count); }
    if (data.flag == 2 && !data.mode) { Sort<DTYPE_X, uint32_t, false, up>(d, found, a, given, t, count); }
    if (data.flag > 0) { frame.store(x1, found, n * 4); }
    """
    for n, descending, flag in itertools.product((1, 31, 300), (False, True), range(3)):
        x = np.random.default_rng(n).integers(0, 50, n).astype(dtype)
        order = np.argsort(x, kind="stable")
        if descending:
            order = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
        y, indices = np.zeros(n, dtype), np.arange(500, 500 + n, dtype=np.uint32)
        run(body, x, y, b=indices, wide=True, mode=int(descending), flag=flag, count=n)
        np.testing.assert_array_equal(y, x[order])
        if flag > 0:
            np.testing.assert_array_equal(indices, order + (500 if flag == 2 else 0))


def test_sorting_of_floats_by_their_bits(run: Callable[..., None]) -> None:
    x = np.float32([np.nan, 1, -np.inf, 0.0, -0.0, np.inf, -1e-45, -np.nan])
    y = np.zeros_like(x)
    run("Sort(d, a, static_cast<uint32_t>(n));", x, y, wide=True, count=len(x))
    assert np.isnan(y[[0, -1]]).all()
    assert y[1:-1].tolist() == [-np.inf, np.float32(-1e-45), 0, 0, 1, np.inf]
    assert np.signbit(y[3]) and not np.signbit(y[4])


# ---- selection ----


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("mask_type", ["bool", "int16", "uint32"])
def test_selection_by_bytes(run: Callable[..., None], dtype: str, mask_type: str) -> None:
    c_type = C_TYPES.get(mask_type, mask_type)
    body = f"""
    LocalTensor<{c_type}> mask = b.template ReinterpretCast<{c_type}>();
    SelectWithBytesMaskShapeInfo info;
    info.firstAxis = data.strides[0]; info.srcLastAxis = data.strides[1]; info.maskLastAxis = data.strides[2];
    if (data.flag == 0) {{ Select(d, a, s, mask, t, info); }} else {{ Select(d, s, a, mask, t, info); }}
    """
    rng = np.random.default_rng(4)
    for rows, columns, mask_columns in [(1, 16, 32), (3, 32, 32), (5, 48, 64)]:
        x = rng.standard_normal((rows, columns)).astype(dtype)
        mask = (rng.integers(0, 3, (rows, mask_columns)) * 64).astype(mask_type)
        s = np.dtype(dtype).type(1.5)
        room = np.zeros(max(mask.nbytes, x.nbytes), np.uint8)
        room[: mask.nbytes] = mask.view(np.uint8).reshape(-1)
        for flag in (0, 1):
            y = np.zeros_like(x)
            source = np.zeros(len(room) // x.itemsize, dtype)
            source[: x.size] = x.reshape(-1)
            run(body, source, y, b=room, scalar=s, flag=flag, strides=[rows, columns, mask_columns, 0, 0, 0])
            zero = mask[:, :columns] == 0
            np.testing.assert_array_equal(y, np.where(zero, x, s) if flag == 0 else np.where(zero, s, x))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dropping_out(run: Callable[..., None], dtype: str) -> None:
    body = """
    DropOutShapeInfo info;
    info.firstAxis = data.strides[0]; info.srcLastAxis = data.strides[1]; info.maskLastAxis = data.strides[2];
    LocalTensor<uint8_t> mask = b.template ReinterpretCast<uint8_t>();
    """
    for mode in range(5):
        call = f"DropOut<DTYPE_X, false, {mode}>(d, a, mask, 0.3f, info);"
        body += f"if (data.mode == {mode} && data.flag == 0) {{ {call} }}"
        body += f"if (data.mode == {mode} && data.flag == 1) {{ {call.replace('0.3', 't, 0.3')} }}"
    rng = np.random.default_rng(5)
    rows, columns = 4, 96
    x = rng.standard_normal((rows, columns)).astype(dtype)
    keep = rng.integers(0, 2, (rows, columns)).astype(np.uint8)
    expected = np.where(keep != 0, x * np.dtype(dtype).type(1 / np.float32(0.3)), 0)
    for mode, flag in itertools.product(range(5), (0, 1)):
        mask = np.packbits(keep, axis=1, bitorder="little") if mode in (3, 4) else keep
        if mode in (1, 4):
            mask = np.concatenate([mask, np.full((rows, 20), 255, np.uint8)], axis=1)
        room = np.zeros(x.nbytes, np.uint8)
        room[: mask.size] = mask.reshape(-1)
        y = np.full_like(x, 7)
        run(body, x, y, b=room, mode=mode, flag=flag, strides=[rows, columns, mask.shape[1], 0, 0, 0])
        np.testing.assert_array_equal(y, expected)


# ---- rearranging ----

MATRIX = """
AscendC::tiling::{0} tiling_of_it{{}};
tiling_of_it.srcHeight = data.strides[0];
tiling_of_it.srcWidth = data.strides[1];
"""


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16", "int32", "uint32", "float32"])
def test_padding(run: Callable[..., None], dtype: str) -> None:
    body = MATRIX.format("PadTiling") + "tiling_of_it.srcOriWidth = data.strides[2];"
    body += "PadParams p{static_cast<uint16_t>(data.strides[3]), static_cast<uint16_t>(data.strides[4]), 321};"
    body += "if (data.flag == 0) { Pad(d, a, p, tiling_of_it); } else { Pad(d, a, p, t, tiling_of_it); }"
    block = 32 // np.dtype(dtype).itemsize
    for height, left, missing in [(4, 0, 1), (16, 1, 3), (3, 2, 2)]:
        width = 2 * block - missing
        x = np.arange(height * width).reshape(height, width).astype(dtype)
        expected = np.full((height, 2 * block), 321).astype(dtype)
        expected[:, left : left + width] = x
        for flag in (0, 1):
            y = np.zeros_like(expected)
            run(body, x, y, flag=flag, strides=[height, width, width, left, missing - left, 0])
            np.testing.assert_array_equal(y, expected)
    whole = np.arange(4 * block).reshape(4, block).astype(dtype)
    y = np.zeros_like(whole)
    run(body, whole, y, strides=[4, block, block - 2, 0, 2, 0])
    whole[:, -2:] = 321
    np.testing.assert_array_equal(y, whole)


def test_padding_that_does_not_fit(run: Callable[..., None]) -> None:
    x = np.zeros((2, 8), np.float32)
    body = (
        MATRIX.format("PadTiling") + "tiling_of_it.srcOriWidth = 8; PadParams p{0, 2, 0}; Pad(d, a, p, tiling_of_it);"
    )
    with pytest.raises(KernelError, match="Pad: 0 and 2 columns around 7 do not fit into rows of 8"):
        run(body, x, x, strides=[2, 7, 0, 0, 0, 0])


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32"])
def test_leaving_out_columns(run: Callable[..., None], dtype: str) -> None:
    body = MATRIX.format("UnPadTiling") + "UnPadParams p{0, static_cast<uint16_t>(data.mode)};"
    body += "if (data.flag == 0) { UnPad(d, a, p, tiling_of_it); } else { UnPad(d, a, p, t, tiling_of_it); }"
    width = 64 // np.dtype(dtype).itemsize
    for height, left_out in [(1, 1), (8, 3)]:
        x = np.arange(height * width).reshape(height, width).astype(dtype)
        for flag in (0, 1):
            y = np.zeros((height, width - left_out), dtype)
            run(body, x, y, flag=flag, mode=left_out, strides=[height, width, 0, 0, 0, 0])
            np.testing.assert_array_equal(y, x[:, :-left_out])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "float32"])
def test_broadcasting(run: Callable[..., None], dtype: str) -> None:
    body = "const uint32_t to[2] = {data.strides[0], data.strides[1]}, from[2] = {data.strides[2], data.strides[3]};"
    body += "if (data.flag == 0) Broadcast<DTYPE_X, 2, 0>(d, a, to, from);"
    body += "if (data.flag == 1) BroadCast<DTYPE_X, 2, 1>(d, a, to, from, t);"
    body += "if (data.flag == 2) Broadcast<DTYPE_X, 1, 0>(d, a, to, from);"
    for flag, to, source in [(0, (5, 32), (1, 32)), (1, (7, 48), (7, 1)), (1, (32, 3), (32, 1)), (2, (77, 0), (1, 0))]:
        x = np.arange(1, 1 + max(source[0], 1) * max(source[1], 1)).astype(dtype)
        shape = to if flag < 2 else to[:1]
        expected = np.broadcast_to(x.reshape(source if flag < 2 else source[:1]), shape)
        y = np.zeros(shape, dtype)
        run(body, x, y, flag=flag, strides=[*to, *source, 0, 0])
        np.testing.assert_array_equal(y, expected)


def test_broadcasting_of_any_rank(run: Callable[..., None]) -> None:
    body = "const uint32_t to[4] = {2, 3, 4, 5}, from[4] = {2, 1, 4, 1}; BroadcastTiling bt;"
    body += "GetBroadcastTilingInfo<DTYPE_X>(4, to, from, false, bt); Broadcast(d, a, to, from, &bt);"
    x = np.arange(8, dtype=np.int64).reshape(2, 1, 4, 1)
    y = np.zeros((2, 3, 4, 5), np.int64)
    run(body, x, y, wide=True)
    np.testing.assert_array_equal(y, np.broadcast_to(x, y.shape))


def blocks(x: np.ndarray) -> np.ndarray:
    """The last two axes as blocks of 16 by 16, columns of blocks first; filled up with zeros."""
    rows, columns = x.shape[-2:]
    grown = np.zeros((*x.shape[:-2], -(-rows // 16) * 16, -(-columns // 16) * 16), x.dtype)
    grown[..., :rows, :columns] = x
    split = grown.reshape(*x.shape[:-2], grown.shape[-2], grown.shape[-1] // 16, 16)
    return np.swapaxes(split, -2, -3).reshape(*x.shape[:-2], -1)


def reordered(kind: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Source and result of a change of B, N, S, H/N."""
    b, n, s, h = x.shape
    joined = np.swapaxes(x, 1, 2).reshape(b, s, n * h)
    exchanged = np.swapaxes(x, 1, 2)
    sources = {1: blocks(x), 2: blocks(x), 3: blocks(joined), 4: blocks(joined), 5: blocks(x), 6: blocks(x)}
    results = {1: exchanged, 2: blocks(exchanged), 3: blocks(x), 4: x, 5: joined, 6: blocks(joined)}
    return np.ascontiguousarray(sources[kind]), np.ascontiguousarray(results[kind])


REORDER = """
AscendC::tiling::ConfusionTransposeTiling c{};
c.param0 = data.strides[0]; c.param1 = data.strides[1]; c.param2 = data.strides[2]; c.param3 = data.strides[3];
c.param4 = data.strides[4];
const auto kind = static_cast<TransposeType>(data.mode);
if (data.flag == 0) { Transpose(d, a, kind, c); } else { ConfusionTranspose(d, a, t, kind, c); }
"""


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4, 5, 6])
def test_changes_of_format(run: Callable[..., None], dtype: str, kind: int) -> None:
    for shape in [(1, 2, 64, 32), (2, 3, 16, 16), (1, 4, 32, 48)]:
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        source, expected = reordered(kind, x)
        for flag in (0, 1):
            y = np.zeros_like(expected)
            run(REORDER, source, y, flag=flag, mode=kind, strides=[*shape, 4, 0])
            np.testing.assert_array_equal(y, expected)


def test_heads_that_are_no_whole_blocks(run: Callable[..., None]) -> None:
    x = np.arange(2 * 16 * 8, dtype=np.float16).reshape(1, 2, 16, 8)
    source, expected = reordered(3, x)
    y = np.zeros_like(expected)
    run(REORDER, source, y, mode=3, strides=[1, 2, 16, 8, 4, 0])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("kind", "shape", "axes"),
    [
        (7, (32, 48), (1, 0)),
        (13, (5, 7), (1, 0)),
        (13, (3, 5, 7), (0, 2, 1)),
        (14, (3, 5, 7), (1, 0, 2)),
        (15, (3, 5, 7), (2, 1, 0)),
    ],
)
def test_exchanged_axes(run: Callable[..., None], kind: int, shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    for dtype in ("uint8", "float16", "int32") if kind > 7 else ("float16", "int32"):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        expected = np.ascontiguousarray(np.transpose(x, axes))
        y = np.zeros_like(expected)
        run(REORDER, x, y, wide=kind > 7, mode=kind, strides=[*shape, *[0] * (4 - len(shape)), len(shape), 0])
        np.testing.assert_array_equal(y, expected)


def test_interleaved_columns(run: Callable[..., None]) -> None:
    x = np.arange(32 * 8).reshape(32, 8).astype(np.uint8)
    y = np.zeros(x.size, np.uint8)
    run(REORDER, x, y, wide=True, mode=16, strides=[32, 8, 0, 0, 2, 0])
    np.testing.assert_array_equal(y.reshape(4, 2, 16, 2), x.reshape(2, 16, 4, 2).transpose(2, 0, 1, 3))


VOLUMES = """
static constexpr TransDataConfig to_blocks{DataFormat::NCDHW, DataFormat::NDC1HWC0};
static constexpr TransDataConfig from_blocks{DataFormat::NDC1HWC0, DataFormat::NCDHW};
static constexpr TransDataConfig to_fractals{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
static constexpr TransDataConfig from_fractals{DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
const uint32_t *v = data.strides;
const uint32_t n1 = (v[0] + 15) / 16, c1 = (v[1] + 15) / 16;
Layout flat = MakeLayout(MakeShape(v[0], v[1], v[2], v[3], v[4]), MakeStride());
auto in_blocks = MakeLayout(MakeShape(v[0], v[2], c1, v[3], v[4], 16), MakeStride());
auto fractals = MakeLayout(MakeShape(v[2], c1, v[3], v[4], n1, 16, 16), MakeStride());
const TransDataParams<decltype(flat), decltype(in_blocks)> p0{flat, in_blocks};
const TransDataParams<decltype(in_blocks), decltype(flat)> p1{in_blocks, flat};
const TransDataParams<decltype(flat), decltype(fractals)> p2{flat, fractals};
const TransDataParams<decltype(fractals), decltype(flat)> p3{fractals, flat};
if (data.mode == 1 && data.flag == 0) { TransData<to_blocks>(d, a, p0); }
if (data.mode == 1 && data.flag == 1) { TransData<to_blocks>(d, a, t, p0); }
if (data.mode == 0 && data.flag == 0) { TransData<from_blocks>(d, a, p1); }
if (data.mode == 0 && data.flag == 1) { TransData<from_blocks>(d, a, t, p1); }
if (data.mode == 3 && data.flag == 0) { TransData<to_fractals>(d, a, p2); }
if (data.mode == 3 && data.flag == 1) { TransData<to_fractals>(d, a, t, p2); }
if (data.mode == 2 && data.flag == 0) { TransData<from_fractals>(d, a, p3); }
if (data.mode == 2 && data.flag == 1) { TransData<from_fractals>(d, a, t, p3); }
"""


@pytest.mark.parametrize(("n", "c", "d", "h", "w"), [(1, 32, 2, 2, 8), (16, 16, 1, 3, 5), (3, 20, 2, 1, 7)])
@pytest.mark.parametrize("fractal", [True, False])
@pytest.mark.parametrize("fold", [True, False])
def test_volumes(run: Callable[..., None], n: int, c: int, d: int, h: int, w: int, fractal: bool, fold: bool) -> None:
    blocks_of_n, blocks_of_c = -(-n // 16), -(-c // 16)
    x = np.arange(1, 1 + n * c * d * h * w).reshape(n, c, d, h * w).astype(np.int16)
    flat = np.zeros((n, c, d, -(-h * w // 16) * 16), np.int16)
    flat[..., : h * w] = x
    batch = blocks_of_n * 16 if fractal else n
    grown = np.zeros((batch, blocks_of_c, 16, d, h * w), np.int16)
    grown.reshape(batch, -1, d, h * w)[:n, :c] = x
    folded = np.ascontiguousarray(grown.transpose(3, 1, 4, 0, 2) if fractal else grown.transpose(0, 3, 1, 4, 2))
    source, expected = (flat, folded) if fold else (folded, flat)
    for flag in (0, 1):
        y = np.full_like(expected, 7)
        run(VOLUMES, source, y, mode=2 * fractal + fold, flag=flag, strides=[n, c, d, h, w, 0])
        np.testing.assert_array_equal(y, expected)


# ---- random numbers and filling ----


def philox(counter: int, key: tuple[int, int], rounds: int) -> list[int]:
    words = [(counter >> (32 * i)) & 0xFFFFFFFF for i in range(4)]
    first, second = key
    for _ in range(rounds):
        a, b = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        low = 0xFFFFFFFF
        words = [(b >> 32) ^ words[1] ^ first, b & low, (a >> 32) ^ words[3] ^ second, a & low]
        first, second = (first + 0x9E3779B9) & low, (second + 0xBB67AE85) & low
    return words


@pytest.mark.parametrize("dtype", ["uint32", "int32", "float32"])
def test_random_numbers(run: Callable[..., None], dtype: str) -> None:
    counter, key = (2**64 - 2) | 5 << 64, (0x12345678, 0x9ABCDEF0)
    words = ", ".join(f"{(counter >> (32 * i)) & 0xFFFFFFFF}u" for i in range(4))
    body = f"PhiloxCounter c{{{words}}}; PhiloxKey k{{{key[0]}u, {key[1]}u}}; PhiloxRandomParams p{{24, 3, 8}};"
    body += "const uint16_t count = static_cast<uint16_t>(n);"
    body += "if (data.flag == 0 && data.mode == 7) PhiloxRandom(d, k, c, count);"
    body += "if (data.flag == 0 && data.mode == 10) PhiloxRandom<10>(d, k, c, count);"
    body += "if (data.flag == 1 && data.mode == 7) PhiloxRandom<7>(d, k, c, p);"
    body += "if (data.flag == 1 && data.mode == 10) PhiloxRandom<10>(d, k, c, p);"
    for rounds in (7, 10):
        raw = np.array([philox(counter + i, key, rounds) for i in range(20)], np.uint32).reshape(-1)
        fractions = ((raw & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1)
        numbers = fractions if dtype == "float32" else raw.view(dtype)
        y = np.zeros(30, dtype)
        run(body, y.copy(), y, wide=True, mode=rounds, count=27)
        np.testing.assert_array_equal(y, [*numbers[:27], 0, 0, 0])
        y = np.zeros(24, dtype)
        run(body, y.copy(), y, wide=True, mode=rounds, flag=1)
        np.testing.assert_array_equal(y, np.concatenate([numbers[24 * i : 24 * i + 8] for i in range(3)]))


def test_the_generators_published_vector(run: Callable[..., None]) -> None:
    """All bits zero, ten rounds: the first vector of the authors' known answers."""
    y = np.zeros(4, np.uint32)
    run("PhiloxRandom<10>(d, {0, 0}, {0, 0, 0, 0}, 4);", y.copy(), y, wide=True)
    assert [hex(v) for v in y] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "uint32"])
def test_filling_global_memory(run: Callable[..., None], dtype: str) -> None:
    x = np.zeros(100, dtype)
    s = np.dtype(dtype).type(7)
    body = "GlobalTensor<DTYPE_X> g; g.SetGlobalBuffer(reinterpret_cast<DTYPE_X *>(x1)); Fill(g, 77, s);"
    run(body, x, np.zeros_like(x), scalar=s)
    np.testing.assert_array_equal(x, [7] * 77 + [0] * 23)
