"""Quantization of the library and its reverse against numpy: dtypes, scales of every shape, rounding, all forms."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES
from library_kernels import WIDE_CHIP, Library
from twin_harness import Compiler, KernelError


def bfloat(values: np.ndarray) -> np.ndarray:
    """float32 to the bits of bfloat16, to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def saturated(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), -128, 127).astype(np.int8)


QUANT = """
    static constexpr AscendQuantConfig constant = {64, 0, 32, 0};
    const float scale = data.f[0], offset = data.f[1];
    const uint32_t n = data.n[0], channels = data.n[1];
    const T one_offset = static_cast<T>(offset);
    if (TILING_KEY_IS(0)) { AscendQuant<T>(out, x, tmp, scale, offset, n); }
    if (TILING_KEY_IS(1)) { AscendQuant<T>(out, x, scale, offset, n); }
    if (TILING_KEY_IS(2)) { AscendQuant(out, x, tmp, scale, offset); }
    if (TILING_KEY_IS(3)) { AscendQuant(out, x, scale, offset); }
    if (TILING_KEY_IS(10)) { AscendQuant<T>(out, x, tmp, scales, one_offset, channels, n); }
    if (TILING_KEY_IS(11)) { AscendQuant<T>(out, x, scales, one_offset, channels, n); }
    if (TILING_KEY_IS(12)) { AscendQuant(out, x, tmp, scales, one_offset); }
    if (TILING_KEY_IS(13)) { AscendQuant(out, x, scales, one_offset); }
    if (TILING_KEY_IS(20)) { AscendQuant<T>(out, x, tmp, scales, offsets, channels, channels, n); }
    if (TILING_KEY_IS(21)) { AscendQuant<T>(out, x, scales, offsets, channels, channels, n); }
    if (TILING_KEY_IS(22)) { AscendQuant(out, x, tmp, scales, offsets); }
    if (TILING_KEY_IS(23)) { AscendQuant(out, x, scales, offsets); }
    if (TILING_KEY_IS(30)) { AscendQuant<T, false, constant>(out, x, tmp, scales, one_offset, channels, n); }
"""


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_quant_rounds_to_half_after_each_step(compiler: Compiler, dtype: str) -> None:
    t = C_TYPES[dtype]
    kinds = {"x": t, "scales": t, "offsets": t, "out": "int8_t"}
    quant = Library(compiler, "quant", kinds, f"using T = {t};\n{QUANT}")
    rng = np.random.default_rng(4)
    x = (rng.standard_normal((6, 32)) * 40).astype(dtype)
    x[0, :4] = [1e4, -1e4, 0.5, -0.5]
    scales, offsets = rng.uniform(0.5, 3, 32).astype(dtype), rng.uniform(-20, 20, 32).astype(dtype)
    half = np.float16
    scale, offset = 1.7, -3.3
    wants = {
        0: saturated((x.astype(half) * half(scale) + half(offset)).astype(half)),
        10: saturated((x.astype(half) * scales.astype(half) + half(np.array(offset, dtype))).astype(half)),
        20: saturated((x.astype(half) * scales.astype(half) + offsets.astype(half)).astype(half)),
    }
    for first, want in wants.items():
        for key in range(first, first + 4):
            out = np.full((6, 32), 77, np.int8)
            quant(x, scales, offsets, out, n=[x.size, 32], f=[scale, offset], key=key)
            np.testing.assert_array_equal(out, want)
    out = np.full((6, 32), 77, np.int8)
    quant(x, scales, offsets, out, n=[x.size, 32], f=[scale, offset], key=30)
    np.testing.assert_array_equal(out[:2], wants[10][:2])
    assert (out[2:] == 77).all()
    with pytest.raises(KernelError, match="AscendQuant needs 256 bytes of temporary memory"):
        quant(x, scales, offsets, out, n=[x.size, 32], f=[scale, offset], key=0, room=96)


DEQUANT = """
    static constexpr DeQuantMode many = DeQuantMode::DEQUANT_WITH_MULTI_ROW;
    const DequantParams p = {uint32_t(data.n[0]), uint32_t(data.n[1]), uint32_t(data.n[2])};
    if (TILING_KEY_IS(0)) { AscendDequant(out, x, scales, tmp, p); }
    if (TILING_KEY_IS(1)) {
        AscendDequant(out, x, scales, {uint32_t(data.n[0]), uint32_t(data.n[1]), uint32_t(data.n[2])});
    }
    if (TILING_KEY_IS(2)) { AscendDequant<D, S, many>(out, x, scales, tmp, p); }
    if (TILING_KEY_IS(3)) { AscendDequant(out, x, scales, tmp, uint32_t(data.n[2])); }
    if (TILING_KEY_IS(4)) { AscendDequant(out, x, scales, tmp); }
    if (TILING_KEY_IS(5)) { AscendDequant(out, x, scales, uint32_t(data.n[2])); }
    if (TILING_KEY_IS(6)) { AscendDequant(out, x, scales); }
"""
ONE_SCALE = """
    if (TILING_KEY_IS(7)) { AscendDequant(out, x, static_cast<S>(data.f[0]), tmp, p); }
    if (TILING_KEY_IS(8)) { AscendDequant<D, S>(out, x, static_cast<S>(data.f[0]), p); }
"""


@pytest.mark.parametrize(
    ("dst", "scale"),
    [
        *(("float32", "float32"), ("float32", "bfloat16"), ("float16", "uint64")),
        *(("bfloat16", "float32"), ("bfloat16", "bfloat16")),
    ],
)
def test_dequant(compiler: Compiler, dst: str, scale: str) -> None:
    text = f"using D = {C_TYPES.get(dst, 'bfloat16_t')};\nusing S = {C_TYPES.get(scale, 'bfloat16_t')};\n{DEQUANT}"
    kinds = {"x": "int32_t", "scales": C_TYPES.get(scale, "bfloat16_t"), "out": C_TYPES.get(dst, "bfloat16_t")}
    dequant = Library(compiler, "dequant", kinds, text + (ONE_SCALE if scale != "uint64" else ""))
    rng = np.random.default_rng(5)
    factors = rng.uniform(-3, 3, 16).astype(np.float32)
    if scale == "bfloat16":
        factors = from_bfloat(bfloat(factors))
    stored = {"float32": factors, "bfloat16": bfloat(factors)}.get(scale)
    if stored is None:  # a float in the lower half, anything above
        stored = factors.view(np.uint32).astype(np.uint64) | np.uint64(0x123400000000)
    empty = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16}[dst]

    def value(out: np.ndarray) -> np.ndarray:
        return from_bfloat(out) if dst == "bfloat16" else out.astype(np.float32)

    def rounded(exact: np.ndarray) -> np.ndarray:
        wanted = exact.astype(np.float32)
        if dst == "bfloat16":
            return from_bfloat(bfloat(wanted))
        return wanted.astype(empty).astype(np.float32)

    x = rng.integers(-2000, 2000, (4, 8), np.int32)
    width = 8 if dst == "float32" else 16
    for key in (0, 1):
        out = np.full((4, width), 7, empty)
        dequant(x, stored, out, n=[4, 8, 5], key=key)
        np.testing.assert_array_equal(value(out)[:, :5], rounded(x[:, :5].astype(np.float32) * factors[:5]))
        assert (out[:, 5:] == 7).all()
    if scale != "uint64":
        number = float(from_bfloat(bfloat(np.array([0.3], np.float32)))[0]) if scale == "bfloat16" else np.float32(0.3)
        for key in (7, 8):
            out = np.full((4, width), 7, empty)
            dequant(x, stored, out, n=[4, 8, 8], f=[0.3], key=key)
            np.testing.assert_array_equal(value(out)[:, :8], rounded(x.astype(np.float32) * np.float32(number)))
    # One row is as many rows as it has runs of calCount numbers, unless asked otherwise.
    x = rng.integers(-2000, 2000, 64, np.int32)
    runs = rounded(x.reshape(4, 16).astype(np.float32) * factors).ravel()
    for key in (0, 3, 4, 5, 6):
        out = np.full(64, 7, empty)
        dequant(x, stored, out, n=[1, 64, 16], key=key)
        np.testing.assert_array_equal(value(out), runs)
    out = np.full(64, 7, empty)
    dequant(x, stored, out, n=[1, 64, 16], key=2)
    np.testing.assert_array_equal(value(out)[:16], runs[:16])
    assert (out[16:] == 7).all()


ANTI = """
    const uint32_t k = data.n[0];
    const uint32_t h = data.n[1], w = data.n[2];
    const AntiQuantShapeInfo shape = {h, w, h, w};
    const D one_offset = static_cast<D>(data.f[1]), one_scale = static_cast<D>(data.f[0]);
    if (TILING_KEY_IS(0)) { AscendAntiQuant<In, D, false>(out, x, offsets, scales, tmp, k); }
    if (TILING_KEY_IS(1)) { AscendAntiQuant<In, D, false>(out, x, offsets, scales, k, shape); }
    if (TILING_KEY_IS(2)) { AscendAntiQuant<In, D, false>(out, x, scales, tmp, k, shape); }
    if (TILING_KEY_IS(3)) { AscendAntiQuant<In, D, true>(out, x, offsets, scales, tmp, k, shape); }
    if (TILING_KEY_IS(4)) { AscendAntiQuant<In, D, true>(out, x, offsets, scales, k); }
    if (TILING_KEY_IS(5)) { AscendAntiQuant<In, D, false>(out, x, one_offset, one_scale, tmp, k); }
    if (TILING_KEY_IS(6)) { AscendAntiQuant<In, D, true>(out, x, one_offset, one_scale, k); }
    if (TILING_KEY_IS(7)) { AscendAntiQuant<In, D, false>(out, x, one_scale, tmp, k); }
"""


@pytest.mark.parametrize("source", ["int8", "int4"])
@pytest.mark.parametrize("dst", ["float16", "bfloat16"])
def test_anti_quant(compiler: Compiler, source: str, dst: str) -> None:
    d, kind = C_TYPES.get(dst, "bfloat16_t"), {"int8": "int8_t", "int4": "int4b_t"}[source]
    text = f"using In = {kind};\nusing D = {d};\n{ANTI}"
    anti = Library(compiler, "anti", {"x": kind, "offsets": d, "scales": d, "out": d}, text)
    rng = np.random.default_rng(6)
    k, n, parts = 32, 64, 4
    low, high = (-8, 7) if source == "int4" else (-128, 127)
    x = rng.integers(low, high, (k, n), np.int8, endpoint=True)

    def packed(matrix: np.ndarray) -> np.ndarray:
        if source == "int8":
            return np.ascontiguousarray(matrix)
        flat = matrix.ravel().astype(np.uint8) & 15
        return (flat[0::2] | (flat[1::2] << 4)).astype(np.uint8)

    def numbers(shape: tuple[int, ...]) -> np.ndarray:
        values = rng.uniform(-3, 3, shape).astype(np.float32)
        return from_bfloat(bfloat(values)) if dst == "bfloat16" else values.astype(np.float16).astype(np.float32)

    def stored(values: np.ndarray) -> np.ndarray:
        return bfloat(values) if dst == "bfloat16" else values.astype(np.float16)

    def computed(matrix: np.ndarray, scale: np.ndarray, offset: np.ndarray) -> np.ndarray:
        if dst == "bfloat16":
            return bfloat((matrix.astype(np.float32) + offset) * scale)
        return (matrix.astype(np.float16) + offset.astype(np.float16)) * scale.astype(np.float16)

    scale, offset = numbers((parts, n)), numbers((parts, n))
    spread = np.repeat(scale, k // parts, axis=0), np.repeat(offset, k // parts, axis=0)
    turned = np.ascontiguousarray(scale.T), np.ascontiguousarray(offset.T)
    one = (
        stored(np.array([1.5, -2.25], np.float32)).astype(np.float32) if dst == "float16" else np.float32([1.5, -2.25])
    )
    cases = [
        (0, x, (scale, offset), computed(x, *spread)),
        (1, x, (scale, offset), computed(x, *spread)),
        (2, x, (scale, offset), computed(x, spread[0], np.zeros_like(spread[1]))),
        (3, x.T, turned, computed(x.T, spread[0].T, spread[1].T)),
        (4, x.T, turned, computed(x.T, spread[0].T, spread[1].T)),
        (5, x, (scale, offset), computed(x, one[0], one[1])),
        (6, x.T, (scale, offset), computed(x.T, one[0], one[1])),
        (7, x, (scale, offset), computed(x, one[0], np.float32(0))),
    ]
    for key, matrix, (s, o), want in cases:
        out = np.zeros(matrix.shape, np.uint16 if dst == "bfloat16" else np.float16)
        sizes = [k, n, parts] if key in (3, 4) else [k, parts, n]
        anti(packed(matrix), stored(o), stored(s), out, n=sizes, f=[1.5, -2.25], key=key)
        np.testing.assert_array_equal(out, want, err_msg=f"form {key}")


POLICIES = {"PER_TENSOR": 1, "PER_CHANNEL": 1, "PER_TOKEN": 1, "PER_GROUP": 0, "PER_GROUP ": 1}


def parameters(policy: str, k_dim: int, m: int, n: int, group: int) -> tuple[tuple[int, ...], np.ndarray]:
    """The shape of a policy's scales, and for each number of the matrix which one it has."""
    rows, columns = np.indices((m, n))
    if policy == "PER_CHANNEL":
        return (n,), columns
    if policy == "PER_TOKEN":
        return (m,), rows
    if k_dim == 0:
        return ((m + group - 1) // group, n), rows // group * n + columns
    wide = (n + group - 1) // group
    return (m, wide), rows * wide + columns // group


@pytest.mark.parametrize(("policy", "k_dim"), [(p.strip(), k) for p, k in POLICIES.items()])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_functions_of_the_950(compiler: Compiler, policy: str, k_dim: int, dtype: str) -> None:
    one = policy == "PER_TENSOR"
    t = C_TYPES[dtype]
    scale, offset = ("data.f[0]", "data.f[1]") if one else ("scales", "offsets")
    body = f"""
    static constexpr QuantizeConfig quant = {{QuantizePolicy::{policy}, true, RoundMode::CAST_FLOOR, {k_dim}}};
    static constexpr DequantizeConfig dequant = {{DequantizePolicy::{policy}, false, {k_dim}}};
    static constexpr AntiQuantizeConfig anti = {{AntiQuantizePolicy::{policy}, true, {k_dim}}};
    const uint32_t m = data.n[0], n = data.n[1], g = data.n[2];
    if (TILING_KEY_IS(0)) {{ Quantize<quant>(out8, x, {scale}, {offset}, QuantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(1)) {{ Quantize<quant>(out8, x, tmp, {scale}, {offset}, QuantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(2)) {{ Dequantize<dequant>(out, x32, {scale}, {offset}, DequantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(3)) {{ Dequantize<dequant>(out, x32, {scale}, {offset}, tmp, DequantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(4)) {{ AntiQuantize<anti>(out, x8, {scale}, {offset}, AntiQuantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(5)) {{ AntiQuantize<anti>(out, x8, {scale}, {offset}, tmp, AntiQuantizeParams{{m, n, g}}); }}
    """
    kinds = {
        "x": t,
        "x32": "int32_t",
        "x8": "int8_t",
        "scales": "float",
        "offsets": "float",
        "out8": "int8_t",
        "out": t,
    }
    library = Library(compiler, "library", kinds, body, *WIDE_CHIP)
    m, n, group = (40, 96, 64) if k_dim == 1 else (40, 64, 32)  # the last group is a half
    rng = np.random.default_rng(7)
    shape, which = parameters(policy, k_dim, m, n, group)
    scales, offsets = (rng.uniform(-2, 2, shape).astype(np.float32) for _ in range(2))
    s, o = (np.float32(1.25), np.float32(-0.75)) if one else (scales.ravel()[which], offsets.ravel()[which])
    x = (rng.standard_normal((m, n)) * 50).astype(dtype)
    x32 = rng.integers(-9999, 9999, (m, n), np.int32)
    x8 = rng.integers(-128, 127, (m, n), np.int8)
    wants = {
        0: np.clip(np.floor(x.astype(np.float32) * s + o), -128, 127).astype(np.int8),
        2: (x32.astype(np.float32) * s).astype(dtype),
        4: ((x8.astype(np.float32) + o) * s).astype(dtype),
    }
    for first, want in wants.items():
        for key in (first, first + 1):
            out8, out = np.zeros((m, n), np.int8), np.zeros((m, n), dtype)
            arrays = (x, x32, x8, scales, offsets, out8, out)
            library(*arrays, n=[m, n, group], f=[1.25, -0.75], key=key, room=32, soc="Ascend950PR")
            np.testing.assert_array_equal(out8 if first == 0 else out, want)


def test_tokens_and_groups_of_the_older_functions(compiler: Compiler) -> None:
    body = """
    static constexpr AscendQuantConfig quant = {true, 1, RoundMode::CAST_RINT};
    static constexpr AscendDeQuantConfig dequant = {false, 0};
    static constexpr AscendAntiQuantConfig anti = {true, true, 0};
    static constexpr AscendQuantPolicy token = AscendQuantPolicy::PER_TOKEN;
    static constexpr AscendDeQuantPolicy group = AscendDeQuantPolicy::PER_GROUP;
    static constexpr AscendAntiQuantPolicy anti_group = AscendAntiQuantPolicy::PER_GROUP;
    const uint32_t m = data.n[0], n = data.n[1];
    if (TILING_KEY_IS(0)) {
        AscendQuant<int8_t, float, float, false, quant, token>(out8, x, tmp, scales, offsets, {m, n, m * n, 0});
    }
    if (TILING_KEY_IS(1)) {
        AscendQuant<int8_t, float, float, false, quant, token>(out8, x, scales, data.f[0], {m, n, m * n, 0});
    }
    if (TILING_KEY_IS(2)) {
        AscendDequant<float, int32_t, float, dequant, group>(out, x32, scales, offsets, tmp, {m, n, m * n / 2, 32});
    }
    if (TILING_KEY_IS(3)) {
        AscendAntiQuant<float, int8_t, float, anti, anti_group>(out, x8, scales, offsets, {m, n, m * n, 32});
    }
    if (TILING_KEY_IS(4)) { AscendQuant<int8_t, float>(out8, x, data.f[0], data.f[1], m * n); }
    """
    kinds = {"x": "float", "x32": "int32_t", "x8": "int8_t"} | dict.fromkeys(("scales", "offsets"), "float")
    library = Library(compiler, "older", kinds | {"out8": "int8_t", "out": "float"}, body, *WIDE_CHIP)
    m, n = 64, 64
    rng = np.random.default_rng(8)
    scales, offsets = (rng.uniform(-2, 2, 128).astype(np.float32) for _ in range(2))
    x = (rng.standard_normal((m, n)) * 40).astype(np.float32)
    x32, x8 = rng.integers(-999, 999, (m, n), np.int32), rng.integers(-128, 127, (m, n), np.int8)

    def run(key: int) -> tuple[np.ndarray, np.ndarray]:
        out8, out = np.full((m, n), 77, np.int8), np.full((m, n), 7, np.float32)
        library(x, x32, x8, scales, offsets, out8, out, n=[m, n], f=[0.5, 1.5], key=key, soc="Ascend950PR")
        return out8, out

    np.testing.assert_array_equal(run(0)[0], saturated(x * scales[:m, None] + offsets[:m, None]))
    np.testing.assert_array_equal(run(1)[0], saturated(x * scales[:m, None] + np.float32(0.5)))
    rows, columns = np.indices((m, n))
    out = run(2)[1]
    np.testing.assert_array_equal(out[:32], (x32 * scales[rows // 32 * n + columns])[:32].astype(np.float32))
    assert (out[32:] == 7).all()
    which = rows * 2 + columns // 32
    np.testing.assert_array_equal(run(3)[1], (x8.astype(np.float32) + offsets[which]) * scales[which])
    half = np.float16
    np.testing.assert_array_equal(run(4)[0], saturated((x.astype(half) * half(0.5) + half(1.5)).astype(half)))


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (0, "Quantize: groupSize is 0"),
        (1, "AscendDequant: groupSize is 0"),
        (2, "AscendAntiQuant: 9 scales along an axis of 8 elements"),
    ],
)
def test_groups_of_no_elements_are_named(compiler: Compiler, key: int, sentence: str) -> None:
    body = """
    static constexpr QuantizeConfig quant = {QuantizePolicy::PER_GROUP, true, RoundMode::CAST_RINT, 1};
    static constexpr AscendDeQuantConfig dequant = {false, 0};
    static constexpr AscendDeQuantPolicy group = AscendDeQuantPolicy::PER_GROUP;
    if (TILING_KEY_IS(0)) { Quantize<quant>(out8, x, scales, scales, QuantizeParams{8, 8, 0}); }
    if (TILING_KEY_IS(1)) {
        AscendDequant<float, int32_t, float, dequant, group>(out, x32, scales, scales, {8, 8, 64, 0});
    }
    if (TILING_KEY_IS(2)) { AscendAntiQuant<int8_t, half, false>(out16, x8, scales16, scales16, tmp, 8, {0, 0, 9, 8}); }
    """
    kinds = {"x": "float", "x32": "int32_t", "x8": "int8_t", "scales": "float", "scales16": "half"}
    library = Library(compiler, "groups", kinds | {"out8": "int8_t", "out": "float", "out16": "half"}, body, *WIDE_CHIP)
    zeros = [np.zeros((9, 8), t) for t in (np.float32, np.int32, np.int8, np.float32, np.float16)]
    results = [np.zeros((8, 8), t) for t in (np.int8, np.float32, np.float16)]
    zeros[2] = np.zeros((8, 8), np.int8)
    with pytest.raises(KernelError, match=sentence):
        library(*zeros, *results, key=key, soc="Ascend950PR")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            "Quantize<c>(b, x, 1.0f, 1.0f, QuantizeParams{1, 8, 0})",
            "Quantize is there on the 950 only; use AscendQuant",
        ),
        ("AscendDequant(h, i, x, DequantParams{1, 8, 8})", "AscendDequant: the scale is float or bfloat16_t, uint64_t"),
        (
            "AscendAntiQuant<float, half, false>(h, x, h, h, 8)",
            "AscendAntiQuant takes int4b_t on the Ascend910B, and int8_t",
        ),
        ("AscendQuant(b, i, 1.0f, 1.0f)", "AscendQuant does not support int32_t on this SoC"),
    ],
)
def test_what_the_chip_has_not_is_refused(compiler: Compiler, call: str, sentence: str) -> None:
    text = f"""using namespace AscendC; static constexpr QuantizeConfig c = {{QuantizePolicy::PER_TENSOR, true}};
    extern "C" __global__ __aicore__ void f(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)
    {{ LocalTensor<float> x; LocalTensor<half> h; LocalTensor<int32_t> i; LocalTensor<int8_t> b; {call}; }}"""
    assert sentence in compiler.errors(text, "f")


@pytest.mark.parametrize(
    ("source", "result", "sentence"),
    [
        ("int8_t", "half", ""),
        ("int4b_t", "half", "AscendAntiQuant takes int4b_t on the Ascend910B, and int8_t"),
        ("int8_t", "bfloat16_t", "AscendAntiQuant does not support bfloat16_t on this SoC"),
    ],
)
def test_the_310p_scales_int8_to_half_only(compiler: Compiler, source: str, result: str, sentence: str) -> None:
    text = f"""using namespace AscendC;
    extern "C" __global__ __aicore__ void f(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)
    {{ LocalTensor<{source}> x; LocalTensor<{result}> y; AscendAntiQuant<{source}, {result}, true>(y, x, y, y, 8); }}"""
    chip = ("__NPU_ARCH__=2002", "__CCE_AICORE__=200")
    if not sentence:
        compiler.compile(text, "f", *chip)
    else:
        assert sentence in compiler.errors(text, "f", *chip)
