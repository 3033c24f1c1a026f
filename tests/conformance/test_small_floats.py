"""Cast from and to the floats of 8 and 4 bits of the Ascend950, against ml_dtypes and hifloat8_t's rules."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from kernels import TILING, kernel, tiling
from small_numbers import FP4, FP8, HIF8, fp4_values, to_fp4, to_hif8
from twin_harness import Compiler, Kernel, KernelError

CHIP = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
MODES = ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD", "CAST_HYBRID"]
NUMPY = {"float": np.float32, "half": np.float16, "bfloat16_t": ml_dtypes.bfloat16}

BODY = """
if (TILING_KEY_IS(1)) { SetCtrlSpr<48, 48>(1); }
if (TILING_KEY_IS(2)) { SetCtrlSpr<50, 50>(1); }
if (data.repeat == 0) { Cast(d, a, static_cast<RoundMode>(data.mode), n); }
if (data.repeat != 0) {
    uint64_t mask[2] = {data.mask[0], data.mask[1]};
    const uint8_t to = data.strides[0], from = data.strides[1];
    Cast(d, a, static_cast<RoundMode>(data.mode), mask, data.repeat, UnaryRepeatParams{1, 1, to, from});
}
"""


def compiled(compiler: Compiler, source: str, target: str) -> Kernel:
    text = kernel("small", BODY, t="DTYPE_X", u="DTYPE_Y")
    return compiler.compile(text, "small", f"DTYPE_X={source}", f"DTYPE_Y={target}", *CHIP, tiling=TILING)


def cast(compiler: Compiler, a: np.ndarray, source: str, target: str, mode: str, key: int = 0) -> np.ndarray:
    """Codes become numbers, numbers become codes."""
    packed = 2 if "fp4x2" in source + target else 1
    count = len(a) * packed if "fp4x2" in source else len(a)
    y = np.zeros(count if target in NUMPY else count // packed, NUMPY.get(target, np.uint8))
    plan = tiling(a, y, count=count, mode=MODES.index(mode))
    compiled(compiler, source, target)(a, a, y, None, plan, key=key, soc="Ascend950PR")
    return y


def spread(dtype: type, count: int, low: int, high: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    values = rng.standard_normal(count) * 2.0 ** rng.integers(low, high, count)
    with np.errstate(over="ignore"):
        return values.astype(dtype)


@pytest.mark.parametrize("name", FP8)
def test_every_code_of_fp8_widens(compiler: Compiler, name: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(
        cast(compiler, codes, name, "float", "CAST_NONE"), codes.view(FP8[name]).astype(np.float32)
    )


@pytest.mark.parametrize("target", ["float", "half"])
def test_every_code_of_hifloat8_widens(compiler: Compiler, target: str) -> None:
    y = cast(compiler, np.arange(256, dtype=np.uint8), "hifloat8_t", target, "CAST_NONE")
    np.testing.assert_array_equal(y, HIF8.astype(NUMPY[target]))


@pytest.mark.parametrize("name", FP4)
def test_every_pair_of_fp4_widens(compiler: Compiler, name: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    y = cast(compiler, codes, name, "bfloat16_t", "CAST_NONE").astype(np.float32)
    np.testing.assert_array_equal(y, fp4_values(codes, FP4[name]))


@pytest.mark.parametrize("name", FP8)
def test_float_to_fp8_rounds_to_nearest_and_saturates(compiler: Compiler, name: str) -> None:
    largest = float(ml_dtypes.finfo(FP8[name]).max)
    a = spread(np.float32, 4000, -20, 18)
    a[:9] = [np.inf, -np.inf, np.nan, 1e30, -1e30, largest * 1.02, 0.0, -0.0, 2.0**-40]
    expected = np.clip(a, -largest, largest).astype(FP8[name]).astype(np.float32)
    expected[2] = 0
    y = cast(compiler, a, "float", name, "CAST_RINT").view(FP8[name]).astype(np.float32)
    np.testing.assert_array_equal(y, expected)
    assert np.signbit(y[7])


@pytest.mark.parametrize(
    ("name", "overflow"), [("fp8_e4m3fn_t", np.nan), ("fp8_e5m2_t", np.inf), ("hifloat8_t", np.inf)]
)
def test_control_bits_say_what_infinities_and_nans_become(compiler: Compiler, name: str, overflow: float) -> None:
    a = np.array([np.inf, -1e9, np.nan, 1.0], np.float32)
    mode = "CAST_ROUND" if name == "hifloat8_t" else "CAST_RINT"

    def values(key: int) -> list[float]:
        codes = cast(compiler, a, "float", name, mode, key)
        return (HIF8[codes] if name == "hifloat8_t" else codes.view(FP8[name]).astype(np.float64)).tolist()

    largest = 32768.0 if name == "hifloat8_t" else float(ml_dtypes.finfo(FP8[name]).max)
    np.testing.assert_array_equal(values(0), [largest, -largest, 0, 1])
    np.testing.assert_array_equal(values(1), [overflow, -overflow, np.nan, 1])
    np.testing.assert_array_equal(values(2), [largest, -largest, 0 if name == "hifloat8_t" else np.nan, 1])


@pytest.mark.parametrize("name", FP4)
@pytest.mark.parametrize("mode", MODES[:6])
def test_bfloat16_to_fp4_rounds_by_mode_saturates_and_packs(compiler: Compiler, name: str, mode: str) -> None:
    a = spread(ml_dtypes.bfloat16, 2000, -4, 4)
    a[:6] = [np.inf, -np.inf, np.nan, 100.0, 2.5, -2.5]
    values = fp4_values(cast(compiler, a, "bfloat16_t", name, mode), FP4[name])
    np.testing.assert_array_equal(values, [to_fp4(float(v), FP4[name], mode) for v in a])


@pytest.mark.parametrize("source", ["float", "half"])
@pytest.mark.parametrize("mode", ["CAST_ROUND", "CAST_HYBRID"])
def test_numbers_to_hifloat8_round_by_mode(compiler: Compiler, source: str, mode: str) -> None:
    a = spread(NUMPY[source], 4000, -26, 17 if source == "float" else 15)
    a = a[np.isfinite(a) & (a != 0)]
    bits = a.view(np.uint32 if source == "float" else np.uint16).astype(np.int64)
    thresholds = (
        [Fraction(int(b) & 0x3FFF, 1 << 14) for b in bits]
        if source == "float"
        else [Fraction((int(b) & 1) << 1 | 1, 4) for b in bits]
    )
    digits = 14 if source == "float" else 2
    expected = []
    for value, threshold in zip(a, thresholds, strict=True):
        # Only so many of the digits behind the kept ones are compared, which >= on a multiple of 2^-digits allows.
        assert threshold * 2**digits == int(threshold * 2**digits)
        expected.append(to_hif8(float(value), mode == "CAST_HYBRID", threshold))
    codes = cast(compiler, a, source, "hifloat8_t", mode)
    np.testing.assert_array_equal(HIF8[codes], expected)
    assert len(np.unique(codes)) > 200


def test_the_documented_example_of_hifloat8(compiler: Compiler) -> None:
    assert HIF8[0b10101110] == -14.0
    assert HIF8[cast(compiler, np.array([14.0], np.float32), "float", "hifloat8_t", "CAST_ROUND")[0]] == 14.0


def test_casts_in_repeats_leave_out_what_the_mask_leaves_out(compiler: Compiler) -> None:
    a = spread(np.float32, 128, -3, 3)
    active = np.arange(64) % 3 != 0
    mask = np.packbits(np.concatenate([active, np.zeros(64, bool)]), bitorder="little").view(np.uint64)
    y = np.full(128, 0x11, np.uint8)
    plan = tiling(a, y, mode=1, repeat=2, mask=mask, strides=[2, 8, 0, 0, 0, 0])
    compiled(compiler, "float", "fp8_e4m3fn_t")(a, a, y, None, plan, soc="Ascend950PR")
    codes = a.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    np.testing.assert_array_equal(y, np.where(np.tile(active, 2), codes, 0x11))


def test_casts_of_pairs_in_repeats(compiler: Compiler) -> None:
    a = np.tile(np.array([1.5, -2, 6, 0.5], ml_dtypes.bfloat16), 64)
    y = np.zeros(128, np.uint8)
    mask = np.array([~np.uint64(0), 0xFF], np.uint64)
    plan = tiling(a, y, mode=1, repeat=2, mask=mask, strides=[2, 8, 0, 0, 0, 0])
    compiled(compiler, "bfloat16_t", "fp4x2_e2m1_t")(a, a, y, None, plan, soc="Ascend950PR")
    row = np.where(np.arange(64) < 36, np.tile(np.array([0xC3, 0x17], np.uint8), 32), 0)
    np.testing.assert_array_equal(y, np.tile(row, 2))


@pytest.mark.parametrize(
    ("source", "target", "mode", "message"),
    [
        ("float", "hifloat8_t", "CAST_RINT", "rounds by CAST_ROUND or CAST_HYBRID"),
        ("float", "fp8_e5m2_t", "CAST_FLOOR", "Cast to fp8_e5m2_t rounds by CAST_RINT"),
        ("bfloat16_t", "fp4x2_e2m1_t", "CAST_ODD", "Cast to a float of 4 bits rounds by"),
    ],
)
def test_a_mode_that_the_cast_lacks_is_named(
    compiler: Compiler, source: str, target: str, mode: str, message: str
) -> None:
    with pytest.raises(KernelError, match=message):
        cast(compiler, np.zeros(32, NUMPY[source]), source, target, mode)


@pytest.mark.parametrize(
    ("source", "target", "defines"),
    [("half", "fp8_e4m3fn_t", CHIP), ("hifloat8_t", "bfloat16_t", CHIP), ("float", "hifloat8_t", ())],
)
def test_a_cast_that_the_chip_lacks_is_refused(
    compiler: Compiler, source: str, target: str, defines: tuple[str, ...]
) -> None:
    text = kernel("refused", "Cast(d, a, RoundMode::CAST_RINT, n);", t="DTYPE_X", u="DTYPE_Y")
    errors = compiler.run(text, "refused", f"DTYPE_X={source}", f"DTYPE_Y={target}", *defines, tiling=TILING)
    assert isinstance(errors, str)
    assert f"does not support {target} on this SoC" in errors


def test_arithmetic_of_small_floats_is_refused(compiler: Compiler) -> None:
    errors = compiler.run(
        kernel("sum", "Add(d, a, b, n);", t="hifloat8_t", u="hifloat8_t"), "sum", *CHIP, tiling=TILING
    )
    assert isinstance(errors, str)
    assert "Add does not support hifloat8_t on this SoC" in errors


def test_single_values_become_float(compiler: Compiler) -> None:
    body = """
    const LocalTensor<uint8_t> codes = a.ReinterpretCast<uint8_t>();
    const uint8_t one = codes.GetValue(0);
    d.SetValue(0, Cast(fp8_e4m3fn_t{one})); d.SetValue(1, Cast(fp8_e5m2_t{one})); d.SetValue(2, Cast(hifloat8_t{one}));
    d.SetValue(3, Cast(fp4x2_e2m1_t{one})); d.SetValue(4, Cast(fp4x2_e1m2_t{one}));
    """
    single = compiler.compile(kernel("single", body, t="uint32_t", u="float"), "single", *CHIP, tiling=TILING)
    y = np.zeros(8, np.float32)
    x = np.full(8, 0xAE, np.uint32)
    single(x, x, y, None, tiling(x, y), soc="Ascend950PR")
    fp8 = [float(np.array(0xAE, np.uint8).view(FP8[name])) for name in FP8]
    assert y[:5].tolist() == [*fp8, -14.0, -4.0, -1.5]


@pytest.mark.parametrize("name", [*FP8, "hifloat8_t", "fp8_e8m0_t", *FP4])
def test_what_only_moves_takes_small_floats(compiler: Compiler, name: str) -> None:
    body = """
    if (TILING_KEY_IS(0)) { Duplicate(d, a.GetValue(2), n); }
    if (TILING_KEY_IS(1)) { Copy(d, a, n); }
    if (TILING_KEY_IS(2)) { Copy(d, a, 64, 1, CopyRepeatParams(1, 1, 8, 8)); }
    if (TILING_KEY_IS(3)) {
        GlobalTensor<DTYPE_X> from, to;
        from.SetGlobalBuffer((__gm__ DTYPE_X *)x0); to.SetGlobalBuffer((__gm__ DTYPE_X *)x1);
        DataCopyPad(d, from, DataCopyExtParams(1, 40, 0, 0, 0), DataCopyPadExtParams<DTYPE_X>());
        DataCopyPad(to, d, DataCopyExtParams(1, 40, 0, 0, 0));
    }
    """
    moves = compiler.compile(kernel("moves", body), "moves", f"DTYPE_X={name}", *CHIP, tiling=TILING)
    x = np.random.default_rng(2).integers(1, 255, 128).astype(np.uint8)
    count = 100 if name in FP4 else 50
    for key, want in ((0, np.full(50, x[2])), (1, x[:50]), (2, x[:64]), (3, x[:40])):
        y, other = np.zeros(128, np.uint8), np.zeros(128, np.uint8)
        moves(x, other, y, None, tiling(x, y, count=count), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y[: len(want)], want, err_msg=str(key))
        assert not y[64:].any()
        np.testing.assert_array_equal(other[:40], x[:40] if key == 3 else 0)


def test_transpose_of_axes_takes_small_floats(compiler: Compiler) -> None:
    body = "Transpose(d, a, w.ReinterpretCast<uint8_t>(), {1, 32, 2, 16, TransposeType::TRANSPOSE_NCHW2NHWC});"
    call = compiler.compile(kernel("axes", body, t="hifloat8_t", u="hifloat8_t"), "axes", *CHIP, tiling=TILING)
    x = np.arange(1024, dtype=np.uint16).astype(np.uint8)
    y = np.zeros(1024, np.uint8)
    call(x, x, y, None, tiling(x, y), soc="Ascend950PR")
    np.testing.assert_array_equal(y, x.reshape(32, 32).T.ravel())
