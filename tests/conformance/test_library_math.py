"""Mathematical functions of the library against numpy and the C library: dtypes, special values, tails, all forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler, Kernel, KernelError

COUNTS = [1, 7, 16, 33, 64, 500, 2049]
WIDE_CHIP = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")

Function = Callable[[np.ndarray], np.ndarray]


def each(function: Callable[[float], float]) -> Function:
    """A function of Python floats, element by element; what it refuses is NaN, what overflows infinite."""

    def one(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return lambda x: np.array([one(float(v)) for v in x], np.float64)


def lgamma(x: float) -> float:
    if math.isinf(x):
        return math.inf
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def digamma(x: float) -> float:
    """By the recurrence far up, then the asymptotic series."""
    if math.isinf(x):
        return x if x > 0 else math.nan
    if x == 0:
        return math.copysign(math.inf, -x)
    if x < 0:
        return math.nan if x == math.floor(x) else digamma(1 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
    shift = 0.0
    while x < 50:
        shift -= 1 / x
        x += 1
    return shift + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


def sign(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1.0, np.where(x < 0, -1.0, 0.0))


# The function in double precision, and whether there are forms for whole tensors.
UNARY: dict[str, tuple[Function, bool]] = {
    "Acos": (np.arccos, True),
    "Acosh": (np.arccosh, True),
    "Asin": (np.arcsin, True),
    "Asinh": (np.arcsinh, True),
    "Atan": (np.arctan, True),
    "Atanh": (np.arctanh, True),
    "Ceil": (np.ceil, False),
    "Cos": (np.cos, True),
    "Cosh": (np.cosh, True),
    "Digamma": (each(digamma), False),
    "Erf": (each(math.erf), True),
    "Erfc": (each(math.erfc), True),
    "Floor": (np.floor, False),
    "Frac": (lambda x: x - np.trunc(x), True),
    "Lgamma": (each(lgamma), False),
    "Log": (np.log, True),
    "Log2": (np.log2, True),
    "Log10": (np.log10, True),
    "Round": (np.rint, False),
    "Sign": (sign, True),
    "Sin": (np.sin, True),
    "Sinh": (np.sinh, True),
    "Tan": (np.tan, True),
    "Tanh": (np.tanh, True),
    "Trunc": (np.trunc, True),
}
FLOATS = ["float16", "float32"]


def inputs(dtype: str, n: int, seed: int = 0) -> np.ndarray:
    """Special values, small and large numbers, and numbers between -1 and 1 where most of these functions live."""
    x = samples(dtype, n, seed)
    x[1::3] = np.random.default_rng(seed + 1).uniform(-1.2, 1.2, len(x[1::3])).astype(dtype)
    return x


def rounded(value: np.ndarray, dtype: str) -> np.ndarray:
    """A double result as the dtype, by way of float, as the library does it."""
    with np.errstate(all="ignore"):
        return value.astype(np.float32).astype(dtype)


def assert_close(found: np.ndarray, expected: np.ndarray, message: str) -> None:
    """Equal up to one unit in the last place; NaN is NaN, infinities are the same."""
    bits = {2: np.int16, 4: np.int32}[found.dtype.itemsize]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), err_msg=message)
    known = ~np.isnan(expected)
    apart = found[known].view(bits).astype(np.int64) - expected[known].view(bits).astype(np.int64)
    zeros = (found[known] == 0) & (expected[known] == 0)
    worst = np.abs(np.where(zeros, 0, apart)).max(initial=0)
    assert worst <= 1, f"{message}: {worst} units apart"


@pytest.fixture(scope="module")
def unary_kernels(compiler: Compiler) -> Callable[[str], tuple[Kernel, dict[str, int]]]:
    """All functions of one tensor: `name` with a count, `name buffer` with a buffer too, `name whole` without both."""

    def find(dtype: str) -> tuple[Kernel, dict[str, int]]:
        calls: dict[str, str] = {}
        for name, (_, whole) in UNARY.items():
            calls[name] = f"{name}(d, a, static_cast<uint32_t>(n));"
            calls[f"{name} buffer"] = "" if name in ("Log", "Log10") else f"{name}(d, a, t, static_cast<uint32_t>(n));"
            if whole:
                calls[f"{name} whole"] = f"a.SetSize(n); {name}<DTYPE_X, false>(d, a);"
        keys = {name: key for key, name in enumerate(calls)}
        body = "LocalTensor<uint8_t> t = frame.buffers[3].Get<uint8_t>(512);"
        body += "".join(f"if (TILING_KEY_IS({keys[name]})) {{ {call} }}\n" for name, call in calls.items())
        source = kernel("mathematics", body)
        return compiler.compile(source, "mathematics", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING), keys

    return find


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(
    unary_kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str, dtype: str
) -> None:
    compiled, keys = unary_kernels(dtype)
    for n in COUNTS:
        x = inputs(dtype, n, n)
        with np.errstate(all="ignore"):
            expected = rounded(UNARY[name][0](x.astype(np.float64)), dtype)
        for form in ("", " buffer", " whole"):
            if name + form not in keys or (name in ("Log", "Log10") and form == " buffer"):
                continue
            y = np.full(n + 8, 5, dtype)
            compiled(x, x, y, None, tiling(x, y, count=n), key=keys[name + form])
            assert_close(y[:n], expected, f"{name}{form}, n={n}")
            np.testing.assert_array_equal(y[n:], np.full(8, 5, dtype))


@pytest.mark.parametrize("name", ["Sin", "Cos", "Tan"])
def test_angles_of_many_turns(unary_kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str) -> None:
    compiled, keys = unary_kernels("float32")
    rng = np.random.default_rng(7)
    x = np.concatenate(
        [rng.uniform(-65504, 65504, 1000), rng.uniform(-1e30, 1e30, 100), [1e38, 2.0**19, 2.0**19 + 0.125]]
    )
    x = x.astype(np.float32)
    y = np.zeros_like(x)
    compiled(x, x, y, None, tiling(x, y, count=len(x)), key=keys[name])
    assert_close(y, rounded(UNARY[name][0](x.astype(np.float64)), "float32"), name)


@pytest.mark.parametrize("name", ["Erfc", "Acosh", "Lgamma", "Exp"])
def test_whole_ranges(
    compiler: Compiler, unary_kernels: Callable[..., tuple[Kernel, dict[str, int]]], name: str
) -> None:
    """Where results are tiny or arguments close to a zero."""
    ranges = {"Erfc": (-6, 10.5), "Acosh": (1, 1.001), "Lgamma": (0.9, 2.1), "Exp": (-104, 89)}
    x = np.linspace(*ranges[name], 4000).astype(np.float32)
    y = np.zeros_like(x)
    if name == "Exp":
        source = kernel("exponent", "Exp<float, 15>(d, a, static_cast<uint32_t>(n));")
        compiler.compile(source, "exponent", "DTYPE_X=float", tiling=TILING)(x, x, y, None, tiling(x, y, count=len(x)))
        function: Function = np.exp
    else:
        compiled, keys = unary_kernels("float32")
        compiled(x, x, y, None, tiling(x, y, count=len(x)), key=keys[name])
        function = UNARY[name][0]
    assert_close(y, rounded(function(x.astype(np.float64)), "float32"), name)


def test_series_of_few_terms(compiler: Compiler) -> None:
    compiled = compiler.compile(
        kernel("series", "Exp<DTYPE_X, 2>(d, a, static_cast<uint32_t>(n));"), "series", "DTYPE_X=float", tiling=TILING
    )
    x = np.float32([1.5, -0.25, 2.0])
    y = np.zeros_like(x)
    compiled(x, x, y, None, tiling(x, y, count=3))
    rest = x - np.floor(x)
    np.testing.assert_allclose(y, np.exp(np.floor(x)) * (1 + rest + rest**2 / 2), rtol=1e-6)


# ---- two sources ----

POWERS = {
    "both": "Power(d, a, b, static_cast<uint32_t>(n));",
    "buffer": "Power(d, a, b, t, static_cast<uint32_t>(n));",
    "whole": "a.SetSize(n); Power<DTYPE_X, false>(d, a, b, t);",
    "exponent": "Power(d, a, s, static_cast<uint32_t>(n));",
    "base": "Power(d, s, b, t, static_cast<uint32_t>(n));",
}


def keyed(compiler: Compiler, function: str, calls: dict[str, str], *defines: str) -> Callable[..., None]:
    """Runs one of `calls`, by name."""
    keys = {name: key for key, name in enumerate(calls)}
    body = "[[maybe_unused]] LocalTensor<uint8_t> t = frame.buffers[3].Get<uint8_t>(512);"
    body += "".join(f"if (TILING_KEY_IS({keys[name]})) {{ {call} }}\n" for name, call in calls.items())
    compiled = compiler.compile(kernel(function, body), function, *defines, tiling=TILING)
    return lambda name, *args, **more: compiled(*args, key=keys[name], **more)


def reference_power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return rounded(np.power(a.astype(np.float64), b.astype(np.float64)), a.dtype.name)


@pytest.mark.parametrize("dtype", FLOATS)
def test_power(compiler: Compiler, dtype: str) -> None:
    run = keyed(compiler, "power", POWERS, f"DTYPE_X={C_TYPES[dtype]}")
    for n in COUNTS:
        a, b = samples(dtype, n, 1), np.clip(samples(dtype, n, 2), -30, 30)
        b[::3] = np.rint(b[::3])
        s = b[n // 2]
        for form in POWERS:
            first = np.full_like(a, s) if form == "base" else a
            second = np.full_like(b, s) if form == "exponent" else b
            y = np.zeros(n, dtype)
            run(form, a, b, y, None, tiling(a, y, s, count=n))
            assert_close(y, reference_power(first, second), f"{form}, n={n}")


def test_power_of_integers(compiler: Compiler) -> None:
    run = keyed(compiler, "power", POWERS, "DTYPE_X=int32_t")
    a = np.int32([2, 3, -2, -1, 1, 0, 7, -1, 10, 5, 0])
    b = np.int32([10, 4, 3, -3, -7, 0, 0, -4, 9, -1, 5])
    y = np.zeros_like(a)
    run("both", a, b, y, None, tiling(a, y, count=len(a)))
    assert y.tolist() == [1024, 81, -8, -1, 1, 1, 1, 1, 10**9, 0, 0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", ["Fmod(d, a, b, static_cast<uint32_t>(n));", "a.SetSize(n); Fmod(d, a, b, t);"])
def test_fmod(compiler: Compiler, dtype: str, form: str) -> None:
    run = keyed(compiler, "remainders", {"call": form}, f"DTYPE_X={C_TYPES[dtype]}")
    for n in COUNTS:
        a, b = samples(dtype, n, 3), samples(dtype, n, 4)
        y = np.zeros(n, dtype)
        run("call", a, b, y, None, tiling(a, y, count=n))
        with np.errstate(all="ignore"):
            expected = np.fmod(a.astype(np.float32), b.astype(np.float32)).astype(dtype)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["int16", "uint16"])
def test_xor(compiler: Compiler, dtype: str) -> None:
    calls = {
        "count": "Xor(d, a, b, static_cast<uint32_t>(n));",
        "whole": "a.SetSize(n); Xor<DTYPE_X, false>(d, a, b, t);",
    }
    run = keyed(compiler, "exclusive", calls, f"DTYPE_X={C_TYPES[dtype]}")
    for n in COUNTS:
        a, b = samples(dtype, n, 5), samples(dtype, n, 6)
        for form in calls:
            y = np.zeros(n, dtype)
            run(form, a, b, y, None, tiling(a, y, count=n))
            np.testing.assert_array_equal(y, a ^ b)


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_on_one_side(compiler: Compiler, dtype: str) -> None:
    calls = {
        "max": "ClampMax(d, a, s, static_cast<uint32_t>(n));",
        "max buffer": "ClampMax<DTYPE_X, false>(d, a, t, s, static_cast<uint32_t>(n));",
        "min": "ClampMin(d, a, s, static_cast<uint32_t>(n));",
        "min buffer": "ClampMin<DTYPE_X, false>(d, a, t, s, static_cast<uint32_t>(n));",
    }
    run = keyed(compiler, "clamp", calls, f"DTYPE_X={C_TYPES[dtype]}")
    for n in COUNTS:
        a, s = samples(dtype, n, 8), np.dtype(dtype).type(1.5)
        for form in calls:
            y = np.zeros(n, dtype)
            run(form, a, a, y, None, tiling(a, y, s, count=n))
            beyond = a > s if form.startswith("max") else a < s
            np.testing.assert_array_equal(y, np.where(beyond, s, a))


@pytest.mark.parametrize(("t", "u"), [("half", "half"), ("float", "float"), ("half", "float")])
def test_axpy(compiler: Compiler, t: str, u: str) -> None:
    source = kernel("axpy", "Axpy(d, a, s, frame.buffers[3].Get<uint8_t>(), static_cast<uint32_t>(n));", t=t, u=u)
    compiled = compiler.compile(source, "axpy", tiling=TILING)
    types = {"half": np.float16, "float": np.float32}
    x = np.random.default_rng(0).uniform(-4, 4, 77).astype(types[t])
    y = np.random.default_rng(1).uniform(-4, 4, 77).astype(types[u])
    s = types[t](2.5)
    expected = (x.astype(np.float32) * np.float32(2.5) + y.astype(np.float32)).astype(types[u])
    compiled(x, x, y, None, tiling(x, y, s, count=77))
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("last_axis", [True, False])
def test_cumulative_sums(compiler: Compiler, dtype: str, last_axis: bool) -> None:
    body = f"""
    static constexpr CumSumConfig config{{{str(last_axis).lower()}, false, true}};
    LocalTensor<DTYPE_X> last = frame.buffers[4].Get<DTYPE_X>();
    LocalTensor<uint8_t> t = frame.buffers[3].Get<uint8_t>();
    CumSum<DTYPE_X, config>(d, last, a, t, CumSumInfo{{data.repeat, data.strides[0]}});
    DataCopy(b, last, 64);
    frame.store(x1, b, data.in_bytes);
    """
    compiled = compiler.compile(kernel("cumulative", body), "cumulative", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    for outer, inner in [(1, 16), (3, 32), (20, 48)]:
        x = np.random.default_rng(outer).uniform(-1, 1, (outer, inner)).astype(dtype)
        y, last = np.zeros_like(x), np.zeros((outer, inner), dtype)
        compiled(x, last, y, None, tiling(x, y, repeat=outer, strides=[inner, 0, 0, 0, 0, 0]))
        expected = np.cumsum(x.astype(np.float32), axis=1 if last_axis else 0, dtype=np.float32).astype(dtype)
        np.testing.assert_array_equal(y, expected)
        ends = expected[:, -1] if last_axis else expected[-1]
        np.testing.assert_array_equal(last.reshape(-1)[: min(len(ends), 64)], ends[:64])


def test_rows_that_are_no_whole_blocks(compiler: Compiler) -> None:
    body = "LocalTensor<float> none; CumSum(d, none, a, CumSumInfo{2, 3});"
    compiled = compiler.compile(kernel("ragged", body), "ragged", "DTYPE_X=float", tiling=TILING)
    x = np.zeros(64, np.float32)
    with pytest.raises(KernelError, match="CumSum: a row of 3 elements is no whole number of blocks of 32 bytes"):
        compiled(x, x, x, None, tiling(x, x))


def test_temporary_memory_that_is_too_small(compiler: Compiler) -> None:
    calls = {
        "buffer": "Tanh(d, a, frame.buffers[3].Get<uint8_t>(128), static_cast<uint32_t>(n));",
        "room": "TBuf<> rest; frame.pipe.InitBuffer(rest, 32 * 1024 - 128); Tanh(d, a, static_cast<uint32_t>(n));",
    }
    run = keyed(compiler, "narrow", calls, "DTYPE_X=float")
    x = np.zeros(8, np.float32)
    with pytest.raises(KernelError, match="Tanh needs 256 bytes of temporary memory, but sharedTmpBuffer has 128"):
        run("buffer", x, x, x, None, tiling(x, x, count=8))
    with pytest.raises(
        KernelError, match="Tanh needs 256 bytes of temporary memory, but the rest of the Unified Buffer has 128"
    ):
        run("room", x, x, x, None, tiling(x, x, count=8))


def test_a_buffer_of_ones_own_is_enough_in_a_full_unified_buffer(compiler: Compiler) -> None:
    full = "TBuf<> rest; frame.pipe.InitBuffer(rest, 32 * 1024 - 128); "
    full += "const auto own = frame.buffers[3].Get<uint8_t>(256); "
    calls = {
        "Exp": full + "Exp<float, 15>(d, a, own, static_cast<uint32_t>(n));",
        "ClampMax": full + "ClampMax(d, a, own, 0.5f, static_cast<uint32_t>(n));",
    }
    run = keyed(compiler, "full", calls, "DTYPE_X=float")
    x, d = np.linspace(-1, 1, 8, dtype=np.float32), np.zeros(8, np.float32)
    run("Exp", x, x, d, None, tiling(x, x, count=8))
    np.testing.assert_allclose(d, np.exp(x), rtol=1e-6)
    run("ClampMax", x, x, d, None, tiling(x, x, count=8))
    np.testing.assert_array_equal(d, np.minimum(x, np.float32(0.5)))


# ---- what only the Ascend950 has ----


@pytest.fixture(scope="module")
def wide(compiler: Compiler) -> Callable[..., Callable[..., None]]:
    def find(name: str, dtype: str, calls: dict[str, str], *, u: str = "DTYPE_X") -> Callable[..., None]:
        keys = {form: key for key, form in enumerate(calls)}
        body = "[[maybe_unused]] LocalTensor<uint8_t> t = frame.buffers[3].Get<uint8_t>(512);"
        body += "".join(f"if (TILING_KEY_IS({keys[form]})) {{ {call} }}\n" for form, call in calls.items())
        compiled = compiler.compile(
            kernel(name, body, u=u), name, f"DTYPE_X={C_TYPES.get(dtype, dtype)}", *WIDE_CHIP, tiling=TILING
        )
        return lambda form, *args: compiled(*args, key=keys[form], soc="Ascend950PR")

    return find


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    table = {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}
    run = wide("bits", dtype, {n: f"{n}(d, a, b, n);" for n in table} | {"BitwiseNot": "BitwiseNot(d, a, n);"})
    for n in COUNTS:
        a, b = samples(dtype, n, 1), samples(dtype, n, 2)
        for name in [*table, "BitwiseNot"]:
            y = np.zeros(n, dtype)
            run(name, a, b, y, None, tiling(a, y, count=n))
            np.testing.assert_array_equal(y, ~a if name == "BitwiseNot" else table[name](a, b))


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32"])
def test_logic(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    table = {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or, "LogicalXor": np.logical_xor}
    calls = {name: f"{name}(d, a, b, n);" for name in table}
    calls |= {"LogicalNot": "LogicalNot(d, a, n);"}
    calls |= {"LogicalAnds": "LogicalAnds(d, a, s, n);", "LogicalOrs": "LogicalOrs(d, s, b, n);"}
    left = "static constexpr LogicalAndsConfig left{false, 0}; LogicalAnds<left>(d, a, b, n);"
    calls |= {"right": "LogicalOrs(d, a, b, n);", "left": left}
    run = wide("logic", dtype, calls, u="bool")
    for n in COUNTS:
        a, b = samples(dtype, n, 1), samples(dtype, n, 2)
        a[::3], b[::2] = 0, 0
        s = np.dtype(dtype).type(0)
        expected = {name: function(a, b) for name, function in table.items()}
        expected |= {"LogicalNot": a == 0, "LogicalAnds": np.zeros(n, bool), "LogicalOrs": b != 0}
        expected |= {"right": (a != 0) | (b[0] != 0), "left": (a[0] != 0) & (b != 0)}
        for name, truth in expected.items():
            y = np.full(n + 3, 7, np.uint8)
            run(name, a, b, y, None, tiling(a, y, s, count=n))
            np.testing.assert_array_equal(y, [*truth, 7, 7, 7], err_msg=name)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32"])
def test_clamp_between_bounds(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    calls = {
        "numbers": "Clamp(d, a, DTYPE_X(1), s, n);",
        "tensors": "Clamp(d, a, b, b, n);",
        "mixed": "Clamp(d, a, b, s, n);",
    }
    run = wide("bounds", dtype, calls)
    for n in COUNTS:
        a, b, s = samples(dtype, n, 1), samples(dtype, n, 2), np.dtype(dtype).type(100)
        one = np.dtype(dtype).type(1)
        for form, low, high in [("numbers", one, s), ("tensors", b, b), ("mixed", b, s)]:
            raised = np.where(a < low, low, a)
            y = np.zeros(n, dtype)
            run(form, a, b, y, None, tiling(a, y, s, count=n))
            np.testing.assert_array_equal(y, np.where(raised > high, high, raised))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "float32", "int64"])
def test_where(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    condition = "LocalTensor<bool> c = b.template ReinterpretCast<bool>();"
    calls = {"both": condition + "Where(d, a, d, c, n);", "number": condition + "Where(d, s, a, c, n);"}
    run = wide("where", dtype, calls)
    for n in COUNTS:
        a, s = samples(dtype, n, 1), np.dtype(dtype).type(3)
        c = np.zeros_like(a)
        c.view(np.uint8)[:n] = np.random.default_rng(n).integers(0, 2, n)
        truth = c.view(np.uint8)[:n] != 0
        y = samples(dtype, n, 9)
        expected = {"both": np.where(truth, a, y), "number": np.where(truth, s, a)}
        for form, values in expected.items():
            d = y.copy()
            run(form, a, c, d, None, tiling(a, d, s, count=n))
            np.testing.assert_array_equal(d, values)


@pytest.mark.parametrize("dtype", FLOATS)
def test_fused_product_and_sum(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    run = wide("fused", dtype, {"plain": "Fma(d, a, b, d, n);", "buffer": "Fma(d, a, b, d, t, n);"})
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(4096).astype(dtype) for _ in range(2))
    c = (-a * b).astype(dtype)  # what is left is the rounding of the product
    exact = np.array([float(math.fsum([float(x) * float(y), float(z)])) for x, y, z in zip(a, b, c, strict=True)])
    for form in ("plain", "buffer"):
        y = c.copy()
        run(form, a, b, y, None, tiling(a, y, count=len(a)))
        np.testing.assert_array_equal(y, rounded(exact, dtype))


def test_fused_rounding_is_one_rounding(wide: Callable[..., Callable[..., None]]) -> None:
    run = wide("fused", "float32", {"plain": "Fma(d, a, b, d, n);", "buffer": "Fma(d, a, b, d, t, n);"})
    # 1 + 2^-24 is a tie; what lies 2^-60 above it must go up, below it down
    a = np.float32([2.0**-24] * 2)
    b = np.float32([1 + 2.0**-23, 1 - 2.0**-23])
    y = np.float32([1, 1])
    run("plain", a, b, y, None, tiling(a, y, count=2))
    assert y.tolist() == [1 + 2.0**-23, 1.0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_hypotenuse(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    run = wide("lengths", dtype, {"count": "Hypot(d, a, b, n);", "whole": "a.SetSize(n); Hypot(d, a, b, t);"})
    for n in COUNTS:
        a, b = samples(dtype, n, 1), samples(dtype, n, 2)
        with np.errstate(all="ignore"):
            expected = rounded(np.hypot(a.astype(np.float64), b.astype(np.float64)), dtype)
        for form in ("count", "whole"):
            y = np.zeros(n, dtype)
            run(form, a, b, y, None, tiling(a, y, count=n))
            assert_close(y, expected, form)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("number", [False, True])
def test_classes(wide: Callable[..., Callable[..., None]], dtype: str, number: bool) -> None:
    table = {"IsFinite": np.isfinite, "IsInf": np.isinf, "IsNan": np.isnan}
    calls = {name: f"{name}(d, a, n);" for name in table} | {"buffer": "IsInf(d, a, t, n);"}
    run = wide("classes", dtype, calls, u="DTYPE_X" if number else "bool")
    for n in COUNTS:
        a = samples(dtype, n, 1)
        for name in calls:
            y = np.full(n + 2, 7, dtype if number else np.uint8)
            run(name, a, a, y, None, tiling(a, y, count=n))
            np.testing.assert_array_equal(y, [*table.get(name, np.isinf)(a), 7, 7], err_msg=name)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rint_and_sincos(wide: Callable[..., Callable[..., None]], dtype: str) -> None:
    calls = {"Rint": "Rint(d, a, n);", "sine": "SinCos(d, b, a, t, n);", "cosine": "SinCos(b, d, a, n);"}
    run = wide("angles", dtype, calls)
    for n in COUNTS:
        a = inputs(dtype, n, 1)
        with np.errstate(all="ignore"):
            x = a.astype(np.float64)
            expected = {"Rint": np.rint(x), "sine": np.sin(x), "cosine": np.cos(x)}
        for name, values in expected.items():
            y = np.zeros(n, dtype)
            run(name, a, a.copy(), y, None, tiling(a, y, count=n))
            assert_close(y, rounded(values, dtype), name)


def test_refused_on_other_chips(compiler: Compiler) -> None:
    errors = compiler.errors(kernel("refused", "Hypot(d, a, b, n);"), "refused", "DTYPE_X=float")
    assert "Hypot does not support float on this SoC" in errors
