"""Quantization to floats of 8 and 4 bits and back, on the Ascend950."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from kernels import TILING, kernel
from library_kernels import WIDE_CHIP, Library
from small_numbers import FP4, FP8, HIF8, fp4_values, to_fp4, to_hif8
from test_library_quant import parameters
from twin_harness import Compiler

SOC = "Ascend950PR"


def codes_of(values: np.ndarray, name: str) -> np.ndarray:
    if name in FP8:
        largest = float(ml_dtypes.finfo(FP8[name]).max)
        return np.clip(values, -largest, largest).astype(FP8[name]).view(np.uint8)
    rounded = np.array([to_hif8(float(v), False, Fraction(0)) for v in values.ravel()])
    return np.array([int(np.flatnonzero(v == HIF8)[0]) for v in rounded], np.uint8).reshape(values.shape)


def values_of(codes: np.ndarray, name: str) -> np.ndarray:
    return codes.view(FP8[name]).astype(np.float32) if name in FP8 else HIF8[codes].astype(np.float32)


NARROW = [*FP8, "hifloat8_t"]
QUANT = """
    static constexpr AscendQuantConfig rows = {true, 0, RoundMode::CAST_RINT};
    static constexpr AscendQuantPolicy token = AscendQuantPolicy::PER_TOKEN;
    const float scale = data.f[0], offset = data.f[1];
    const uint32_t n = data.n[0], channels = data.n[1], m = n / channels;
    const T one = static_cast<T>(offset);
    if (TILING_KEY_IS(0)) { AscendQuant<D, T>(out, x, tmp, scale, offset, n); }
    if (TILING_KEY_IS(1)) { AscendQuant<D, T>(out, x, tmp, scale, offset); }
    if (TILING_KEY_IS(2)) { AscendQuant<D, T>(out, x, scale, offset, n); }
    if (TILING_KEY_IS(3)) { AscendQuant(out, x, scale, offset); }
    if (TILING_KEY_IS(10)) { AscendQuant<D, T>(out, x, tmp, scales, one, channels, n); }
    if (TILING_KEY_IS(11)) { AscendQuant<D, T>(out, x, scales, one); }
    if (TILING_KEY_IS(20)) { AscendQuant<D, T>(out, x, tmp, scales, offsets, channels, channels, n); }
    if (TILING_KEY_IS(21)) { AscendQuant<D, T>(out, x, scales, offsets); }
    const AscendQuantParam p = {m, channels, n};
    if (TILING_KEY_IS(30)) { AscendQuant<D, T, T, false, rows, token>(out, x, scales, offsets, p); }
"""


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize(("t", "dtype"), [("float", np.float32), ("half", np.float16)])
def test_quant_to_floats_of_8_bits(compiler: Compiler, name: str, t: str, dtype: type) -> None:
    kinds = {"x": t, "scales": t, "offsets": t, "out": name}
    quant = Library(compiler, "small_quant", kinds, f"using T = {t};\nusing D = {name};\n{QUANT}", *WIDE_CHIP)
    rng = np.random.default_rng(8)
    m, n = 8, 32
    x = (rng.standard_normal((m, n)) * 20).astype(dtype)
    x[0, :2] = [6e4, -6e4]
    scales, offsets = rng.uniform(0.5, 3, n).astype(dtype), rng.uniform(-9, 9, n).astype(dtype)
    wide = x.astype(np.float32)
    scale, offset = np.float32(1.75), np.float32(-3.25)
    wants = {
        (0, 1, 2, 3): wide * scale + offset,
        (10, 11): wide * scales.astype(np.float32) + offset,
        (20, 21): wide * scales.astype(np.float32) + offsets.astype(np.float32),
        (30,): wide * scales.astype(np.float32)[:m, None] + offsets.astype(np.float32)[:m, None],
    }
    for keys, want in wants.items():
        for key in keys:
            out = np.zeros((m, n), np.uint8)
            quant(x, scales, offsets, out, n=[x.size, n], f=[scale, offset], key=key, soc=SOC)
            np.testing.assert_array_equal(values_of(out, name), values_of(codes_of(want, name), name), err_msg=str(key))


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize(
    ("policy", "k_dim"), [("PER_CHANNEL", 1), ("PER_TOKEN", 1), ("PER_GROUP", 0), ("PER_GROUP", 1)]
)
def test_the_newer_functions_of_8_bits(compiler: Compiler, name: str, policy: str, k_dim: int) -> None:
    body = f"""
    static constexpr QuantizeConfig quant = {{QuantizePolicy::{policy}, true, RoundMode::CAST_RINT, {k_dim}}};
    static constexpr AntiQuantizeConfig anti = {{AntiQuantizePolicy::{policy}, true, {k_dim}}};
    const uint32_t m = data.n[0], n = data.n[1], g = data.n[2];
    if (TILING_KEY_IS(0)) {{ Quantize<quant>(out8, x, scales, offsets, QuantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(1)) {{ AntiQuantize<anti>(out, x8, scales, offsets, AntiQuantizeParams{{m, n, g}}); }}
    """
    kinds = {"x": "half", "x8": name, "scales": "float", "offsets": "float", "out8": name, "out": "half"}
    call = Library(compiler, "newer_small", kinds, body, *WIDE_CHIP)
    rng = np.random.default_rng(9)
    m, n, group = 40, 64, 32
    x = (rng.standard_normal((m, n)) * 3).astype(np.float16)
    shape, index = parameters(policy, k_dim, m, n, group)
    scales, offsets = (rng.uniform(-2, 2, shape).astype(np.float32) for _ in range(2))
    x8 = codes_of(rng.standard_normal((m, n)) * 3, name)
    spread = scales.ravel()[index], offsets.ravel()[index]
    for key in (0, 1):
        out8, out = np.zeros((m, n), np.uint8), np.zeros((m, n), np.float16)
        call(x, x8, scales, offsets, out8, out, n=[m, n, group], key=key, soc=SOC)
        if key == 0:
            want = codes_of(x.astype(np.float32) * spread[0] + spread[1], name)
            np.testing.assert_array_equal(values_of(out8, name), values_of(want, name))
        else:
            np.testing.assert_array_equal(out, ((values_of(x8, name) + spread[1]) * spread[0]).astype(np.float16))


@pytest.mark.parametrize("name", FP4)
@pytest.mark.parametrize("k_dim", [0, 1])
def test_groups_of_floats_of_4_bits(compiler: Compiler, name: str, k_dim: int) -> None:
    """Back from 4 bits the scale is a power of two; there is no offset either way."""
    body = f"""
    static constexpr AscendQuantConfig to = {{true, {k_dim}, RoundMode::CAST_FLOOR}};
    static constexpr AscendQuantPolicy group = AscendQuantPolicy::PER_GROUP;
    static constexpr AscendAntiQuantConfig back = {{true, false, {k_dim}}};
    static constexpr AscendAntiQuantPolicy by_group = AscendAntiQuantPolicy::PER_GROUP;
    static constexpr AntiQuantizeConfig newer = {{AntiQuantizePolicy::PER_GROUP, false, {k_dim}}};
    const uint32_t m = data.n[0], n = data.n[1], g = data.n[2];
    if (TILING_KEY_IS(0)) {{
        const AscendQuantParam p = {{m, n, m * n, g}};
        AscendQuant<{name}, bfloat16_t, float, false, to, group>(out4, x, scales, scales, p);
    }}
    if (TILING_KEY_IS(1)) {{
        AscendAntiQuant<half, {name}, fp8_e8m0_t, back, by_group>(out, x4, powers, powers,
                                                                  AscendAntiQuantParam{{m, n, m * n, g}});
    }}
    if (TILING_KEY_IS(2)) {{ AntiQuantize<newer>(out, x4, powers, powers, AntiQuantizeParams{{m, n, g}}); }}
    if (TILING_KEY_IS(3)) {{ AscendAntiQuant<{name}, half, false>(out, x4, powers, tmp, m); }}
    """
    kinds = {"x": "bfloat16_t", "x4": name, "scales": "float", "powers": "fp8_e8m0_t", "out4": name, "out": "half"}
    call = Library(compiler, "groups_of_4", kinds, body, *WIDE_CHIP)
    rng = np.random.default_rng(10)
    m, n, group = 64, 128, 32
    shape, index = parameters("PER_GROUP", k_dim, m, n, group)
    x = (rng.standard_normal((m, n)) * 2).astype(ml_dtypes.bfloat16)
    x4 = rng.integers(0, 256, (m, n // 2)).astype(np.uint8)
    scales, powers = rng.uniform(0.5, 2, shape).astype(np.float32), rng.integers(123, 131, shape).astype(np.uint8)

    def result(key: int) -> tuple[np.ndarray, np.ndarray]:
        out4, out = np.zeros((m, n // 2), np.uint8), np.zeros((m, n), np.float16)
        call(x, x4, scales, powers, out4, out, n=[m, n, group], key=key, soc=SOC)
        return out4, out

    scaled = (x.astype(np.float32) * scales.ravel()[index]).astype(ml_dtypes.bfloat16).astype(np.float32)
    want = np.array([to_fp4(float(v), FP4[name], "CAST_FLOOR") for v in scaled.ravel()]).reshape(m, n)
    np.testing.assert_array_equal(fp4_values(result(0)[0], FP4[name]), want)
    back = fp4_values(x4, FP4[name]) * 2.0 ** (powers.ravel()[index].astype(int) - 127)
    for key in (1, 2, 3) if k_dim == 0 else (1, 2):
        np.testing.assert_array_equal(result(key)[1], back.astype(np.float16), err_msg=str(key))


def test_anti_quant_of_floats_of_8_bits(compiler: Compiler) -> None:
    body = """
    if (TILING_KEY_IS(0)) { AscendAntiQuant<fp8_e5m2_t, half, false>(out, x, offsets, scales, tmp, data.n[0]); }
    if (TILING_KEY_IS(1)) { AscendAntiQuant<fp8_e5m2_t, half, false>(out, x, half(0.5f), half(2.0f), data.n[0]); }
    """
    kinds = {"x": "fp8_e5m2_t", "offsets": "half", "scales": "half", "out": "half"}
    call = Library(compiler, "anti_small", kinds, body, *WIDE_CHIP)
    rng = np.random.default_rng(11)
    x = codes_of(rng.standard_normal((32, 64)).astype(np.float32), "fp8_e5m2_t")
    scales, offsets = (rng.uniform(-2, 2, (1, 64)).astype(np.float16) for _ in range(2))
    wide = values_of(x, "fp8_e5m2_t")
    wants = [(wide + offsets.astype(np.float32)) * scales.astype(np.float32), (wide + np.float32(0.5)) * 2]
    for key, want in enumerate(wants):
        out = np.zeros((32, 64), np.float16)
        call(x, offsets, scales, out, n=[32], key=key, soc=SOC)
        np.testing.assert_array_equal(out, want.astype(np.float16))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("AscendQuant<fp4x2_e2m1_t, half>(d, a, 1.0f, 0.0f, 64);", "AscendQuant gives int8_t"),
        ("AscendAntiQuant<fp4x2_e2m1_t, half, false>(a, d, half(1), half(1), 32);", "AscendAntiQuant takes int4b_t"),
    ],
)
def test_floats_of_4_bits_want_groups(compiler: Compiler, call: str, sentence: str) -> None:
    text = kernel("groups", call, t="half", u="fp4x2_e2m1_t")
    errors = compiler.run(text, "groups", *WIDE_CHIP, tiling=TILING)
    assert isinstance(errors, str)
    assert f"static assertion failed: {sentence}" in errors
