"""Instructions that do two things at once, operators between tensors, and scalars in any place."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler

CHIP_950 = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
INT8, UINT8 = np.iinfo(np.int8), np.iinfo(np.uint8)


def to_int8(values: np.ndarray, info: np.iinfo = INT8) -> np.ndarray:
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), 0, np.rint(values.astype(np.float64)))
    return np.clip(values, info.min, info.max).astype(info.dtype)


def relu(values: np.ndarray) -> np.ndarray:
    return np.where(values < 0, values.dtype.type(0), values)


THREE_FORMS = """
if (TILING_KEY_IS(0)) {{ {name}(d, a, b, n); }}
if (TILING_KEY_IS(1)) {{ {name}(d, a, b, data.mask[0], 2, BinaryRepeatParams{{1, 1, 1, {dst}, 8, 8}}); }}
if (TILING_KEY_IS(2)) {{
    uint64_t mask[2] = {{data.mask[0], data.mask[1]}};
    {name}(d, a, b, mask, 2, BinaryRepeatParams{{1, 1, 1, {dst}, 8, 8}});
}}
"""


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [(name, *pair) for name in ("AddReluCast", "SubReluCast")
     for pair in (("float16", "int8"), ("int16", "int8"), ("float32", "float16"))]
    + [("MulCast", "float16", "int8"), ("MulCastUnsigned", "float16", "int8")],
)  # fmt: skip
def test_sums_and_products_are_converted(compiler: Compiler, name: str, source: str, target: str) -> None:
    u = "uint8_t" if name == "MulCastUnsigned" else C_TYPES[target]
    call = name.removesuffix("Unsigned")
    size, out = np.dtype(source).itemsize, np.dtype(target).itemsize
    body = THREE_FORMS.format(name=call, dst=8 * out // size)
    compiled = compiler.compile(
        kernel("fused", body, t="DTYPE_X", u="DTYPE_Y"),
        "fused",
        f"DTYPE_X={C_TYPES[source]}",
        f"DTYPE_Y={u}",
        tiling=TILING,
    )
    per = 256 // size
    rng = np.random.default_rng(5)
    scale = 3 if source == "float16" else 1
    a, b = ((rng.integers(-150, 150, 2 * per) / scale).astype(source) for _ in range(2))
    if source == "float32":
        a[:4] = [70000, np.inf, 1e-6, 65519]
    with np.errstate(all="ignore"):
        result = {"AddReluCast": relu(a + b), "SubReluCast": relu(a - b)}.get(name, a * b)
        if target == "float16":
            expected = np.where(np.isfinite(result), np.clip(result, -65504, 65504), result).astype(np.float16)
        else:
            expected = to_int8(result, UINT8 if u == "uint8_t" else INT8)
    bits = np.array([0x00FF00FF12345678, 0xFF], np.uint64)
    by_bits = np.unpackbits(bits.view(np.uint8), bitorder="little")[:per].astype(bool)
    for key, active, mask in (
        (0, np.arange(2 * per) < 2 * per - 5, bits),
        (1, np.tile(np.arange(per) < 50, 2), np.array([50, 0], np.uint64)),
        (2, np.tile(by_bits, 2), bits),
    ):
        y = np.zeros(2 * per, expected.dtype)
        compiled(a, b, y, None, tiling(a, y, count=2 * per - 5, mask=mask), key=key)
        np.testing.assert_array_equal(y, np.where(active, expected, 0), err_msg=f"key {key}")


@pytest.mark.parametrize(("target", "c_type"), [("float32", "float"), ("int32", "int32_t")])
def test_sums_of_64_bits_are_converted(compiler: Compiler, target: str, c_type: str) -> None:
    body = "if (TILING_KEY_IS(0)) { AddReluCast(d, a, b, n); } if (TILING_KEY_IS(1)) { MulCast(d, a, b, n); }"
    compiled = compiler.compile(kernel("wide", body, t="int64_t", u=c_type), "wide", *CHIP_950, tiling=TILING)
    a = np.random.default_rng(2).integers(-(2**34), 2**34, 300)
    b = np.random.default_rng(3).integers(-5, 5, 300)
    info = np.iinfo(np.int32)
    for key, result in ((0, relu(a + b)), (1, a * b)):
        y = np.zeros(300, target)
        compiled(a, b, y, None, tiling(a, y, count=300), key=key, soc="Ascend950PR")
        expected = result if target == "float32" else np.clip(result, info.min, info.max)
        np.testing.assert_array_equal(y, expected.astype(target))


def test_add_deq_relu(compiler: Compiler) -> None:
    body = (
        "SetDeqScale(half(data.flag / 1024.0f));"
        + THREE_FORMS.format(name="AddDeqRelu", dst=4)
        + (
            "if (TILING_KEY_IS(3)) { ResetMask(); AddDeqRelu<false>(d, a, b, MASK_PLACEHOLDER, 2, "
            "BinaryRepeatParams{1, 1, 1, 4, 8, 8}); }"
        )
    )
    compiled = compiler.compile(kernel("deq", body, t="int32_t", u="half"), "deq", tiling=TILING)
    a, b = (np.random.default_rng(k).integers(-4000, 4000, 128).astype(np.int32) for k in (1, 2))
    scale = np.float32(np.float16(333 / 1024))
    expected = relu(((a + b).astype(np.float32) * scale).astype(np.float16))
    for key, active in ((0, np.arange(128) < 90), (1, np.arange(128) % 64 < 40), (3, np.full(128, True))):
        y = np.zeros(128, np.float16)
        compiled(a, b, y, None, tiling(a, y, count=90, flag=333, mask=[40, 0]), key=key)
        np.testing.assert_array_equal(y, np.where(active, expected, 0), err_msg=f"key {key}")


def test_mul_add_dst_of_float_takes_half(compiler: Compiler) -> None:
    compiled = compiler.compile(
        kernel(
            "widened", THREE_FORMS.format(name="MulAddDst", dst=8).replace(", 8, 8}", ", 4, 4}"), t="half", u="float"
        ),
        "widened",
        tiling=TILING,
    )
    a, b = (np.random.default_rng(k).standard_normal(128).astype(np.float16) for k in (1, 2))
    start = np.arange(128, dtype=np.float32)
    expected = start + a.astype(np.float32) * b.astype(np.float32)
    for key, active in ((0, np.arange(128) < 90), (1, np.arange(128) % 64 < 40)):
        y = start.copy()
        compiled(a, b, y, None, tiling(a, y, count=90, mask=[40, 0]), key=key)
        np.testing.assert_array_equal(y, np.where(active, expected, start), err_msg=f"key {key}")


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("upper", [True, False])
def test_cast_dequant_of_int16(compiler: Compiler, signed: bool, upper: bool) -> None:
    t, half = "int8_t" if signed else "uint8_t", str(upper).lower()
    body = f"""
    float scales[16]; int16_t offsets[16]; bool signs[16];
    for (int i = 0; i < 16; ++i) {{ scales[i] = 0.25f * i; offsets[i] = i - 20; signs[i] = {str(signed).lower()}; }}
    if (TILING_KEY_IS(1)) {{
        SetDeqScale<uint64_t>(frame.buffers[4].Get<uint64_t>(), VdeqInfo(scales, offsets, signs));
        CastDequant<{t}, int16_t, true, {half}>(d, a, n);
    }} else {{
        SetDeqScale(0.7071067f, -3, {str(signed).lower()});
        if (TILING_KEY_IS(0)) {{ CastDequant<{t}, int16_t, false, {half}>(d, a, n); }}
        uint64_t mask[2] = {{data.mask[0], data.mask[1]}};
        if (TILING_KEY_IS(2)) {{
            CastDequant<{t}, int16_t, true, false, {half}>(d, a, mask, 2, UnaryRepeatParams{{2, 1, 16, 8}});
        }}
        if (TILING_KEY_IS(3)) {{
            CastDeq<{t}, int16_t, true, false, {half}>(d, a, 70, 2, UnaryRepeatParams{{1, 1, 8, 8}});
        }}
        if (TILING_KEY_IS(4)) {{ CastDequant<{t}, int16_t, true, {half}>(d, a, n); }}
    }}
    """
    compiled = compiler.compile(kernel("dequant", body, t="int16_t", u=t), "dequant", tiling=TILING)
    x = samples("int16", 256)
    x[:200] //= 100
    place = np.arange(256) // 16 * 32 + np.arange(256) % 16 + (16 if upper else 0)
    info = INT8 if signed else UINT8

    def check(key: int, active: np.ndarray, scale: np.ndarray, offset: np.ndarray, blocks: int, **plan: object) -> None:
        cut = (np.float32(scale).reshape(-1).view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)
        values = to_int8(np.rint(x.astype(np.float32) * cut + np.float32(offset)), info)
        y = np.full(1024, 9, info.dtype)
        expected = y.copy()
        at = place if blocks == 1 else np.arange(256) // 16 * 64 + np.arange(256) % 16 + (16 if upper else 0)
        expected[at[active]] = values[active]
        compiled(x, x, y, None, tiling(x, y, **plan), key=key)
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")

    bits = np.array([0x0F0F00FF12345678, 0xFF], np.uint64)
    masked = np.tile(np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool), 2)
    one = np.float32(0.7071067)
    check(0, np.arange(256) < 250, one, np.float32(-3), 1, count=250)
    j = np.tile(np.arange(16), 16)
    check(1, np.arange(256) < 250, 0.25 * j, j - 20, 1, count=250)
    check(2, masked, one, np.float32(-3), 2, mask=bits)
    check(3, np.tile(np.arange(128) < 70, 2), one, np.float32(-3), 1)
    with pytest.raises(RuntimeError, match="needs SetDeqScale with a tensor"):
        check(4, masked, one, np.float32(0), 1, count=10)


def test_cast_dequant_of_int32_is_the_cast(compiler: Compiler) -> None:
    body = (
        "SetDeqScale(half(0.5));"
        "if (TILING_KEY_IS(0)) { CastDequant(d, a, static_cast<uint32_t>(n)); }"
        "if (TILING_KEY_IS(1)) { CastDequant<half, int32_t, true>(d, a, 30, 2, UnaryRepeatParams{1, 1, 4, 8}); }"
    )
    compiled = compiler.compile(kernel("deq32", body, t="int32_t", u="half"), "deq32", tiling=TILING)
    x = np.random.default_rng(1).integers(-3000, 3000, 128).astype(np.int32)
    for key, active in ((0, np.arange(128) < 99), (1, np.arange(128) % 64 < 30)):
        y = np.zeros(128, np.float16)
        compiled(x, x, y, None, tiling(x, y, count=99), key=key)
        np.testing.assert_array_equal(y, np.where(active, (x * 0.5).astype(np.float16), 0), err_msg=f"key {key}")


@pytest.mark.parametrize(("source", "target"), [("float32", "float32"), ("float16", "float16"), ("float16", "float32"),
                                                ("float32", "float16")])  # fmt: skip
def test_exp_of_a_difference(compiler: Compiler, source: str, target: str) -> None:
    body = "if (TILING_KEY_IS(0)) { ExpSub(d, a, b, n); } if (TILING_KEY_IS(1)) { FusedExpSub(d, a, b, n); }"
    compiled = compiler.compile(
        kernel("expsub", body, t=C_TYPES[source], u=C_TYPES[target]), "expsub", *CHIP_950, tiling=TILING
    )
    a, b = (np.random.default_rng(k).standard_normal(300).astype(source) for k in (1, 2))
    a[0], b[1] = np.inf, np.inf
    for key in (0, 1):
        y = np.zeros(300, target)
        compiled(a, b, y, None, tiling(a, y, count=297), key=key, soc="Ascend950PR")
        expected = np.exp(a.astype(np.float64) - b.astype(np.float64))
        expected[297:] = 0
        np.testing.assert_allclose(y, expected.astype(target), rtol=3e-7 if target == "float32" else 1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_differences_without_sign_and_slopes(compiler: Compiler, dtype: str) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { AbsSub(d, a, b, n); } if (TILING_KEY_IS(1)) { FusedAbsSub(d, a, b, n); }"
        "if (TILING_KEY_IS(2)) { Prelu(d, a, b, n); }"
    )
    compiled = compiler.compile(kernel("pair", body), "pair", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING)
    a, b = samples(dtype, 100, 1), samples(dtype, 100, 2)
    with np.errstate(all="ignore"):
        expected = [np.abs(a - b), np.abs(a - b), np.where(a < 0, a * b, a)]
    for key in range(3):
        y = np.zeros(100, dtype)
        compiled(a, b, y, None, tiling(a, y, count=93), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, np.where(np.arange(100) < 93, expected[key], 0))


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_long_products(compiler: Compiler, dtype: str) -> None:
    compiled = compiler.compile(
        kernel("mull", "Mull(d, d[128], a, b, n);"), "mull", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING
    )
    a, b = samples(dtype, 100, 1), samples(dtype, 100, 2)
    wide = np.int64 if dtype == "int32" else np.uint64
    products = a.astype(wide) * b.astype(wide)
    y = np.zeros(256, dtype)
    compiled(a, b, y, None, tiling(a, y, count=100), soc="Ascend950PR")
    np.testing.assert_array_equal(y[:100], products.astype(dtype))
    np.testing.assert_array_equal(y[128:228], (products >> 32).astype(dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_shifts_by_a_tensor(compiler: Compiler, dtype: str) -> None:
    signed = dtype.removeprefix("u")
    body = (
        f"LocalTensor<{C_TYPES[signed]}> by = b.template ReinterpretCast<{C_TYPES[signed]}>();"
        "if (TILING_KEY_IS(0)) { ShiftLeft(d, a, by, n); } if (TILING_KEY_IS(1)) { ShiftRight(d, a, by, n); }"
    )
    compiled = compiler.compile(kernel("shift", body), "shift", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING)
    a = samples(dtype, 100)
    width = 8 * a.itemsize
    by = np.random.default_rng(1).integers(0, width, 100).astype(signed)
    for key, expected in ((0, np.left_shift(a, by.astype(dtype))), (1, np.right_shift(a, by.astype(dtype)))):
        y = np.zeros(100, dtype)
        compiled(a, by, y, None, tiling(a, y, count=91), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, np.where(np.arange(100) < 91, expected, 0))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "int32"])
def test_operators_work_on_all_of_dst(compiler: Compiler, dtype: str) -> None:
    division = "else if (TILING_KEY_IS(3)) { to = a / b; }" if dtype.startswith("float") else ""
    bits = "else if (TILING_KEY_IS(4)) { to = a & b; } else if (TILING_KEY_IS(5)) { to = a | b; }"
    body = (
        "LocalTensor<DTYPE_X> to = d; to.SetSize(n);"
        "if (TILING_KEY_IS(0)) { to = a + b; } else if (TILING_KEY_IS(1)) { to = a - b; }"
        f"else if (TILING_KEY_IS(2)) {{ to = a * b; }} {division} {bits if dtype == 'int16' else ''}"
    )
    compiled = compiler.compile(kernel("signs", body), "signs", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    a, b = samples(dtype, 128, 1), samples(dtype, 128, 2)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b]
        expected += [a / b] if dtype.startswith("float") else [None]
        expected += [a & b, a | b] if dtype == "int16" else []
    for key, wanted in enumerate(expected):
        if wanted is not None:
            y = np.zeros(128, dtype)
            compiled(a, b, y, None, tiling(a, y, count=96), key=key)
            np.testing.assert_array_equal(y, np.where(np.arange(128) < 96, wanted, 0), err_msg=f"key {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_operators_that_compare(compiler: Compiler, dtype: str) -> None:
    signs = ["<", ">", "==", "<=", ">=", "!="]
    body = "a.SetSize(n); " + " ".join(f"if (TILING_KEY_IS({k})) {{ d = a {s} b; }}" for k, s in enumerate(signs))
    text = kernel("signs", body, u="uint8_t")
    compiled = compiler.compile(text, "signs", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    a, b = samples(dtype, 256, 1), samples(dtype, 256, 2)
    b[::3] = a[::3]
    results = [a < b, a > b, a == b, a <= b, a >= b, a != b]
    for key, wanted in enumerate(results):
        y = np.zeros(64, np.uint8)
        compiled(a, b, y, None, tiling(a, y, count=256), key=key)
        np.testing.assert_array_equal(y[:32], np.packbits(wanted, bitorder="little"), err_msg=signs[key])
        assert not y[32:].any()


FLEXIBLE = """
static constexpr BinaryConfig left = {{0}};
const {t} scalar = s;
if (TILING_KEY_IS(0)) {{ {name}(d, scalar, b, n); }}
if (TILING_KEY_IS(1)) {{ {name}(d, a, b[5], n); }}
if (TILING_KEY_IS(2)) {{ {name}<BinaryDefaultType, true, left>(d, a[5], b, n); }}
if (TILING_KEY_IS(3)) {{ {name}(d, a, scalar, n); }}
{masks}
"""
MASKS = """
if (TILING_KEY_IS(4)) {{ {name}(d, scalar, b, data.mask[0], 2, UnaryRepeatParams{{1, 1, 8, 8}}); }}
uint64_t mask[2] = {{data.mask[0], data.mask[1]}};
if (TILING_KEY_IS(5)) {{ {name}(d, a, b[5], mask, 2, UnaryRepeatParams{{1, 1, 8, 8}}); }}
if (TILING_KEY_IS(6)) {{
    {name}<BinaryDefaultType, true, left>(d, a[5], b, data.mask[0], 2, UnaryRepeatParams{{1, 1, 8, 8}});
}}
"""
OPERATIONS = {
    "Adds": np.add, "Muls": np.multiply, "Maxs": np.maximum, "Mins": np.minimum, "Subs": np.subtract,
    "Divs": np.divide, "Ands": np.bitwise_and, "Ors": np.bitwise_or,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(n, "float16") for n in ("Adds", "Muls", "Maxs", "Mins", "Subs", "Divs")]
    + [("Subs", "int32"), ("Divs", "float32"), ("Ands", "uint16"), ("Ors", "int16"), ("Adds", "int8")],
)
def test_scalars_in_any_place(compiler: Compiler, name: str, dtype: str) -> None:
    text = FLEXIBLE.format(name=name, t="DTYPE_X", masks="" if dtype == "int8" else MASKS.format(name=name))
    compiled = compiler.compile(
        kernel("flexible", text), "flexible", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING
    )
    per = 256 // np.dtype(dtype).itemsize
    rng = np.random.default_rng(1)
    a, b = (rng.integers(1, 60, 2 * per).astype(dtype) for _ in range(2))
    scalar = np.dtype(dtype).type(7)
    operation, half_masked = OPERATIONS[name], np.arange(2 * per) % per < 33
    counted = np.arange(2 * per) < 2 * per - 3
    cases = [
        (0, operation(scalar, b), counted), (1, operation(a, b[5]), counted), (2, operation(a[5], b), counted),
        (3, operation(a, scalar), counted), (4, operation(scalar, b), half_masked),
        (5, operation(a, b[5]), np.arange(2 * per) % per < 6), (6, operation(a[5], b), half_masked),
    ]  # fmt: skip
    for key, wanted, active in cases[: 4 if dtype == "int8" else 7]:
        y = np.zeros(2 * per, dtype)
        mask = [0x3F, 0] if key == 5 else [33, 0]
        compiled(a, b, y, None, tiling(a, y, scalar, count=2 * per - 3, mask=mask), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, np.where(active, wanted, 0).astype(dtype), err_msg=f"key {key}")


@pytest.mark.parametrize("name", ["Compares", "CompareScalar"])
def test_comparisons_with_a_scalar_in_any_place(compiler: Compiler, name: str) -> None:
    body = f"""
    static constexpr BinaryConfig left = {{0}};
    const CMPMODE mode = static_cast<CMPMODE>(data.mode);
    if (TILING_KEY_IS(0)) {{ {name}(d, s, b, mode, n); }}
    if (TILING_KEY_IS(1)) {{ {name}(d, a, b[5], mode, n); }}
    if (TILING_KEY_IS(2)) {{ {name}<BinaryDefaultType, BinaryDefaultType, true, left>(d, a[5], b, mode, n); }}
    if (TILING_KEY_IS(3)) {{ {name}(d, s, b, mode, data.mask[0], 2, UnaryRepeatParams{{1, 1, 8, 8}}); }}
    """
    compiled = compiler.compile(kernel("anyplace", body, t="float", u="uint8_t"), "anyplace", *CHIP_950, tiling=TILING)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, 128).astype(np.float32) for _ in range(2))
    s = np.float32(1)
    relations = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]
    for mode, relation in enumerate(relations):
        for key, wanted in ((0, relation(s, b)), (1, relation(a, b[5])), (2, relation(a[5], b)), (3, relation(s, b))):
            y = np.zeros(32, np.uint8)
            compiled(a, b, y, None, tiling(a, y, s, count=128, mode=mode, mask=[20, 0]), key=key, soc="Ascend950PR")
            if key == 3:
                wanted = wanted & (np.arange(128) % 64 < 20)
            np.testing.assert_array_equal(y[:16], np.packbits(wanted, bitorder="little"), err_msg=f"{mode} {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64"])
def test_selection_with_a_scalar_in_any_place(compiler: Compiler, dtype: str) -> None:
    masks = """
    if (TILING_KEY_IS(3)) { Select(d, bits, s, b, mode, data.mask[0], 2, BinaryRepeatParams{1, 1, 1, 8, 8, 8}); }
    """
    body = f"""
    static constexpr BinaryConfig left = {{0}}, right = {{1}};
    const SELMODE mode = SELMODE::VSEL_TENSOR_SCALAR_MODE;
    LocalTensor<uint8_t> bits = frame.load<uint8_t>(3, workspace, 256);
    if (TILING_KEY_IS(0)) {{ Select(d, bits, s, b, mode, n); }}
    if (TILING_KEY_IS(1)) {{ Select<BinaryDefaultType, uint8_t, right>(d, bits, a, b[5], mode, n); }}
    if (TILING_KEY_IS(2)) {{ Select<BinaryDefaultType, uint8_t, left>(d, bits, a[5], b, mode, n); }}
    {masks if dtype.startswith("float") else ""}
    """
    compiled = compiler.compile(kernel("chosen", body), "chosen", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-60, 60, 1500).astype(dtype) for _ in range(2))
    bits = rng.integers(0, 256, 256, dtype=np.uint8)
    set_ = np.unpackbits(bits, bitorder="little").astype(bool)[:1500]
    s = np.dtype(dtype).type(99)
    per = 256 // a.itemsize
    first = np.arange(1500)
    cases = [
        (0, np.where(set_, s, b), first < 1493), (1, np.where(set_, a, b[5]), first < 1493),
        (2, np.where(set_, a[5], b), first < 1493), (3, np.where(set_, s, b), (first < 2 * per) & (first % per < 11)),
    ]  # fmt: skip
    for key, wanted, active in cases[: 4 if dtype.startswith("float") else 3]:
        y = np.zeros(1500, dtype)
        compiled(a, b, y, bits, tiling(a, y, s, count=1493, mask=[11, 0]), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, np.where(active, wanted, 0), err_msg=f"key {key}")


@pytest.mark.parametrize("order", ["a, s", "s, a", "a, b[5]"])
def test_scaled_floats_become_half(compiler: Compiler, order: str) -> None:
    compiled = compiler.compile(
        kernel("scaled", f"MulsCast(d, {order}, n);", t="float", u="half"), "scaled", *CHIP_950, tiling=TILING
    )
    a, b = (np.random.default_rng(k).standard_normal(300).astype(np.float32) for k in (1, 2))
    s = np.float32(1.0 + 2.0**-11)
    a[:2] = [1.0, -1.0]  # exactly between two numbers: away from zero
    y = np.zeros(300, np.float16)
    compiled(a, b, y, None, tiling(a, y, s, count=297), soc="Ascend950PR")
    scale = b[5] if "b" in order else s
    exact = a.astype(np.float32) * scale
    bits = np.abs(exact).view(np.uint32).astype(np.int64) + 0x1000  # half a unit of the eleven digits
    away = (bits & ~np.int64(0x1FFF)).astype(np.uint32).view(np.float32)
    tiny = np.abs(exact) < 2.0**-14
    expected = np.where(tiny, np.abs(exact), away) * np.sign(exact)
    np.testing.assert_array_equal(y[:297][~tiny[:297]], expected.astype(np.float16)[:297][~tiny[:297]])
    assert not y[297:].any()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("AddReluCast(b, a, a, 8);", "AddReluCast does not convert between these two types"),
        ("MulCast(b, a, a, 8);", "MulCast does not convert between these two types"),
        ("ExpSub(d, a, b, 8);", "ExpSub takes half and float, on the Ascend950"),
        ("MulsCast(d.ReinterpretCast<half>(), a, 2.0f, 8);", "MulsCast exists on the Ascend950 only"),
        ("Adds(d, 2.0f, b, 8);", "Adds with the scalar first does not support float"),
        ("ShiftLeft(d, a, b, 8);", "ShiftLeft by a tensor does not support float"),
        ("CastDequant(d, a, 8u);", "CastDequant does not convert between these two types"),
        ("AbsSub(d, a, b, 8);", "AbsSub does not support float on this SoC"),
    ],
)
def test_what_a_chip_lacks_is_said_in_a_sentence(compiler: Compiler, call: str, sentence: str) -> None:
    assert sentence in compiler.errors(kernel("absent", call), "absent", "DTYPE_X=float")
