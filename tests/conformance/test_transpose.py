"""Rows and columns exchanged, blocks read across, tensors taken in turn."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, TILING, kernel, samples, tiling
from twin_harness import Compiler

CHIP_950 = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")


@pytest.mark.parametrize("dtype", ["float16", "int16", "uint16"])
def test_a_matrix_of_16_by_16(compiler: Compiler, dtype: str) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { Transpose(d, a); }"
        "if (TILING_KEY_IS(1)) { Transpose(a, a); Copy(d, a, 128, 2, {1, 1, 8, 8}); }"
        "if (TILING_KEY_IS(2)) { Transpose(d, a, w.template ReinterpretCast<uint8_t>(), TransposeParamsExt{}); }"
        "if (TILING_KEY_IS(3)) { TransposeParamsExt p; p.transposeType = TransposeType::TRANSPOSE_TYPE_NONE;"
        "  Transpose(d, a, w.template ReinterpretCast<uint8_t>(), p); }"
    )
    compiled = compiler.compile(kernel("square", body), "square", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    x = samples(dtype, 256).reshape(16, 16)
    for key in range(4):
        y = np.zeros_like(x)
        compiled(x, x, y, None, tiling(x, y), key=key)
        np.testing.assert_array_equal(y, np.zeros_like(x) if key == 3 else x.T, err_msg=f"key {key}")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int32", "uint16"])
@pytest.mark.parametrize("shape", [(3, 3, 2, 8), (2, 5, 4, 40), (1, 33, 8, 4), (0, 3, 2, 8)])
def test_channels_move_behind_the_pixels_and_back(
    compiler: Compiler, dtype: str, shape: tuple[int, int, int, int]
) -> None:
    body = (
        "TransposeParamsExt p; p.nSize = data.strides[0]; p.cSize = data.strides[1]; p.hSize = data.strides[2];"
        "p.wSize = data.strides[3];"
        "p.transposeType = data.flag ? TransposeType::TRANSPOSE_NCHW2NHWC : TransposeType::TRANSPOSE_NHWC2NCHW;"
        "Transpose(d, a, w.template ReinterpretCast<uint8_t>(), p);"
    )
    compiled = compiler.compile(kernel("axes", body), "axes", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    n, c, h, w = shape
    x = samples(dtype, max(n, 1) * c * h * w)
    for flag in (True, False):
        y = np.zeros_like(x)
        compiled(x, x, y, None, tiling(x, y, strides=[*shape, 0, 0], flag=flag))
        if n == 0:
            assert not y.view(np.uint8).any()
        elif flag:
            np.testing.assert_array_equal(y.reshape(n, h, w, c), x.reshape(shape).transpose(0, 2, 3, 1))
        else:
            np.testing.assert_array_equal(y.reshape(shape), x.reshape(n, h, w, c).transpose(0, 3, 1, 2))


def test_a_transposition_that_does_not_exist_fails_with_a_sentence(compiler: Compiler) -> None:
    body = (
        "TransposeParamsExt p; p.transposeType = TransposeType::TRANSPOSE_NZ2ND_0213;"
        "Transpose(d, a, w.ReinterpretCast<uint8_t>(), p);"
    )
    compiled = compiler.compile(kernel("nz", body), "nz", "DTYPE_X=half", tiling=TILING)
    x = np.zeros(256, np.float16)
    with pytest.raises(RuntimeError, match="Transpose does not support TransposeType 1"):
        compiled(x, x, x.copy(), None, tiling(x, x))


ACROSS = """
TransDataTo5HDParams p;
p.dstHighHalf = data.flag & 1; p.srcHighHalf = data.flag >> 1 & 1;
p.repeatTimes = data.repeat; p.dstRepStride = data.strides[0]; p.srcRepStride = data.strides[1];
const uint32_t per = 32 / sizeof(DTYPE_X);
if (TILING_KEY_IS(0)) {
    uint64_t to[16], from[16];
    for (uint32_t i = 0; i < 16; ++i) {
        to[i] = (uint64_t)d[i * per * data.strides[2]].GetPhyAddr();
        from[i] = (uint64_t)a[i * per * data.strides[3]].GetPhyAddr();
    }
    TransDataTo5HD<DTYPE_X>(to, from, p);
} else if (TILING_KEY_IS(1)) {
    LocalTensor<DTYPE_X> to[16], from[16];
    for (uint32_t i = 0; i < 16; ++i) {
        to[i] = d[i * per * data.strides[2]];
        from[i] = a[i * per * data.strides[3]];
    }
    TransDataTo5HD<DTYPE_X>(to, from, p);
} else {
    LocalTensor<uint64_t> lists = frame.buffers[4].Get<uint64_t>();
    for (uint32_t i = 0; i < 16; ++i) {
        lists.SetValue(i, (uint64_t)d[i * per * data.strides[2]].GetPhyAddr());
        lists.SetValue(16 + i, (uint64_t)a[i * per * data.strides[3]].GetPhyAddr());
    }
    TransDataTo5HD<DTYPE_X>(lists, lists[16], p);
}
"""


def across(x: np.ndarray, y: np.ndarray, repeats: int, flag: int, strides: list[int]) -> np.ndarray:
    """The blocks of x read across into those of y; sixteen blocks a repeat."""
    source, result = x.reshape(-1, 32 // x.itemsize), y.copy().reshape(-1, 32 // y.itemsize)
    to_step, from_step, to_gap, from_gap = strides
    for r in range(repeats):
        at = r + (1 if repeats == 1 else 0)  # a single repeat begins where a second one would
        blocks = np.array([source[at * from_step + i * from_gap] for i in range(16)])
        if x.itemsize == 1:
            half = blocks[:, 16:] if flag & 2 else blocks[:, :16]
            rows, part = half.T, slice(16, 32) if flag & 1 else slice(0, 16)
        else:
            rows, part = blocks.T.reshape(16, -1), slice(None)
        for i in range(16):
            result[at * to_step + i * to_gap][part] = rows[i]
    return result.reshape(-1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint8", "int16", "uint32"])
@pytest.mark.parametrize("key", [0, 1, 2])
@pytest.mark.parametrize(
    ("repeats", "flag", "strides"),
    [(1, 0, [0, 0, 1, 1]), (1, 3, [0, 0, 1, 1]), (1, 2, [16, 16, 1, 1]), (4, 1, [16, 1, 1, 4]), (3, 0, [1, 16, 4, 1]),
     (0, 0, [0, 0, 1, 1])],
)  # fmt: skip
def test_blocks_are_read_across(
    compiler: Compiler, dtype: str, key: int, repeats: int, flag: int, strides: list[int]
) -> None:
    compiled = compiler.compile(kernel("across", ACROSS), "across", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING)
    x = samples(dtype, 64 * 32 // np.dtype(dtype).itemsize)
    y = np.full_like(x, 3)
    expected = across(x, y, repeats, flag, strides)
    compiled(x, x, y, None, tiling(x, y, repeat=repeats, flag=flag, strides=[*strides, 0, 0]), key=key)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "uint16"])
@pytest.mark.parametrize("count", [2, 64, 250])
def test_tensors_taken_in_turn_and_apart(compiler: Compiler, dtype: str, count: int) -> None:
    body = (
        "if (TILING_KEY_IS(0)) { Interleave(d, d[256], a, b, n); }"
        "if (TILING_KEY_IS(1)) { DeInterleave(d, d[256], a, b, n); }"
        "if (TILING_KEY_IS(2)) { DeInterleave(d, d[256], a, n); }"
    )
    compiled = compiler.compile(kernel("turns", body), "turns", f"DTYPE_X={C_TYPES[dtype]}", *CHIP_950, tiling=TILING)
    a, b = samples(dtype, 256, 1), samples(dtype, 256, 2)
    both = np.concatenate([a[:count], b[:count]])
    turns = np.stack([a[:count], b[:count]], 1).reshape(-1)
    for key, first, second in (
        (0, turns[:count], turns[count:]),
        (1, both[::2], both[1::2]),
        (2, a[:count:2], a[1:count:2]),
    ):
        y, expected = np.zeros(512, dtype), np.zeros(512, dtype)
        expected[: len(first)] = first
        expected[256 : 256 + len(second)] = second
        compiled(a, b, y, None, tiling(a, y, count=count), key=key, soc="Ascend950PR")
        np.testing.assert_array_equal(y, expected, err_msg=f"key {key}")
