"""The softmax family of the library against its formulas: dtypes, shapes, padding, blocks (NZ), all forms."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES
from library_kernels import WIDE_CHIP, Library, close
from twin_harness import Compiler, KernelError

SHAPES = [(1, 16), (8, 64), (5, 48), (32, 128), (3, 1040), (20, 272)]
PAIRS = [("float32", "float32"), ("float16", "float16"), ("float16", "float32")]
FORMS = """
    static constexpr SoftmaxConfig plain = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};
    static constexpr SoftmaxConfig single = {false, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};
    const SoftMaxShapeInfo shape(data.n[0], data.n[1], data.n[0], data.n[2]);
    SoftMaxTiling tiling{};
    tiling.srcM = data.n[0];
    tiling.srcK = data.n[1];
    [[maybe_unused]] LogSoftMaxTiling log_tiling{};
    LocalTensor<T> &d = out;
    LocalTensor<S> &sum = out_sum, &max = out_max;
    if (TILING_KEY_IS(0)) { SoftMax<T>(d, sum, max, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(1)) { SoftMax<T>(d, sum, max, x, tiling, shape); }
    if (TILING_KEY_IS(2)) { SoftMax<T, false, true, false, plain>(d, sum, max, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(3)) { SoftMax<T>(d, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(4)) { SoftMax<T>(d, x, tiling, shape); }
    if (TILING_KEY_IS(5)) { SoftMax<T, false, false, true>(d, sum, max, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(6)) { SoftMax<T>(x, sum, max, x, tmp, tiling, shape); DataCopy(d, x, data.n[0] * data.n[1]); }
    if (TILING_KEY_IS(7)) { SoftMax<T>(d, sum, max, x, tmp, tiling); }
    if (TILING_KEY_IS(10)) { SimpleSoftMax<T>(d, in_sum, in_max, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(11)) { SimpleSoftMax<T>(d, in_sum, in_max, x, tiling, shape); }
    if (TILING_KEY_IS(12)) { SimpleSoftMax<T, false, false, true>(d, in_sum, in_max, x, tiling, shape); }
    if (TILING_KEY_IS(20)) { SoftmaxFlash<T>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, false, shape); }
    if (TILING_KEY_IS(21)) { SoftmaxFlash<T>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, true, shape); }
    if (TILING_KEY_IS(22)) { SoftmaxFlash<T>(d, sum, max, x, out_exp, in_sum, in_max, tiling, true, shape); }
    if (TILING_KEY_IS(30)) { SoftmaxFlashV2<T>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, shape); }
    if (TILING_KEY_IS(31)) { SoftmaxFlashV2<T, true>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, shape); }
    if (TILING_KEY_IS(32)) { SoftmaxFlashV2<T, true>(d, sum, max, x, out_exp, in_sum, in_max, tiling, shape); }
    if (TILING_KEY_IS(33)) {
        SoftmaxFlashV2<T, true, false, false, false, single>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling,
                                                             shape);
    }
    if (TILING_KEY_IS(34)) {
        SoftmaxFlashV2<T, true, false, false, true>(d, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, shape);
    }
"""
SAME = """
    if (TILING_KEY_IS(35)) {
        SoftmaxFlashV2<T, true, false, false, false, single>(d, out_more, sum, max, x, out_exp, in_sum, in_max, tmp,
                                                             tiling, shape);
    }
    if (TILING_KEY_IS(36)) {
        SoftmaxFlashV2<T, true>(d, out_more, sum, max, x, out_exp, in_sum, in_max, tmp, tiling, shape);
    }
    if (TILING_KEY_IS(40)) { LogSoftMax<T>(d, sum, max, x, tmp, log_tiling, shape); }
    if (TILING_KEY_IS(41)) { SoftmaxGrad<T>(d, g, x, tmp, tiling, false, shape); }
    if (TILING_KEY_IS(42)) { SoftmaxGrad<T>(d, g, x, tiling, false, shape); }
    if (TILING_KEY_IS(43)) { SoftmaxGrad<T>(sum, g, x, tmp, tiling, true, shape); }
    if (TILING_KEY_IS(44)) { SoftmaxGradFront<T>(sum, g, x, tmp, tiling, shape); }
    if (TILING_KEY_IS(45)) { SoftmaxGradFront<T>(sum, g, x, tiling, shape); }
    if (TILING_KEY_IS(46)) { SoftmaxGrad<T, false, true>(d, g, x, tmp, tiling, false, shape); }
"""
MIXED = """
    const SoftMaxParams params(data.n[0], data.n[1], data.n[0], data.n[1], data.n[3], 8, data.f[0]);
    if (TILING_KEY_IS(50)) {
        SoftmaxFlashV3<T, S>(d, out_more, sum, max, x, out_exp, in_mean, in_sum, in_max, tmp, tiling, params);
    }
    if (TILING_KEY_IS(51)) {
        SoftmaxFlashV3<T, S, true>(d, out_more, sum, max, x, out_exp, in_mean, in_sum, in_max, tiling, params);
    }
"""


@pytest.fixture(scope="module")
def family(compiler: Compiler) -> dict[tuple[str, str], Library]:
    made = {}
    for dtype, stat in PAIRS:
        t, s = C_TYPES[dtype], C_TYPES[stat]
        tensors = {"x": t, "g": t, "in_sum": s, "in_max": s, "in_mean": s, "out": t, "out_sum": s, "out_max": s}
        tensors |= {"out_exp": t, "out_more": s}
        made[dtype, stat] = Library(
            compiler, "softmax", tensors, f"using T = {t};\nusing S = {s};\n{FORMS}{SAME if t == s else MIXED}"
        )
    return made


class Case:
    """A matrix with statistics of earlier columns, and everything that a call can write."""

    def __init__(self, shape: tuple[int, int], dtype: str, stat: str, *, single: bool = False) -> None:
        self.m, self.k = shape
        rng = np.random.default_rng(self.m * self.k)
        self.dtype, self.stat = dtype, stat
        self.x = (rng.standard_normal(shape) * 3).astype(dtype)
        self.g = rng.standard_normal(shape).astype(dtype)
        self.stat_step = 1 if single else 32 // np.dtype(stat).itemsize
        self.exp_step = 1 if single else 32 // np.dtype(dtype).itemsize
        self.in_max = self.spread(rng.uniform(-2, 6, self.m), stat, self.stat_step)
        self.in_sum = self.spread(rng.uniform(1, 30, self.m), stat, self.stat_step)
        self.in_mean = self.spread(rng.uniform(-1, 1, self.m), stat, self.stat_step)
        self.out = np.full(shape, -7, dtype)
        self.sum, self.max, self.more = (np.full((self.m, self.stat_step), -7, stat) for _ in range(3))
        self.exp = np.full((self.m, self.exp_step), -7, dtype)

    @staticmethod
    def spread(values: np.ndarray, dtype: str, step: int) -> np.ndarray:
        return np.repeat(values.astype(dtype)[:, None], step, axis=1).copy()

    def run(
        self, library: Library, key: int, *, used: int | None = None, n: int = 1, alpha: float = 0.0, **more: int
    ) -> None:
        whole = [self.m, self.k, self.k if used is None else used, n]
        library(
            *(self.x, self.g, self.in_sum, self.in_max, self.in_mean),
            *(self.out, self.sum, self.max, self.exp, self.more),
            n=whole,
            f=[alpha],
            key=key,
            **more,
        )


def exact(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Softmax, sum and maximum of rows, in double precision."""
    wide = x.astype(np.float64)
    top = wide.max(-1, keepdims=True)
    e = np.exp(wide - top)
    return e / e.sum(-1, keepdims=True), e.sum(-1, keepdims=True), top


def close_stat(got: np.ndarray, want: np.ndarray, case: Case) -> None:
    """A statistic has one value a row, repeated through its block."""
    assert (got == got[:, :1]).all()
    close(got[:, :1], want, case.stat)


def to_blocks(x: np.ndarray) -> np.ndarray:
    m, k = x.shape
    return np.ascontiguousarray(x.reshape(m, k // 16, 16).transpose(1, 0, 2)).reshape(m, k)


def from_blocks(x: np.ndarray) -> np.ndarray:
    m, k = x.shape
    return x.reshape(k // 16, m, 16).transpose(1, 0, 2).reshape(m, k)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("pair", "key"), [(p, k) for p in PAIRS for k in (0, 1, 2, 3, 4, 6, 7) if k not in (3, 4) or p[0] == p[1]]
)
def test_softmax(
    family: dict[tuple[str, str], Library], pair: tuple[str, str], shape: tuple[int, int], key: int
) -> None:
    case = Case(shape, *pair)
    want, total, top = exact(case.x)
    case.run(family[pair], key)
    close(case.out, want, case.dtype)
    if key in (3, 4):
        assert (case.sum == -7).all() and (case.max == -7).all()
    else:
        close_stat(case.sum, total, case)
        close_stat(case.max, top, case)


@pytest.mark.parametrize("pair", PAIRS)
def test_softmax_of_blocks(family: dict[tuple[str, str], Library], pair: tuple[str, str]) -> None:
    case = Case((32, 128), *pair)
    want, total, top = exact(case.x)
    case.x = to_blocks(case.x)
    case.run(family[pair], 5)
    close(from_blocks(case.out), want, case.dtype)
    close_stat(case.sum, total, case)
    close_stat(case.max, top, case)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("used", [1, 17, 61])
def test_padding_is_not_part_of_a_row(family: dict[tuple[str, str], Library], pair: tuple[str, str], used: int) -> None:
    case = Case((6, 64), *pair)
    case.x[:, used:] = 60000 if pair[0] == "float16" else 1e30
    want, total, top = exact(case.x[:, :used])
    case.run(family[pair], 0, used=used)
    close(case.out[:, :used], want, case.dtype)
    close_stat(case.sum, total, case)
    close_stat(case.max, top, case)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("key", [10, 11, 12])
def test_simple_softmax_takes_its_statistics(
    family: dict[tuple[str, str], Library], pair: tuple[str, str], key: int
) -> None:
    case = Case((8, 80), *pair)
    want = np.exp(case.x.astype(float) - case.in_max[:, :1].astype(float)) / case.in_sum[:, :1].astype(float)
    if key == 12:
        case.x = to_blocks(case.x)
    case.run(family[pair], key)
    close(from_blocks(case.out) if key == 12 else case.out, want, case.dtype)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("shape", SHAPES)
def test_flash_without_update_is_softmax(
    family: dict[tuple[str, str], Library], pair: tuple[str, str], shape: tuple[int, int]
) -> None:
    case = Case(shape, *pair)
    want, total, top = exact(case.x)
    case.run(family[pair], 20)
    close(case.out, want, case.dtype)
    close_stat(case.sum, total, case)
    assert (case.exp == -7).all()
    case.run(family[pair], 30)
    close(case.out, want * total, case.dtype)
    close_stat(case.max, top, case)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("pair", "key"), [(p, k) for p in PAIRS for k in (21, 22, 31, 32, 33, 34, 35) if k != 35 or p[0] == p[1]]
)
def test_flash_with_update(
    family: dict[tuple[str, str], Library], pair: tuple[str, str], shape: tuple[int, int], key: int
) -> None:
    case = Case(shape, *pair, single=key in (33, 35))
    x, before, earlier = case.x.astype(float), case.in_max[:, :1].astype(float), case.in_sum[:, :1].astype(float)
    own = x.max(-1, keepdims=True)
    top = np.maximum(own, before)
    e = np.exp(x - top)
    total = np.exp(before - top) * earlier + e.sum(-1, keepdims=True)
    if key == 34:
        case.x = to_blocks(case.x)
    case.run(family[pair], key)
    first = key in (21, 22)
    close(from_blocks(case.out) if key == 34 else case.out, e / total if first else e, case.dtype)
    close_stat(case.sum, total, case)
    close_stat(case.max, top, case)
    want_exp = np.exp(before - top) * earlier / total if first else np.exp(before - top)
    assert (case.exp == case.exp[:, :1]).all()
    close(case.exp[:, :1], want_exp, case.dtype)
    if key == 35:
        close_stat(case.more, own, case)


def test_the_form_with_its_own_maximum_works_without_repetition_only(family: dict[tuple[str, str], Library]) -> None:
    case = Case((8, 64), "float32", "float32")
    case.run(family["float32", "float32"], 36)
    assert (case.out == -7).all() and (case.sum == -7).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_log_softmax_has_the_base_of_ten(
    family: dict[tuple[str, str], Library], dtype: str, shape: tuple[int, int]
) -> None:
    case = Case(shape, dtype, dtype)
    want, total, top = exact(case.x)
    case.run(family[dtype, dtype], 40)
    close(case.out, np.log10(want), dtype, atol=3e-6)
    close_stat(case.sum, total, case)
    close_stat(case.max, top, case)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(1, 16), (8, 64), (5, 48), (7, 1040)])
def test_gradients(family: dict[tuple[str, str], Library], dtype: str, shape: tuple[int, int]) -> None:
    case = Case(shape, dtype, dtype)
    x, g = case.x.astype(float), case.g.astype(float)
    front = (x * g).sum(-1, keepdims=True)
    for key in (41, 42):
        case.run(family[dtype, dtype], key)
        np.testing.assert_allclose(case.out, (g - front) * x, rtol=2e-3 if dtype == "float16" else 2e-5, atol=1e-3)
    for key in (43, 44, 45):
        case.run(family[dtype, dtype], key)
        assert (case.sum == case.sum[:, :1]).all()
        np.testing.assert_allclose(case.sum[:, :1], front, rtol=2e-3 if dtype == "float16" else 2e-5, atol=1e-3)
    case.x, case.g = to_blocks(case.x), to_blocks(case.g)
    case.run(family[dtype, dtype], 46)
    np.testing.assert_allclose(
        from_blocks(case.out), (g - front) * x, rtol=2e-3 if dtype == "float16" else 2e-5, atol=1e-3
    )


def shifted(case: Case, alpha: float, loops: int, update: bool) -> tuple[np.ndarray, ...]:
    """SoftmaxFlashV3 as its description has it."""
    x = case.x.astype(float)
    m, k = x.shape
    parts = x[:, :512].reshape(m, 64, 8).sum(-1) + x[:, 512:].reshape(m, -1, 64).sum(1)
    local = parts.reshape(m, 8, 8).sum(-1) / (k // 8)
    mean = local.mean(-1, keepdims=True)
    scale = alpha / (1 - alpha)
    x = x - np.repeat((mean - local) * scale, k // 8, axis=1)
    before, earlier, before_mean = (s[:, :1].astype(float) for s in (case.in_max, case.in_sum, case.in_mean))
    now = (mean + before_mean * (loops - 1)) / loops if update else mean
    shift, before_shift = (mean - now) * scale, (before_mean - now) * scale
    top = shift + x.max(-1, keepdims=True)
    top = np.maximum(top, before_shift + before) if update else top
    e = np.exp(x - (top - shift))
    factor = np.exp(before - top + before_shift)
    return e, now, top, (factor * earlier if update else 0) + e.sum(-1, keepdims=True), factor


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("shape", [(8, 512), (8, 1024), (8, 2048)])
def test_flash_with_shifts(family: dict[tuple[str, str], Library], shape: tuple[int, int], update: bool) -> None:
    case = Case(shape, "float16", "float32")
    e, mean, top, total, factor = shifted(case, 0.9375, 3, update)
    case.run(family["float16", "float32"], 51 if update else 50, n=3, alpha=0.9375, room=8224)
    np.testing.assert_allclose(case.out, e, rtol=2e-3, atol=1e-4)
    for got, want in ((case.more, mean), (case.max, top), (case.sum, total)):
        assert (got == got[:, :1]).all()
        np.testing.assert_allclose(got[:, :1], want, rtol=1e-4, atol=1e-4)
    if update:
        np.testing.assert_allclose(case.exp[:, :1], factor, rtol=2e-3, atol=1e-4)
    else:
        assert (case.exp == -7).all()


@pytest.mark.parametrize("columns", [256, 528])
def test_shifts_want_rows_of_eight_parts(family: dict[tuple[str, str], Library], columns: int) -> None:
    case = Case((8, columns), "float16", "float32")
    with pytest.raises(KernelError, match=f"SoftmaxFlashV3: rows of {columns} elements; they must be a multiple of 64"):
        case.run(family["float16", "float32"], 50, n=3, alpha=0.9375, room=8224)


def test_a_constant_shape_stands_in_for_one_that_is_not_given(compiler: Compiler) -> None:
    body = """static constexpr SoftmaxConfig fixed = {true, 4, 20, SoftmaxMode::SOFTMAX_NORMAL};
    SoftMaxTiling tiling = SoftMaxFlashV2TilingFunc({4, 24, 4, 20}, 4, 4, 4096);
    static_assert(SoftMaxFlashV2TilingFunc({4, 24, 4, 20}, 4, 4, 4096).splitM == 4, "fits");
    SoftMax<float, false, false, false, fixed>(out, out_sum, out_max, x, tmp, tiling);"""
    tensors = dict.fromkeys(("x", "out", "out_sum", "out_max"), "float")
    softmax = Library(compiler, "softmax", tensors, body)
    x = np.random.default_rng(1).standard_normal((4, 24)).astype(np.float32)
    out, total, top = np.zeros_like(x), np.zeros((4, 8), np.float32), np.zeros((4, 8), np.float32)
    softmax(x, out, total, top)
    close(out[:, :20], exact(x[:, :20])[0], "float32")


def test_adjusted_rows(compiler: Compiler) -> None:
    body = """const SoftMaxShapeInfo shape(data.n[0], data.n[1], data.n[0], data.n[1]);
    const T to(2.5f);
    if (TILING_KEY_IS(0)) { out_found.SetValue(0, AdjustSoftMaxRes<T, float>(out, max, 0xff7fffff, to, shape)); }
    if (TILING_KEY_IS(1)) { AdjustSoftMaxRes<T, float, false, 1>(out, max, 0xff7fffff, to, shape); }
    if (TILING_KEY_IS(2)) { AdjustSoftMaxRes<T, float, true>(out, max, 0xff7fffff, to, shape); }"""
    lowest = np.finfo(np.float32).min
    for dtype in ("float32", "float16"):
        t = C_TYPES[dtype]
        adjust = Library(
            compiler, "adjust", {"max": "float", "out": t, "out_found": "int32_t"}, f"using T = {t};\n{body}"
        )
        top = np.zeros((4, 8), np.float32)
        top[2] = lowest
        found = np.zeros(8, np.int32)
        out = np.ones((4, 32), dtype)
        adjust(top, out, found, n=[4, 32], key=0)
        assert (out[2] == 2.5).all() and (out[[0, 1, 3]] == 1).all() and found[0] == 1
        top[2] = 0
        adjust(top, out, found, n=[4, 32], key=0)
        assert found[0] == 0
        out = np.ones((4, 32), dtype)
        adjust(np.array([0, lowest, 0, 0, 0, 0, 0, 0], np.float32), out, found, n=[4, 32], key=1)
        assert (out[1] == 2.5).all() and (out[[0, 2, 3]] == 1).all()
        top[3] = lowest
        out = np.ones((4, 32), dtype)
        adjust(top, out, found, n=[4, 32], key=2)
        assert (from_blocks(out)[3] == 2.5).all() and (out == 2.5).sum() == 32


def test_too_small_a_buffer_is_named(family: dict[tuple[str, str], Library]) -> None:
    case = Case((8, 64), "float32", "float32")
    with pytest.raises(KernelError, match="SoftMax needs 288 bytes of temporary memory, but sharedTmpBuffer has 256"):
        case.run(family["float32", "float32"], 0, room=256)
    case.run(family["float32", "float32"], 0, room=288)
    with pytest.raises(KernelError, match=r"SoftmaxGrad needs 288 .*, but the rest of the Unified Buffer has"):
        case.run(family["float32", "float32"], 42, room=192 * 1024 - 3 * 2048 - 7 * 256 - 96)


def test_types_that_do_not_go_together_are_refused(compiler: Compiler) -> None:
    text = """extern "C" __global__ __aicore__ void f(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR)
    { AscendC::LocalTensor<float> x; AscendC::LocalTensor<half> s; SoftMaxTiling t;
      AscendC::SoftMax<float>(x, s, s, x, t); }"""
    assert "SoftMax: sum and max have the type of the matrix, or float for half" in compiler.errors(text, "f")


def test_the_950_needs_no_temporary_memory(compiler: Compiler) -> None:
    tensors = dict.fromkeys(("x", "out", "out_sum", "out_max"), "float")
    body = "SoftMaxTiling t{}; SoftMax<float>(out, out_sum, out_max, x, tmp, t, {2, 64, 2, 64});"
    softmax = Library(compiler, "softmax", tensors, body, *WIDE_CHIP)
    x = np.random.default_rng(1).standard_normal((2, 64)).astype(np.float32)
    out, stat = np.zeros_like(x), np.zeros((2, 8), np.float32)
    softmax(x, out, stat, stat.copy(), room=32, soc="Ascend950PR")
    close(out, exact(x)[0], "float32")
