"""Activation functions of the library against their formulas: dtypes, tails, all forms, special values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernels import C_TYPES
from library_kernels import Library, close
from twin_harness import Compiler, KernelError

Gate = Callable[[np.ndarray, float], np.ndarray]


def gate(z: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))


def gelu(x: np.ndarray, _: float = 0) -> np.ndarray:
    return x * gate(np.sqrt(8 / np.pi) * (x + 0.044715 * x**3))


def quadratic(x: np.ndarray, _: float) -> np.ndarray:
    clipped = np.minimum(np.abs(0.7071 * x), 1.769) - 1.769
    return x * (np.copysign(-0.1444 * clipped**2 + 0.5, x + 1e-12) + 0.5)


# The name, its formula, and the calls: with a buffer and a count, and every other form that there is.
ONE: dict[str, tuple[Gate, str, tuple[str, ...]]] = {
    "Sigmoid": (
        lambda x, _: gate(x),
        "Sigmoid(out, a, tmp, n)",
        ("Sigmoid(out, a, n)", "Sigmoid(out, a, tmp)", "Sigmoid(out, a)"),
    ),
    "Gelu": (gelu, "Gelu(out, a, tmp, n)", ("Gelu(out, a, n)", "Gelu<T, true, true>(out, a, tmp, n)")),
    "FasterGelu": (lambda x, _: x * gate(1.702 * x), "FasterGelu(out, a, tmp, n)", ("FasterGelu<T, true>(out, a, n)",)),
    "FasterGeluV2": (quadratic, "FasterGeluV2(out, a, tmp, n)", ("FasterGeluV2(out, a, n)",)),
    "Silu": (lambda x, _: x * gate(x), "Silu(out, a, n)", ("Silu<T, false>(out, a, n)",)),
    "Swish": (lambda x, s: x * gate(s * x), "Swish(out, a, n, static_cast<T>(data.f[0]))", ()),
}
TWO: dict[str, tuple[Callable[[np.ndarray, np.ndarray, float], np.ndarray], str]] = {
    "GeGLU": (lambda a, b, _: a * gelu(b), ""),
    "ReGlu": (lambda a, b, _: a * np.maximum(b, 0), ""),
    "SwiGLU": (lambda a, b, s: a * b * gate(s * b), ", data.f[0]"),
}


@pytest.fixture(scope="module")
def activations(compiler: Compiler) -> dict[str, Library]:
    calls = [call for _, first, more in ONE.values() for call in (first, *more)]
    for name, (_, scalar) in TWO.items():
        calls += [
            f"{name}(out, a, b{scalar}{rest})"
            for rest in (", tmp, static_cast<uint32_t>(n)", ", static_cast<uint32_t>(n)", ", tmp", "")
        ]
    body = "const uint32_t n = data.n[0];\n" + "\n".join(
        f"if (TILING_KEY_IS({i})) {{ {c}; }}" for i, c in enumerate(calls)
    )
    made = {}
    for dtype in ("float32", "float16"):
        kind = C_TYPES[dtype]
        made[dtype] = Library(
            compiler, "activations", {"a": kind, "b": kind, "out": kind}, f"using T = {kind};\n{body}"
        )
    return made


def keys() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    at = 0
    for name, (_, _, more) in ONE.items():
        found[name] = list(range(at, at + 1 + len(more)))
        at += 1 + len(more)
    for name in TWO:
        found[name] = list(range(at, at + 4))
        at += 4
    return found


def inputs(dtype: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return tuple((rng.standard_normal(n) * 4).astype(dtype) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("n", [1, 8, 37, 128, 1000, 4099])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_form_computes_the_formula(activations: dict[str, Library], name: str, n: int, dtype: str) -> None:
    a, b = inputs(dtype, n)
    scale = 1.702
    x, y = a.astype(np.float64), b.astype(np.float64)
    scalar = float(np.array(scale, dtype)) if name in ONE else float(np.float32(scale))
    want = ONE[name][0](x, scalar) if name in ONE else TWO[name][0](x, y, scalar)
    for key in keys()[name]:
        out = np.zeros(n, dtype)
        activations[dtype](a, b, out, n=[n], f=[scale], key=key)
        close(out, want, dtype)


def test_only_as_many_elements_as_asked_for(activations: dict[str, Library]) -> None:
    a = np.ones(64, np.float32)
    out = np.full(64, -7, np.float32)
    activations["float32"](a, a, out, n=[33], key=keys()["Gelu"][0])
    assert (out[:33] != -7).all() and (out[33:] == -7).all()


def test_large_arguments_reach_their_limits(activations: dict[str, Library]) -> None:
    a = np.array([-200, -100, 100, 200, np.inf, np.nan, -0.0, 0.0], np.float32)
    out = np.zeros_like(a)
    activations["float32"](a, a, out, n=[8], key=keys()["Sigmoid"][0])
    np.testing.assert_array_equal(out, np.array([0, 0, 1, 1, 1, np.nan, 0.5, 0.5], np.float32))
    activations["float32"](a, a, out, n=[8], key=keys()["Gelu"][0])
    np.testing.assert_array_equal(out, np.array([0, 0, 100, 200, np.inf, np.nan, 0, 0], np.float32))


def test_too_small_a_buffer_is_named(activations: dict[str, Library]) -> None:
    a = np.ones(8, np.float32)
    with pytest.raises(KernelError, match="Gelu needs 256 bytes of temporary memory, but sharedTmpBuffer has 224"):
        activations["float32"](a, a, a.copy(), n=[8], key=keys()["Gelu"][0], room=224)
    with pytest.raises(
        KernelError, match="GeGLU needs 256 bytes of temporary memory, but the rest of the Unified Buffer"
    ):
        activations["float32"](a, a, a.copy(), n=[8], key=keys()["GeGLU"][1], room=192 * 1024 - 3 * 32 - 128)


def test_bfloat16_is_refused_where_the_chip_has_none(compiler: Compiler) -> None:
    text = """extern "C" __global__ __aicore__ void f(GM_ADDR x, GM_ADDR, GM_ADDR, GM_ADDR)
    { (void)x; AscendC::LocalTensor<bfloat16_t> a; AscendC::Gelu(a, a, 8); }"""
    assert "Gelu does not support bfloat16_t on this SoC" in compiler.errors(text, "f")


def test_reglu_of_bfloat16(compiler: Compiler) -> None:
    kind = {"a": "bfloat16_t", "b": "bfloat16_t", "out": "bfloat16_t"}
    reglu = Library(compiler, "reglu", kind, "ReGlu(out, a, b, static_cast<uint32_t>(data.n[0]));")
    a = (np.array([1.5, -2.5, 3.0, 4.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    b = (np.array([2.0, 3.0, -1.0, 0.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    out = np.zeros(4, np.uint16)
    reglu(a, b, out, n=[4])
    got = (out.astype(np.uint32) << 16).view(np.float32)
    assert got.tolist() == [3.0, -7.5, 0.0, 0.0]
