"""Element-wise instructions against numpy: every dtype that the chip supports, special values, odd counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler, Kernel

COUNTS = [0, 1, 7, 16, 17, 63, 64, 65, 500, 2049]

BINARY: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    "Add": (np.add, "int16 float16 int32 float32"),
    "Sub": (np.subtract, "int16 float16 int32 float32"),
    "Mul": (np.multiply, "int16 float16 int32 float32"),
    "Div": (np.divide, "float16 float32"),
    "Max": (np.maximum, "int16 float16 int32 float32"),
    "Min": (np.minimum, "int16 float16 int32 float32"),
    "And": (np.bitwise_and, "int16 uint16"),
    "Or": (np.bitwise_or, "int16 uint16"),
    "AddRelu": (lambda a, b: relu(a + b), "int16 float16 float32"),
    "SubRelu": (lambda a, b: relu(a - b), "int16 float16 float32"),
}
SCALAR: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    "Adds": (np.add, "int16 float16 int32 float32"),
    "Muls": (np.multiply, "int16 float16 int32 float32"),
    "Maxs": (np.maximum, "int16 float16 int32 float32"),
    "Mins": (np.minimum, "int16 float16 int32 float32"),
    "LeakyRelu": (lambda a, s: np.where(a < 0, a * s, a).astype(a.dtype), "float16 float32"),
}
UNARY: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    "Abs": (np.abs, "float16 float32"),
    "Sqrt": (np.sqrt, "float16 float32"),
    "Relu": (lambda a: relu(a), "float16 float32 int32"),
    "Reciprocal": (lambda a: (np.float32(1) / a.astype(np.float32)).astype(a.dtype), "float16 float32"),
    "Not": (np.invert, "int16 uint16"),
}


def relu(a: np.ndarray) -> np.ndarray:
    return np.where(a < 0, a.dtype.type(0), a)


def cases(table: dict[str, tuple[Callable[..., np.ndarray], str]]) -> list[tuple[str, str]]:
    return [(name, dtype) for name, (_, dtypes) in table.items() for dtype in dtypes.split()]


@pytest.fixture(scope="module")
def kernels(compiler: Compiler) -> Callable[[str], tuple[Kernel, dict[str, int]]]:
    """The kernel of a dtype with all its instructions, and the tiling key of each."""

    def find(dtype: str) -> tuple[Kernel, dict[str, int]]:
        calls: list[tuple[str, str]] = []
        calls += [(n, f"{n}(d, a, b, n);") for n, (_, d) in BINARY.items() if dtype in d.split()]
        calls += [(n, f"{n}(d, a, s, n);") for n, (_, d) in SCALAR.items() if dtype in d.split()]
        calls += [(n, f"{n}(d, a, n);") for n, (_, d) in UNARY.items() if dtype in d.split()]
        keys = {name: key for key, (name, _) in enumerate(calls)}
        body = "\n".join(f"if (TILING_KEY_IS({keys[name]})) {{ {call} }}" for name, call in calls)
        source = kernel("elementwise", body)
        return compiler.compile(source, "elementwise", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING), keys

    return find


@pytest.mark.parametrize(("name", "dtype"), cases(BINARY))
def test_binary(kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str, dtype: str) -> None:
    compiled, keys = kernels(dtype)
    for n in COUNTS:
        a, b = samples(dtype, n, 1), samples(dtype, n, 2)
        y = np.full(n + 8, 5, dtype)
        expected = y.copy()
        with np.errstate(all="ignore"):
            expected[:n] = BINARY[name][0](a, b)
        padded_a, padded_b = np.resize(a, max(n, 1)), np.resize(b, max(n, 1))
        compiled(padded_a, padded_b, y, None, tiling(padded_a, y, count=n), key=keys[name])
        np.testing.assert_array_equal(y, expected, err_msg=f"n={n}")


@pytest.mark.parametrize(("name", "dtype"), cases(SCALAR))
@pytest.mark.parametrize("value", [3, -2])
def test_scalar(kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str, dtype: str, value: int) -> None:
    compiled, keys = kernels(dtype)
    s = np.dtype(dtype).type(value if dtype.startswith("int") else value + 0.1)
    for n in COUNTS[1:]:
        a = samples(dtype, n, 1)
        y = np.zeros_like(a)
        with np.errstate(all="ignore"):
            expected = SCALAR[name][0](a, s)
        compiled(a, a, y, None, tiling(a, y, s, count=n), key=keys[name])
        np.testing.assert_array_equal(y, expected, err_msg=f"n={n}")


@pytest.mark.parametrize(("name", "dtype"), cases(UNARY))
def test_unary(kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str, dtype: str) -> None:
    compiled, keys = kernels(dtype)
    for n in COUNTS[1:]:
        a = samples(dtype, n, 3)
        y = np.zeros_like(a)
        with np.errstate(all="ignore"):
            expected = UNARY[name][0](a)
        compiled(a, a, y, None, tiling(a, y, count=n), key=keys[name])
        np.testing.assert_array_equal(y, expected, err_msg=f"n={n}")


EXACT = {"Exp": np.exp, "Ln": np.log, "Rsqrt": lambda v: 1 / np.sqrt(v)}


@pytest.fixture(scope="module")
def elementary(compiler: Compiler) -> Callable[[str], Kernel]:
    body = "\n".join(f"if (TILING_KEY_IS({key})) {{ {name}(d, a, n); }}" for key, name in enumerate(EXACT))
    source = kernel("elementary", body)
    return lambda dtype: compiler.compile(source, "elementary", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)


@pytest.mark.parametrize("name", list(EXACT))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_elementary_functions_are_within_two_units_in_the_last_place(
    elementary: Callable[[str], Kernel], name: str, dtype: str
) -> None:
    rng = np.random.default_rng(7)
    wide = {"Exp": rng.uniform(-110, 95, 6000), "Ln": 10.0 ** rng.uniform(-44, 38, 6000)}
    values = wide.get(name, 10.0 ** rng.uniform(-37, 38, 6000))
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, 88.7, 89.5, -103.9, -87.5])
    with np.errstate(over="ignore"):
        a = np.concatenate([values, special]).astype(dtype)
    y = np.zeros_like(a)
    elementary(dtype)(a, a, y, None, tiling(a, y, count=len(a)), key=list(EXACT).index(name))
    with np.errstate(all="ignore"):
        exact = EXACT[name](a.astype(np.float64))
        expected = exact.astype(dtype)
    finite = np.isfinite(expected) & np.isfinite(y)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    np.testing.assert_array_equal(y[~finite & ~np.isnan(y)], expected[~finite & ~np.isnan(y)])
    unit = np.spacing(np.abs(expected[finite])).astype(np.float64)
    error = np.abs(y[finite].astype(np.float64) - exact[finite]) / unit
    assert error.max() <= 2.0


def test_axpy_accumulates_half_into_float(compiler: Compiler) -> None:
    body = "Axpy(d, a, s, n);"
    half_to_float = compiler.compile(kernel("axpy", body, t="half", u="float"), "axpy", tiling=TILING)
    a = samples("float16", 77, 1)
    a = np.where(np.isfinite(a), a, np.float16(1))
    y = np.arange(77, dtype=np.float32)
    expected = a.astype(np.float32) * np.float32(np.float16(0.3)) + y
    half_to_float(a, a, y, None, tiling(a, y, np.float16(0.3), count=77))
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_fused_multiply_adds_use_what_dst_held(compiler: Compiler, dtype: str) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { MulAddDst(d, a, b, n); } if (TILING_KEY_IS(1)) { FusedMulAdd(d, a, b, n); }"
        "if (TILING_KEY_IS(2)) { FusedMulAddRelu(d, a, b, n); } if (TILING_KEY_IS(3)) { Axpy(d, a, s, n); }"
    )
    compiled = compiler.compile(kernel("fused", body), "fused", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    rng = np.random.default_rng(1)
    a, b, before = (rng.standard_normal(100).astype(dtype) for _ in range(3))
    wide = [v.astype(np.float32) for v in (a, b, before)]
    s = np.dtype(dtype).type(0.7)
    expected = [
        wide[0] * wide[1] + wide[2],
        wide[0] * wide[2] + wide[1],
        np.maximum(wide[0] * wide[2] + wide[1], 0),
        wide[0] * np.float32(s) + wide[2],
    ]
    for key, wanted in enumerate(expected):
        y = before.copy()
        compiled(a, b, y, None, tiling(a, y, s, count=100), key=key)
        np.testing.assert_array_equal(y, wanted.astype(dtype))


@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32"])
def test_shifts(compiler: Compiler, dtype: str) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { ShiftLeft(d, a, s, n); } if (TILING_KEY_IS(1)) { ShiftRight(d, a, s, n); }"
        "if (TILING_KEY_IS(2)) { ShiftRight(d, a, s, 256 / sizeof(DTYPE_X), 1, UnaryRepeatParams{1, 1, 8, 8}, true); }"
    )
    compiled = compiler.compile(kernel("shifts", body), "shifts", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    a = samples(dtype, 256 // np.dtype(dtype).itemsize, 4)
    width = 8 * a.itemsize
    for shift in (0, 1, 5, 15, width - 1, width, width + 3):
        s = np.dtype(dtype).type(shift)
        exact = a.astype(object)
        rounded = (exact + (1 << (shift - 1) if shift else 0)) // (1 << shift)
        if shift > width:
            rounded = exact // (1 << shift)
        left = (exact << shift) % (1 << width)
        results = [left.astype("uint64").astype(dtype), (exact >> shift).astype(dtype), rounded.astype(dtype)]
        for key, expected in enumerate(results):
            y = np.zeros_like(a)
            compiled(a, a, y, None, tiling(a, y, s, count=len(a)), key=key)
            np.testing.assert_array_equal(y, expected, err_msg=f"shift {shift}, key {key}")


@pytest.mark.parametrize(
    ("call", "dtype", "message"),
    [
        ("Add(d, a, b, n);", "int64_t", "Add does not support int64_t on this SoC"),
        ("Add(d, a, b, n);", "bool", "Add does not support bool on this SoC"),
        ("Add(d, a, b, n);", "bfloat16_t", "Add does not support bfloat16_t on this SoC"),
        ("Exp(d, a, n);", "int32_t", "Exp does not support int32_t on this SoC"),
        ("Div(d, a, b, n);", "int32_t", "Div does not support int32_t on this SoC"),
        ("Not(d, a, n);", "float", "Not does not support float on this SoC"),
        ("Duplicate(d, s, n);", "uint8_t", "Duplicate does not support uint8_t on this SoC"),
    ],
)
def test_a_dtype_that_the_chip_lacks_is_named_by_the_compiler(
    compiler: Compiler, call: str, dtype: str, message: str
) -> None:
    errors = compiler.run(kernel("refused", call), "refused", f"DTYPE_X={dtype}", tiling=TILING)
    assert isinstance(errors, str)
    assert message in errors


def wrapped(values: np.ndarray, dtype: str) -> np.ndarray:
    """Whole numbers of any size, cut to a dtype."""
    width = 8 * np.dtype(dtype).itemsize
    return (values % (1 << width)).astype("uint64").astype(f"uint{width}").view(dtype)


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Toward zero; all ones where the divisor is zero."""
    safe = np.where(b == 0, 1, b)
    toward_zero = np.where((a < 0) != (b < 0), -(abs(a) // abs(safe)), abs(a) // abs(safe))
    return np.where(b == 0, -1, toward_zero)


WHOLE: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    "Add": (lambda a, b, d: a + b, "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "Sub": (lambda a, b, d: a - b, "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "Max": (lambda a, b, d: np.maximum(a, b), "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "Min": (lambda a, b, d: np.minimum(a, b), "int8 uint8 int16 uint16 int32 uint32 int64 uint64"),
    "Mul": (lambda a, b, d: a * b, "int16 uint16 int32 uint32 int64 uint64"),
    "Div": (lambda a, b, d: quotient(a, b), "int16 uint16 int32 uint32 int64 uint64"),
    "And": (lambda a, b, d: a & b, "int8 uint8 int32 uint32 int64 uint64"),
    "Or": (lambda a, b, d: a | b, "int8 uint8 int32 uint32 int64 uint64"),
    "MulAddDst": (lambda a, b, d: a * b + d, "int64 uint64"),
    "FusedMulAdd": (lambda a, b, d: a * d + b, "int64 uint64"),
    "FusedMulAddRelu": (lambda a, b, d: a * d + b, "int64 uint64"),
    "AddRelu": (lambda a, b, d: a + b, "int64 uint64"),
    "SubRelu": (lambda a, b, d: a - b, "int64 uint64"),
}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_of_the_950_wrap(compiler: Compiler, dtype: str) -> None:
    names = [name for name, (_, dtypes) in WHOLE.items() if dtype in dtypes.split()]
    body = "\n".join(f"if (TILING_KEY_IS({key})) {{ {name}(d, a, b, n); }}" for key, name in enumerate(names))
    chip = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
    compiled = compiler.compile(kernel("whole", body), "whole", f"DTYPE_X={C_TYPES[dtype]}", *chip, tiling=TILING)
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.max, 0, 1, 2, info.max - 1] + ([-1, -2, info.min + 1] if info.min else []), dtype)
    random = samples(dtype, 40, 5)
    a, b = np.append(np.repeat(edges, len(edges)), random), np.append(np.tile(edges, len(edges)), random[::-1])
    before = np.resize(samples(dtype, 33, 6), len(a))
    for key, name in enumerate(names):
        y = before.copy()
        compiled(a, b, y, None, tiling(a, y, count=len(a)), key=key, soc="Ascend950PR")
        exact = WHOLE[name][0](*(v.astype(object) for v in (a, b, before)))
        expected = wrapped(exact, dtype)
        if name.endswith("Relu"):
            expected = np.maximum(expected, 0)
        np.testing.assert_array_equal(y, expected, err_msg=name)


def test_the_950_adds_what_older_chips_do_not(compiler: Compiler) -> None:
    compiled = compiler.compile(
        kernel("wide_add", "Add(d, a, b, n);"), "wide_add", "DTYPE_X=int64_t", "__NPU_ARCH__=3510", tiling=TILING
    )
    a, b = samples("int64", 33, 1), samples("int64", 33, 2)
    y = np.zeros_like(a)
    compiled(a, b, y, None, tiling(a, y, count=33), soc="Ascend950PR")
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(y, a + b)
