"""Casts to floats of 8 and 4 bits, and quantizing copies, under the checks: right ones and wrong ones."""

from __future__ import annotations

import numpy as np
import pytest
from check_harness import Checked

WIDE = ("-D__NPU_ARCH__=3510", "-D__CCE_AICORE__=310")
SMALL = ("-D__NPU_ARCH__=2002", "-D__CCE_AICORE__=200")

CASTS = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> wide, narrow, pairs;
    pipe.InitBuffer(wide, 1024); pipe.InitBuffer(narrow, %d); pipe.InitBuffer(pairs, 64);
    GlobalTensor<float> from; GlobalTensor<fp8_e4m3fn_t> to; GlobalTensor<fp4x2_e2m1_t> four;
    from.SetGlobalBuffer((__gm__ float *)x, 256); to.SetGlobalBuffer((__gm__ fp8_e4m3fn_t *)y, 256);
    four.SetGlobalBuffer((__gm__ fp4x2_e2m1_t *)z, 128);
    LocalTensor<float> a = wide.Get<float>(); LocalTensor<fp8_e4m3fn_t> b = narrow.Get<fp8_e4m3fn_t>();
    LocalTensor<fp4x2_e2m1_t> c = pairs.Get<fp4x2_e2m1_t>();
    DataCopy(a, from, 256); PipeBarrier<PIPE_ALL>();
    Cast(b, a, RoundMode::CAST_RINT, 256); // cast
    %s
    DataCopy(to, b, 256); // out
    PipeBarrier<PIPE_ALL>();
    Cast(a.ReinterpretCast<bfloat16_t>(), a, RoundMode::CAST_RINT, 128); PipeBarrier<PIPE_ALL>();
    Cast(c, a.ReinterpretCast<bfloat16_t>(), RoundMode::CAST_RINT, 128); PipeBarrier<PIPE_ALL>();
    DataCopy(four, c, 128);
}
"""


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.ones(256, np.float32), np.zeros(256, np.uint8), np.zeros(64, np.uint8)


def test_casts_that_are_right(checked: Checked) -> None:
    x, y, z = arrays()
    assert checked.run(CASTS % (256, "PipeBarrier<PIPE_ALL>();"), x, y, z, flags=WIDE, soc="Ascend950PR").findings == []
    assert (y == 0x38).all() and (z == 0x22).all()


@pytest.mark.parametrize(
    ("room", "between", "kind", "line"),
    [(224, "PipeBarrier<PIPE_ALL>();", "buffer-bounds", "cast"), (256, "", "missing-sync", "out")],
)
def test_casts_that_are_wrong(checked: Checked, room: int, between: str, kind: str, line: str) -> None:
    result = checked.run(CASTS % (room, between), *arrays(), flags=WIDE, soc="Ascend950PR")
    found = result.of(kind)
    assert found and found[0]["here"]["line"] == result.line(line), result.findings


QUANTIZING = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> sums, bytes; TBuf<TPosition::CO1> squares;
    pipe.InitBuffer(sums, 1024); pipe.InitBuffer(bytes, %d); pipe.InitBuffer(squares, 1024);
    GlobalTensor<int32_t> from; GlobalTensor<int8_t> to;
    from.SetGlobalBuffer((__gm__ int32_t *)x, 256); to.SetGlobalBuffer((__gm__ int8_t *)y, 256);
    DataCopy(sums.Get<int32_t>(), from, 256); PipeBarrier<PIPE_ALL>();
    DataCopyEnhancedParams e; e.blockMode = BlockMode::BLOCK_MODE_MATRIX;
    DataCopy(squares.Get<int32_t>(), sums.Get<int32_t>(), DataCopyParams(1, 1, 0, 0), e); PipeBarrier<PIPE_ALL>();
    e.deqScale = DeqScale::DEQ8; e.deqValue = 0x3f800000ull | 1ull << 46; e.sidStoreMode = 2;
    DataCopy(bytes.Get<int8_t>(), squares.Get<int32_t>(), DataCopyParams(1, 1, 0, 0), e); // quantize
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, bytes.Get<int8_t>(), %d);
}
"""


@pytest.mark.parametrize("room", [256, 224])
def test_quantizing_copies_stay_inside(checked: Checked, room: int) -> None:
    x, y = np.arange(-128, 128, dtype=np.int32), np.zeros(256, np.int8)
    result = checked.run(QUANTIZING % (room, room), x, y, flags=SMALL, soc="Ascend310P3")
    if room == 256:
        assert result.findings == []
        np.testing.assert_array_equal(y, x)
    else:
        assert result.only("buffer-bounds")["here"]["line"] == result.line("quantize")
