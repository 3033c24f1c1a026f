"""Copies that rearrange: slices, ND and NZ matrices, several dimensions, loops, squares of the L0C Buffer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kernels import FRAME
from twin_harness import Compiler, KernelError

WIDE = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
SMALL = ("__NPU_ARCH__=2002", "__CCE_AICORE__=200")
SOCS = {WIDE: "Ascend950PR", SMALL: "Ascend310P3", (): "Ascend910B1"}
UNTOUCHED = 0xEE


def source(function: str, t: str, body: str) -> str:
    """A kernel whose body moves `from` or `in` (UB copy of x) to `to` or `out` (stored to y by `done()`)."""
    return (
        FRAME
        + f"""
extern "C" __global__ __aicore__ void {function}(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    Frame frame;
    using T = {t};
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y));
    [[maybe_unused]] LocalTensor<T> in = frame.load<T>(0, x, data.x_bytes);
    [[maybe_unused]] LocalTensor<T> out = frame.load<T>(1, y, data.y_bytes);
    [[maybe_unused]] auto done = [&] {{ frame.store(y, out, data.y_bytes); }};
    {body}
}}
"""
    )


def run(
    compiler: Compiler, function: str, t: str, body: str, x: np.ndarray, y: np.ndarray, defines: tuple[str, ...] = ()
) -> np.ndarray:
    kernel = compiler.compile(source(function, t, body), function, *defines, tiling="uint32_t x_bytes, y_bytes;")
    kernel(x, y, None, np.array([x.nbytes, y.nbytes], "<u4").tobytes(), soc=SOCS[defines])
    return y


def filled(shape: int | tuple[int, ...], dtype: str) -> np.ndarray:
    y = np.empty(shape, dtype)
    y.view(np.uint8)[...] = UNTOUCHED
    return y


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.random.default_rng(5).integers(-120, 120, shape).astype(dtype)


@pytest.mark.parametrize("out_of_ub", [False, True])
def test_slices_of_rows_and_columns(compiler: Compiler, out_of_ub: bool) -> None:
    picked = "{{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}}"
    packed = "{{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}}"
    dst, src = (picked, packed) if out_of_ub else (packed, picked)
    copy = "DataCopy(to, in, dst, src, 2);" if out_of_ub else "DataCopy(out, from, dst, src, 2); done();"
    body = f"SliceInfo dst[] = {dst}, src[] = {src}; {copy}"
    whole, part = numbers((3, 87), "float32"), numbers((2, 48), "float32")
    columns = [*range(16, 40), *range(47, 71)]
    if out_of_ub:
        y = run(compiler, "slices_out", "float", body, part, whole.copy())
        expected = whole.copy()
        expected[np.ix_([0, 2], columns)] = part
    else:
        y = run(compiler, "slices_in", "float", body, whole, filled((2, 48), "float32"))
        expected = whole[np.ix_([0, 2], columns)]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("function", "slices", "message"),
    [
        ("slice_a", "dst[] = {{0, 47, 0, 3, 48}}, src[] = {{16, 69, 7, 3, 87}}", "from 16 to 69"),
        ("slice_b", "dst[] = {{0, 23, 0, 3, 48}}, src[] = {{16, 70, 7, 3, 87}}", "has 2 bursts in the"),
        ("slice_c", "dst[] = {{0, 31, 0, 4, 48}}, src[] = {{0, 23, 0, 3, 87}}", "burstLen of source"),
    ],
)
def test_slices_that_do_not_fit_are_errors(compiler: Compiler, function: str, slices: str, message: str) -> None:
    body = f"SliceInfo {slices}; DataCopy(out, from, dst, src);"
    with pytest.raises(KernelError, match=message):
        run(compiler, function, "float", body, np.zeros(512, "f4"), np.zeros(512, "f4"))


def nz_of(matrix: np.ndarray, column: int, y: np.ndarray, column_step: int, row_step: int) -> None:
    """Writes the NZ form of a matrix into y; steps in elements."""
    rows, columns = matrix.shape
    for row, group in itertools.product(range(rows), range(-(-columns // column))):
        piece = np.zeros(column, matrix.dtype)
        part = matrix[row, group * column : (group + 1) * column]
        piece[: len(part)] = part
        start = group * column_step + row * row_step
        y[start : start + column] = piece


@pytest.mark.parametrize(("t", "dtype"), [("half", "float16"), ("float", "float32"), ("int8_t", "int8")])
def test_matrices_become_columns_of_blocks(compiler: Compiler, t: str, dtype: str) -> None:
    x = numbers((2, 3, 48), dtype)
    in_block = 32 // x.itemsize
    body = f"DataCopy(out, from, Nd2NzParams(2, 2, 24, 144, 48, 11, 2, {6 * in_block})); done();"
    y = run(compiler, f"nd2nz_{dtype}", t, body, x, filled(40 * in_block, dtype))
    expected = filled(40 * in_block, dtype)
    for matrix in range(2):
        part = expected[matrix * 6 * in_block :]
        nz_of(x[matrix, :2, :24], in_block, part, 11 * in_block, 2 * in_block)
    np.testing.assert_array_equal(y, expected)


def test_matrices_in_column_order_and_small_columns(compiler: Compiler) -> None:
    x = numbers((23, 16), "float16")
    body = "DataCopy(out, from, Dn2NzParams(1, 16, 23, 0, 16, 16, 1, 0)); done();"
    y = run(compiler, "dn2nz", "half", body, x, filled(512, "float16"), WIDE)
    expected = filled(512, "float16")
    nz_of(np.ascontiguousarray(x.T), 16, expected, 256, 16)
    np.testing.assert_array_equal(y, expected)

    narrow = numbers((8, 3), "float16")
    body = "DataCopy<half, true>(out, from, Nd2NzParams(1, 8, 3, 0, 3, 1, 1, 0)); done();"
    y = run(compiler, "small_c0", "half", body, narrow, filled(256, "float16"), WIDE)
    np.testing.assert_array_equal(y[:4], [*narrow[0], 0])


@pytest.mark.parametrize(("t", "dtype"), [("half", "float16"), ("float", "float32")])
@pytest.mark.parametrize("atomic", [False, True])
def test_columns_become_matrices_in_global_memory(compiler: Compiler, t: str, dtype: str, atomic: bool) -> None:
    x = numbers((4, 256), dtype)
    setting = f"SetAtomicAdd<{t}>();" if atomic else ""
    body = f"{setting} DataCopy(to, in, Nz2NdParamsFull(2, 4, 32, 1, 16, 40, 200)); SetAtomicNone();"
    before = numbers((400,), dtype)
    y = run(compiler, f"nz2nd_{dtype}_{atomic}", t, body, x, before.copy())
    expected = before.copy()
    for matrix, row, group in itertools.product(range(2), range(4), range(2)):
        start = matrix * 200 + row * 40 + group * 16
        source_row = x.reshape(-1)[matrix * 256 + group * 256 + row * 16 :][:16]
        expected[start : start + 16] = source_row + (expected[start : start + 16] if atomic else 0)
    np.testing.assert_array_equal(y, expected)


def test_rows_of_a_vector_core_become_columns_in_l1(compiler: Compiler) -> None:
    x = numbers((3, 112), "float16")
    body = """
    TBuf<TPosition::A1> l1; frame.pipe.InitBuffer(l1, 4096); auto there = l1.Get<half>();
    DataCopyPad(there, in, DataCopyExtParams(3, 192, 1, 64, 0), Nd2NzParams(1, 3, 96, 0, 128, 7, 2, 0));
    DataCopyL1ToUB(out, there, 42 * 16); done();
    """
    y = run(compiler, "ub_to_l1", "half", body, x, filled(42 * 16, "float16"))
    expected = y.copy()
    nz_of(x[:, :96], 16, expected, 7 * 16, 2 * 16)
    np.testing.assert_array_equal(y, expected)
    assert (y[:16] == x[0, :16]).all()


def nd_copy(x: np.ndarray, y: np.ndarray, info: list[list[int]], value: float, nearest: bool) -> None:
    """info: source strides, destination strides, sizes, left and right padding, innermost dimension first."""
    src, dst, size, left, right = info
    for at in itertools.product(*[range(a + b + c) for a, b, c in zip(left, size, right, strict=True)]):
        inner = [i - before for i, before in zip(at, left, strict=True)]
        kept = [min(max(i, 0), n - 1) for i, n in zip(inner, size, strict=True)]
        target = sum(i * step for i, step in zip(at, dst, strict=True))
        origin = sum(i * step for i, step in zip(kept, src, strict=True))
        y[target] = x[origin] if nearest or kept == inner else value


@pytest.mark.parametrize(
    ("name", "info", "nearest"),
    [
        ("padding", [[1, 8], [1, 16], [8, 2], [3, 1], [5, 1]], False),
        ("nearest", [[1, 15], [1, 32], [15, 28], [11, 3], [6, 1]], True),
        ("transpose", [[1, 64], [16, 1], [64, 16], [0, 0], [0, 0]], False),
        ("broadcast", [[1, 0], [1, 16], [16, 3], [0, 0], [0, 0]], False),
        ("line", [[2], [1], [10], [2], [3]], False),
        ("five", [[1, 6, 30, 60, 0], [1, 8, 48, 96, 192], [6, 5, 2, 2, 2], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0]], False),
    ],
)
def test_copies_of_several_dimensions(compiler: Compiler, name: str, info: list[list[int]], nearest: bool) -> None:
    dims = len(info[0])
    members = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in info)
    body = f"""
    static constexpr NdDmaConfig config = {{{"true" if nearest else "false"}}};
    NdDmaLoopInfo<{dims}> loops{{{members}}}; NdDmaParams<T, {dims}> params{{loops, -7}};
    NdDmaDci(); DataCopy<T, {dims}, config>(out, from, params); done();
    """
    x = numbers((1024,), "float32")
    y = run(compiler, f"nd_{name}", "float", body, x, filled(2048, "float32"), WIDE)
    expected = filled(2048, "float32")
    nd_copy(x, expected, info, -7, nearest)
    np.testing.assert_array_equal(y.view(np.uint32), expected.view(np.uint32))


def test_padding_for_all_dimensions_at_once(compiler: Compiler) -> None:
    body = """
    static constexpr NdDmaConfig config = {false, 1, 2};
    NdDmaParams<T, 2> params{{{1, 4}, {1, 8}, {4, 2}, {9, 9}, {9, 9}}, 5};
    DataCopy<T, 2, config>(out, from, params); done();
    """
    x = numbers((64,), "int16")
    y = run(compiler, "nd_all", "int16_t", body, x, filled(64, "int16"), WIDE)
    expected = filled(64, "int16")
    nd_copy(x, expected, [[1, 4], [1, 8], [4, 2], [1, 1], [2, 2]], 5, False)
    np.testing.assert_array_equal(y, expected)


def test_a_dimension_without_elements_is_an_error(compiler: Compiler) -> None:
    body = "NdDmaParams<T, 2> params{{{1, 4}, {1, 8}, {4, 0}, {0, 0}, {0, 0}}, 5}; DataCopy(out, from, params);"
    with pytest.raises(KernelError, match="loopSize of dimension 1 is 0"):
        run(compiler, "nd_empty", "float", body, np.zeros(64, "f4"), np.zeros(64, "f4"), WIDE)


def test_what_only_the_950_has_is_refused_elsewhere(compiler: Compiler) -> None:
    body = "NdDmaParams<T, 1> p{{{1}, {1}, {4}, {0}, {0}}, 0}; DataCopy(out, from, p);"
    assert "NdDmaParams is there on the Ascend950 only" in compiler.errors(source("old", "float", body), "old")
    body = "DataCopyPad<T, PaddingMode::Compact>(to, in, DataCopyExtParams{1, 8, 0, 0, 0});"
    assert "Compact is there on the Ascend950 only" in compiler.errors(source("old", "float", body), "old")
    body = "BroadCastVecToMM(out, in, 1, 1, 0, 0);"
    assert "on the Ascend310P only" in compiler.errors(source("old", "float", body), "old")


@pytest.mark.parametrize("pad", [True, False])
def test_compact_rows_are_filled_up_once(compiler: Compiler, pad: bool) -> None:
    x = numbers((3, 30), "float16")
    padding = "{true, 0, 9, half(-2.0f)}" if pad else "{false, 0, 0, half(0.0f)}"
    body = f"""
    const DataCopyExtParams rows{{3, 48, 12, 0, 0}};
    DataCopyPad<T, PaddingMode::Compact>(out, from, rows, DataCopyPadExtParams<T>{padding}); done();
    """
    y = run(compiler, f"compact_{pad}", "half", body, x, filled(96, "float16"), WIDE)
    expected = filled(96, "float16")
    expected[:72] = x[:, :24].reshape(-1)
    expected[72:80] = -2 if pad else x[0, 0]
    np.testing.assert_array_equal(y, expected)


def test_rows_of_a_compact_buffer_go_out_one_behind_the_other(compiler: Compiler) -> None:
    x = numbers((128,), "float16")
    body = "DataCopyPad<T, PaddingMode::Compact>(to, in, DataCopyExtParams{3, 20, 0, 4, 0});"
    y = run(compiler, "compact_out", "half", body, x, filled(64, "float16"), WIDE)
    for row in range(3):
        np.testing.assert_array_equal(y[row * 12 : row * 12 + 10], x[row * 10 : row * 10 + 10])


def test_loops_repeat_a_copy_until_they_are_reset(compiler: Compiler) -> None:
    x = numbers((512,), "int8")
    body = """
    SetLoopModePara(LoopModeParams{2, 3, 40, 64, 100, 160}, DataCopyMVType::OUT_TO_UB);
    DataCopyPad(out, from, DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<T>{true, 0, 0, -1});
    ResetLoopModePara(DataCopyMVType::OUT_TO_UB);
    DataCopy(out[512], from, 32);
    SetLoopModePara(LoopModeParams{2, 1, 32, 50, 0, 0}, DataCopyMVType::UB_TO_OUT);
    DataCopy(to[1024], in, 32); DataCopyPad(to[1200], in, DataCopyExtParams{1, 3, 0, 0, 0});
    ResetLoopModePara(DataCopyMVType::UB_TO_OUT);
    frame.store(y, out, 1024);
    """
    y = run(compiler, "loops", "int8_t", body, x, filled(1280, "int8"), WIDE)
    expected = filled(1280, "int8")
    for outer, inner in itertools.product(range(3), range(2)):
        start = outer * 160 + inner * 64
        expected[start : start + 32] = -1
        expected[start : start + 20] = x[outer * 100 + inner * 40 :][:20]
    expected[512:544] = x[:32]
    for inner in range(2):
        expected[1024 + 50 * inner :][:32] = x[32 * inner :][:32]
        expected[1200 + 50 * inner :][:3] = x[32 * inner :][:3]
    np.testing.assert_array_equal(y, expected)


def test_a_vector_becomes_squares_of_the_l0c_buffer_and_comes_back(compiler: Compiler) -> None:
    x = numbers((48,), "float32")
    body = """
    TBuf<TPosition::CO1> l0c; frame.pipe.InitBuffer(l0c, 16384); auto squares = l0c.Get<float>();
    BroadCastVecToMM(squares, in, 2, 1, 2, 1);
    DataCopyParams p(2, 1, 1, 4); DataCopyEnhancedParams e; e.blockMode = BlockMode::BLOCK_MODE_MATRIX;
    DataCopy(out, squares, p, e);
    e.blockMode = BlockMode::BLOCK_MODE_VECTOR; e.isRelu = true;
    DataCopy(out[1024], squares, DataCopyParams(1, 1, 0, 0), e); done();
    """
    y = run(compiler, "squares", "float", body, x, filled(1280, "float32"), SMALL)
    expected = filled(1280, "float32")
    expected[:256] = np.tile(x[:16], 16)
    expected[288 : 288 + 256] = np.tile(x[32:48], 16)
    expected[1024:1040] = np.maximum(x[:16], 0)
    np.testing.assert_array_equal(y.view(np.uint32), expected.view(np.uint32))


def test_quantization_is_there_out_of_the_l0c_buffer_only(compiler: Compiler) -> None:
    body = "DataCopyEnhancedParams e; e.deqScale = DeqScale::DEQ; DataCopy(out, in, DataCopyParams(1, 1, 0, 0), e);"
    with pytest.raises(
        KernelError, match="a deqScale is there from the L0C Buffer to the Unified Buffer of the Ascend310P"
    ):
        run(compiler, "deq", "float", body, np.zeros(64, "f4"), np.zeros(64, "f4"))
    body = "DataCopy(out.ReinterpretCast<half>(), in, DataCopyParams(1, 1, 0, 0), DataCopyEnhancedParams());"
    assert "is there on the Ascend310P only" in compiler.errors(source("deq", "float", body), "deq")


# Two rows of a square and a half each out of squares that stand apart; what becomes of them goes to y.
QUANTIZED = """
TBuf<TPosition::CO1> l0c; frame.pipe.InitBuffer(l0c, 16384); auto squares = l0c.Get<T>();
DataCopyEnhancedParams e; e.blockMode = BlockMode::BLOCK_MODE_MATRIX;
DataCopy(squares, in, DataCopyParams(1, 3, 0, 0), e);
e.blockMode = BlockMode::BLOCK_MODE_{mode}; e.deqScale = DeqScale::{scale}; e.deqValue = {value}ull;
e.isRelu = {relu}; e.sidStoreMode = {storage};
e.deqTensorAddr = reinterpret_cast<uint64_t>(in[1024].GetPhyAddr());
DataCopy(out.ReinterpretCast<{to}>(), squares, DataCopyParams(2, {length}, {gap}, 2), e); done();
"""


def parameter(factor: float, shift: int = 1, first: int = 0, offset: int = 0, sign: int = 0, relu: int = 0) -> int:
    bits = int(np.array(factor, np.float32).view(np.uint32)) | (shift - 1) << 32 | first << 36
    return bits | (offset & 0x1FF) << 37 | sign << 46 | relu << 47


def half_bits(factor: float) -> int:
    return int(np.array(factor, np.float16).view(np.uint16))


def quantized(sums: np.ndarray, to: str, value: int, plain: float | None, relu: bool) -> np.ndarray:
    """What one parameter makes of sums."""
    shift, first = (value >> 32 & 15) + 1, value >> 36 & 1
    low = np.clip(sums >> shift, -32768, 32767)
    relu = relu or (plain is None and bool(value >> 47 & 1))
    if to == "int16":
        return np.maximum(low, 0 if relu else -32768).astype(to)
    factor = np.array(value & 0xFFFFFFFF, np.uint32).view(np.float32) if plain is None else np.float32(plain)
    scaled = (low if first and plain is None else sums).astype(np.float32) * factor
    scaled = np.where(relu & (scaled < 0), np.float32(0), scaled)
    if to == "float16":
        return np.clip(scaled, -65504, 65504).astype(to)
    offset = (value >> 37 & 0x1FF ^ 0x100) - 0x100
    limits = np.iinfo(to)
    return np.clip(np.rint(scaled + np.float32(offset)), limits.min, limits.max).astype(to)


CASES = [
    ("DEQ", "float16", half_bits(0.125), 0.125, False, 2),
    ("DEQ", "float16", half_bits(-0.5), -0.5, True, 2),
    ("DEQ8", "int8", parameter(0.01, offset=-7, sign=1), None, False, 2),
    ("DEQ8", "int8", parameter(0.3, shift=4, first=1, offset=-128, sign=1, relu=1), None, True, 0),
    ("DEQ8", "uint8", parameter(0.02, offset=100), None, False, 1),
    ("DEQ16", "float16", parameter(0.7, shift=3, first=1), None, False, 2),
    ("DEQ16", "int16", parameter(1.0, shift=3, relu=1), None, True, 2),
    ("DEQ16", "int16", parameter(1.0, shift=12), None, False, 2),
]
TYPES = {"float16": "half", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t"}


def laid_out(rows: list[np.ndarray], to: str, storage: int) -> np.ndarray:
    """Rows in the Unified Buffer, two blocks apart; bytes may fill a half of each block."""
    y = filled(4096, "uint8")
    at = 0
    for row in rows:
        if np.dtype(to).itemsize == 1 and storage < 2:
            room = y[at : at + 2 * row.size].reshape(-1, 32)
            room[:, 16 * storage :][:, :16] = row.view(np.uint8).reshape(-1, 16)
            at += 2 * row.size + 64
        else:
            y[at : at + row.nbytes] = row.view(np.uint8)
            at += row.nbytes + 64
    return y


@pytest.mark.parametrize(("scale", "to", "value", "plain", "relu", "storage"), CASES)
@pytest.mark.parametrize("mode", ["MATRIX", "VECTOR"])
def test_sums_are_quantized_on_their_way_out_of_the_l0c_buffer(
    compiler: Compiler, mode: str, scale: str, to: str, value: int, plain: float | None, relu: bool, storage: int
) -> None:
    sums = np.random.default_rng(6).integers(-20000, 20000, 2048).astype(np.int32)
    sums[:4] = [2**30, -(2**30), 0, 5]
    length = 1 if mode == "MATRIX" else 3
    body = QUANTIZED.format(
        mode=mode, scale=scale, value=value, relu=str(relu).lower(), storage=storage, to=TYPES[to], length=length, gap=1
    )
    y = run(compiler, "quantized", "int32_t", body, sums, filled(1024, "int32"), SMALL).view(np.uint8)
    count = length * (256 if mode == "MATRIX" else 16)
    starts = (0, count + 256)
    rows = [quantized(sums[start : start + count], to, value, plain, relu) for start in starts]
    np.testing.assert_array_equal(y, laid_out(rows, to, storage))


@pytest.mark.parametrize(
    ("scale", "to"), [("VDEQ", "float16"), ("VDEQ8", "int8"), ("VDEQ16", "float16"), ("VDEQ16", "int16")]
)
def test_columns_have_parameters_of_their_own(compiler: Compiler, scale: str, to: str) -> None:
    rng = np.random.default_rng(7)
    sums = rng.integers(-20000, 20000, 2048).astype(np.int32)
    factors = rng.uniform(0.001, 0.02, 32)
    plain = scale == "VDEQ"
    values = [
        half_bits(f) if plain else parameter(f, shift=int(i % 5) + 1, offset=int(i) - 9, sign=1, relu=1)
        for i, f in enumerate(factors)
    ]
    table = np.array(values, np.uint16 if plain else np.uint64).view(np.int32)
    sums[1024 : 1024 + table.size] = table
    body = QUANTIZED.format(mode="MATRIX", scale=scale, value=0, relu="false", storage=2, to=TYPES[to], length=1, gap=1)
    y = run(compiler, "quantized", "int32_t", body, sums, filled(1024, "int32"), SMALL).view(np.uint8)
    rows = []
    for row, start in enumerate((0, 512)):
        square = sums[start : start + 256].reshape(16, 16)
        columns = [
            quantized(
                square[:, c],
                to,
                values[16 * row + c] & ~(1 << 47),
                float(np.float16(factors[16 * row + c])) if plain else None,
                False,
            )
            for c in range(16)
        ]
        rows.append(np.stack(columns, 1).ravel())
    np.testing.assert_array_equal(y, laid_out(rows, to, 2))


@pytest.mark.parametrize(("kind", "scale", "factor"), [("half", "DEQ", 0.25), ("float", "DEQ_NONE", 1.0)])
def test_floats_become_half_on_their_way(compiler: Compiler, kind: str, scale: str, factor: float) -> None:
    x = (np.random.default_rng(8).standard_normal(2048) * 50).astype("f2" if kind == "half" else "f4")
    body = QUANTIZED.format(
        mode="MATRIX", scale=scale, value=half_bits(factor), relu="true", storage=2, to="half", length=1, gap=1
    )
    y = run(compiler, "quantized", kind, body, x, filled(4096 // x.itemsize, x.dtype.str), SMALL).view(np.uint8)
    rows = [np.maximum(x[s : s + 256].astype("f4") * np.float32(factor), 0).astype("f2") for s in (0, 512)]
    np.testing.assert_array_equal(y, laid_out(rows, "float16", 2))


def test_a_quantization_that_does_not_go_with_the_types_is_named(compiler: Compiler) -> None:
    body = QUANTIZED.format(mode="MATRIX", scale="DEQ8", value=0, relu="false", storage=2, to="half", length=1, gap=1)
    with pytest.raises(KernelError, match="the deqScale does not go with these types"):
        run(compiler, "quantized", "int32_t", body, np.zeros(2048, "i4"), np.zeros(1024, "i4"), SMALL)


def test_copies_by_count_move_whole_blocks(compiler: Compiler) -> None:
    x = numbers((64,), "float16")
    body = "DataCopy(out, from, 31); DataCopy(out[32], in, 17); DataCopy(to[128], in, 47); frame.store(y, out, 256);"
    y = run(compiler, "whole", "half", body, x, filled(192, "float16"))
    expected = filled(192, "float16")
    expected[:16] = x[:16]
    expected[32:48] = x[:16]
    expected[128:160] = x[:32]
    np.testing.assert_array_equal(y.view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize("inside", [False, True])
def test_copy_in_counter_mode_moves_so_many_elements_in_each_repeat(compiler: Compiler, inside: bool) -> None:
    call = "Copy(out, in, 84, 2, {1, 3, 16, 4});"
    if not inside:
        call = "SetVectorMask<T, MaskMode::COUNTER>(84); Copy<T, false>(out, in, MASK_PLACEHOLDER, 2, {1, 3, 16, 4});"
    body = f"SetMaskCount(); {call} SetMaskNorm(); ResetMask(); done();"
    x = numbers((512,), "int32")
    y = run(compiler, f"counted_{inside}", "int32_t", body, x, filled(256, "int32"))
    expected = filled(256, "int32")
    for repeat, element in itertools.product(range(2), range(84)):
        block, inner = divmod(element, 8)
        expected[repeat * 128 + element] = x[repeat * 32 + block * 24 + inner]
    np.testing.assert_array_equal(y, expected)
