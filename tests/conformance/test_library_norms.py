"""Normalisations of the library and their gradients against their formulas: dtypes, shapes, padding, all forms."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES
from library_kernels import WIDE_CHIP, Library, close
from twin_harness import Compiler, KernelError

EPSILON = 1e-3
SHAPES = [(1, 1, 16), (2, 3, 64), (1, 5, 48), (2, 2, 1040)]
FORMS = """
    const int32_t b = data.n[0], s = data.n[1], h = data.n[2], original = data.n[3];
    const T eps = static_cast<T>(data.f[0]);
    LayerNormTiling layer{};
    layer.bLength = b; layer.sLength = s; layer.hLength = h; layer.originalHLength = original;
    RmsNormTiling rms{};
    rms.bLength = b; rms.sLength = s; rms.hLength = h; rms.originalHLength = original;
    DeepNormTiling deep{};
    deep.bLength = b; deep.sLength = s; deep.hLength = h; deep.originalHLength = original;
    LayerNormGradTiling grad{};
    grad.bLength = b; grad.sLength = s; grad.hLength = h; grad.originalHLength = original;
    LayerNormGradBetaTiling beta_grad{};
    beta_grad.bLength = b; beta_grad.sLength = s; beta_grad.hLength = h; beta_grad.originalHLength = original;
    BatchNormTiling batch{};
    batch.originalBLength = b; batch.meanVarSize = s * h;
    GroupNormTiling group{};
    group.n = b; group.g = data.n[4]; group.d = data.n[5]; group.hw = data.n[6];
    const T alpha = static_cast<T>(data.f[1]);
    if (TILING_KEY_IS(0)) { LayerNorm<T, false>(out, out_mean, out_var, x, gamma, beta, tmp, eps, layer); }
    if (TILING_KEY_IS(1)) { LayerNorm<T, true>(out, out_mean, out_var, x, gamma, beta, eps, layer); }
    if (TILING_KEY_IS(2)) { RmsNorm<T, false>(out, x, gamma, tmp, eps, rms); }
    if (TILING_KEY_IS(3)) { RmsNorm<T, true>(out, x, gamma, eps, rms); }
    if (TILING_KEY_IS(4)) { DeepNorm<T>(out, out_mean, out_var, x, other, beta, gamma, tmp, alpha, eps, deep); }
    if (TILING_KEY_IS(5)) { DeepNorm<T, true, true>(out, out_mean, out_var, x, other, beta, gamma, alpha, eps, deep); }
    if (TILING_KEY_IS(6)) { LayerNormGrad<T, false>(out, out_res, other, x, in_var, in_mean, gamma, tmp, eps, grad); }
    if (TILING_KEY_IS(7)) {
        LayerNormGrad<T, true>(out, out_res, other, x, in_var, in_mean, gamma, eps, grad, {DataFormat::ND});
    }
    if (TILING_KEY_IS(8)) { LayerNormGradBeta<T, false>(out_mean, out_var, x, other, tmp, beta_grad); }
    if (TILING_KEY_IS(9)) { LayerNormGradBeta<T, true>(out_mean, out_var, x, other, beta_grad); }
    if (TILING_KEY_IS(10)) { BatchNorm<T>(out, out_mean, out_var, x, gamma, beta, tmp, eps, batch); }
    if (TILING_KEY_IS(11)) { BatchNorm<T, false, true>(out, out_mean, out_var, x, gamma, beta, eps, batch); }
    if (TILING_KEY_IS(12)) { GroupNorm<T>(out, out_mean, out_var, x, gamma, beta, tmp, eps, group); }
    if (TILING_KEY_IS(13)) { GroupNorm<T>(out, out_mean, out_var, x, gamma, beta, eps, group); }
    if (TILING_KEY_IS(14)) {
        LayerNormGrad<T, false>(x, other, other, x, in_var, in_mean, gamma, tmp, eps, grad);
        DataCopy(out, x, b * s * h);
        DataCopy(out_res, other, b * s * h);
    }
"""
NAMES = ("x", "other", "gamma", "beta", "in_mean", "in_var", "out", "out_mean", "out_var", "out_res")


@pytest.fixture(scope="module")
def norms(compiler: Compiler) -> dict[str, Library]:
    made = {}
    for dtype in ("float32", "float16"):
        t = C_TYPES[dtype]
        made[dtype] = Library(compiler, "norms", dict.fromkeys(NAMES, t), f"using T = {t};\n{FORMS}")
    return made


class Case:
    """[B, S, H] with its parameters, and room for everything that a call can write."""

    def __init__(self, shape: tuple[int, int, int], dtype: str, *, params: int | None = None, stats: int | None = None):
        self.shape, self.dtype = shape, dtype
        b, s, h = shape
        rng = np.random.default_rng(b * s * h)
        self.x, self.other = ((rng.standard_normal(shape) * 2 + 1).astype(dtype) for _ in range(2))
        params = h if params is None else params
        stats = b * s if stats is None else stats
        self.gamma, self.beta = (rng.standard_normal(params).astype(dtype) for _ in range(2))
        self.in_mean = rng.standard_normal(b * s).astype(dtype)
        self.in_var = rng.uniform(0.5, 2, b * s).astype(dtype)
        self.out, self.res = np.full(shape, -7, dtype), np.full(shape, -7, dtype)
        self.mean, self.var = np.full(stats, -7, dtype), np.full(stats, -7, dtype)

    def run(self, library: Library, key: int, *more: int, original: int = 0, alpha: float = 0, **rest: int) -> None:
        n = [*self.shape, original or self.shape[2], *more]
        arrays = [self.x, self.other, self.gamma, self.beta, self.in_mean, self.in_var]
        library(*arrays, self.out, self.mean, self.var, self.res, n=n, f=[EPSILON, alpha], key=key, **rest)


def wide(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(a.astype(np.float64) for a in arrays)


def epsilon(dtype: str) -> float:
    return float(np.array(EPSILON, dtype))


def normalised(x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps), mean, var


def tolerance(dtype: str) -> dict[str, float]:
    return {"rtol": 2e-3, "atol": 2e-3} if dtype == "float16" else {"rtol": 3e-5, "atol": 1e-5}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", [0, 1])
def test_layer_norm(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype)
    x, gamma, beta = wide(case.x, case.gamma, case.beta)
    want, mean, var = normalised(x, epsilon(dtype))
    case.run(norms[dtype], key)
    np.testing.assert_allclose(case.out, want * gamma + beta, **tolerance(dtype))
    close(case.mean, mean.ravel(), dtype, atol=1e-5)
    close(case.var, var.ravel(), dtype)


def test_layer_norm_ignores_padding(norms: dict[str, Library]) -> None:
    case = Case((2, 2, 48), "float32")
    case.x[..., 41:] = 1e6
    x, gamma, beta = wide(case.x[..., :41], case.gamma[:41], case.beta[:41])
    want, mean, _ = normalised(x, epsilon("float32"))
    case.run(norms["float32"], 0, original=41)
    np.testing.assert_allclose(case.out[..., :41], want * gamma + beta, **tolerance("float32"))
    close(case.mean, mean.ravel(), "float32")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", [2, 3])
def test_rms_norm(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype)
    x, gamma = wide(case.x, case.gamma)
    want = x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon(dtype)) * gamma
    case.run(norms[dtype], key)
    np.testing.assert_allclose(case.out, want, **tolerance(dtype))
    assert (case.mean == -7).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", [4, 5])
def test_deep_norm(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype)
    x, gx, gamma, beta = wide(case.x, case.other, case.gamma, case.beta)
    want, mean, var = normalised(-1.5 * x + gx, epsilon(dtype))
    case.run(norms[dtype], key, alpha=-1.5)
    np.testing.assert_allclose(case.out, want * gamma + beta, **tolerance(dtype))
    close(case.mean, mean.ravel(), dtype, atol=1e-5)
    close(case.var, var.ravel(), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", [6, 7, 14])
def test_layer_norm_grad(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype)
    x, dy, gamma = wide(case.x, case.other, case.gamma)
    mean, var = (a.reshape(*shape[:2], 1) for a in wide(case.in_mean, case.in_var))
    h = shape[2]
    rstd = (var + epsilon(dtype)) ** -0.5
    xl = dy * gamma
    of_var = (-0.5 * xl * (x - mean) * rstd**3).sum(-1, keepdims=True)
    of_mean = (-xl * rstd).sum(-1, keepdims=True) + of_var / h * (-2 * (x - mean)).sum(-1, keepdims=True)
    want = xl * rstd + of_var * 2 / h * (x - mean) + of_mean / h
    case.run(norms[dtype], key)
    np.testing.assert_allclose(case.out, want, **tolerance(dtype))
    np.testing.assert_allclose(case.res, (x - mean) * rstd, **tolerance(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", [8, 9])
def test_layer_norm_grad_beta(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype, stats=shape[2])
    res, dy = wide(case.x, case.other)
    case.run(norms[dtype], key)
    np.testing.assert_allclose(case.mean, (res * dy).sum((0, 1)), **tolerance(dtype))
    np.testing.assert_allclose(case.var, dy.sum((0, 1)), **tolerance(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(16, 1, 16), (16, 3, 32), (32, 1, 80)])
@pytest.mark.parametrize("key", [10, 11])
def test_batch_norm(norms: dict[str, Library], dtype: str, shape: tuple[int, int, int], key: int) -> None:
    case = Case(shape, dtype, params=shape[0], stats=shape[1] * shape[2])
    x, gamma, beta = wide(case.x, case.gamma, case.beta)
    mean, var = x.mean(0), x.var(0)
    want = (x - mean) / np.sqrt(var + epsilon(dtype)) * gamma[:, None, None] + beta[:, None, None]
    case.run(norms[dtype], key)
    np.testing.assert_allclose(case.out, want, **tolerance(dtype))
    close(case.mean, mean.ravel(), dtype, atol=1e-5)
    close(case.var, var.ravel(), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("groups", "channels"), [(1, 4), (2, 2), (4, 1)])
@pytest.mark.parametrize("key", [12, 13])
def test_group_norm(norms: dict[str, Library], dtype: str, groups: int, channels: int, key: int) -> None:
    case = Case((2, 4, 32), dtype, params=4, stats=2 * groups)
    x, gamma, beta = wide(case.x, case.gamma, case.beta)
    want, mean, var = normalised(x.reshape(2, groups, channels * 32), epsilon(dtype))
    want = want.reshape(2, 4, 32) * gamma[:, None] + beta[:, None]
    case.run(norms[dtype], key, groups, channels, 32)
    np.testing.assert_allclose(case.out, want, **tolerance(dtype))
    close(case.mean, mean.ravel(), dtype, atol=1e-5)
    close(case.var, var.ravel(), dtype)


def test_more_groups_than_channels_are_refused(norms: dict[str, Library]) -> None:
    case = Case((2, 4, 32), "float32", params=4, stats=16)
    with pytest.raises(KernelError, match=r"GroupNorm: .* make no 8 groups"):
        case.run(norms["float32"], 12, 8, 0, 32)


ROWS = """
    static constexpr LayerNormConfig bare = {true, true, false, true};
    static constexpr NormalizeConfig no_beta = {ReducePattern::AR, -1, true, false, false};
    const LayerNormPara para = {uint32_t(data.n[0]), uint32_t(data.n[2]), uint32_t(data.n[1])};
    const NormalizePara given = {uint32_t(data.n[0]), uint32_t(data.n[2]), uint32_t(data.n[1])};
    LayerNormSeparateTiling tiling{};
    const float eps = data.f[0];
    if (TILING_KEY_IS(0)) { LayerNorm<U, T>(out, out_mean, out_rstd, x, gamma, beta, eps, tmp, para, tiling); }
    if (TILING_KEY_IS(1)) { LayerNorm<U, T>(out, out_mean, out_rstd, x, gamma, beta, eps, para, tiling); }
    if (TILING_KEY_IS(2)) {
        LayerNorm<U, T, false, bare>(out, out_mean, out_rstd, x, gamma, beta, eps, tmp, para, tiling);
    }
    if (TILING_KEY_IS(3)) { Normalize<U, T>(out, out_rstd, in_mean, in_var, x, gamma, beta, tmp, eps, given); }
    if (TILING_KEY_IS(4)) {
        Normalize<U, T, false, no_beta>(out, out_rstd, in_mean, in_var, x, gamma, beta, eps, given);
    }
"""
VARIANCE = """
    static constexpr LayerNormConfig variance = {false, false, false, false};
    if (TILING_KEY_IS(5)) {
        LayerNorm<U, T, false, variance>(out, out_mean, out_rstd, x, gamma, beta, eps, tmp, para, tiling);
    }
"""


@pytest.mark.parametrize(("t", "u"), [("float32", "float32"), ("float16", "float16"), ("float16", "float32")])
def test_norms_of_rows(compiler: Compiler, t: str, u: str) -> None:
    kinds = {"x": t, "gamma": u, "beta": u, "in_mean": "float32", "in_var": "float32"}
    kinds |= {"out": t, "out_mean": "float32", "out_rstd": "float32"}
    text = f"using T = {C_TYPES[t]};\nusing U = {C_TYPES[u]};\n{ROWS}"
    rows = Library(compiler, "rows", {name: C_TYPES[kind] for name, kind in kinds.items()}, text)
    rng = np.random.default_rng(3)
    x = rng.standard_normal((6, 80)).astype(t)
    gamma, beta = (rng.standard_normal(80).astype(u) for _ in range(2))
    mean, var = rng.standard_normal(8).astype(np.float32), rng.uniform(0.5, 2, 8).astype(np.float32)
    used = 75
    exact_x, exact_gamma, exact_beta = wide(x[:, :used], gamma[:used], beta[:used])
    plain, own_mean, own_var = normalised(exact_x, EPSILON)
    given = (exact_x - mean[:6, None]) / np.sqrt(var[:6, None].astype(float) + EPSILON)
    wants = [plain * exact_gamma + exact_beta] * 2 + [plain, given * exact_gamma + exact_beta, given * exact_gamma]
    for key, want in enumerate(wants):
        out, out_mean, out_rstd = np.zeros_like(x), np.full(8, -7, np.float32), np.full(8, -7, np.float32)
        rows(x, gamma, beta, mean, var, out, out_mean, out_rstd, n=[6, 80, used], f=[EPSILON], key=key)
        np.testing.assert_allclose(out[:, :used], want, **tolerance(t))
        rstd = (own_var[:, 0] if key < 3 else var[:6].astype(float)) + EPSILON
        close(out_rstd[:6], rstd**-0.5, "float32")
        assert out_rstd[6] == -7
        if key < 3:
            close(out_mean[:6], own_mean[:, 0], "float32")


def test_the_950_gives_the_variance_of_rows(compiler: Compiler) -> None:
    tensors = dict.fromkeys(("x", "gamma", "beta", "in_mean", "in_var", "out", "out_mean", "out_rstd"), "float")
    rows = Library(compiler, "rows", tensors, f"using T = float;\nusing U = float;\n{ROWS}{VARIANCE}", *WIDE_CHIP)
    x = np.random.default_rng(1).standard_normal((4, 32)).astype(np.float32)
    one, out, stat = np.ones(32, np.float32), np.zeros_like(x), np.zeros(8, np.float32)
    variance = np.zeros(8, np.float32)
    arrays = (x, one, one * 0, stat, stat, out, stat.copy(), variance)
    rows(*arrays, n=[4, 32, 32], f=[EPSILON], key=5, soc="Ascend950PR")
    close(variance[:4], x.astype(float).var(-1), "float32")


def test_the_variance_of_rows_is_refused_elsewhere(compiler: Compiler) -> None:
    text = """using namespace AscendC; static constexpr LayerNormConfig c = {false, false, false, false};
    extern "C" __global__ __aicore__ void f(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)
    { LocalTensor<float> x; LayerNormSeparateTiling t;
      LayerNorm<float, float, false, c>(x, x, x, x, x, x, 0.1f, LayerNormPara{1, 8, 8}, t); }"""
    assert "LayerNorm gives the variance of rows on the 950 only" in compiler.errors(text, "f")


WELFORD = """
    static constexpr WelfordUpdateConfig in_place = {true};
    const WelfordUpdateParam part = {1, uint32_t(data.n[0]), uint32_t(data.n[1]), data.f[0]};
    const auto *n = reinterpret_cast<const uint32_t *>(data.n);
    const WelfordFinalizePara whole = {n[2], n[0], n[3], n[4], n[5], n[6], data.f[1], data.f[2], data.f[3]};
    if (TILING_KEY_IS(0)) { WelfordUpdate<T, float>(out_mean, out_var, mean, var, x, tmp, part); }
    if (TILING_KEY_IS(1)) { WelfordUpdate<T, float, false, in_place>(out_mean, out_var, mean, var, x, part); }
    if (TILING_KEY_IS(2)) { WelfordFinalize(out_mean, out_var, mean, var, tmp, whole); }
    if (TILING_KEY_IS(3)) { WelfordFinalize<false>(out_mean, out_var, mean, var, whole); }
    if (TILING_KEY_IS(4)) { WelfordFinalize(out_mean, out_var, mean, var, counts, tmp, whole); }
    if (TILING_KEY_IS(5)) { WelfordFinalize<false>(out_mean, out_var, mean, var, counts, whole); }
"""


def welford(compiler: Compiler, dtype: str) -> Library:
    kinds = {"x": C_TYPES[dtype], "counts": "int32_t"} | dict.fromkeys(("mean", "var", "out_mean", "out_var"), "float")
    return Library(compiler, "welford", kinds, f"using T = {C_TYPES[dtype]};\n{WELFORD}")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("tail", [0, 24])
def test_welford_over_parts_of_a_row(compiler: Compiler, dtype: str, tail: int) -> None:
    """Parts of 64 numbers, the last one perhaps shorter: mean and variance are those of the whole row."""
    library = welford(compiler, dtype)
    width, parts = 64, 5
    x = np.random.default_rng(tail).uniform(-3, 9, width * (parts - 1) + (tail or width)).astype(dtype)
    mean, var, counts = np.zeros(width, np.float32), np.zeros(width, np.float32), np.zeros(width, np.int32)
    for i in range(parts):
        part = np.zeros(width, dtype)
        here = x[i * width : (i + 1) * width]
        part[: len(here)] = here
        now_mean, now_var = np.full(width, -7, np.float32), np.full(width, -7, np.float32)
        library(part, counts, mean, var, now_mean, now_var, n=[width, len(here)], f=[1 / (i + 1)], key=1)
        if len(here) < width:
            assert (now_mean[len(here) :] == mean[len(here) :]).all()
        mean, var = now_mean, now_var
        counts[: len(here)] += 1
    head = [parts, tail, parts - 1, width - tail] if tail else [parts, width, 0, 0]
    whole = [width, width, parts, *head]
    for key in (2, 3, 4, 5):
        got_mean, got_var = np.full(8, -7, np.float32), np.full(8, -7, np.float32)
        library(x[:width], counts, mean, var, got_mean, got_var, n=whole, f=[0, 1 / width, 1 / len(x), 0], key=key)
        close(got_mean[:1], x.astype(float).mean(keepdims=True), "float32")
        close(got_var[:1], x.astype(float).var(keepdims=True), "float32")
        assert (got_mean[1:] == -7).all()


def test_welford_update_leaves_the_rest_alone(compiler: Compiler) -> None:
    library = welford(compiler, "float32")
    x, zero = np.ones(64, np.float32), np.zeros(64, np.float32)
    out = np.full(64, -7, np.float32)
    library(x, np.zeros(64, np.int32), zero, zero, out, out.copy(), n=[64, 35], f=[0.5], key=0)
    assert (out[:35] == 0.5).all() and (out[35:] == -7).all()


def test_too_small_a_buffer_is_named(norms: dict[str, Library]) -> None:
    case = Case((2, 3, 64), "float32")
    with pytest.raises(KernelError, match="LayerNorm needs 288 bytes of temporary memory, but sharedTmpBuffer has 256"):
        case.run(norms["float32"], 0, room=256)


def test_parameters_less_precise_than_the_input_are_refused(compiler: Compiler) -> None:
    text = """using namespace AscendC; extern "C" __global__ __aicore__ void f(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)
    { LocalTensor<float> x; LocalTensor<half> g; LayerNormSeparateTiling t;
      LayerNorm<half, float>(x, x, x, x, g, g, 0.1f, LayerNormPara{1, 8, 8}, t); }"""
    assert "LayerNorm: gamma and beta have the type of the input, or float" in compiler.errors(text, "f")
