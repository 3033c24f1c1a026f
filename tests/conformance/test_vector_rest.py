"""Scattering by offsets, blends of blocks, patterns on the 310P, reductions' registers, atomic operations on values."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, tiling
from twin_harness import Compiler

CHIP_950 = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
CHIP_310P = ("__NPU_ARCH__=2002", "__CCE_AICORE__=200")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "uint16"])
def test_scatter_by_byte_offsets(compiler: Compiler, dtype: str) -> None:
    masks = (
        "if (TILING_KEY_IS(1)) { Scatter(d, a, o, data.flag, data.mask[0], 2, data.strides[0]); }"
        "uint64_t mask[2] = {data.mask[0], data.mask[1]};"
        "if (TILING_KEY_IS(2)) { Scatter(d, a, o, data.flag, mask, 2, data.strides[0]); }"
    )
    body = (
        "LocalTensor<uint32_t> o = frame.load<uint32_t>(3, workspace, 2048);"
        "if (TILING_KEY_IS(0)) { Scatter(d, a, o, data.flag, static_cast<uint32_t>(n)); }"
        f"{'' if dtype == 'int8' else masks}"
    )
    compiled = compiler.compile(
        kernel("scatter", body), "scatter", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING
    )
    rng = np.random.default_rng(3)
    size = np.dtype(dtype).itemsize
    per = 256 // size
    x = rng.integers(1, 100, 512).astype(dtype)
    places = rng.permutation(512)
    offsets = (places * size).astype(np.uint32)
    bits = np.array([0x123456789ABCDEF0, 0xFF00FF00], np.uint64)
    set_ = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool)[:per]
    step = 12
    cases = [(0, np.arange(300), np.arange(300), [0, 0])]
    if dtype != "int8":
        for key, active, mask in ((1, np.arange(per) < 20, [20, 0]), (2, set_, bits)):
            inside = np.flatnonzero(active)
            source = np.concatenate([inside, step * 32 // size + inside])
            cases.append((key, source, np.concatenate([inside, per + inside]), mask))
    for key, source, index, mask in cases:
        y = np.zeros(600, dtype)
        expected = y.copy()
        expected[places[index] + 64] = x[source]
        plan = tiling(x, y, count=300, flag=64 * size, mask=mask, strides=[step, 0, 0, 0, 0, 0])
        compiled(x, x, y, offsets, plan, key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


def test_scatter_is_not_there_on_the_910b(compiler: Compiler) -> None:
    body = "Scatter(d, a, w.ReinterpretCast<uint32_t>(), 0, 8u);"
    assert "Scatter does not support half on this SoC" in compiler.errors(kernel("no", body), "no", "DTYPE_X=half")


@pytest.mark.parametrize("by_block", [True, False])
def test_blends_of_blocks(compiler: Compiler, by_block: bool) -> None:
    body = (
        "LocalTensor<uint32_t> o = frame.load<uint32_t>(3, workspace, 192);"
        "LocalTensor<uint8_t> room = frame.buffers[4].Get<uint8_t>();"
        "uint64_t mask[2] = {data.mask[0], data.mask[1]};"
        "if (TILING_KEY_IS(0)) { BilinearInterpolation(d, a, o, b, mask, 3, data.flag != 0, 1, 160, 2, room); }"
        "if (TILING_KEY_IS(1)) { BilinearInterpolation(d, a, o, b, data.mask[0], 3, data.flag != 0, 2, 256, 2, room); }"
    )
    compiled = compiler.compile(kernel("blend", body), "blend", "DTYPE_X=half", tiling=TILING)
    rng = np.random.default_rng(1)
    a, weights = rng.standard_normal(1024).astype(np.float16), rng.standard_normal(1024).astype(np.float16)
    offsets = (rng.integers(0, 60, 48) * 32).astype(np.uint32)
    blocks = a.reshape(-1, 16)[offsets // 32].reshape(2, 3, 8, 16)
    scale = weights[:48].reshape(2, 3, 8, 1) if by_block else weights[:6].reshape(2, 3, 1, 1)
    products = blocks * scale
    rows = (products[:, 0] + products[:, 1]) + products[:, 2]
    bits = np.array([0xFFFF0000FFFF1234, 0xFF], np.uint64)
    set_ = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool)
    for key, active, mask, step, gap in ((0, set_, bits, 160, 1), (1, np.arange(128) < 100, [100, 0], 256, 2)):
        y = np.full(1024, 9, np.float16)
        expected = y.copy()
        place = np.arange(128) // 16 * 16 * gap + np.arange(128) % 16
        for row in range(2):
            expected[row * step + place[active]] = rows[row].reshape(-1)[active]
        compiled(a, weights, y, offsets, tiling(a, y, flag=by_block, mask=mask), key=key)
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


def test_gather_mask_counts_all_elements_on_the_310p(compiler: Compiler) -> None:
    body = (
        "LocalTensor<uint16_t> o = frame.load<uint16_t>(3, workspace, 64); uint64_t kept = 0; SetMaskCount();"
        "if (TILING_KEY_IS(0)) { GatherMask(d, a, 2, true, 300, {1, 1, 9, 0}, kept); }"
        "if (TILING_KEY_IS(1)) { GatherMask(d, a, o, true, 200, {1, 1, 8, 1}, kept); }"
        "GlobalTensor<uint64_t> out; out.SetGlobalBuffer((__gm__ uint64_t *)x1); out.SetValue(0, kept);"
        "SetVectorMask<half>(0, 0xff); Adds<half, false>(w, a, half(1), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"
    )
    compiled = compiler.compile(kernel("pack", body), "pack", "DTYPE_X=half", *CHIP_310P, tiling=TILING)
    a = np.arange(512).astype(np.float16)
    chosen = np.random.default_rng(8).integers(0, 256, 64, dtype=np.uint8)
    flags = np.unpackbits(chosen, bitorder="little").astype(bool)
    read = np.concatenate([a[:128], a[144:272], a[288:332]])
    by_tensor = np.concatenate([a[:128][flags[:128]], a[128:200][flags[256:328]]])
    for key, expected in ((0, read[1::2]), (1, by_tensor)):
        y, count = np.zeros_like(a), np.zeros(a.nbytes // 8, np.uint64)
        compiled(a, count, y, chosen, tiling(a, y), key=key, soc="Ascend310P3")
        assert count[0] == len(expected)
        np.testing.assert_array_equal(y[: len(expected)], expected)


def test_gather_mask_leaves_the_counter_mode(compiler: Compiler) -> None:
    body = (
        "uint64_t kept = 0; SetMaskCount(); GatherMask(w, a, 1, false, 0, {1, 1, 8, 0}, kept);"
        "SetVectorMask<half>(0, 3); Adds<half, false>(d, a, half(1), MASK_PLACEHOLDER, 2, {1, 1, 8, 8});"
        "ResetMask();"
    )
    compiled = compiler.compile(kernel("mode", body), "mode", "DTYPE_X=half", tiling=TILING)
    a, y = np.zeros(256, np.float16), np.zeros(256, np.float16)
    compiled(a, a, y, None, tiling(a, y))
    assert np.flatnonzero(y).tolist() == [0, 1, 128, 129]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_registers_of_reductions(compiler: Compiler, dtype: str) -> None:
    body = """
    GlobalTensor<DTYPE_X> out; out.SetGlobalBuffer((__gm__ DTYPE_X *)x1);
    DTYPE_X value, index;
    if (TILING_KEY_IS(0)) {
        ReduceRepeat<ReduceType::MAX, DTYPE_X, DTYPE_X>(d, a, 256 / static_cast<int>(sizeof(DTYPE_X)), 3, 1, 1, 8);
        GetReduceRepeatMaxMinSpr(value, index); out.SetValue(0, value); out.SetValue(1, index);
    }
    if (TILING_KEY_IS(1)) {
        ReduceRepeat<ReduceType::MIN, DTYPE_X, DTYPE_X>(d, a, 256 / static_cast<int>(sizeof(DTYPE_X)), 3, 1, 1, 8);
        GetReduceRepeatMaxMinSpr(value, index); out.SetValue(0, value); out.SetValue(1, index);
    }
    if (TILING_KEY_IS(2)) { ReduceSum(d, a, w, n); out.SetValue(0, GetReduceRepeatSumSpr<DTYPE_X>()); }
    if (TILING_KEY_IS(3)) { ReduceMax(d, a, w, n); GetReduceRepeatMaxMinSpr(value); out.SetValue(0, value); }
    """
    compiled = compiler.compile(kernel("spr", body), "spr", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    per = 256 // np.dtype(dtype).itemsize
    a = np.random.default_rng(2).integers(-20, 20, 3 * per).astype(dtype)  # extremes more than once
    bits = {"float32": np.uint32, "float16": np.uint16}[dtype]
    for key, value, index in (
        (0, a.max(), a.argmax()),
        (1, a.min(), a.argmin()),
        (2, a[:40].astype(np.float64).sum(), None),
        (3, a[:40].max(), None),
    ):
        out, y = np.zeros_like(a), np.zeros_like(a)
        compiled(a, out, y, None, tiling(a, y, count=40), key=key)
        assert out[0] == np.dtype(dtype).type(value)
        assert index is None or out[1:2].view(bits)[0] == index


@pytest.mark.parametrize(("source", "target"), [("int16", "int32"), ("uint16", "uint32")])
def test_sums_of_16_bits_go_into_32(compiler: Compiler, source: str, target: str) -> None:
    body = "ReduceRepeat<ReduceType::SUM>(d, a, 100, 3, 2, 1, 8);"
    compiled = compiler.compile(
        kernel("wide", body, t=C_TYPES[source], u=C_TYPES[target]), "wide", *CHIP_950, tiling=TILING
    )
    info = np.iinfo(source)
    a = np.random.default_rng(2).integers(info.min, info.max, 384).astype(source)
    y = np.full(8, 7, target)
    compiled(a, a, y, None, tiling(a, y), soc="Ascend950PR")
    expected = np.full(8, 7, target)
    expected[:6:2] = a.reshape(3, 128)[:, :100].astype(np.int64).sum(1).astype(target)
    np.testing.assert_array_equal(y, expected)


def test_an_element_fills_a_tensor(compiler: Compiler) -> None:
    compiled = compiler.compile(
        kernel("element", "Duplicate(d, a[3], n);"), "element", "DTYPE_X=half", *CHIP_950, tiling=TILING
    )
    a, y = np.arange(64).astype(np.float16), np.zeros(64, np.float16)
    compiled(a, a, y, None, tiling(a, y, count=50), soc="Ascend950PR")
    np.testing.assert_array_equal(y, np.where(np.arange(64) < 50, 3, 0))


ATOMICS = """
using namespace AscendC;
extern "C" __global__ __aicore__ void atomics(GM_ADDR x, GM_ADDR y)
{
    auto *p = (__gm__ DTYPE_X *)x;
    auto *before = (__gm__ DTYPE_X *)y;
    before[0] = AtomicAdd(p, DTYPE_X(5));
    before[1] = AtomicMax(p + 1, DTYPE_X(5));
    before[2] = AtomicMin(p + 2, DTYPE_X(5));
#ifdef BITS
    before[3] = AtomicExch(p + 3, DTYPE_X(9));
    before[4] = AtomicCas(p + 4, DTYPE_X(4), DTYPE_X(77));
    before[5] = AtomicCas(p + 5, DTYPE_X(4), DTYPE_X(77));
#endif
}
"""


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64", "uint64"])
def test_atomic_operations_return_what_was_there(compiler: Compiler, dtype: str) -> None:
    bits = ["BITS=1"] if dtype.startswith("u") else []
    compiled = compiler.compile(ATOMICS, "atomics", f"DTYPE_X={C_TYPES[dtype]}", *bits)
    x = np.arange(10, 16).astype(dtype)
    x[1], x[4] = 3, 4
    start, before = x.copy(), np.zeros(6, dtype)
    compiled(x, before)
    used = 6 if bits else 3
    assert before[:used].tolist() == start[:used].tolist()
    expected = [15, 5, 5, 9, 77, 15] if bits else [15, 5, 5, *start[3:]]
    assert x.tolist() == [np.dtype(dtype).type(v) for v in expected]


def test_what_is_accumulated_has_the_dtype_that_was_set(compiler: Compiler) -> None:
    body = """
    GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t *)x1);
    SetAtomicAdd<float>(); DataCopy(out, a.ReinterpretCast<int32_t>(), 16); SetAtomicNone();
    """
    compiled = compiler.compile(kernel("typed", body), "typed", "DTYPE_X=float", tiling=TILING)
    a, out, y = np.linspace(-2, 2, 16, dtype=np.float32), np.full(16, 0.75, np.float32), np.zeros(16, np.float32)
    compiled(a, out, y, None, tiling(a, y))
    np.testing.assert_array_equal(out, a + np.float32(0.75))


def test_store_atomic_config(compiler: Compiler) -> None:
    body = """
    uint16_t type, op;
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_F16, AtomicOp::ATOMIC_SUM>();
    GetStoreAtomicConfig(type, op);
    GlobalTensor<half> out; out.SetGlobalBuffer((__gm__ half *)x1); DataCopy(out, a, 16);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();
    uint16_t none; GetStoreAtomicConfig(none, op);
    d.SetValue(0, half(type)); d.SetValue(1, half(none)); d.SetValue(2, half(op));
    SetAtomicMax<int32_t>(); GetStoreAtomicConfig(type, op); SetAtomicNone();
    d.SetValue(3, half(type)); d.SetValue(4, half(op));
    """
    compiled = compiler.compile(kernel("config", body), "config", "DTYPE_X=half", tiling=TILING)
    a, out, y = np.arange(16).astype(np.float16), np.ones(16, np.float16), np.zeros(16, np.float16)
    compiled(a, out, y, None, tiling(a, y))
    np.testing.assert_array_equal(out, np.arange(16) + 1)
    assert y[:5].tolist() == [2, 0, 0, 4, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint16"])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("right", [False, True])
def test_blocks_are_continued(compiler: Compiler, dtype: str, mode: int, right: bool) -> None:
    body = (
        "const uint8_t mode = data.mode;"
        "if (TILING_KEY_IS(0)) { VectorPadding(d, a, mode, data.flag != 0, static_cast<uint32_t>(n)); }"
        "if (TILING_KEY_IS(1)) { VectorPadding(d, a, mode, data.flag != 0, data.mask[0], 2, {2, 1, 16, 8}); }"
    )
    compiled = compiler.compile(
        kernel("padding", body), "padding", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_310P, tiling=TILING
    )
    size = np.dtype(dtype).itemsize
    per, in_block = 256 // size, 32 // size
    x = np.random.default_rng(1).integers(1, 99, 2 * per).astype(dtype)
    blocks = x.reshape(-1, in_block)
    zero = np.zeros((len(blocks), 1), dtype)
    backwards = blocks[:, ::-1]
    continued = {
        0: np.repeat(blocks[:, -1:] if right else blocks[:, :1], in_block, 1),
        1: backwards,
        2: np.hstack([backwards[:, 1:], zero] if right else [zero, backwards[:, :-1]]),
    }[mode].reshape(-1)
    place = np.arange(2 * per) // in_block * 2 * in_block + np.arange(2 * per) % in_block
    for key, at, active in (
        (0, np.arange(2 * per), np.arange(2 * per) < 2 * per - 5),
        (1, place, np.arange(2 * per) % per < 40),
    ):
        y = np.full(4 * per, 7, dtype)
        expected = y.copy()
        expected[at[active]] = continued[active]
        plan = tiling(x, y, mode=mode, flag=right, count=2 * per - 5, mask=[40, 0])
        compiled(x, x, y, None, plan, key=key, soc="Ascend310P3")
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [
        ("half", [0x7BFF, 0x0400, 0xFBFF, 0x0001, 0x7C00, 0xFC00, 0x7E00, 0x7D00]),
        ("bfloat16_t", [0x7F7F, 0x0080, 0xFF7F, 0x0001, 0x7F80, 0xFF80, 0x7FC0, 0x7FA0]),
        ("float", [0x7F7FFFFF, 0x00800000, 0xFF7FFFFF, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00000]),
    ],
)
def test_limits_of_types_fill_tensors(compiler: Compiler, dtype: str, bits: list[int]) -> None:
    names = ["Max", "Min", "Lowest", "DeNormMin", "Infinity", "NegativeInfinity", "QuietNaN", "SignalingNaN"]
    body = " ".join(f"NumericLimits<{dtype}>::{name}(d[{16 * k}], 3);" for k, name in enumerate(names))
    compiled = compiler.compile(kernel("limits", body, t=dtype, u=dtype), "limits", tiling=TILING)
    y = np.zeros(128, np.uint32 if dtype == "float" else np.uint16)
    compiled(y, y, y, None, tiling(y, y))
    expected = np.zeros((8, 16), y.dtype)
    expected[:, :3] = np.array(bits, y.dtype)[:, None]
    np.testing.assert_array_equal(y.reshape(8, 16), expected)


def test_limits_of_integers_are_constants(compiler: Compiler) -> None:
    body = """
    static_assert(NumericLimits<int8_t>::Min() == -128 && NumericLimits<int8_t>::Max() == 127, "8 bits");
    static_assert(NumericLimits<uint16_t>::Lowest() == 0 && NumericLimits<uint16_t>::Max() == 65535, "16 bits");
    static_assert(NumericLimits<int64_t>::Max() == 0x7fffffffffffffff, "64 bits");
    uint32_t version; GetArchVersion(version); d.SetValue(0, version);
    """
    compiled = compiler.compile(kernel("constants", body, t="uint32_t", u="uint32_t"), "constants", tiling=TILING)
    y = np.zeros(8, np.uint32)
    compiled(y, y, y, None, tiling(y, y))
    assert y[0] == 0x2201
