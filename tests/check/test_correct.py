"""Correct kernels, of many kinds: results are right and nothing is found."""

from __future__ import annotations

import numpy as np
import pytest
from check_harness import Checked

TILES = """
template <int32_t DEPTH>
class Tiles {
public:
    __aicore__ inline void Init(TPipe *pipe, GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t count)
    {
        count_ = count;
        const uint64_t first = GetBlockIdx() * count;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x) + first, count);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + first, count);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z) + first, count);
        pipe->InitBuffer(inX_, DEPTH, TILE * sizeof(float));
        pipe->InitBuffer(inY_, DEPTH, TILE * sizeof(float));
        pipe->InitBuffer(out_, DEPTH, TILE * sizeof(float));
        pipe->InitBuffer(tmp_, TILE * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < count_; done += TILE) {
            const uint32_t here = count_ - done < TILE ? count_ - done : TILE;
            CopyIn(done, here);
            Compute(here);
            CopyOut(done, here);
        }
    }

private:
    static constexpr uint32_t TILE = 96;
    __aicore__ inline void CopyIn(uint32_t done, uint32_t count)
    {
        const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> x = inX_.template AllocTensor<float>();
        LocalTensor<float> y = inY_.template AllocTensor<float>();
        DataCopyPad(x, x_[done], bytes, DataCopyPadExtParams<float>{});
        DataCopyPad(y, y_[done], bytes, DataCopyPadExtParams<float>{});
        inX_.EnQue(x);
        inY_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inX_.template DeQue<float>();
        LocalTensor<float> y = inY_.template DeQue<float>();
        LocalTensor<float> z = out_.template AllocTensor<float>();
        LocalTensor<float> t = tmp_.Get<float>();
        const uint32_t rounded = (count + 63) / 64 * 64;
        Mul(t, x, y, rounded < TILE ? rounded : TILE); // beyond the end of what was loaded: thrown away
        Add(z, t, x, count);
        out_.EnQue(z);
        inX_.FreeTensor(x);
        inY_.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t done, uint32_t count)
    {
        LocalTensor<float> z = out_.template DeQue<float>();
        DataCopyPad(z_[done], z, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        out_.FreeTensor(z);
    }

    TQue<TPosition::VECIN, DEPTH> inX_, inY_;
    TQue<TPosition::VECOUT, DEPTH> out_;
    TBuf<TPosition::VECCALC> tmp_;
    GlobalTensor<float> x_, y_, z_;
    uint32_t count_ = 0;
};
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    TPipe pipe;
    Tiles<%d> tiles;
    tiles.Init(&pipe, x, y, z, %d);
    tiles.Process();
}
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("count", [1, 500])
def test_tiles_through_queues(checked: Checked, depth: int, count: int, threads: int) -> None:
    x = np.arange(4 * count, dtype=np.float32)
    y = np.arange(4 * count, dtype=np.float32)[::-1].copy()
    z = np.zeros(4 * count, np.float32)
    result = checked.run(TILES % (depth, count), x, y, z, block_dim=4, threads=threads)
    assert result.findings == []
    np.testing.assert_array_equal(z, x * y + x)


STATIC = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float *)x, 1024);
    gy.SetGlobalBuffer((__gm__ float *)y, 1024);
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<float> in[2] = {memory.Alloc<float, 128>(), memory.Alloc<float, 128>()};
    LocalTensor<float> out[2] = {memory.Alloc<float, 128>(), memory.Alloc<float, 128>()};
    for (int i = 0; i < 2; ++i) {
        SetFlag<HardEvent::V_MTE2>(i);
        SetFlag<HardEvent::MTE3_V>(i);
    }
    for (int i = 0; i < 8; ++i) {
        const int b = i % 2;
        WaitFlag<HardEvent::V_MTE2>(b);
        DataCopy(in[b], gx[i * 128], 128);
        SetFlag<HardEvent::MTE2_V>(b);
        WaitFlag<HardEvent::MTE2_V>(b);
        WaitFlag<HardEvent::MTE3_V>(b);
        Muls(out[b], in[b], 3.0f, 128);
        SetFlag<HardEvent::V_MTE2>(b);
        SetFlag<HardEvent::V_MTE3>(b);
        WaitFlag<HardEvent::V_MTE3>(b);
        DataCopy(gy[i * 128], out[b], 128);
        SetFlag<HardEvent::MTE3_V>(b);
    }
    for (int i = 0; i < 2; ++i) {
        WaitFlag<HardEvent::V_MTE2>(i);
        WaitFlag<HardEvent::MTE3_V>(i);
    }
}
"""


def test_two_buffers_and_flags(checked: Checked) -> None:
    x, y = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    assert checked.run(STATIC, x, y).findings == []
    np.testing.assert_array_equal(y, x * 3)


def test_two_buffers_with_one_flag_too_few(checked: Checked) -> None:
    """The same with the last flag left out: what the next round writes is still being read."""
    source = STATIC.replace("        SetFlag<HardEvent::MTE3_V>(b);\n    }", "    }").replace(
        "        WaitFlag<HardEvent::MTE3_V>(b);\n", ""
    )
    source = source.replace("SetFlag<HardEvent::MTE3_V>(i);", "").replace("WaitFlag<HardEvent::MTE3_V>(i);", "")
    x, y = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    finding = checked.run(source, x, y).only("missing-sync")
    assert "HardEvent::MTE3_V>" in finding["missing"]
    assert finding["message"].startswith("Muls (PIPE_V) writes what DataCopy (PIPE_MTE3)")


BOUND = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 2, 512);
    GlobalTensor<int16_t> gx, gy;
    gx.SetGlobalBuffer((__gm__ int16_t *)x, 1024);
    gy.SetGlobalBuffer((__gm__ int16_t *)y, 1024);
    for (int i = 0; i < 4; ++i) {
        LocalTensor<int16_t> t = queue.AllocTensor<int16_t>();
        DataCopy(t, gx[i * 256], 256);
        queue.EnQue(t);
        t = queue.DeQue<int16_t>();
        DataCopy(gy[i * 256], t, 256);
        queue.FreeTensor(t);
    }
}
"""


@pytest.mark.parametrize("end", ["VECOUT", "GM"])
def test_a_queue_from_copy_to_copy(checked: Checked, end: str) -> None:
    x, y = np.arange(1024, dtype=np.int16), np.zeros(1024, np.int16)
    assert checked.run(BOUND.replace("TPosition::VECOUT", f"TPosition::{end}"), x, y).findings == []
    np.testing.assert_array_equal(y, x)


SOFTMAX = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    constexpr int32_t ROWS = 16, COLS = 50, WIDE = 56;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> tmp;
    pipe.InitBuffer(in, 1, ROWS * WIDE * sizeof(float));
    pipe.InitBuffer(out, 1, ROWS * WIDE * sizeof(float));
    pipe.InitBuffer(tmp, 1024);
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float *)x, ROWS * COLS);
    gy.SetGlobalBuffer((__gm__ float *)y, ROWS * COLS);
    LocalTensor<float> a = in.AllocTensor<float>();
    const DataCopyExtParams rows{ROWS, COLS * sizeof(float), 0, 0, 0};
    DataCopyPad(a, gx, rows, DataCopyPadExtParams<float>{false, 0, 6, 0});
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    LocalTensor<float> t = tmp.Get<float>();
    for (int32_t row = 0; row < ROWS; ++row) {
        LocalTensor<float> line = a[row * WIDE], result = b[row * WIDE];
        ReduceMax(t, line, t[64], COLS, false);
        Adds(result, line, -t.GetValue(0), COLS);
        Exp(result, result, COLS);
        ReduceSum(t, result, t[64], COLS);
        Muls(result, result, 1.0f / t.GetValue(0), COLS);
    }
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopyPad(gy, b, DataCopyExtParams{ROWS, COLS * sizeof(float), 0, 0, 0});
    out.FreeTensor(b);
}
"""


def test_rows_with_padding_and_scalars(checked: Checked) -> None:
    x = np.linspace(-3, 3, 16 * 50, dtype=np.float32)
    y = np.zeros_like(x)
    assert checked.run(SOFTMAX, x, y).findings == []
    rows = x.reshape(16, 50).astype(np.float64)
    powers = np.exp(rows - rows.max(1, keepdims=True))
    np.testing.assert_allclose(y.reshape(16, 50), powers / powers.sum(1, keepdims=True), rtol=1e-5)


CHOICE = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> bufs[5];
    for (auto &buf : bufs) {
        pipe.InitBuffer(buf, 1024);
    }
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float *)x, 256);
    gy.SetGlobalBuffer((__gm__ float *)y, 256);
    LocalTensor<float> a = bufs[0].Get<float>(), b = bufs[1].Get<float>(), c = bufs[2].Get<float>();
    LocalTensor<uint8_t> mask = bufs[3].Get<uint8_t>();
    LocalTensor<uint32_t> offsets = bufs[4].Get<uint32_t>();
    DataCopy(a, gx, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(b, 0.0f, 256);
    Compare(mask, a, b, CMPMODE::GT, 256);
    Select(c, mask, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 256);
    CreateVecIndex(offsets.ReinterpretCast<int32_t>(), 0, 256);
    Muls(offsets.ReinterpretCast<int32_t>(), offsets.ReinterpretCast<int32_t>(), -4, 256);
    Adds(offsets.ReinterpretCast<int32_t>(), offsets.ReinterpretCast<int32_t>(), 1020, 256);
    Gather(b, c, offsets, 0, 256);
    UnaryRepeatParams p;
    Adds(b, b, 1.0f, 32, 4, p);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gy, b, 256);
    PipeBarrier<PIPE_ALL>();
}
"""


def test_comparison_selection_gathering(checked: Checked) -> None:
    x = np.linspace(-1, 1, 256, dtype=np.float32)
    y = np.zeros_like(x)
    assert checked.run(CHOICE, x, y).findings == []
    wanted = np.maximum(x, 0)[::-1].copy()
    wanted.reshape(4, 64)[:, :32] += 1
    np.testing.assert_array_equal(y, wanted)


SUM = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR w, GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> bufA, bufB;
    pipe.InitBuffer(bufA, 1024);
    pipe.InitBuffer(bufB, 1024);
    GlobalTensor<float> gx, gw, gy;
    gx.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * 64, 64);
    gw.SetGlobalBuffer((__gm__ float *)w, GetBlockNum() * 64);
    gy.SetGlobalBuffer((__gm__ float *)y, 64);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    DataCopy(a, gx, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Muls(a, a, 2.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopy(gw[GetBlockIdx() * 64], a, 64);
    SyncAll();
    for (int i = 0; i < GetBlockNum() && GetBlockIdx() == 0; ++i) {
        DataCopy(a, gw[i * 64], 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
        if (i == 0) {
            Duplicate(b, 0.0f, 64);
        }
        Add(b, b, a, 64);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    if (GetBlockIdx() == 0) {
        DataCopy(gy, b, 64);
    }
    PipeBarrier<PIPE_ALL>();
}
"""


@pytest.mark.parametrize("cores", [1, 3, 8])
def test_cores_that_meet(checked: Checked, cores: int) -> None:
    x = np.arange(cores * 64, dtype=np.float32)
    w, y = np.zeros_like(x), np.zeros(64, np.float32)
    assert checked.run(SUM, x, w, y, block_dim=cores, threads=cores).findings == []
    np.testing.assert_array_equal(y, 2 * x.reshape(cores, 64).sum(0))


def test_cores_that_do_not_meet(checked: Checked) -> None:
    x = np.arange(3 * 64, dtype=np.float32)
    source = SUM.replace("    SyncAll();\n", "    PipeBarrier<PIPE_ALL>();\n")
    result = checked.run(source, x, np.zeros_like(x), np.zeros(64, np.float32), block_dim=3)
    assert {f["kind"] for f in result.findings} == {"missing-core-sync"}


def test_a_pointer_ends_what_is_seen(checked: Checked) -> None:
    source = """extern "C" __global__ __aicore__ void k(GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    float *raw = a.GetPhyAddr();
    for (int i = 0; i < 64; ++i) {
        raw[i] = i;
    }
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float *)y, 64);
    DataCopy(gy, a, 64);
}
"""
    y = np.zeros(64, np.float32)
    assert checked.run(source, y).findings == []
    np.testing.assert_array_equal(y, np.arange(64, dtype=np.float32))


@pytest.mark.parametrize("pointer", [True, False])
def test_nothing_is_known_of_the_order_of_what_a_pointer_reaches(checked: Checked, pointer: bool) -> None:
    source = f"""extern "C" __global__ __aicore__ void k(GM_ADDR y)
{{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    {"a.GetPhyAddr();" if pointer else ""}
    Duplicate(a, 2.0f, 64);
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float *)y, 64);
    DataCopy(gy, a, 64);
}}
"""
    result = checked.run(source, np.zeros(64, np.float32))
    assert [f["kind"] for f in result.findings] == ([] if pointer else ["missing-sync"])


def test_a_core_may_look_at_a_value_that_another_one_sets(checked: Checked) -> None:
    source = """extern "C" __global__ __aicore__ void k(GM_ADDR x)
{
    GlobalTensor<int32_t> flag;
    flag.SetGlobalBuffer((__gm__ int32_t *)x, 8);
    if (GetBlockIdx() == 0) {
        flag.SetValue(4, flag.GetValue(0));
    } else {
        flag.SetValue(0, 1);
    }
}
"""
    x = np.zeros(8, np.int32)
    assert checked.run(source, x, block_dim=2).findings == []
    assert x[0] == 1


@pytest.mark.parametrize(("chip", "kinds"), [("Ascend950PR", []), ("Ascend910B1", ["missing-sync"])])
def test_the_950_orders_its_vector_instructions_itself(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, chip: str, kinds: list[str]
) -> None:
    monkeypatch.setenv("OPKG_CHECK_AUTO_SYNC", "off")
    source = """extern "C" __global__ __aicore__ void k(GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    Duplicate(a, 2.0f, 64);
    Adds(a, a, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float *)y, 64);
    DataCopy(gy, a, 64);
}
"""
    flags = ["-D__NPU_ARCH__=3510"] if chip == "Ascend950PR" else []
    result = checked.run(source, np.zeros(64, np.float32), flags=flags, soc=chip)
    assert [f["kind"] for f in result.findings] == kinds


@pytest.mark.parametrize(("kind", "position", "kinds"), [("AIV", "VECCALC", []), ("AIC", "A1", ["missing-sync"])])
def test_the_compiler_orders_the_scalar_unit_on_vector_cores_only(
    checked: Checked, kind: str, position: str, kinds: list[str]
) -> None:
    source = f"""extern "C" __global__ __aicore__ void k(GM_ADDR x)
{{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{kind}_ONLY);
    TPipe pipe;
    TBuf<TPosition::{position}> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<half> gx;
    gx.SetGlobalBuffer((__gm__ half *)x, 256);
    LocalTensor<half> a = buf.Get<half>();
    DataCopy(a, gx, 256);
    gx.SetValue(3, half(1.0f));
}}
"""
    result = checked.run(source, np.zeros(256, np.float16))
    assert [f["kind"] for f in result.findings] == kinds
    assert all("HardEvent::MTE2_S>" in f["missing"] for f in result.findings)
