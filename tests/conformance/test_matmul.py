"""The Matmul object: products of every dtype, orientation and format, whole and block by block, on several cores."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from matmul_kernels import PART, fractals, from_fractals, product, tiling
from twin_harness import Compiler, Kernel, KernelError

BF16 = ml_dtypes.bfloat16
C_NAMES = {"float16": "half", "bfloat16": "bfloat16_t", "float32": "float", "int8": "int8_t", "int32": "int32_t"}


def matrix(rng: np.random.Generator, rows: int, columns: int, dtype: type) -> np.ndarray:
    if np.dtype(dtype) == np.int8:
        return rng.integers(-128, 128, (rows, columns), dtype=np.int8)
    return rng.uniform(-1, 1, (rows, columns)).astype(dtype)


def right(a: np.ndarray, b: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """The product, as exact as float64 holds it."""
    made = a.astype(np.float64) @ b.astype(np.float64)
    return made if bias is None else made + bias.astype(np.float64)


def close(actual: np.ndarray, expected: np.ndarray, k: int, rounding: float = 0.0) -> None:
    """float32 sums of k products of numbers up to 1, rounded once more to a type of that precision."""
    np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=rounding, atol=k * 2.0**-23 + 1e-6)


def run(kernel: Kernel, a: np.ndarray, b: np.ndarray, c: np.ndarray, data: bytes, **more: object) -> None:
    bias = more.pop("bias", None)
    extra = more.pop("extra", None)
    workspace = more.pop("workspace", None)
    kernel(a, b, bias, c, extra, workspace, data, **more)  # type: ignore[arg-type]


ALL = PART + "mm.IterateAll(mine);"
BLOCKS = PART + "while (mm.Iterate()) { mm.GetTensorC(mine); }"


@pytest.mark.parametrize(
    ("dtype", "result", "rounding"),
    [
        (np.float16, np.float32, 0),
        (np.float16, np.float16, 2.0**-11),
        (BF16, np.float32, 0),
        (BF16, BF16, 2.0**-8),
        (np.float32, np.float32, 0),
    ],
)
@pytest.mark.parametrize("body", [ALL, BLOCKS], ids=["all", "blocks"])
def test_products_of_floats_are_summed_in_float32(
    compiler: Compiler, dtype: type, result: type, rounding: float, body: str
) -> None:
    name = C_NAMES[np.dtype(dtype).name]
    kernel = product(compiler, body, A_T=name, B_T=name, C_T=C_NAMES[np.dtype(result).name])
    rng = np.random.default_rng(1)
    for m, n, k in [(1, 1, 1), (32, 32, 32), (33, 70, 129), (100, 31, 600), (16, 530, 40)]:
        a, b = matrix(rng, m, k, dtype), matrix(rng, k, n, dtype)
        bias = rng.uniform(-1, 1, n).astype(np.float32)
        c = np.zeros((m, n), result)
        run(kernel, a, b, c, tiling(m, n, k, isBias=1), bias=bias)
        close(c, right(a, b, bias), k, rounding)


@pytest.mark.parametrize("body", [ALL, BLOCKS], ids=["all", "blocks"])
def test_products_of_int8_are_exact_in_int32(compiler: Compiler, body: str) -> None:
    kernel = product(compiler, body, A_T="int8_t", B_T="int8_t", C_T="int32_t", BIAS_T="int32_t")
    rng = np.random.default_rng(2)
    for m, n, k in [(5, 7, 3), (64, 33, 2501)]:
        a, b = matrix(rng, m, k, np.int8), matrix(rng, k, n, np.int8)
        a[0], b[:, 0] = -128, -128  # the largest sum there is
        a[1], b[:, 1] = 127, 127  # an odd one that a float would not hold
        bias = rng.integers(-(2**20), 2**20, n, dtype=np.int32)
        c = np.zeros((m, n), np.int32)
        run(kernel, a, b, c, tiling(m, n, k, isBias=1), bias=bias)
        np.testing.assert_array_equal(c, right(a, b, bias).astype(np.int64))


def packed(values: np.ndarray) -> np.ndarray:
    """Two 4-bit integers a byte, the first in the low bits."""
    nibbles = (values.astype(np.int8) & 15).astype(np.uint8).reshape(-1, 2)
    return nibbles[:, 0] | nibbles[:, 1] << 4


def test_products_of_int4_are_exact_in_int32(compiler: Compiler) -> None:
    kernel = product(compiler, ALL, A_T="int4b_t", B_T="int4b_t", C_T="int32_t", BIAS_T="int32_t")
    rng = np.random.default_rng(3)
    m, n, k = 20, 34, 130
    a, b = rng.integers(-8, 8, (m, k)), rng.integers(-8, 8, (k, n))
    c = np.zeros((m, n), np.int32)
    run(kernel, packed(a), packed(b), c, tiling(m, n, k))
    np.testing.assert_array_equal(c, a @ b)


OLD = {"A_T": "half", "B_T": "int8_t", "ARCH": "2002"}
SCALED = {
    "one": "mm.SetAntiQuantScalar(half(2.5f), half(0.013f));",
    "columns": """
    TBuf<> numbers;
    pipe.InitBuffer(numbers, 4096);
    LocalTensor<half> parameters = numbers.Get<half>();
    for (int i = 0; i < 2048; ++i) { parameters.SetValue(i, reinterpret_cast<half *>(extra)[i]); }
    mm.SetAntiQuantVector(parameters[column], parameters[1024 + column]);
    """,
}
MDL = "constexpr MatmulConfig kMdl = GetMDLConfig(false, false, 0, false, @ONE@, @OFFSET@);"


def anti_quantized(b: np.ndarray, offset: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """In float16, rounded after each step."""
    return (b.astype(np.float16) + offset.astype(np.float16)) * scale.astype(np.float16)


@pytest.mark.parametrize("of_b", [False, True])
@pytest.mark.parametrize("way", ["one", "columns"])
@pytest.mark.parametrize("config", ["norm", "offset", "scale"])
def test_int8_becomes_half_on_the_310p(compiler: Compiler, of_b: bool, way: str, config: str) -> None:
    flags = {"ONE": way == "one", "OFFSET": config == "offset"}
    words = {} if config == "norm" else {"CONFIG": "kMdl", "BEFORE": MDL}
    words |= {name: str(flag).lower() for name, flag in flags.items()}
    kernel = product(compiler, SCALED[way] + ALL, **OLD, **words, TRANS_B=str(of_b).lower())
    rng = np.random.default_rng(31)
    m, n, k = 20, 70, 1100
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.int8)
    numbers = np.zeros((2, 1024), np.float16)
    numbers[0], numbers[1] = rng.uniform(-9, 9, 1024), rng.uniform(-0.02, 0.02, 1024)
    offset, scale = (np.float16(2.5), np.float16(0.013)) if way == "one" else (numbers[0, :n], numbers[1, :n])
    bias, c = rng.uniform(-1, 1, n).astype(np.float32), np.zeros((m, n), np.float32)
    stored_b = np.ascontiguousarray(b.T) if of_b else b
    data = tiling(m, n, k, usedCoreNum=2, singleCoreN=48, isBias=1)
    run(kernel, a, stored_b, c, data, bias=bias, extra=numbers, block_dim=2, soc="Ascend310P3")
    half = anti_quantized(b, offset if config != "scale" else np.zeros_like(offset), scale)
    close(c, right(a, half, bias), k)


def test_int8_in_fractals_becomes_half(compiler: Compiler) -> None:
    kernel = product(compiler, SCALED["columns"] + BLOCKS, **OLD, FORMAT_B="CubeFormat::NZ")
    rng = np.random.default_rng(32)
    m, n, k = 33, 50, 45
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.int8)
    numbers = rng.uniform(-1, 1, (2, 1024)).astype(np.float16)
    c = np.zeros((m, n), np.float32)
    run(kernel, a, fractals(b, 32), c, tiling(m, n, k), extra=numbers, soc="Ascend310P3")
    close(c, right(a, anti_quantized(b, numbers[0, :n], numbers[1, :n])), 128 * k)


def test_what_half_by_int8_wants_is_said(compiler: Compiler) -> None:
    a, c = np.zeros((32, 32), np.float16), np.zeros((32, 32), np.float32)
    with pytest.raises(KernelError, match="needs SetAntiQuantScalar or SetAntiQuantVector"):
        run(product(compiler, ALL, **OLD), a, a, c, tiling(32, 32, 32), soc="Ascend310P3")
    for words, sentence in [
        ({"A_T": "half", "B_T": "int8_t"}, "Matmul does not support this combination of A, B and C on this SoC"),
        ({**OLD, "C_T": "half"}, "Matmul does not support this combination of A, B and C on this SoC"),
        ({**OLD, "B_T": "half"}, "are for A of half and B of int8_t"),
        (
            {**OLD, "CONFIG": "kMdl", "BEFORE": "constexpr MatmulConfig kMdl = GetMDLConfig();"},
            "SetAntiQuantScalar needs a configuration with isPerTensor",
        ),
    ]:
        with pytest.raises(AssertionError, match=sentence):
            product(compiler, SCALED["one"] + ALL, **words)


def test_a_check_build_sees_too_few_scales(compiler: Compiler) -> None:
    body = SCALED["columns"].replace("parameters[1024 + column]", "parameters[2048 - 16]") + ALL
    a, c = np.zeros((32, 32), np.float16), np.zeros((32, 32), np.float32)
    with pytest.raises(KernelError, match=r"reads 32 elements of the scales, but the tensor .* ends after 16"):
        run(
            product(compiler, body, **OLD, CHECK="yes"),
            a,
            a,
            c,
            tiling(32, 32, 32),
            extra=np.zeros(2048, np.float16),
            soc="Ascend310P3",
        )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize(("of_a", "of_b"), [(True, False), (False, True), (True, True)])
def test_transposed_matrices(compiler: Compiler, dtype: type, of_a: bool, of_b: bool) -> None:
    name = C_NAMES[np.dtype(dtype).name]
    result = np.int32 if dtype == np.int8 else np.float32
    kernel = product(
        compiler,
        ALL,
        TRANS_A=str(of_a).lower(),
        TRANS_B=str(of_b).lower(),
        A_T=name,
        B_T=name,
        C_T=C_NAMES[np.dtype(result).name],
        BIAS_T=C_NAMES[np.dtype(result).name],
    )
    rng = np.random.default_rng(4)
    m, n, k = 37, 45, 70
    a, b = matrix(rng, m, k, dtype), matrix(rng, k, n, dtype)
    c = np.zeros((m, n), result)
    stored_a, stored_b = np.ascontiguousarray(a.T) if of_a else a, np.ascontiguousarray(b.T) if of_b else b
    run(kernel, stored_a, stored_b, c, tiling(m, n, k))
    close(c, right(a, b), k)


@pytest.mark.parametrize("threads", [1, 2])
def test_several_cores_with_tails(compiler: Compiler, threads: int) -> None:
    kernel = product(compiler, ALL)
    rng = np.random.default_rng(5)
    m, n, k = 100, 90, 60
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    bias = rng.uniform(-1, 1, n).astype(np.float32)
    c = np.zeros((m, n), np.float32)
    data = tiling(m, n, k, usedCoreNum=6, singleCoreM=48, singleCoreN=64, isBias=1)
    run(kernel, a, b, c, data, bias=bias, block_dim=6, threads=threads)
    close(c, right(a, b, bias), k)


def test_results_in_fractals(compiler: Compiler) -> None:
    body = PART.replace("row * t.N + column", "0") + "mm.IterateAll(mine);"
    rng = np.random.default_rng(6)
    m, n, k = 40, 56, 33
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    for name, dtype, width in [("float", np.float32, 16), ("half", np.float16, 16)]:
        kernel = product(compiler, body, FORMAT_C="CubeFormat::NZ", C_T=name)
        c = np.full((4, 48, width), 9, dtype)
        run(kernel, a, b, c, tiling(m, n, k))
        close(from_fractals(c, m, n, width), right(a, b), k, 2.0**-11)


SPLIT = "constexpr MatmulConfig split() { MatmulConfig c = CFG_NORM; c.isEnableChannelSplit = true; return c; }\n"
SPLIT += "constexpr MatmulConfig kSplit = split();"


def test_channel_split_halves_the_columns_of_fractals(compiler: Compiler) -> None:
    body = PART.replace("row * t.N + column", "0") + "mm.IterateAll(mine);"
    kernel = product(compiler, body, FORMAT_C="CubeFormat::NZ", CONFIG="kSplit", BEFORE=SPLIT)
    rng = np.random.default_rng(7)
    m, n, k = 48, 40, 33
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((5, 48, 8), np.float32)
    run(kernel, a, b, c, tiling(m, n, k))
    close(from_fractals(c, m, n, 8), right(a, b), k)


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.float32])
@pytest.mark.parametrize("turned", [False, True])
def test_operands_in_fractals(compiler: Compiler, dtype: type, turned: bool) -> None:
    name, width = C_NAMES[np.dtype(dtype).name], 32 // np.dtype(dtype).itemsize
    result = np.int32 if dtype == np.int8 else np.float32
    body = f"mm.SetTensorA(A, {str(turned).lower()}); mm.SetTensorB(B, {str(turned).lower()}); mm.IterateAll(C);"
    kernel = product(
        compiler,
        body,
        FORMAT_A="CubeFormat::NZ",
        FORMAT_B="CubeFormat::NZ",
        A_T=name,
        B_T=name,
        C_T=C_NAMES[np.dtype(result).name],
        TRANS_A=str(turned).lower(),
        TRANS_B=str(turned).lower(),
    )
    rng = np.random.default_rng(8)
    m, n, k = 48, 32, 96
    a, b = matrix(rng, m, k, dtype), matrix(rng, k, n, dtype)
    c = np.zeros((m, n), result)
    run(kernel, fractals(a.T if turned else a, width), fractals(b.T if turned else b, width), c, tiling(m, n, k))
    close(c, right(a, b), k)


def test_matrices_column_by_column_and_rows_filled_up(compiler: Compiler) -> None:
    rng = np.random.default_rng(9)
    m, n, k = 33, 21, 50
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    columns = dict.fromkeys(["FORMAT_A", "FORMAT_B", "FORMAT_C"], "CubeFormat::COLUMN_MAJOR")
    body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    c = np.zeros((n, m), np.float32)
    run(product(compiler, body, **columns), np.asfortranarray(a).T.copy(), b.T.copy(), c, tiling(m, n, k))
    close(c.T, right(a, b), k)

    filled = np.full((m, 24), 5, np.float32)
    run(product(compiler, body, FORMAT_C="CubeFormat::ND_ALIGN"), a, b, filled, tiling(m, n, k))
    close(filled[:, :n], right(a, b), k)
    assert (filled[:, n:] == 5).all()


def test_a_in_the_unified_buffer_has_rows_of_whole_blocks(compiler: Compiler) -> None:
    """The part of this core only, whatever SetOrgShape says of the matrices in global memory."""
    body = """
    TQue<TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, t.singleCoreM * 32 * sizeof(half));
    LocalTensor<half> local = queue.AllocTensor<half>();
    for (int r = 0; r < t.singleCoreM; ++r) {
        for (int k = 0; k < t.Ka; ++k) { local.SetValue(r * 32 + k, A.GetValue((row + r) * t.Ka + k)); }
    }
    mm.SetOrgShape(t.M, t.N, t.Ka);
    mm.SetTensorA(local);
    mm.SetTensorB(B);
    mm.IterateAll(C[row * t.N]);
    queue.FreeTensor(local);
    """
    rng = np.random.default_rng(24)
    m, n, k = 32, 40, 20
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    kernel = product(compiler, body, POSITION_A="TPosition::VECOUT", TASK="KERNEL_TYPE_MIX_AIC_1_2")
    run(kernel, a, b, c, tiling(m, n, k, usedCoreNum=2, singleCoreM=16))
    close(c, right(a, b), k)


def test_buffers_that_long_copies_fill_before_and_behind_the_product(compiler: Compiler) -> None:
    """The copies are made late: A when the product is asked for, what C replaces before it."""
    body = """
    TQue<TPosition::VECOUT, 1> lines;
    TQue<TPosition::VECIN, 1> results;
    pipe.InitBuffer(lines, 1, t.M * t.Ka * sizeof(half));
    pipe.InitBuffer(results, 1, t.M * t.N * sizeof(float));
    LocalTensor<half> local = lines.AllocTensor<half>();
    LocalTensor<float> result = results.AllocTensor<float>();
    mm.SetTensorA(local);
    mm.SetTensorB(B);
    DataCopy(local, A, t.M * t.Ka);
    mm.Iterate();
    DataCopy(result, C, t.M * t.N);
    mm.GetTensorC(result);
    DataCopy(C, result, t.M * t.N);
    """
    rng = np.random.default_rng(25)
    m, n, k = 32, 64, 32
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.full((m, n), 99, np.float32)
    kernel = product(compiler, body, POSITION_A="TPosition::VECOUT", POSITION_C="TPosition::VECIN")
    run(kernel, a, b, c, tiling(m, n, k, baseM=m, baseN=n))
    close(c, right(a, b), k)


def test_one_row_times_a_matrix_and_a_scalar_times_a_matrix(compiler: Compiler) -> None:
    rng = np.random.default_rng(10)
    n, k = 40, 300
    a, b = matrix(rng, 1, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((1, n), np.float32)
    body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    run(product(compiler, body, FORMAT_A="CubeFormat::VECTOR"), a, b, c, tiling(1, n, k))
    close(c, right(a, b), k)
    body = "mm.SetTensorA(half(1.0f)); mm.SetTensorB(B); mm.IterateAll(C);"
    run(product(compiler, body, FORMAT_A="CubeFormat::SCALAR"), a, b, c, tiling(1, n, k))
    close(c, b.astype(np.float64).sum(axis=0, keepdims=True), k)


BLOCK_BY_BLOCK = """
mm.SetTensorA(A);
mm.SetTensorB(B);
if (t.isBias) { mm.SetBias(Bias); }
for (int i = 0; mm.Iterate(); ++i) { mm.GetTensorC(C[i * t.baseM * t.baseN], 0, true); }
"""


@pytest.mark.parametrize("n_first", [0, 1])
@pytest.mark.parametrize("body", [BLOCK_BY_BLOCK, "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C, 0, true);"])
def test_base_blocks_come_in_the_order_of_the_tiling(compiler: Compiler, n_first: int, body: str) -> None:
    kernel = product(compiler, body)
    rng = np.random.default_rng(11)
    m, n, k = 64, 96, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((6, 32, 32), np.float32)
    run(kernel, a, b, c, tiling(m, n, k, iterateOrder=n_first))
    blocks = right(a, b).reshape(2, 32, 3, 32).transpose((0, 2, 1, 3) if n_first else (2, 0, 1, 3)).reshape(6, 32, 32)
    close(c, blocks, k)


AHEAD = """
mm.SetTensorA(A);
mm.SetTensorB(B);
mm.SetWorkspace(W);
mm.template Iterate<false>();
for (int i = 0; i < t.M / t.baseM * (t.N / t.baseN); ++i) { mm.template GetTensorC<false>(C); }
"""


def test_asynchronous_blocks_wait_in_the_workspace(compiler: Compiler) -> None:
    rng = np.random.default_rng(12)
    m, n, k = 64, 64, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c, workspace = np.zeros((m, n), np.float32), np.zeros(m * n, np.float32)
    run(product(compiler, AHEAD), a, b, c, tiling(m, n, k), workspace=workspace)
    close(c, right(a, b), k)
    blocks = right(a, b).reshape(2, 32, 2, 32).transpose(2, 0, 1, 3).reshape(-1)
    close(workspace, blocks, k)


def test_a_long_copy_of_a_matrix_that_an_asynchronous_block_replaces(compiler: Compiler) -> None:
    keeps = """
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<float> before = buffer.Get<float>();
    DataCopy(before, C, 1024);
    mm.template GetTensorC<false>(C);
    DataCopy(W[1024], before, 1024);
    """
    rng = np.random.default_rng(27)
    m, n, k = 32, 32, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c, workspace = np.full((m, n), 99, np.float32), np.zeros(2 * m * n, np.float32)
    run(product(compiler, AHEAD[: AHEAD.index("for")] + keeps), a, b, c, tiling(m, n, k), workspace=workspace)
    close(c, right(a, b), k)
    assert (workspace[m * n :] == 99).all()


@pytest.mark.parametrize("sequential", ["true", "false"])
def test_asynchronous_blocks_are_added_atomically(compiler: Compiler, sequential: str) -> None:
    body = AHEAD.replace("GetTensorC<false>(C)", f"GetTensorC<false>(C, 1, {sequential})")
    rng = np.random.default_rng(26)
    m, n, k = 32, 32, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c, workspace = np.ones((m, n), np.float32), np.zeros(m * n, np.float32)
    run(product(compiler, body), a, b, c, tiling(m, n, k), workspace=workspace)
    close(c, 1 + right(a, b), k)


def test_asynchronous_blocks_of_fractals_come_to_their_places(compiler: Compiler) -> None:
    rng = np.random.default_rng(27)
    m, n, k = 64, 64, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c, workspace = fractals(np.zeros((m, n), np.float32)), np.zeros(m * n, np.float32)
    run(product(compiler, AHEAD, FORMAT_C="CubeFormat::NZ"), a, b, c, tiling(m, n, k), workspace=workspace)
    close(from_fractals(c, m, n), right(a, b), k)


def test_asynchronous_blocks_of_a_triangle(compiler: Compiler) -> None:
    body = AHEAD.replace("t.M / t.baseM * (t.N / t.baseN)", "3")
    rng = np.random.default_rng(28)
    m, n, k = 64, 64, 40
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c, workspace = np.full((m, n), 7, np.float32), np.zeros(m * n, np.float32)
    kernel = product(compiler, body, POLICY="Impl::Detail::TrianLowerMatmulPolicy")
    run(kernel, a, b, c, tiling(m, n, k), workspace=workspace)
    row, column = np.indices((m, n)) // 32
    close(c, np.where(row >= column, right(a, b), 7), k)


def test_sums_over_k_in_pieces(compiler: Compiler) -> None:
    body = """
    for (int k = 0; k < t.Ka; k += t.baseK) {
        const int left = t.Ka - k;
        mm.SetSingleShape(t.M, t.N, left < t.baseK ? left : t.baseK);
        mm.SetTensorA(A[k]);
        mm.SetTensorB(B[k * t.N]);
        if (k == 0) { mm.SetBias(Bias); } else { mm.ClearBias(); }
        mm.Iterate(k != 0);
    }
    mm.GetTensorC(C);
    """
    rng = np.random.default_rng(13)
    m, n, k = 32, 32, 100
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    bias, c = rng.uniform(-1, 1, n).astype(np.float32), np.zeros((m, n), np.float32)
    run(product(compiler, body), a, b, c, tiling(m, n, k, isBias=1), bias=bias)
    close(c, right(a, b, bias), k)


PARTIAL = "constexpr MatmulConfig partial() { MatmulConfig c = CFG_MDL; c.isPartialOutput = true; return c; }\n"
PARTIAL += "constexpr MatmulConfig kPartial = partial();"


def test_partial_output_gives_each_step_of_k(compiler: Compiler) -> None:
    kernel = product(compiler, BLOCK_BY_BLOCK, CONFIG="kPartial", BEFORE=PARTIAL)
    rng = np.random.default_rng(14)
    m, n, k = 32, 64, 80
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    bias, c = rng.uniform(-1, 1, n).astype(np.float32), np.zeros((2, 3, 32, 32), np.float32)
    run(kernel, a, b, c, tiling(m, n, k, isBias=1), bias=bias)
    for column in range(2):
        here = slice(32 * column, 32 * column + 32)
        for step, part in enumerate([slice(0, 32), slice(32, 64), slice(64, 80)]):
            close(c[column, step], right(a[:, part], b[part, here], None if step else bias[here]), k)


@pytest.mark.parametrize(("code", "combine"), [(1, np.add), (2, np.maximum), (3, np.minimum)])
def test_atomic_results(compiler: Compiler, code: int, combine: np.ufunc) -> None:
    again = PART.replace("C[row * t.N + column]", "W").replace("mine", "next")
    kernel = product(compiler, PART + f"mm.IterateAll(mine, {code});" + again + "mm.IterateAll(next);")
    rng = np.random.default_rng(15)
    m, n, k = 40, 24, 30
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    before = rng.uniform(-3, 3, (m, n)).astype(np.float32)
    c, plain = before.copy(), np.full((m, n), 100 if code < 3 else -100, np.float32)
    run(kernel, a, b, c, tiling(m, n, k), workspace=plain)
    close(c, combine(before, right(a, b)), k)
    close(plain, right(a, b), k)  # the operation was that of one call


def test_cores_that_split_k_add_up(compiler: Compiler) -> None:
    body = """
    const int k = static_cast<int>(GetBlockIdx()) * t.singleCoreK;
    const int left = t.Ka - k;
    mm.SetTail(t.M, t.N, left < t.singleCoreK ? left : t.singleCoreK);
    mm.SetTensorA(A[k]);
    mm.SetTensorB(B[k * t.N]);
    mm.IterateAll(C, 1);
    """
    rng = np.random.default_rng(16)
    m, n, k = 20, 30, 100
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    data = tiling(m, n, k, usedCoreNum=4, singleCoreK=32)
    run(product(compiler, body), a, b, c, data, block_dim=4, threads=2)
    close(c, right(a, b), k)


def bits(scale: float, offset: int = 0) -> int:
    word = int(np.float32(scale).view(np.uint32)) & 0xFFFFE000
    return word | 1 << 46 | (offset & 0x1FF) << 37


def test_quantised_results(compiler: Compiler) -> None:
    rng = np.random.default_rng(17)
    m, n, k = 18, 40, 64
    a, b = matrix(rng, m, k, np.int8), matrix(rng, k, n, np.int8)
    sums = right(a, b)
    scalar = f"mm.SetQuantScalar({bits(0.0009765625, -3)}ull); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    integers = {"A_T": "int8_t", "B_T": "int8_t", "BIAS_T": "int32_t"}
    c = np.zeros((m, n), np.int8)
    run(product(compiler, scalar, C_T="int8_t", **integers), a, b, c, tiling(m, n, k))
    np.testing.assert_array_equal(c, np.clip(np.rint(sums / 1024) - 3, -128, 127))
    unsigned = np.zeros((m, n), np.uint8)
    run(product(compiler, scalar, C_T="uint8_t", **integers), a, b, unsigned, tiling(m, n, k))
    np.testing.assert_array_equal(unsigned, np.clip(np.rint(sums / 1024) - 3, 0, 255))

    vector = """
    GlobalTensor<uint64_t> scales;
    scales.SetGlobalBuffer(reinterpret_cast<uint64_t *>(extra));
    mm.SetQuantVector(scales); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);
    """
    scales = 2.0 ** rng.integers(-12, -6, n)
    words = np.array([bits(s) for s in scales], np.uint64)
    halves = np.zeros((m, n), np.float16)
    run(product(compiler, vector, C_T="half", **integers), a, b, halves, tiling(m, n, k), extra=words)
    np.testing.assert_array_equal(halves, (sums * scales).astype(np.float16))


def test_results_of_int8_saturate(compiler: Compiler) -> None:
    body = f"mm.SetQuantScalar({bits(4.0)}ull); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    a, b = np.full((1, 64), 1, np.float16), np.array([[1.0, -1.0]] * 64, np.float16)
    c = np.zeros((1, 2), np.int8)
    run(product(compiler, body, C_T="int8_t"), a, b, c, tiling(1, 2, 64))
    assert c.tolist() == [[127, -128]]


HF32 = "mm.SetHF32(true, {mode}); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"


@pytest.mark.parametrize(("mode", "tie"), [(0, 1.0), (1, 1.0 + 2.0**-11)])
def test_hf32_keeps_eleven_bits_of_the_mantissa(compiler: Compiler, mode: int, tie: float) -> None:
    kernel = product(compiler, HF32.format(mode=mode), A_T="float", B_T="float")
    c = np.zeros((1, 2), np.float32)
    a = np.array([[1.0, 1.0]], np.float32)
    b = np.array([[1.0 + 2.0**-12, 1.0 + 2.0**-11 + 2.0**-13], [0.0, 0.0]], np.float32)
    run(kernel, a, b, c, tiling(1, 2, 2))
    assert c.tolist() == [[tie, 1.0 + 2.0**-11]]


@pytest.mark.parametrize(("mode", "tie"), [(0, 1.0), (1, 1.0 + 2.0**-10)])
def test_hf32_of_the_950_keeps_ten_bits_of_the_mantissa(compiler: Compiler, mode: int, tie: float) -> None:
    kernel = product(compiler, HF32.format(mode=mode), A_T="float", B_T="float", ARCH="3510")
    c = np.zeros((1, 2), np.float32)
    b = np.array([[1.0 + 2.0**-11, 1.0 + 2.0**-10 + 2.0**-12], [0.0, 0.0]], np.float32)
    run(kernel, np.array([[1.0, 1.0]], np.float32), b, c, tiling(1, 2, 2), soc="Ascend950PR")
    assert c.tolist() == [[tie, 1.0 + 2.0**-10]]


def test_rows_of_the_result_may_be_longer_than_those_of_b(compiler: Compiler) -> None:
    body = "mm.SetOrgShape(t.M, t.N, t.Ka, t.Kb, 50); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    rng = np.random.default_rng(26)
    m, n, k = 20, 40, 30
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.full((m, 50), 7, np.float32)
    run(product(compiler, body), a, b, c, tiling(m, n, k))
    close(c[:, :n], right(a, b), k)
    assert (c[:, n:] == 7).all()


def test_upper_and_lower_triangles_leave_the_other_blocks_alone(compiler: Compiler) -> None:
    rng = np.random.default_rng(18)
    m = n = 96
    k = 20
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    row, column = np.indices((m, n)) // 32
    for policy, kept in [("TrianUpper", row <= column), ("TrianLower", row >= column)]:
        c = np.full((m, n), 7, np.float32)
        run(product(compiler, ALL, POLICY=f"Impl::Detail::{policy}MatmulPolicy"), a, b, c, tiling(m, n, k))
        close(c, np.where(kept, right(a, b), 7), k)


def batched(layout: str, values: np.ndarray) -> np.ndarray:
    """From [b, n, g, s, d] to a layout."""
    orders = {"BSNGD": (0, 3, 1, 2, 4), "SBNGD": (3, 0, 1, 2, 4), "BNGS1S2": (0, 1, 2, 3, 4), "NORMAL": (0, 1, 2, 3, 4)}
    return np.ascontiguousarray(values.transpose(orders[layout]))


@pytest.mark.parametrize("layout", ["NORMAL", "BSNGD", "SBNGD", "BNGS1S2"])
def test_batches_in_every_layout(compiler: Compiler, layout: str) -> None:
    body = "mm.SetTensorA(A); mm.SetTensorB(B, true); mm.IterateBatch(C, 6, 3, false);"
    kernel = product(compiler, body, LAYOUT=f"LayoutMode::{layout}", TRANS_B="true")
    rng = np.random.default_rng(19)
    m, n, k = 20, 36, 25
    a = rng.uniform(-1, 1, (1, 2, 3, m, k)).astype(np.float16)
    b = rng.uniform(-1, 1, (1, 1, 3, n, k)).astype(np.float16)
    c = batched(layout, np.zeros((1, 2, 3, m, n), np.float32))
    axes = dict(zip("BSNGD", (1, m, 2, 3, k), strict=True))
    fields = {f"ALayoutInfo{axis}": size for axis, size in axes.items()}
    fields.update({f"BLayoutInfo{axis}": size for axis, size in zip("BSNGD", (1, n, 1, 3, k), strict=True)})
    fields.update(CLayoutInfoB=1, CLayoutInfoS1=m, CLayoutInfoN=2, CLayoutInfoG=3, CLayoutInfoS2=n, BatchNum=6)
    run(kernel, batched(layout, a), batched(layout, b), c, tiling(m, n, k, **fields))
    # Six matrices of A meet three of B: each of B serves two that follow each other.
    flat_a, flat_b = a.reshape(6, m, k).astype(np.float64), b.reshape(3, n, k).astype(np.float64)
    expected = np.stack([flat_a[i] @ flat_b[i // 2].T for i in range(6)]).reshape(1, 2, 3, m, n)
    close(c, batched(layout, expected), k)


def test_a_batch_in_the_unified_buffer_has_rows_of_whole_blocks(compiler: Compiler) -> None:
    body = """
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 2 * t.M * 24 * sizeof(float));
    LocalTensor<float> local = queue.AllocTensor<float>();
    mm.SetTensorA(A);
    mm.SetTensorB(B);
    mm.IterateBatch(local, 2, 2, true);
    for (int i = 0; i < 2 * t.M; ++i) {
        for (int j = 0; j < t.N; ++j) { C.SetValue(i * t.N + j, local.GetValue(i * 24 + j)); }
    }
    queue.FreeTensor(local);
    """
    kernel = product(
        compiler, body, LAYOUT="LayoutMode::NORMAL", POSITION_C="TPosition::VECIN", TASK="KERNEL_TYPE_MIX_AIC_1_1"
    )
    rng = np.random.default_rng(29)
    m, n, k = 16, 20, 25
    a, b = rng.uniform(-1, 1, (2, m, k)).astype(np.float16), rng.uniform(-1, 1, (2, k, n)).astype(np.float16)
    c = np.zeros((2, m, n), np.float32)
    run(kernel, a, b, c, tiling(m, n, k, BatchNum=2))
    close(c, a.astype(np.float64) @ b.astype(np.float64), k)


COPY_A = """
void bring(const LocalTensor<int8_t> &to, const void *gm, int row, int col, int rows, int cols, const uint64_t line,
           const uint64_t)
{
    const LocalTensor<half> local = to.ReinterpretCast<half>();
    const half *from = static_cast<const half *>(gm);
    const int tall = (rows + 15) / 16 * 16;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            local.SetValue((c / 16 * tall + r) * 16 + c % 16, from[(row * 32 + r) * line + col * 32 + c]);
        }
    }
}
"""


def test_a_kernel_brings_in_a_matrix_itself(compiler: Compiler) -> None:
    body = "mm.SetUserDefInfo(80); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    kernel = product(compiler, body, BEFORE=COPY_A, CALLBACKS="MatmulCallBackFunc<nullptr, bring, nullptr>")
    rng = np.random.default_rng(20)
    m, n, k = 50, 40, 70
    stored, b = matrix(rng, m, 80, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    run(kernel, stored, b, c, tiling(m, n, k))
    close(c, right(stored[:, :k], b), k)


COPY_BLOCK = """
void bring(const LocalTensor<int8_t> &to, const void *gm, int, int col, int rows, int cols, const uint64_t,
           const uint64_t)
{
    GlobalTensor<half> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(const_cast<void *>(gm)));
    DataCopy(to.ReinterpretCast<half>(), from[col * 32 * 32], rows * cols);
}
"""


def test_a_kernel_brings_in_a_matrix_with_long_copies(compiler: Compiler) -> None:
    body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    kernel = product(compiler, body, BEFORE=COPY_BLOCK, CALLBACKS="MatmulCallBackFunc<nullptr, bring, nullptr>")
    rng = np.random.default_rng(24)
    m, n, k = 32, 40, 64
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    run(kernel, fractals(a), b, c, tiling(m, n, k))
    close(c, right(a, b), k)


COPY_C = """
void give(const void *gm, const LocalTensor<int8_t> &from, const void *about, const uint64_t, const uint64_t data)
{
    const DataCopyOutParams &params = *static_cast<const DataCopyOutParams *>(about);
    const LocalTensor<float> sums = from.ReinterpretCast<float>();
    float *to = static_cast<float *>(const_cast<void *>(gm));
    const int rows = params.burstLen / 2, tall = rows + params.srcStride / 2;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < params.oriNSize; ++c) {
            to[r * params.dstStride + c] = static_cast<float>(data) * sums.GetValue((c / 16 * tall + r) * 16 + c % 16);
        }
    }
}
"""


@pytest.mark.parametrize("body", ["mm.IterateAll(mine);", "while (mm.Iterate()) { mm.GetTensorC(mine); }"])
def test_a_kernel_writes_the_result_itself(compiler: Compiler, body: str) -> None:
    callbacks = "MatmulCallBackFunc<give, nullptr, nullptr>"
    kernel = product(compiler, PART + "mm.SetSelfDefineData(3);" + body, BEFORE=COPY_C, CALLBACKS=callbacks)
    rng = np.random.default_rng(25)
    m, n, k = 50, 40, 70
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    run(kernel, a, b, c, tiling(m, n, k))
    close(c, 3 * right(a, b), 3 * k)


KEEP_C = (
    COPY_C.rstrip().removesuffix("}")
    + """
    GlobalTensor<float> before;
    before.SetGlobalBuffer(to);
    DataCopy(sums, before, 256);
}
"""
)


def test_a_long_copy_into_a_result_that_the_kernel_has_written(compiler: Compiler) -> None:
    """It is made before the next block's result stands there."""
    body = "mm.SetSelfDefineData(3); mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
    kernel = product(compiler, body, BEFORE=KEEP_C, CALLBACKS="MatmulCallBackFunc<give, nullptr, nullptr>")
    rng = np.random.default_rng(26)
    m, n, k = 64, 64, 70
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    c = np.zeros((m, n), np.float32)
    run(kernel, a, b, c, tiling(m, n, k))
    close(c, 3 * right(a, b), 3 * k)


EPILOGUE = """
TQue<TPosition::VECIN, 1> in;
TQue<TPosition::VECOUT, 1> out;
pipe.InitBuffer(in, 1, t.baseM * t.baseN * sizeof(float));
pipe.InitBuffer(out, 1, t.baseM * t.baseN * sizeof(float));
mm.SetTail(t.M - row < t.singleCoreM ? t.M - row : t.singleCoreM, t.singleCoreN);
mm.SetTensorA(A[row * t.Ka]);
mm.SetTensorB(B);
mm.SetBias(Bias);
for (int i = 0; mm.template Iterate<true>(); ++i) {
    LocalTensor<float> sums = in.AllocTensor<float>();
    mm.template GetTensorC<true>(sums, false, true);
    in.EnQue(sums);
    sums = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    LeakyRelu(result, sums, 0.5f, t.baseM * t.baseN);
    out.EnQue(result);
    result = out.DeQue<float>();
    in.FreeTensor(sums);
    DataCopy(C[row * t.N + i * t.baseN], result,
             DataCopyParams(t.baseM, t.baseN / 8, 0, (t.N - t.baseN) / 8));
    out.FreeTensor(result);
}
"""


def test_vector_cores_of_a_mixed_kernel_work_on_each_block(compiler: Compiler) -> None:
    kernel = product(compiler, EPILOGUE, TASK="KERNEL_TYPE_MIX_AIC_1_2", POSITION_C="TPosition::VECIN")
    rng = np.random.default_rng(21)
    m, n, k = 128, 96, 64
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    bias, c = rng.uniform(-1, 1, n).astype(np.float32), np.zeros((m, n), np.float32)
    # Two blocks: four vector cores, each with 32 rows, which move along N.
    run(kernel, a, b, c, tiling(m, n, k, usedCoreNum=4, singleCoreM=32, isBias=1), bias=bias, block_dim=2, threads=2)
    expected = right(a, b, bias)
    close(c, np.where(expected < 0, expected / 2, expected), k)


def test_both_matrices_shared_make_one_product_a_block(compiler: Compiler) -> None:
    body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C, 1);"
    kernel = product(compiler, body, TASK="KERNEL_TYPE_MIX_AIC_1_2", SHARE="true")
    rng = np.random.default_rng(22)
    a, b = matrix(rng, 32, 40, np.float16), matrix(rng, 40, 32, np.float16)
    c = np.zeros((32, 32), np.float32)
    run(kernel, a, b, c, tiling(32, 32, 40), block_dim=1, threads=2)
    close(c, right(a, b), 40)


DUAL = "constexpr MatmulConfig dual() { MatmulConfig c = CFG_NORM; c.enableMixDualMaster = true; return c; }\n"
DUAL += "constexpr MatmulConfig kDual = dual();"


def test_dual_masters_both_see_the_product_of_the_cube_core(compiler: Compiler) -> None:
    body = """
    mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C, 1);
    if ASCEND_IS_AIV {
        GlobalTensor<float> seen;
        seen.SetGlobalBuffer(reinterpret_cast<float *>(extra));
        seen.SetValue(GetBlockIdx(), C.GetValue(33));
    }
    """
    kernel = product(compiler, body, TASK="KERNEL_TYPE_MIX_AIC_1_1", CONFIG="kDual", BEFORE=DUAL, SHARE="true")
    rng = np.random.default_rng(23)
    a, b = matrix(rng, 32, 40, np.float16), matrix(rng, 40, 32, np.float16)
    c, seen = np.zeros((32, 32), np.float32), np.zeros(1, np.float32)
    run(kernel, a, b, c, tiling(32, 32, 40), extra=seen, block_dim=1, threads=2)
    close(c, right(a, b), 40)
    assert seen[0] == c.reshape(-1)[33]


def test_a_product_without_its_matrices_or_tiling_says_so(compiler: Compiler) -> None:
    c = np.zeros(1, np.float32)
    with pytest.raises(KernelError, match="SetTensorB was not called"):
        run(product(compiler, "mm.SetTensorA(A); mm.IterateAll(C);"), c, c, c, tiling(1, 1, 1))
    with pytest.raises(KernelError, match="base blocks of 0 by 32 by 32"):
        body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.IterateAll(C);"
        run(product(compiler, body), c, c, c, tiling(1, 1, 1, baseM=0))
    with pytest.raises(KernelError, match="GetTensorC without an Iterate"):
        run(product(compiler, "mm.GetTensorC(C);"), c, c, c, tiling(1, 1, 1))
    with pytest.raises(KernelError, match="without SetWorkspace"):
        body = "mm.SetTensorA(A); mm.SetTensorB(B); mm.template Iterate<false>();"
        run(product(compiler, body), c, c, c, tiling(1, 1, 1))
    with pytest.raises(KernelError, match="all 1 base blocks have been fetched already"):
        body = AHEAD + "mm.template GetTensorC<false>(C);"
        a = np.zeros((32, 32), np.float16)
        many = np.zeros((32, 32), np.float32)
        run(product(compiler, body), a, a, many, tiling(32, 32, 32), workspace=many.copy())


def test_unsupported_combinations_are_refused_by_the_compiler(compiler: Compiler) -> None:
    with pytest.raises(AssertionError, match="Matmul does not support this combination"):
        product(compiler, "", A_T="half", B_T="float")
    with pytest.raises(AssertionError, match="Matmul does not support this combination"):
        product(compiler, "", A_T="fp8_e5m2_t", B_T="fp8_e5m2_t")


BOUNDED = """
GlobalTensor<half> left, right;
GlobalTensor<float> result;
left.SetGlobalBuffer(reinterpret_cast<half *>(a) + row * t.Ka, (t.M - row) * t.Ka @LESS_A@);
right.SetGlobalBuffer(reinterpret_cast<half *>(b), t.Kb * t.N @LESS_B@);
result.SetGlobalBuffer(reinterpret_cast<float *>(c) + row * t.N, (t.M - row) * t.N @LESS_C@);
@TAIL@
mm.SetTensorA(left); mm.SetTensorB(right); mm.IterateAll(result);
"""
TAIL = "mm.SetTail(t.M - row < t.singleCoreM ? t.M - row : t.singleCoreM);"


@pytest.mark.parametrize(
    ("less", "tail", "sentence"),
    [
        ("", TAIL, None),
        ("", "", "reads 320 elements of A, but the tensor given to SetTensorA ends after 80"),
        ("@LESS_A@", TAIL, "reads 80 elements of A, but the tensor given to SetTensorA ends after 79"),
        ("@LESS_B@", TAIL, "reads 480 elements of B, but the tensor given to SetTensorB ends after 479"),
        ("@LESS_C@", TAIL, "writes 96 elements of C, but the tensor ends after 95"),
    ],
)
def test_a_check_build_sees_matrices_that_end_too_early(
    compiler: Compiler, less: str, tail: str, sentence: str | None
) -> None:
    body = BOUNDED.replace("@TAIL@", tail).replace(less or "@NONE@", "- 1")
    for word in ("@LESS_A@", "@LESS_B@", "@LESS_C@"):
        body = body.replace(word, "")
    kernel = product(compiler, body, CHECK="yes")
    a, b, c = np.zeros((20, 20), np.float16), np.zeros((20, 24), np.float16), np.zeros((20, 24), np.float32)
    data = tiling(20, 24, 20, usedCoreNum=2, singleCoreM=16)
    if sentence is None:
        run(kernel, a, b, c, data, block_dim=2)
        return
    with pytest.raises(KernelError, match=sentence):
        run(kernel, a, b, c, data, block_dim=2)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((192, 192, 192), None),
        ((128, 192, 192), "begins after 128 elements of A, but the tensor ends after 128"),
        ((192, 191, 192), "reads 64 elements of B, but the tensor given to SetTensorB ends after 63"),
        ((192, 192, 191), "writes 64 elements of C, but the tensor ends after 63"),
        ((192, 192, 100), "writes 64 elements of C, but the tensor ends after 36"),
    ],
)
def test_a_check_build_sees_batches_that_go_beyond_their_tensors(
    compiler: Compiler, sizes: tuple[int, int, int], sentence: str | None
) -> None:
    body = """
    GlobalTensor<half> left, right;
    GlobalTensor<float> result;
    left.SetGlobalBuffer(reinterpret_cast<half *>(a), @A@);
    right.SetGlobalBuffer(reinterpret_cast<half *>(b), @B@);
    result.SetGlobalBuffer(reinterpret_cast<float *>(c), @C@);
    mm.SetTensorA(left); mm.SetTensorB(right); mm.IterateBatch(result, 3, 3, false);
    """
    for name, size in zip("ABC", sizes, strict=True):
        body = body.replace(f"@{name}@", str(size))
    kernel = product(compiler, body, CHECK="yes", LAYOUT="LayoutMode::NORMAL")
    a, b, c = (np.ones((3, 8, 8), t) for t in (np.float16, np.float16, np.float32))
    if sentence is None:
        run(kernel, a, b, c, tiling(8, 8, 8, BatchNum=3))
        np.testing.assert_array_equal(c, np.full((3, 8, 8), 8.0, np.float32))
        return
    with pytest.raises(KernelError, match=sentence):
        run(kernel, a, b, c, tiling(8, 8, 8, BatchNum=3))
