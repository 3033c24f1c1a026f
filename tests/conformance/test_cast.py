"""Cast between every pair of dtypes that the chip supports, by rounding mode."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler

TYPES = C_TYPES | {"float64": "double"}
MODES = ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"]
ROUNDING = MODES[1:6]
# As the documentation of the 910B lists them.
PAIRS = {
    "int8": "float16",
    "uint8": "float16",
    "int16": "float16 float32",
    "float16": "int8 uint8 int16 int32 float32",
    "bfloat16": "int32 float32",
    "int32": "int16 float32 int64",
    "float32": "int16 float16 bfloat16 int32 int64",
    "int64": "int32 float32",
}
CASE = Path(__file__).parents[1] / "data" / "cases" / "numerics" / "cast_rounding.json"


def cast(compiler: Compiler, a: np.ndarray, source: str, target: str, mode: str, *defines: str) -> np.ndarray:
    body = "Cast(d, a, static_cast<RoundMode>(data.mode), n);"
    text = kernel("cast", body, t="DTYPE_X", u="DTYPE_Y")
    compiled = compiler.compile(
        text, "cast", f"DTYPE_X={TYPES[source]}", f"DTYPE_Y={TYPES[target]}", *defines, tiling=TILING
    )
    y = np.zeros(len(a), "uint16" if target == "bfloat16" else target)
    compiled(a, a, y, None, tiling(a, y, count=len(a), mode=MODES.index(mode)))
    return y


def bfloat16_value(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_to_integer(value: float, mode: str) -> int:
    exact = Fraction(value)
    down = exact.__floor__()
    fraction = exact - down
    nearest = down + (1 if fraction > Fraction(1, 2) or (fraction == Fraction(1, 2) and down % 2) else 0)
    away = down + (1 if fraction > Fraction(1, 2) or (fraction == Fraction(1, 2) and exact > 0) else 0)
    return {
        "CAST_RINT": nearest,
        "CAST_NONE": nearest,
        "CAST_FLOOR": down,
        "CAST_CEIL": -((-exact).__floor__()),
        "CAST_ROUND": away,
        "CAST_TRUNC": int(exact),
    }[mode]


def expected_integer(values: np.ndarray, target: str, mode: str) -> np.ndarray:
    info = np.iinfo(target)

    def one(value: float) -> int:
        if np.isnan(value):
            return 0
        if np.isinf(value):
            return info.max if value > 0 else info.min
        return min(max(round_to_integer(value, mode), info.min), info.max)

    return np.array([one(float(v)) for v in values], target)


def test_rounding_to_int32_as_the_shared_case_has_it(compiler: Compiler) -> None:
    case = json.loads(CASE.read_text())
    inputs = np.array(case["inputs"], np.float32)
    modes = [key for key in case if key.startswith("CAST_")]
    assert len(modes) == 5
    for mode in modes:
        assert cast(compiler, inputs, "float32", "int32", mode).tolist() == case[mode], mode


@pytest.mark.parametrize(
    ("source", "target"),
    [(s, t) for s in ("float32", "float16", "bfloat16") for t in PAIRS[s].split() if "int" in t],
)
def test_floats_to_integers_round_and_saturate(compiler: Compiler, source: str, target: str) -> None:
    dtype = "float32" if source == "bfloat16" else source
    halves = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 126.5, 127.5, 255.5, -0.2, 32767.5, 3e9, -3e9, 1e30])
    halves = np.concatenate([halves, 2.0 ** np.array([15, 16, 31, 32, 63, 64]), -(2.0 ** np.array([15, 31, 63]))])
    with np.errstate(over="ignore"):
        values = np.concatenate([halves, samples(dtype, 301, 5).astype(np.float64)]).astype(dtype)
    a = values
    if source == "bfloat16":
        a = (values.view(np.uint32) >> 16).astype(np.uint16)
        values = bfloat16_value(a)
    for mode in ROUNDING:
        y = cast(compiler, a, source, target, mode)
        np.testing.assert_array_equal(y, expected_integer(values, target, mode), err_msg=mode)


@pytest.mark.parametrize(("source", "target"), [("int8", "float16"), ("uint8", "float16"), ("int16", "float32")])
def test_small_integers_to_floats_are_exact(compiler: Compiler, source: str, target: str) -> None:
    a = np.arange(np.iinfo(source).min, np.iinfo(source).max, 1 if source != "int16" else 17).astype(source)[:8000]
    np.testing.assert_array_equal(cast(compiler, a, source, target, "CAST_NONE"), a.astype(target))


@pytest.mark.parametrize("mode", ROUNDING)
def test_the_documented_roundings_of_integers(compiler: Compiler, mode: str) -> None:
    up = mode in ("CAST_CEIL", "CAST_ROUND")
    half = cast(compiler, np.array([4098, 5], np.int16), "int16", "float16", mode)
    assert half.tolist() == [4100.0 if up else 4096.0, 5.0]
    even_up = up or mode == "CAST_RINT"
    single = cast(compiler, np.array([2**25 + 3, -7], np.int32), "int32", "float32", mode)
    assert single.tolist() == [float(2**25 + 4 if even_up else 2**25), -7.0]
    long = cast(compiler, np.array([2**35 + 2**12 + 2**11, 2**62], np.int64), "int64", "float32", mode)
    assert long.tolist() == [float(2**35 + (2**13 if even_up else 2**12)), float(2**62)]


@pytest.mark.parametrize("mode", ROUNDING)
@pytest.mark.parametrize("source", ["int32", "int64"])
def test_integers_that_a_float_cannot_hold_are_rounded_by_mode(compiler: Compiler, source: str, mode: str) -> None:
    def one(value: int) -> float:
        unit = 2 ** max(abs(value).bit_length() - 24, 0)
        return float(round_to_integer(Fraction(value, unit), mode) * unit)  # type: ignore[arg-type]

    info = np.iinfo(source)
    rng = np.random.default_rng(4)
    ties = [sign * (2**24 + k) << shift for sign in (1, -1) for k in (1, 3) for shift in (0, 5)]
    values = [info.min, info.max, 0, *ties, *rng.integers(info.min, info.max, 200).tolist()]
    y = cast(compiler, np.array(values, source), source, "float32", mode)
    np.testing.assert_array_equal(y, np.array([one(v) for v in values], np.float32))


def test_integers_narrow_by_saturation(compiler: Compiler) -> None:
    a = np.array([2**31 - 1, -(2**31), 32767, 32768, -32769, 5], np.int32)
    assert cast(compiler, a, "int32", "int16", "CAST_NONE").tolist() == [32767, -32768, 32767, 32767, -32768, 5]
    b = np.array([2**31, -(2**31) - 1, 7], np.int64)
    assert cast(compiler, b, "int64", "int32", "CAST_NONE").tolist() == [2**31 - 1, -(2**31), 7]
    np.testing.assert_array_equal(cast(compiler, a, "int32", "int64", "CAST_NONE"), a.astype(np.int64))
    c = np.array([32767, -5, 255, 256], np.int16)
    on_950 = ("__NPU_ARCH__=3510",)
    assert cast(compiler, c, "int16", "uint8", "CAST_NONE", *on_950).tolist() == [255, 0, 255, 255]
    assert cast(compiler, c, "int16", "uint32", "CAST_NONE", *on_950).tolist() == [32767, 0, 255, 256]


def narrow(value: float, mantissa: int, bias: int, mode: str) -> float:
    """`value` rounded to a format of so many mantissa digits, exactly; overflow saturates."""
    if np.isnan(value) or np.isinf(value) or value == 0:
        return value
    exact = Fraction(value)
    exponent = max(math.frexp(value)[1] - 1, 1 - bias)
    unit = Fraction(2) ** (exponent - mantissa)
    scaled = exact / unit
    if mode == "CAST_ODD":
        whole = int(scaled)
        if scaled != whole and whole % 2 == 0:
            whole += 1 if exact > 0 else -1
    else:
        whole = round_to_integer(scaled, mode)  # type: ignore[arg-type]
    largest = Fraction(2) ** bias * (2 - Fraction(1, 2**mantissa))
    return float(min(max(whole * unit, -largest), largest))


@pytest.mark.parametrize("mode", ["CAST_NONE", *ROUNDING, "CAST_ODD"])
def test_float_to_half_rounds_by_mode(compiler: Compiler, mode: str) -> None:
    rng = np.random.default_rng(3)
    edge = [0.5 + 2.0**-12, 65504.0, 65519.0, 65520.0, 1e6, -1e6, np.inf, -np.inf, 0.0, -0.0, 2.0**-24, 2.0**-25, 1e-8]
    a = np.concatenate([edge, rng.standard_normal(500) * 10.0 ** rng.integers(-8, 5, 500)]).astype(np.float32)
    y = cast(compiler, a, "float32", "float16", mode)
    expected = np.array([narrow(float(v), 10, 15, mode) for v in a], np.float16)
    np.testing.assert_array_equal(y, expected)
    assert np.isnan(cast(compiler, np.array([np.nan], np.float32), "float32", "float16", mode))[0]


@pytest.mark.parametrize("mode", ROUNDING)
def test_float_to_bfloat16_rounds_by_mode(compiler: Compiler, mode: str) -> None:
    a = samples("float32", 600, 9)
    a = a[~np.isnan(a)]
    y = bfloat16_value(cast(compiler, a, "float32", "bfloat16", mode))
    expected = np.array([narrow(float(v), 7, 127, mode) for v in a], np.float32)
    np.testing.assert_array_equal(y, expected)
    example = np.array([0.5 + 2.0**-9 + 2.0**-11], np.float32)
    up = mode in ("CAST_RINT", "CAST_CEIL", "CAST_ROUND")
    assert bfloat16_value(cast(compiler, example, "float32", "bfloat16", mode))[0] == (0.5 + 2.0**-8 if up else 0.5)


def test_every_half_and_bfloat16_widens_exactly(compiler: Compiler) -> None:
    every = np.arange(65536, dtype=np.uint16)
    for start in range(0, 65536, 8192):
        part = every[start : start + 8192].view(np.float16)
        np.testing.assert_array_equal(cast(compiler, part, "float16", "float32", "CAST_NONE"), part.astype(np.float32))
        bits = every[start : start + 8192]
        np.testing.assert_array_equal(cast(compiler, bits, "bfloat16", "float32", "CAST_NONE"), bfloat16_value(bits))


@pytest.mark.parametrize("mode", ROUNDING)
def test_float_to_float_gives_whole_numbers(compiler: Compiler, mode: str) -> None:
    a = np.array([2.5, -2.5, 0.5, -0.5, 1e20, 8388607.5, -0.2, -0.7, 3.7], np.float32)
    y = cast(compiler, a, "float32", "float32", mode)
    np.testing.assert_array_equal(y, [np.float32(round_to_integer(float(v), mode)) for v in a])
    np.testing.assert_array_equal(np.signbit(y), np.signbit(a))


@pytest.mark.parametrize("mode", ["CAST_NONE", *ROUNDING])
@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_a_nan_of_any_digits_stays_one(compiler: Compiler, target: str, mode: str) -> None:
    bits = np.array([0x7F800001, 0x7FFFFFFF, 0xFF800001, 0xFFFFFFFF, 0x7F80FFFF, 0x7FBFFFFF, 0x7FC00000], np.uint32)
    y = cast(compiler, bits.view(np.float32), "float32", target, mode)
    assert np.isnan(bfloat16_value(y) if target == "bfloat16" else y).all()


def test_saturation_can_be_turned_off_and_made_strict(compiler: Compiler) -> None:
    body = (
        "if (TILING_KEY_IS(1)) { SetSaturationFlag<SaturationMode::FLOAT>(false); }"
        "if (TILING_KEY_IS(2)) { SetSaturationFlag<SaturationMode::FLOAT>(true); }"
        "Cast(d, a, RoundMode::CAST_RINT, n);"
    )
    compiled = compiler.compile(kernel("saturate", body, t="float", u="half"), "saturate", tiling=TILING)
    a = np.array([1e6, -1e6, np.inf, np.nan, 1.0], np.float32)
    results = []
    for key in range(3):
        y = np.zeros(5, np.float16)
        compiled(a, a, y, None, tiling(a, y, count=5), key=key)
        results.append(y)
    np.testing.assert_array_equal(results[0], np.array([65504, -65504, np.inf, np.nan, 1], np.float16))
    np.testing.assert_array_equal(results[1], np.array([np.inf, -np.inf, np.inf, np.nan, 1], np.float16))
    np.testing.assert_array_equal(results[2], np.array([65504, -65504, 65504, 0, 1], np.float16))


def test_int32_to_half_takes_its_scale_from_set_deq_scale(compiler: Compiler) -> None:
    body = "SetDeqScale(half(0.5f)); Cast(d, a, RoundMode::CAST_NONE, n);"
    compiled = compiler.compile(kernel("deq", body, t="int32_t", u="half"), "deq", tiling=TILING)
    a = np.array([10, -7, 100000, 3], np.int32)
    y = np.zeros(4, np.float16)
    compiled(a, a, y, None, tiling(a, y, count=4))
    np.testing.assert_array_equal(y, np.array([5, -3.5, 50000, 1.5], np.float16))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("int8_t", "float"),
        ("uint16_t", "half"),
        ("half", "bfloat16_t"),
        ("float", "AscendC::int4b_t"),
        ("AscendC::int4b_t", "int16_t"),
    ],
)
def test_a_pair_that_the_chip_lacks_is_named(compiler: Compiler, source: str, target: str) -> None:
    text = kernel("refused", "Cast(d, a, RoundMode::CAST_NONE, n);", t="DTYPE_X", u="DTYPE_Y")
    errors = compiler.run(text, "refused", f"DTYPE_X={source}", f"DTYPE_Y={target}", tiling=TILING)
    assert isinstance(errors, str)
    assert f"does not support {target} on this SoC" in errors
    assert "Cast" in errors


def nibbles(values: np.ndarray) -> np.ndarray:
    """Pairs of int4 in a byte, the first in its lower half."""
    four = values.astype(np.int8).view(np.uint8) & 15
    return four[::2] | four[1::2] << 4


INT4 = """
if (TILING_KEY_IS(0)) { Cast(d, a, static_cast<RoundMode>(data.mode), n); }
if (TILING_KEY_IS(1)) {
    uint64_t mask[2] = {data.mask[0], data.mask[1]};
    const uint8_t to = data.strides[0], from = data.strides[1];
    Cast(d, a, static_cast<RoundMode>(data.mode), mask, 2, UnaryRepeatParams{1, 1, to, from});
}
if (TILING_KEY_IS(2)) {
    SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(200);
    const uint8_t to = data.strides[0], from = data.strides[1];
    Cast<DTYPE_Y, DTYPE_X, false>(d, a, static_cast<RoundMode>(data.mode), MASK_PLACEHOLDER, 1, {1, 1, to, from});
    SetMaskNorm(); ResetMask();
}
"""


def rounded(values: np.ndarray, mode: int) -> np.ndarray:
    rounding = [np.rint, np.rint, np.floor, np.ceil, lambda v: np.trunc(v + np.copysign(0.5, v)), np.trunc]
    return np.clip(rounding[mode](values.astype(np.float64)), -8, 7)


@pytest.mark.parametrize("mode", range(6))
def test_half_to_int4_rounds_saturates_and_packs(compiler: Compiler, mode: int) -> None:
    text = kernel("int4", INT4, t="DTYPE_X", u="DTYPE_Y")
    compiled = compiler.compile(text, "int4", "DTYPE_X=half", "DTYPE_Y=AscendC::int4b_t", tiling=TILING)
    x = (np.random.default_rng(mode).integers(-40, 40, 256) / 4).astype(np.float16)
    x[:5] = [7.5, -8.5, 1000, -1000, np.inf]
    for key, active in (
        (0, np.arange(256) < 250),
        (1, np.tile(np.arange(128) // 2 % 3 != 0, 2)),
        (2, np.arange(256) < 200),
    ):
        bits = np.packbits(active[:128], bitorder="little").view(np.uint64)
        y = np.full(128, 0x35, np.uint8)
        compiled(x, x, y, None, tiling(x, y, mode=mode, count=250, mask=bits, strides=[2, 8, 0, 0, 0, 0]), key=key)
        expected = np.where(active[::2], nibbles(rounded(x, mode)), 0x35)
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")


@pytest.mark.parametrize(("target", "c_type"), [("float16", "half"), ("int16", "int16_t"), ("float32", "bfloat16_t")])
def test_int4_widens(compiler: Compiler, target: str, c_type: str) -> None:
    text = kernel("int4", INT4, t="DTYPE_X", u="DTYPE_Y")
    chip = () if target == "float16" else ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
    compiled = compiler.compile(text, "int4", "DTYPE_X=AscendC::int4b_t", f"DTYPE_Y={c_type}", *chip, tiling=TILING)
    values = np.random.default_rng(1).integers(-8, 8, 256)
    x = nibbles(values)
    as_target = values.astype(target)
    if c_type == "bfloat16_t":
        as_target = (as_target.view(np.uint32) >> 16).astype(np.uint16)
    for key, active in ((0, np.arange(256) < 250), (1, np.arange(256) % 128 < 100), (2, np.arange(256) < 200)):
        bits = np.packbits(active[:128], bitorder="little").view(np.uint64)
        y = np.zeros(256, as_target.dtype)
        plan = tiling(x, y, count=250, mask=bits, strides=[8, 2, 0, 0, 0, 0])
        compiled(x, x, y, None, plan, key=key, soc="Ascend950PR" if chip else "Ascend910B1")
        np.testing.assert_array_equal(y, np.where(active, as_target, 0), err_msg=f"key {key}")


@pytest.mark.parametrize("mode", ["CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_truncate_keeps_the_type(compiler: Compiler, dtype: str, mode: str) -> None:
    body = f"Truncate<DTYPE_X, RoundMode::{mode}>(d, a, n);"
    compiled = compiler.compile(
        kernel("truncate", body),
        "truncate",
        f"DTYPE_X={C_TYPES[dtype]}",
        "__NPU_ARCH__=3510",
        "__CCE_AICORE__=310",
        tiling=TILING,
    )
    x = (np.random.default_rng(3).integers(-400, 400, 77) / 8).astype(dtype)
    x[:3] = [np.inf, -np.inf, -0.5]
    y = np.zeros(80, dtype)
    compiled(x, x, y, None, tiling(x, y, count=77), soc="Ascend950PR")
    rounding = {
        "CAST_RINT": np.rint,
        "CAST_FLOOR": np.floor,
        "CAST_CEIL": np.ceil,
        "CAST_ROUND": lambda v: np.trunc(v + np.copysign(v.dtype.type(0.5), v)),
        "CAST_TRUNC": np.trunc,
    }[mode]
    np.testing.assert_array_equal(y[:77], rounding(x))


ON_950 = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")


@pytest.mark.parametrize("mode", ROUNDING)
def test_double_is_rounded_by_mode(compiler: Compiler, mode: str) -> None:
    rng = np.random.default_rng(13)
    a = rng.standard_normal(300) * 2.0 ** rng.integers(-140, 120, 300)
    a[:6] = [2.0**35 + 2.0**12 + 2.0**11, -(2.0**-150), 2.0**-149 * 1.5, 3e38, -3e38, 0.0]
    for target, mantissa in (("float32", 23), ("bfloat16", 7)):
        y = cast(compiler, a, "float64", target, mode, *ON_950)
        values = bfloat16_value(y) if target == "bfloat16" else y
        np.testing.assert_array_equal(values, np.array([narrow(float(v), mantissa, 127, mode) for v in a], np.float32))
    b = np.array([2**61 + 2**9 + 2**8, -(2**61 + 2**8), 2**62 + 1, -7, 2**63 - 1], np.int64)
    y = cast(compiler, b, "int64", "float64", mode, *ON_950)
    scaled = [Fraction(int(v), 2 ** max(0, abs(int(v)).bit_length() - 53)) for v in b]
    units = [2 ** max(0, abs(int(v)).bit_length() - 53) for v in b]
    expected = [float(round_to_integer(v, mode) * u) for v, u in zip(scaled, units, strict=True)]  # type: ignore[arg-type]
    np.testing.assert_array_equal(y, expected)


def test_double_overflows_and_truncates(compiler: Compiler) -> None:
    a = np.array([1e300, -np.inf, np.nan, -1.5, 2.9, -3e9, 9.3e18])
    single = cast(compiler, a, "float64", "float32", "CAST_RINT", *ON_950)
    np.testing.assert_array_equal(single, np.array([np.inf, -np.inf, np.nan, -1.5, 2.9, -3e9, 9.3e18], np.float32))
    half = bfloat16_value(cast(compiler, a, "float64", "bfloat16", "CAST_RINT", *ON_950))
    assert half[0] == np.float32(2.0**128 - 2.0**120) and half[1] == -np.inf and np.isnan(half[2])
    assert cast(compiler, a, "float64", "int32", "CAST_TRUNC", *ON_950).tolist() == [
        2**31 - 1, -(2**31), 0, -1, 2, -(2**31), 2**31 - 1
    ]  # fmt: skip
    assert cast(compiler, a, "float64", "int64", "CAST_TRUNC", *ON_950).tolist() == [
        2**63 - 1, -(2**63), 0, -1, 2, -3_000_000_000, 2**63 - 1
    ]  # fmt: skip
