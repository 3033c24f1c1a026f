"""Queues, tiling, cores and errors of a kernel's frame."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from twin_harness import Compiler, Kernel, KernelError

SQUARE = """
using namespace AscendC;
class KernelSquare {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t tile)
    {
        const uint32_t share = (total + GetBlockNum() - 1) / GetBlockNum();
        const uint32_t start = share * GetBlockIdx();
        length_ = start >= total ? 0 : (start + share > total ? total - start : share);
        tile_ = tile;
        x_.SetGlobalBuffer((__gm__ float *)x + start, length_);
        y_.SetGlobalBuffer((__gm__ float *)y + start, length_);
        pipe_.InitBuffer(in_, 2, tile * sizeof(float));
        pipe_.InitBuffer(out_, 2, tile * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < length_; i += tile_) {
            const uint32_t n = length_ - i < tile_ ? length_ - i : tile_;
            LocalTensor<float> a = in_.AllocTensor<float>();
            DataCopyPad(a, x_[i], DataCopyExtParams{1, n * 4, 0, 0, 0}, DataCopyPadExtParams<float>{});
            in_.EnQue(a);
            a = in_.DeQue<float>();
            LocalTensor<float> b = out_.AllocTensor<float>();
            Mul(b, a, a, n);
            out_.EnQue<float>(b);
            in_.FreeTensor(a);
            b = out_.DeQue<float>();
            DataCopyPad(y_[i], b, DataCopyExtParams{1, n * 4, 0, 0, 0});
            out_.FreeTensor(b);
        }
    }

private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> in_;
    TQue<QuePosition::VECOUT, 2> out_;
    GlobalTensor<float> x_, y_;
    uint32_t length_, tile_;
};
extern "C" __global__ __aicore__ void square(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    KernelSquare op;
    op.Init(x, y, data.total, data.tile);
    op.Process();
}
"""


@pytest.fixture(scope="module")
def square(compiler: Compiler) -> Kernel:
    return compiler.compile(SQUARE, "square", tiling="uint32_t total; uint32_t tile;")


def run_square(square: Kernel, n: int, tile: int, **options: object) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    y = np.full_like(x, np.nan)
    square(x, y, None, struct.pack("<II", n, tile), **options)
    return x, y


@pytest.mark.parametrize("n", [0, 1, 7, 8, 255, 256, 1000, 100_003])
@pytest.mark.parametrize("cores", [1, 3, 48])
def test_a_kernel_with_queues_handles_every_length(square: Kernel, n: int, cores: int) -> None:
    x, y = run_square(square, n, 256, block_dim=cores, threads=2)
    np.testing.assert_array_equal(y, x * x)


def test_the_table_says_what_the_kernel_is(square: Kernel) -> None:
    table = square.table
    assert (table.op_type, table.column, table.n_args) == (b"square", 0, 4)
    assert table.task_type == 0
    assert table.tiling_size == 8


def test_more_buffer_than_the_chip_has_is_an_error_with_sizes(square: Kernel) -> None:
    with pytest.raises(KernelError) as caught:
        run_square(square, 10, 32768, block_dim=2)
    assert caught.value.code == 507015
    assert "core 0 of 2" in caught.value.report
    assert "262144 bytes" in caught.value.report
    assert "196608" in caught.value.report


def test_a_bigger_chip_has_room_for_more(square: Kernel) -> None:
    x, y = run_square(square, 10_000, 16384, soc="Ascend310P3")
    np.testing.assert_array_equal(y, x * x)
    with pytest.raises(KernelError):
        run_square(square, 10_000, 16384, soc="Ascend910B4")


def test_an_unknown_chip_is_refused_with_the_known_ones(square: Kernel) -> None:
    with pytest.raises(KernelError, match=r"unknown SoC 'Ascend999'.*Ascend910B1.*Ascend310P3"):
        run_square(square, 10, 256, soc="Ascend999")


def test_too_few_arguments_are_refused(square: Kernel) -> None:
    with pytest.raises(KernelError, match="4 parameters but 2 arguments"):
        square(np.zeros(1), np.zeros(1))


def test_a_kernel_without_its_tiling_says_so(square: Kernel) -> None:
    with pytest.raises(KernelError, match="called without any"):
        square(np.zeros(1), np.zeros(1), None, None)
