"""DataCopy and DataCopyPad in both directions, with gaps and padding."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import C_TYPES, FRAME
from twin_harness import Compiler

TILING_FIELDS = "uint32_t rows, bytes, src, dst, pad, left, right, total; uint64_t value;"
SOURCE = (
    FRAME
    + """
extern "C" __global__ __aicore__ void copies(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    GET_TILING_DATA(t, tiling);
    Frame frame;
    using T = DTYPE_X;
    LocalTensor<T> local = frame.load<T>(0, y, t.total);
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y));
    T value;
    __builtin_memcpy(&value, &t.value, sizeof(T));
    const DataCopyParams blocks(t.rows, t.bytes / 32, t.src, t.dst);
    const DataCopyExtParams bytes{static_cast<uint16_t>(t.rows), t.bytes, t.src, t.dst, 0};
    const uint8_t left = t.left, right = t.right;
    const DataCopyPadExtParams<T> padding{t.pad != 0, left, right, value};
    if (TILING_KEY_IS(0)) {
        DataCopy(local, from, blocks);
        frame.store(y, local, t.total);
    } else if (TILING_KEY_IS(1)) {
        DataCopyPad(local, from, bytes, padding);
        frame.store(y, local, t.total);
    } else if (TILING_KEY_IS(2)) {
        DataCopy(to, frame.load<T>(1, x, t.total), blocks);
    } else if (TILING_KEY_IS(3)) {
        DataCopyPad(to, frame.load<T>(1, x, t.total), bytes);
    } else if (TILING_KEY_IS(4)) {
        DataCopy(local, frame.load<T>(1, x, t.total), blocks);
        frame.store(y, local, t.total);
    } else if (TILING_KEY_IS(5)) {
        SetPadValue(value);
        DataCopyPad(local, from, bytes, padding);
        frame.store(y, local, t.total);
    }
}
"""
)
LAYOUT = np.dtype([(n, "<u4") for n in "rows bytes src dst pad left right total".split()] + [("value", "<u8")])


def run(compiler: Compiler, dtype: str, key: int, x: np.ndarray, total: int, **fields: int) -> np.ndarray:
    compiled = compiler.compile(SOURCE, "copies", f"DTYPE_X={C_TYPES[dtype]}", tiling=TILING_FIELDS)
    made = np.zeros((), LAYOUT)
    made["total"] = total
    for name, value in fields.items():
        made[name] = value
    y = np.full(total, 0xEE, np.uint8)
    compiled(x, y, None, made.tobytes(), key=key)
    return y


def rows_copied(x: np.ndarray, total: int, rows: int, size: int, src_step: int, dst_step: int) -> np.ndarray:
    y = np.full(total, 0xEE, np.uint8)
    for row in range(rows):
        y[row * dst_step : row * dst_step + size] = x[row * src_step : row * src_step + size]
    return y


@pytest.fixture(scope="module")
def x() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 200, 8192, dtype=np.uint8)


@pytest.mark.parametrize("key", [0, 2, 4])
@pytest.mark.parametrize(("rows", "blocks", "src", "dst"), [(1, 4, 0, 0), (5, 3, 1, 2), (16, 1, 0, 1), (3, 40, 2, 0)])
def test_rows_of_blocks_with_gaps(
    compiler: Compiler, x: np.ndarray, key: int, rows: int, blocks: int, src: int, dst: int
) -> None:
    y = run(compiler, "float32", key, x, 8192, rows=rows, bytes=blocks * 32, src=src, dst=dst)
    np.testing.assert_array_equal(y, rows_copied(x, 8192, rows, blocks * 32, (blocks + src) * 32, (blocks + dst) * 32))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
@pytest.mark.parametrize("elements", [1, 3, 8, 33])
def test_rows_of_any_length_into_a_buffer_are_filled_up_with_their_first_element(
    compiler: Compiler, x: np.ndarray, dtype: str, elements: int
) -> None:
    size = np.dtype(dtype).itemsize
    length = elements * size
    y = run(compiler, dtype, 1, x, 4096, rows=4, bytes=length, src=size, dst=1)
    full = (length + 31) // 32 * 32
    expected = np.full(4096, 0xEE, np.uint8)
    for row in range(4):
        source = x[row * (length + size) :][:length]
        filled = np.resize(np.concatenate([source, np.tile(source[:size], 32)]), full)
        expected[row * (full + 32) : row * (full + 32) + full] = filled
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("key", [1, 5])
@pytest.mark.parametrize(("left", "right"), [(0, 5), (3, 0), (2, 2), (8, 8)])
def test_padding_values_surround_each_row(compiler: Compiler, x: np.ndarray, key: int, left: int, right: int) -> None:
    value = int(np.float32(-1.5).view(np.uint32))
    fields = {"rows": 3, "bytes": 44, "src": 4, "dst": 0, "left": left, "right": right, "value": value}
    y = run(compiler, "float32", key, x, 1024, pad=1 if key == 1 else 0, **fields).view(np.float32)
    full = (left + 11 + right + 7) // 8 * 8
    expected = np.full(256, np.array(0xEEEEEEEE, np.uint32).view(np.float32), np.float32)
    source = x.view(np.float32)
    for row in range(3):
        expected[row * full : (row + 1) * full] = -1.5
        expected[row * full + left : row * full + left + 11] = source[row * 12 : row * 12 + 11]
    np.testing.assert_array_equal(y.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("length", [1, 31, 32, 47, 100])
def test_rows_of_any_length_out_of_a_buffer(compiler: Compiler, x: np.ndarray, length: int) -> None:
    y = run(compiler, "uint8", 3, x, 2048, rows=5, bytes=length, src=1, dst=3)
    full = (length + 31) // 32 * 32
    np.testing.assert_array_equal(y, rows_copied(x, 2048, 5, length, full + 32, length + 3))


@pytest.mark.parametrize("key", [0, 1, 2, 3, 4])
@pytest.mark.parametrize(("rows", "length"), [(0, 64), (2, 0)])
def test_no_rows_or_no_bytes_copy_nothing(compiler: Compiler, x: np.ndarray, key: int, rows: int, length: int) -> None:
    assert (run(compiler, "float32", key, x, 256, rows=rows, bytes=length) == 0xEE).all()
