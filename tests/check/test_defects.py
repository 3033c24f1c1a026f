"""Every kind of defect, planted in several ways: kind, line, tensor, offset, missing call are what was planted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from check_harness import Checked
from twin_harness import Kernel, KernelError

ARGS = "GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w"
HEAD = f'extern "C" __global__ __aicore__ void k({ARGS})\n{{\n    (void)x; (void)y; (void)z; (void)w;\n'
GLOBALS = """    [[maybe_unused]] GlobalTensor<float> gx, gy, gz;
    gx.SetGlobalBuffer((__gm__ float *)x, 4096);
    gy.SetGlobalBuffer((__gm__ float *)y, 4096);
    gz.SetGlobalBuffer((__gm__ float *)z, 4096);
"""
# Buffers without queues: flags are the kernel's own business.
BUFFERS = """    TPipe pipe;
    TBuf<TPosition::VECCALC> bufA, bufB, bufC;
    pipe.InitBuffer(bufA, 1024);
    pipe.InitBuffer(bufB, 1024);
    pipe.InitBuffer(bufC, 1024);
    [[maybe_unused]] LocalTensor<float> a = bufA.Get<float>();
    [[maybe_unused]] LocalTensor<float> b = bufB.Get<float>();
    [[maybe_unused]] LocalTensor<float> c = bufC.Get<float>();
"""
QUEUES = """    TPipe pipe;
    TQue<TPosition::VECIN, 2> inX;
    TQue<TPosition::VECOUT, 2> outZ;
    pipe.InitBuffer(inX, 2, 1024);
    pipe.InitBuffer(outZ, 2, 1024);
"""
LOAD = """    SetFlag<HardEvent::V_MTE2>(7);
    WaitFlag<HardEvent::V_MTE2>(7);
    DataCopy(a, gx, 256);
    DataCopy(b, gy, 256);
    SetFlag<HardEvent::MTE2_V>(7);
    WaitFlag<HardEvent::MTE2_V>(7);
"""


def kernel(*parts: str) -> str:
    return HEAD + "".join(parts) + "}\n"


PLAIN = kernel(GLOBALS, BUFFERS, LOAD)


@pytest.mark.plants("missing-sync")
@pytest.mark.parametrize(
    ("body", "kind", "earlier", "missing"),
    [
        ("DataCopy(a, gx, 256); // there\n    Adds(c, a, 1.0f, 256); // here", "V", "MTE2", "MTE2_V"),
        (
            "DataCopyPad(a, gx, DataCopyExtParams{2, 100, 0, 0, 0}, DataCopyPadExtParams<float>{}); // there\n"
            "    Adds(c, a, 1.0f, 50); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
        ("Duplicate(a, 1.0f, 256); // there\n    DataCopy(gz, a, 256); // here", "MTE3", "V", "V_MTE3"),
        (
            "Duplicate(a, 1.0f, 256); // there\n    DataCopyPad(gz, a[8], DataCopyExtParams{1, 20, 0, 0, 0}); // here",
            "MTE3",
            "V",
            "V_MTE3",
        ),
        ("Duplicate(a, 1.0f, 256); // there\n    DataCopy(a, gx, 256); // here", "MTE2", "V", "V_MTE2"),
        ("DataCopy(a, gx, 256); // there\n    DataCopy(gz, a, 256); // here", "MTE3", "MTE2", "MTE2_MTE3"),
        (
            "Duplicate(a, 1.0f, 256);\n"
            "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n"
            "    DataCopy(gz, a, 256); // there\n    Duplicate(a, 2.0f, 256); // here",
            "V",
            "MTE3",
            "MTE3_V",
        ),
        (
            "Duplicate(a, 1.0f, 256);\n"
            "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n"
            "    DataCopy(gz, a, 256); // there\n    DataCopy(a, gx, 256); // here",
            "MTE2",
            "MTE3",
            "MTE3_MTE2",
        ),
        # Through global memory: what was written is read again.
        (
            "Duplicate(a, 1.0f, 256);\n"
            "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n"
            "    DataCopy(gz, a, 256); // there\n    DataCopy(b, gz, 256); // here",
            "MTE2",
            "MTE3",
            "MTE3_MTE2",
        ),
        # A flag of the wrong pair of pipes does not help.
        (
            "DataCopy(a, gx, 256); // there\n"
            "    SetFlag<HardEvent::MTE2_MTE3>(0);\n    WaitFlag<HardEvent::MTE2_MTE3>(0);\n"
            "    Muls(c, a, 2.0f, 256); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
        # Nor one that is set too early, nor a barrier of another pipe.
        (
            "SetFlag<HardEvent::MTE2_V>(0);\n    DataCopy(a, gx, 256); // there\n    WaitFlag<HardEvent::MTE2_V>(0);\n"
            "    Abs(c, a, 256); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
        (
            "DataCopy(a, gx, 256); // there\n    PipeBarrier<PIPE_V>();\n    Exp(c, a, 256); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
        # With a mask and strides, the overlap is one block.
        (
            "DataCopy(a, gx, 8); // there\n    uint64_t mask[2] = {0xff, 0};\n    UnaryRepeatParams p;\n"
            "    Adds(c, a, 1.0f, mask, 1, p); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
        ("DataCopy(a, gx, 256); // there\n    ReduceSum(c, a, b, 256); // here", "V", "MTE2", "MTE2_V"),
        (
            "DataCopy(a, gx, 256); // there\n"
            "    Cast(c.ReinterpretCast<half>(), a, RoundMode::CAST_NONE, 256); // here",
            "V",
            "MTE2",
            "MTE2_V",
        ),
    ],
)
def test_missing_flag(checked: Checked, body: str, kind: str, earlier: str, missing: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    ", body, "\n    PipeBarrier<PIPE_ALL>();\n"))
    finding = result.only("missing-sync")
    assert finding["code"] == "OPKG-C012"
    assert finding["here"]["line"] == result.line("here")
    assert finding["there"]["line"] == result.line("there")
    assert f"(PIPE_{kind})" in finding["message"]
    assert f"(PIPE_{earlier}) at" in finding["message"]
    here, there = result.line("here"), result.line("there")
    name = finding["here"]["file"].rsplit("/", 1)[1]
    assert finding["missing"] == f"SetFlag/WaitFlag<HardEvent::{missing}> between {name}:{there} and {name}:{here}"
    assert f"missing-sync at {name}:{here}" in result.error


def test_missing_flag_says_where(checked: Checked) -> None:
    source = kernel(
        GLOBALS,
        BUFFERS,
        "    DataCopy(b[32], gx, 64);\n    Adds(c[32], b[64], 1.0f, 8); // here\n    PipeBarrier<PIPE_ALL>();\n",
    )
    result = checked.run(source, block_dim=3)
    finding = result.only("missing-sync")
    assert finding["tensor"] == "VECCALC bufB"
    assert (finding["offset"], finding["bytes"]) == (256, 32)
    assert finding["kernel"] == "k"
    assert finding["core"] == "vector core 0"
    assert finding["here"]["function"] == "k"


@pytest.mark.plants("missing-sync")
@pytest.mark.parametrize(
    ("body", "pipe"),
    [
        ("DataCopy(a, gx, 256); // there\n    DataCopy(a[128], gy, 64); // here", "MTE2"),
        (
            "Duplicate(a, 1.0f, 128);\n    Duplicate(b, 2.0f, 128);\n"
            "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n"
            "    DataCopy(gz, a, 128); // there\n    DataCopy(gz[64], b, 128); // here",
            "MTE3",
        ),
    ],
)
def test_copies_that_overlap_need_a_barrier(checked: Checked, body: str, pipe: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    ", body, "\n    PipeBarrier<PIPE_ALL>();\n"))
    finding = result.only("missing-sync")
    assert finding["here"]["line"] == result.line("here")
    assert finding["there"]["line"] == result.line("there")
    assert finding["missing"].startswith(f"PipeBarrier<PIPE_{pipe}>() between ")


@pytest.mark.parametrize("auto_sync", [True, False])
@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("Add(c, a, b, 256); // there\n    Muls(c, c, 2.0f, 256); // here", "PipeBarrier<PIPE_V>()"),
        (
            "Add(c, a, b, 256); // there\n    float f = c.GetValue(0); // here\n    (void)f;",
            "SetFlag/WaitFlag<HardEvent::V_S>",
        ),
        ("c.SetValue(0, 1.0f); // there\n    Adds(c, c, 1.0f, 1); // here", "SetFlag/WaitFlag<HardEvent::S_V>"),
    ],
)
def test_what_the_compiler_adds(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, auto_sync: bool, body: str, missing: str
) -> None:
    """The vendor's compiler adds these itself, unless it is told not to."""
    monkeypatch.setenv("OPKG_CHECK_AUTO_SYNC", "on" if auto_sync else "off")
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, "    ", body, "\n    PipeBarrier<PIPE_ALL>();\n"))
    if auto_sync:
        assert result.findings == []
        return
    finding = result.only("missing-sync")
    assert finding["here"]["line"] == result.line("here")
    assert finding["there"]["line"] == result.line("there")
    assert finding["missing"].startswith(missing + " between ")


@pytest.mark.plants("missing-sync")
@pytest.mark.parametrize(
    ("body", "call"),
    [
        (
            "LocalTensor<float> a = inX.AllocTensor<float>();\n    DataCopy(a, gx, 256); // there\n    inX.EnQue(a);\n"
            "    LocalTensor<float> c = outZ.AllocTensor<float>();\n    Adds(c, a, 1.0f, 256); // here\n"
            "    a = inX.DeQue<float>();",
            "DeQue",
        ),
        (
            "LocalTensor<float> a = inX.AllocTensor<float>();\n    DataCopy(a, gx, 256); // there\n"
            "    LocalTensor<float> c = outZ.AllocTensor<float>();\n    Adds(c, a, 1.0f, 256); // here",
            "EnQue and DeQue",
        ),
    ],
)
def test_queue_that_is_gone_round(checked: Checked, body: str, call: str) -> None:
    source = kernel(
        GLOBALS,
        QUEUES,
        "    ",
        body,
        "\n    outZ.EnQue(c);\n    c = outZ.DeQue<float>();\n    DataCopy(gz, c, 256);\n"
        "    outZ.FreeTensor(c);\n    inX.FreeTensor(a);\n",
    )
    result = checked.run(source)
    finding = result.only("missing-sync")
    assert finding["here"]["line"] == result.line("here")
    assert finding["tensor"] == "VECIN inX"
    assert finding["missing"].startswith(call + " between ")
    assert finding["missing"].endswith("or SetFlag/WaitFlag<HardEvent::MTE2_V>")


@pytest.mark.plants("gm-bounds")
@pytest.mark.parametrize(
    ("body", "offset", "extra", "what"),
    [
        ("DataCopy(a, gx[4000], 104); // here", 16384, 32, "reads"),
        ("DataCopy(a, gx[5000], 8); // here", 20000, 32, "reads"),
        (
            "DataCopyPad(a, gx[4090], DataCopyExtParams{1, 32, 0, 0, 0}, DataCopyPadExtParams<float>{}); // here",
            16384,
            8,
            "reads",
        ),
        ("DataCopy(a, gx[4064], DataCopyParams{4, 1, 3, 0}); // here", 16384, 288, "reads"),
        ("float f = gx.GetValue(4096); // here\n    (void)f;", 16384, 4, "reads"),
    ],
)
def test_global_bounds(checked: Checked, body: str, offset: int, extra: int, what: str) -> None:
    arrays = [np.ones(8192, np.float32) for _ in range(4)]
    result = checked.run(kernel(GLOBALS, BUFFERS, "    ", body, "\n    PipeBarrier<PIPE_ALL>();\n"), *arrays)
    finding = result.only("gm-bounds")
    assert finding["code"] == "OPKG-C001"
    assert finding["here"]["line"] == result.line("here")
    assert finding["tensor"] == "GM gx"
    assert (finding["offset"], finding["bytes"]) == (offset, extra)
    assert f" {what} " in finding["message"]


@pytest.mark.plants("gm-bounds")
@pytest.mark.parametrize(
    "body",
    [
        "DataCopy(gz[4088], a, 64); // here",
        "DataCopyPad(gz[4095], a, DataCopyExtParams{1, 8, 0, 0, 0}); // here",
        "gz.SetValue(4096, 1.0f); // here",
    ],
)
def test_writes_behind_global_memory_are_not_made(checked: Checked, body: str) -> None:
    arrays = [np.ones(8192, np.float32) for _ in range(4)]
    result = checked.run(
        kernel(
            GLOBALS,
            BUFFERS,
            "    Duplicate(a, 3.0f, 256);\n    PipeBarrier<PIPE_ALL>();\n    ",
            body,
            "\n    Duplicate(b, 1.0f, 1024);\n",
        ),
        *arrays,
    )
    finding = result.only("gm-bounds")  # the core stops there
    assert finding["here"]["line"] == result.line("here")
    assert " writes " in finding["message"]
    assert np.all(arrays[2] == 1.0)


@pytest.mark.plants("buffer-bounds")
@pytest.mark.parametrize(
    ("body", "tensor", "offset", "extra"),
    [
        ("Adds(c, a, 1.0f, 264); // here", "VECCALC bufC", 1024, 32),
        ("Adds(c[192], a, 1.0f, 128); // here", "VECCALC bufC", 1024, 256),
        ("Adds(c, a[200], 1.0f, 64); // here", "VECCALC bufA", 1024, 32),
        ("UnaryRepeatParams p;\n    Adds(c, a, 1.0f, 64, 5, p); // here", "VECCALC bufC", 1024, 256),
        ("UnaryRepeatParams p(1, 1, 16, 8);\n    Adds(c, a, 1.0f, 64, 3, p); // here", "VECCALC bufC", 1024, 256),
        ("Duplicate(c, 1.0f, 300); // here", "VECCALC bufC", 1024, 176),
        ("c.SetValue(256, 1.0f); // here", "VECCALC bufC", 1024, 4),
        ("DataCopy(c[256], gx, 8); // here", "VECCALC bufC", 1024, 32),
        ("LocalTensor<float> d = bufC.Get<float>(64);\n    Adds(d, a, 1.0f, 72); // here", "VECCALC bufC", 256, 32),
        (
            "LocalTensor<float> d = bufC.GetWithOffset<float>(32, 512);\n    Adds(d, a, 1.0f, 64); // here",
            "VECCALC bufC",
            640,
            128,
        ),
        ("Brcb(c, a, 5, {1, 8}); // here", "VECCALC bufC", 1024, 256),
        ("CreateVecIndex(c.ReinterpretCast<int32_t>(), 0, 260); // here", "VECCALC bufC", 1024, 16),
    ],
)
def test_buffer_bounds(checked: Checked, body: str, tensor: str, offset: int, extra: int) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, "    ", body, "\n    PipeBarrier<PIPE_ALL>();\n"))
    findings = result.of("buffer-bounds")
    assert findings, result.findings
    wanted = [f for f in findings if f["tensor"] == tensor]
    assert len(wanted) == 1
    assert wanted[0]["code"] == "OPKG-C002"
    assert wanted[0]["here"]["line"] == result.line("here")
    assert (wanted[0]["offset"], wanted[0]["bytes"]) == (offset, extra)


@pytest.mark.plants("buffer-capacity")
@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (
            "TBuf<TPosition::VECCALC> big;\n    pipe.InitBuffer(big, 300 * 1024); // here",
            "buffer-capacity",
            "InitBuffer asks for 307200 bytes",
        ),
        (
            "TQue<TPosition::VECIN, 2> q;\n    pipe.InitBuffer(q, 4, 64 * 1024); // here",
            "buffer-capacity",
            "InitBuffer asks for 262144 bytes",
        ),
    ],
)
def test_capacity(checked: Checked, body: str, kind: str, text: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    ", body, "\n"))
    finding = result.only(kind)
    assert finding["code"] == "OPKG-C003"
    assert finding["here"]["line"] == result.line("here")
    assert text in finding["message"]


@pytest.mark.plants("alignment")
@pytest.mark.parametrize(
    ("body", "offset"),
    [
        ("Adds(c[1], a, 1.0f, 8); // here", 4),
        ("Adds(c, a[3], 1.0f, 8); // here", 12),
        ("UnaryRepeatParams p;\n    Adds(c[4], a, 1.0f, 8, 1, p); // here", 16),
        ("DataCopy(a[2], gx, 8); // here", 8),
        ("PipeBarrier<PIPE_ALL>();\n    DataCopy(gz, a[4], 8); // here", 16),
        ("ReduceSum(c, a[1], b, 8); // here", 4),
    ],
)
def test_alignment(checked: Checked, body: str, offset: int) -> None:
    result = checked.run(
        kernel(GLOBALS, BUFFERS, LOAD, "    PipeBarrier<PIPE_ALL>();\n    ", body, "\n    PipeBarrier<PIPE_ALL>();\n")
    )
    finding = result.only("alignment")
    assert finding["code"] == "OPKG-C004"
    assert finding["here"]["line"] == result.line("here")
    assert finding["offset"] == offset
    assert "multiple of 32 bytes" in finding["message"]


@pytest.mark.plants("alignment")
@pytest.mark.parametrize("count", [1, 7, 9, 100])
def test_copies_of_part_of_a_block(checked: Checked, count: int) -> None:
    result = checked.run(
        kernel(GLOBALS, BUFFERS, f"    DataCopy(a, gx, {count}); // here\n    PipeBarrier<PIPE_ALL>();\n")
    )
    finding = result.only("alignment")
    assert finding["here"]["line"] == result.line("here")
    assert f"DataCopy of {count * 4} bytes moves only {count * 4 // 32 * 32}" in finding["message"]
    assert finding["missing"].startswith("DataCopyPad")


@pytest.mark.plants("queue-leak")
@pytest.mark.parametrize(
    ("body", "text", "missing"),
    [
        ("LocalTensor<float> t = inX.AllocTensor<float>(); // here\n    (void)t;", "never freed", "FreeTensor"),
        (
            "LocalTensor<float> t = inX.AllocTensor<float>();\n    DataCopy(t, gx, 256);\n    inX.EnQue(t); // here",
            "never dequeued",
            "DeQue and FreeTensor",
        ),
        (
            "LocalTensor<float> t = inX.AllocTensor<float>();\n    DataCopy(t, gx, 256);\n    inX.EnQue(t);\n"
            "    t = inX.DeQue<float>(); // here",
            "never freed",
            "FreeTensor",
        ),
        (
            "for (int i = 0; i < 2; ++i) {\n        LocalTensor<float> t = inX.AllocTensor<float>(); // here\n"
            "        if (i == 1) {\n            inX.FreeTensor(t);\n        }\n    }",
            "never freed",
            "FreeTensor",
        ),
    ],
)
def test_queue_leak(checked: Checked, body: str, text: str, missing: str) -> None:
    result = checked.run(kernel(GLOBALS, QUEUES, "    ", body, "\n"))
    finding = result.only("queue-leak")
    assert finding["code"] == "OPKG-C005"
    assert finding["here"]["line"] == result.line("here")
    assert finding["tensor"] == "VECIN inX"
    assert text in finding["message"]
    assert finding["missing"] == missing


@pytest.mark.plants("freed-buffer")
@pytest.mark.parametrize(
    "use",
    [
        "Adds(t, t, 1.0f, 256); // here",
        "Duplicate(t, 1.0f, 64); // here",
        "DataCopy(t, gx, 256); // here",
        "t.SetValue(3, 1.0f); // here",
    ],
)
def test_freed_buffer(checked: Checked, use: str) -> None:
    result = checked.run(
        kernel(
            GLOBALS,
            QUEUES,
            "    LocalTensor<float> t = inX.AllocTensor<float>();\n    Duplicate(t, 0.0f, 256);\n"
            "    inX.FreeTensor(t); // there\n    PipeBarrier<PIPE_ALL>();\n    ",
            use,
            "\n",
        )
    )
    finding = result.of("freed-buffer")[0]
    assert finding["code"] == "OPKG-C006"
    assert finding["here"]["line"] == result.line("here")
    assert finding["there"]["line"] == result.line("there")
    assert finding["tensor"] == "VECIN inX"


@pytest.mark.plants("overflow")
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Duplicate(h, half(60000.0f), 128);\n    Add(h, h, h, 128); // here", "too large for half"),
        ("Duplicate(h, half(300.0f), 128);\n    Mul(h, h, h, 128); // here", "too large for half"),
        ("Duplicate(h, half(12.0f), 128);\n    Exp(h, h, 128); // here", "too large for half"),
        ("Duplicate(a, 1.0e30f, 64);\n    Muls(a, a, 1.0e30f, 64); // here", "too large for float"),
        (
            "Duplicate(a, 3.0e9f, 64);\n    Cast(c.ReinterpretCast<int32_t>(), a, RoundMode::CAST_RINT, 64); // here",
            "cannot hold it",
        ),
        (
            "Duplicate(a, 70000.0f, 64);\n    Cast(c.ReinterpretCast<int16_t>(), a, RoundMode::CAST_RINT, 64); // here",
            "cannot hold it",
        ),
        (
            "Duplicate(h, half(60000.0f), 128);\n    BinaryRepeatParams p;\n    Add(h, h, h, 128, 1, p); // here",
            "too large for half",
        ),
        (
            "Duplicate(h, half(9.0f), 128);\n"
            "    Cast(c.ReinterpretCast<int4b_t>(), h, RoundMode::CAST_RINT, 128); // here",
            "Cast of 9.000000 to an integer that cannot hold it",
        ),
        (
            "Duplicate(h, half(1000.0f), 128);\n    ReduceSum(c.ReinterpretCast<half>(), h, h[256], 128); // here",
            "ReduceSum makes an infinity of finite numbers: the result is too large for half",
        ),
        (
            "Duplicate(h, half(1000.0f), 256);\n"
            "    WholeReduceSum(c.ReinterpretCast<half>(), h, 128, 2, 1, 1, 8); // here",
            "WholeReduceSum makes an infinity of finite numbers",
        ),
        (
            "Duplicate(h, half(9000.0f), 128);\n"
            "    BlockReduceSum(c.ReinterpretCast<half>(), h, 1, 128, 1, 1, 8); // here",
            "BlockReduceSum makes an infinity of finite numbers",
        ),
        (
            "Duplicate(h, half(40000.0f), 128);\n"
            "    PairReduceSum(c.ReinterpretCast<half>(), h, 1, 128, 1, 1, 8); // here",
            "PairReduceSum makes an infinity of finite numbers",
        ),
    ],
)
def test_overflow(checked: Checked, body: str, text: str) -> None:
    result = checked.run(
        kernel(
            BUFFERS,
            "    [[maybe_unused]] LocalTensor<half> h = bufB.Get<half>();\n    ",
            body,
            "\n    PipeBarrier<PIPE_ALL>();\n",
        )
    )
    finding = result.only("overflow")
    assert finding["code"] == "OPKG-C007"
    assert finding["here"]["line"] == result.line("here")
    assert text in finding["message"]


@pytest.mark.plants("uninitialised")
@pytest.mark.parametrize(
    ("body", "tensor", "offset", "size"),
    [
        ("Adds(c, b, 1.0f, 256); // here", "VECCALC bufB", 0, 1024),
        ("Add(c, a, b, 256); // here", "VECCALC bufB", 0, 1024),
        ("UnaryRepeatParams p;\n    Muls(c, b[64], 1.0f, 64, 2, p); // here", "VECCALC bufB", 256, 512),
        ("DataCopy(gz, b, 64); // here", "VECCALC bufB", 0, 256),
        ("float f = b.GetValue(5); // here\n    (void)f;", "VECCALC bufB", 20, 4),
        ("ReduceMax(c, b, a, 64); // here", "VECCALC bufB", 0, 256),
        ("Axpy(c, a, 2.0f, 64); // here", "VECCALC bufC", 0, 256),
    ],
)
def test_uninitialised(checked: Checked, body: str, tensor: str, offset: int, size: int) -> None:
    result = checked.run(
        kernel(GLOBALS, BUFFERS, "    Duplicate(a, 1.0f, 256);\n    ", body, "\n    PipeBarrier<PIPE_ALL>();\n")
    )
    finding = result.only("uninitialised")
    assert finding["code"] == "OPKG-C008"
    assert finding["here"]["line"] == result.line("here")
    assert finding["tensor"] == tensor
    assert (finding["offset"], finding["bytes"]) == (offset, size)


@pytest.mark.plants("uninitialised")
def test_what_is_computed_from_nothing_is_followed_to_where_it_goes(checked: Checked) -> None:
    source = kernel(
        GLOBALS,
        BUFFERS,
        "    Duplicate(a, 1.0f, 64);\n    Adds(c, a, 1.0f, 128); // here\n    Muls(b, c, 2.0f, 128);\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCopy(gz, b, 128); // there\n",
    )
    result = checked.run(source)
    finding = result.only("uninitialised")
    assert finding["here"]["line"] == result.line("here")
    assert finding["there"]["line"] == result.line("there")
    assert (finding["tensor"], finding["offset"], finding["bytes"]) == ("VECCALC bufA", 256, 256)
    assert "goes to global memory" in finding["message"]


def test_what_is_computed_from_nothing_and_thrown_away_is_no_defect(checked: Checked) -> None:
    source = kernel(
        GLOBALS,
        BUFFERS,
        "    Duplicate(a, 1.0f, 50);\n    Adds(c, a, 1.0f, 64);\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopyPad(gz, c, DataCopyExtParams{1, 200, 0, 0, 0});\n    DataCopy(gz[1024], c, 56);\n",
    )
    assert checked.run(source).findings == []


CORES = kernel(
    GLOBALS,
    BUFFERS,
    "    Duplicate(a, static_cast<float>(GetBlockIdx() + 2), 64);\n    PipeBarrier<PIPE_ALL>();\n    %s\n"
    "    PipeBarrier<PIPE_ALL>();\n",
)


@pytest.mark.plants("cores-one-place")
@pytest.mark.parametrize(
    ("store", "offset", "size"),
    [
        ("DataCopy(gz, a, 64); // here", 0, 256),
        ("DataCopy(gz[GetBlockIdx() * 56], a, 64); // here", 224, 32),
        ("DataCopyPad(gz[GetBlockIdx() * 3], a, DataCopyExtParams{1, 16, 0, 0, 0}); // here", 12, 4),
    ],
)
def test_two_cores_write_one_place(checked: Checked, store: str, offset: int, size: int) -> None:
    result = checked.run(CORES % store, block_dim=2)
    finding = result.only("cores-one-place")
    assert finding["code"] == "OPKG-C009"
    assert finding["here"]["line"] == finding["there"]["line"] == result.line("here")
    assert finding["tensor"] == "GM gz"
    assert (finding["offset"], finding["bytes"]) == (offset, size)
    assert finding["missing"].startswith("SetAtomicAdd, or SyncAll between ")


@pytest.mark.parametrize(
    "store",
    [
        "DataCopy(gz[GetBlockIdx() * 64], a, 64);",
        "SetAtomicAdd<float>();\n    DataCopy(gz, a, 64);\n    SetAtomicNone();",
        "if (GetBlockIdx() == 0) {\n        DataCopy(gz, a, 64);\n    }\n    SyncAll();\n"
        "    if (GetBlockIdx() == 1) {\n        DataCopy(gz, a, 64);\n    }",
        "Duplicate(a, 7.0f, 64);\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(gz, a, 64);",  # the same value
    ],
)
def test_cores_that_keep_apart(checked: Checked, store: str) -> None:
    assert checked.run(CORES % store, block_dim=2, threads=2).findings == []


@pytest.mark.plants("missing-core-sync")
@pytest.mark.parametrize("before", ["", "SyncAll();\n    "])
@pytest.mark.parametrize(
    "read", ["DataCopy(b, gz, 64)", "DataCopyPad(b, gz[61], DataCopyExtParams{1, 12, 0, 0, 0}, {true, 0, 5, 0.0f})"]
)
def test_a_core_reads_what_another_writes(checked: Checked, read: str, before: str) -> None:
    store = (
        f"{before}if (GetBlockIdx() == 0) {{\n        DataCopy(gz, a, 64); // there\n    }} else {{\n"
        f"        {read}; // here\n    }}"
    )
    result = checked.run(CORES % store, block_dim=2)
    finding = result.only("missing-core-sync")
    assert finding["code"] == "OPKG-C015"
    assert {finding["here"]["line"], finding["there"]["line"]} == {result.line("here"), result.line("there")}
    assert finding["missing"].startswith("SyncAll between ")


def test_atomic_operations_order_cores(checked: Checked) -> None:
    store = (
        "__gm__ int32_t *word = reinterpret_cast<__gm__ int32_t *>(w);\n    if (GetBlockIdx() == 0) {\n"
        "        DataCopy(gz, a, 64);\n        PipeBarrier<PIPE_ALL>();\n        AtomicExch(word, 1);\n    } else {\n"
        "        while (AtomicAdd(word, 0) != 1) {\n        }\n        DataCopy(b, gz, 64);\n    }"
    )
    assert checked.run(CORES % store, block_dim=2, threads=2).findings == []


def test_sync_all_orders_cores(checked: Checked) -> None:
    store = "if (GetBlockIdx() == 0) {\n        DataCopy(gz, a, 64);\n    }\n    SyncAll();\n    DataCopy(b, gz, 64);"
    assert checked.run(CORES % store, block_dim=4, threads=4).findings == []


@pytest.mark.plants("unequal-sync")
@pytest.mark.parametrize(
    ("calls", "more", "fewer"),
    [
        ("if (GetBlockIdx() > 0) {\n        SyncAll(); // here\n    }", 1, 0),
        ("SyncAll();\n    for (int i = 0; i < GetBlockIdx() && i < 1; ++i) {\n        SyncAll(); // here\n    }", 2, 1),
    ],
)
def test_unequal_sync_all(checked: Checked, calls: str, more: int, fewer: int) -> None:
    result = checked.run(CORES % calls, block_dim=3, threads=3)
    finding = result.only("unequal-sync")
    assert finding["code"] == "OPKG-C010"
    assert finding["here"]["line"] == result.line("here")
    assert f"calls SyncAll {more} times, but vector core 0 only {fewer}" in finding["message"]
    assert finding["missing"] == "SyncAll on vector core 0"


@pytest.mark.plants("unpaired-flag")
@pytest.mark.parametrize(
    ("body", "text", "missing"),
    [
        ("SetFlag<HardEvent::MTE2_V>(1); // here", "is never waited for", "WaitFlag<HardEvent::MTE2_V>(1)"),
        ("WaitFlag<HardEvent::V_MTE3>(2); // here", "is not set", "SetFlag<HardEvent::V_MTE3>(2)"),
        (
            "SetFlag<HardEvent::MTE2_V>(1);\n    SetFlag<HardEvent::MTE2_V>(1); // here\n"
            "    WaitFlag<HardEvent::MTE2_V>(1);",
            "not waited for since",
            "WaitFlag<HardEvent::MTE2_V>(1)",
        ),
        (
            "SetFlag<HardEvent::MTE2_V>(8); // here\n    WaitFlag<HardEvent::MTE2_V>(8); // too",
            "event ids are 0 to 7",
            None,
        ),
    ],
)
def test_unpaired_flag(checked: Checked, body: str, text: str, missing: str | None) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    ", body, "\n"))
    finding = result.findings[0]
    assert (finding["kind"], finding["code"]) == ("unpaired-flag", "OPKG-C013")
    assert finding["here"]["line"] == result.line("here")
    assert text in finding["message"]
    assert (finding["missing"] or "").startswith(missing or "")


@pytest.mark.plants("queue-misuse")
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("LocalTensor<float> t = inX.DeQue<float>(); // here\n    (void)t;", "DeQue on an empty queue of VECIN"),
        (
            "for (int i = 0; i < 3; ++i) {\n        inX.AllocTensor<float>(); // here\n    }",
            "AllocTensor on a queue of VECIN whose 2 buffers are all in use",
        ),
        (
            "LocalTensor<float> t = inX.AllocTensor<float>();\n    inX.FreeTensor(t);\n    inX.FreeTensor(t); // here",
            "FreeTensor of a tensor that is free already",
        ),
    ],
)
def test_queue_misuse(checked: Checked, body: str, text: str) -> None:
    result = checked.run(kernel(GLOBALS, QUEUES, "    ", body, "\n"))
    finding = result.of("queue-misuse")[0]
    assert finding["code"] == "OPKG-C014"
    assert finding["here"]["line"] == result.line("here")
    assert text in finding["message"]


def test_findings_name_the_calls_that_led_there(checked: Checked) -> None:
    source = """class Tile {
public:
    __aicore__ inline void Init(GM_ADDR x) { gx_.SetGlobalBuffer((__gm__ float *)x, 64); pipe_.InitBuffer(buf_, 256); }
    __aicore__ inline void Process()
    {
        CopyIn();
        Compute(); // caller
    }
private:
    __aicore__ inline void CopyIn() { DataCopy(buf_.Get<float>(), gx_, 64); }
    __aicore__ inline void Compute()
    {
        Adds(buf_.Get<float>(), buf_.Get<float>(), 1.0f, 64); // here
    }
    TPipe pipe_;
    TBuf<TPosition::VECCALC> buf_;
    GlobalTensor<float> gx_;
};
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR, GM_ADDR, GM_ADDR)
{
    Tile tile;
    tile.Init(x);
    tile.Process(); // outer
    PipeBarrier<PIPE_ALL>();
}
"""
    result = checked.run(source)
    finding = result.only("missing-sync")
    assert finding["here"]["line"] == result.line("here")
    assert [int(c.rsplit(":", 1)[1]) for c in finding["here"]["callers"]] == [
        result.line("caller"),
        result.line("outer"),
    ]


def test_each_distinct_finding_is_told_once(checked: Checked, capfd: pytest.CaptureFixture[str]) -> None:
    body = "    for (int i = 0; i < 5; ++i) {\n        Adds(c, b, 1.0f, 300); // here\n    }\n"
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, body, "    PipeBarrier<PIPE_ALL>();\n"), block_dim=3)
    assert sorted(f["tensor"] for f in result.findings) == ["VECCALC bufB", "VECCALC bufC"]
    text = capfd.readouterr().err
    assert text.count("buffer-bounds: ") == 2
    assert "check: kernel k: 2 findings, 0 suppressed" in text
    line = "buffer-bounds: Adds writes 1200 bytes of a tensor that has 1024 from there on [OPKG-C002]"
    assert f":{result.line('here')}: {line}" in text
    assert "> Adds(c, b, 1.0f, 300); // here" in text


@pytest.mark.parametrize("way", ["comment", "kind", "file", "line"])
def test_findings_are_suppressed_only_explicitly(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], way: str
) -> None:
    comment = "opkg-check: allow alignment" if way == "comment" else f"way {way}"
    source = kernel(GLOBALS, BUFFERS, LOAD, f"    Adds(c[1], a, 1.0f, 8); // {comment}\n    PipeBarrier<PIPE_ALL>();\n")
    if way != "comment":
        unit = checked.library(source).with_suffix(".cpp").name
        line = (checked.run(source)).only("alignment")["here"]["line"]
        item = {"kind": "alignment", "file": f"alignment@{unit}", "line": f"alignment@{unit}:{line}"}[way]
        monkeypatch.setenv("OPKG_CHECK_ALLOW", f"overflow,{item}")
    result = checked.run(source)
    assert result.only("alignment")["suppressed"] is True
    assert "1 suppressed" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["gm-bounds", "stopped"])
def test_a_core_that_ends_early_fails_the_launch_though_its_finding_is_suppressed(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("OPKG_CHECK_ALLOW", kind)
    body = {"gm-bounds": "DataCopy(gz[4096], a, 8);\n", "stopped": "Trap();\n"}[kind]
    run = Kernel(checked.library(kernel(GLOBALS, BUFFERS, LOAD, "    ", body)))
    with pytest.raises(KernelError, match="a core ended at a finding that is suppressed"):
        run(*(np.ones(8192, np.float32) for _ in range(4)))


def test_more_findings_than_are_kept_fail_the_launch_though_all_are_suppressed(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody has seen whether the others are."""
    monkeypatch.setenv("OPKG_CHECK_ALLOW", "alignment")
    body = "    Adds(c[1], a, 1.0f, 8);\n    PipeBarrier<PIPE_V>();\n" * 201 + "    PipeBarrier<PIPE_ALL>();\n"
    run = Kernel(checked.library(kernel(GLOBALS, BUFFERS, LOAD, body)))
    with pytest.raises(KernelError, match="so many findings are suppressed that further ones were left out"):
        run(*(np.ones(4096, np.float32) for _ in range(4)))
    assert "check: kernel k: 0 findings, 200 suppressed, 1 more left out" in capfd.readouterr().err


def test_without_addr2line_findings_say_why_they_have_no_lines(
    checked: Checked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = kernel(GLOBALS, BUFFERS, LOAD, "    Adds(c[1], a, 1.0f, 8);\n    PipeBarrier<PIPE_ALL>();\n")
    checked.library(source)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checked.run(source).only("alignment")["here"] is None
    assert "opkg: check: addr2line cannot be run, so findings have no lines" in capfd.readouterr().err


@pytest.mark.plants("stopped")
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Trap(); // here", "Trap"),
        (
            "SliceInfo to[1] = {{0, 63, 0, 8, 64}}, from[1] = {{0, 59, 0, 8, 64}};\n"
            "    DataCopy(a, gx, to, from, 1); // here",
            "DataCopy of slices: source slice 0 from 0 to 59 is no whole number of bursts of 64 elements",
        ),
        ("LocalTensor<float> far(TPosition::VECCALC, 1 << 20, 64); // here\n    (void)far;", "does not lie in the "),
        (
            "GroupBarrier<PipeMode::MTE3_MODE> group(w, 2, 2);\n    group.Arrive(2); // here",
            "GroupBarrier::Arrive(2): there are 2 such cores",
        ),
    ],
)
def test_instructions_that_give_up(checked: Checked, body: str, text: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, "    ", body, "\n"))
    finding = result.of("stopped")[0]
    assert finding["code"] == "OPKG-C016"
    assert finding["here"]["line"] == result.line("here")
    assert text in finding["message"]
    assert text in result.error


def test_another_kind_stays(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_CHECK_ALLOW", "overflow,alignment@other.cpp")
    source = kernel(GLOBALS, BUFFERS, LOAD, "    Adds(c[1], a, 1.0f, 8);\n    PipeBarrier<PIPE_ALL>();\n")
    assert checked.run(source).only("alignment")["suppressed"] is False


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("WholeReduceMax(c, b, 64, 1, 1, 1, 8); // here", "WholeReduceMax"),
        ("c = b + b; // here", "operator="),
        ("Compares(c.ReinterpretCast<uint8_t>(), b, 1.0f, CMPMODE::LT, 64); // here", "Compares"),
        ("BlockReduceSum(c, b, 1, 64, 1, 1, 8); // here", "BlockReduceSum"),
        (
            "Select(c, a.ReinterpretCast<uint8_t>(), b, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64); // here",
            "Select",
        ),
        (
            "uint16_t n[4] = {8, 8, 8, 8}; MrgSort(c, {b, b[16], b[32], b[48]}, MrgSort4Info(n, false, 3, 1)); // here",
            "MrgSort",
        ),
        ("Extract(c, a.ReinterpretCast<uint32_t>(), b, 1); // here", "Extract"),
        (
            "auto i = b.ReinterpretCast<int32_t>(); auto d = a.ReinterpretCast<int32_t>(); LocalTensor<bool> f; "
            "TopK<float, true>(c, d, a[64], i, f, 8, AscendC::tiling::TopkTiling{}, TopKInfo{1, 64, 64}); // here",
            "TopK",
        ),
        ("uint64_t n = 0; GatherMask(c, b, uint8_t(1), false, 0, {1, 1, 8, 8}, n); // here", "GatherMask"),
        (
            "uint64_t n = 0; GatherMask(c, a, b.ReinterpretCast<uint32_t>(), false, 0, {1, 1, 8, 8}, n); // here",
            "GatherMask",
        ),
        (
            "SoftMaxTiling t{}; SoftmaxFlashV2<float>(c, a, a[8], b, a[16], a, a[8], t, {1, 64, 1, 64}); // here",
            "SoftmaxFlashV2",
        ),
        (
            "SoftmaxFlashV2<float, true>(c, a, a[8], a[64], a[16], b, b[8], SoftMaxTiling{}, {1, 64, 1, 64}); // here",
            "SoftmaxFlashV2",
        ),
    ],
)
def test_what_the_kernel_called_is_named(checked: Checked, call: str, name: str) -> None:
    """Not what it is made of."""
    result = checked.run(
        kernel(GLOBALS, BUFFERS, "    DataCopy(b, gx, 64);\n    ", call, "\n    PipeBarrier<PIPE_ALL>();\n")
    )
    finding = result.of("missing-sync")[0]
    assert finding["here"]["line"] == result.line("here")
    assert finding["message"].startswith(f"{name} (PIPE_V) reads what DataCopy (PIPE_MTE2) at ")


def test_compact_copies_wait_for_what_reads_their_place(checked: Checked) -> None:
    copy = "DataCopyPad<float, PaddingMode::Compact>(b, gx, {2, 128, 0, 0, 0}, {false, 0, 0, 0.0f}); // here\n"
    source = kernel(GLOBALS, BUFFERS, "    Adds(b, a, 1.0f, 64);\n    ", copy, "    PipeBarrier<PIPE_ALL>();\n")
    result = checked.run(source, flags=["-D__NPU_ARCH__=3510"], soc="Ascend950PR_9599")
    finding = result.of("missing-sync")[0]
    assert finding["here"]["line"] == result.line("here")
    assert finding["message"].startswith("DataCopyPad (PIPE_MTE2) writes what Adds (PIPE_V) at ")


@pytest.mark.parametrize(
    "body",
    [
        "Duplicate(c.ReinterpretCast<int32_t>(), 0x7f800000, 64);\n    Muls(c, c, 2.0f, 64);\n",
        # 2 where something was written, and 3e9 where one of the two was not.
        "Duplicate(b, 3.0e9f, 64);\n    Duplicate(b, 1.0f, 50);\n    Duplicate(a, 1.0f, 50);\n    Add(c, a, b, 64);\n"
        "    Cast(c.ReinterpretCast<int32_t>(), c, RoundMode::CAST_RINT, 64);\n",
    ],
    ids=["infinities before", "what nothing has written"],
)
def test_an_overflow_is_made_of_finite_numbers_that_were_written(checked: Checked, body: str) -> None:
    assert checked.run(kernel(GLOBALS, BUFFERS, "    ", body)).findings == []


@pytest.mark.plants("uninitialised")
@pytest.mark.parametrize(
    "body",
    [
        "PipeBarrier<PIPE_ALL>();\n    DataCopyPad(gz, a, DataCopyExtParams{1, 224, 0, 0, 0}); // here\n",
        "ReduceSum(c, a, b, 64); // here\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopyPad(gz, c, DataCopyExtParams{1, 4, 0, 0, 0});\n",
    ],
    ids=["a copy of bytes", "a sum"],
)
def test_fifty_numbers_are_not_fifty_six(checked: Checked, body: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    Duplicate(a, 1.0f, 50);\n    ", body))
    finding = result.only("uninitialised")
    assert finding["here"]["line"] == result.line("here")
    assert (finding["tensor"], finding["offset"]) == ("VECCALC bufA", 200)


@pytest.mark.parametrize("allowed", ["there", "here", "neither"])
def test_a_comment_at_either_of_two_lines_suppresses(checked: Checked, allowed: str) -> None:
    allow = "// opkg-check: allow missing-sync"
    body = f"    DataCopy(a, gx, 256); {allow if allowed == 'there' else ''}\n"
    body += f"    Adds(c, a, 1.0f, 256); {allow if allowed == 'here' else ''}\n"
    finding = checked.run(kernel(GLOBALS, BUFFERS, body)).only("missing-sync")
    assert finding["suppressed"] is (allowed != "neither")


def test_of_two_buffers_that_one_line_makes_nothing_says_which_it_is(checked: Checked) -> None:
    body = """    TPipe pipe;
    TBuf<TPosition::VECCALC> bufA, bufB;
    pipe.InitBuffer(bufA, 1024); pipe.InitBuffer(bufB, 1024);
    LocalTensor<float> b = bufB.Get<float>();
    Adds(b, b, 1.0f, 256);
"""
    assert checked.run(kernel(body)).only("uninitialised")["tensor"] == "VECCALC"


def test_the_error_is_the_first_finding_and_calls_of_one_line_are_one(
    checked: Checked, capfd: pytest.CaptureFixture[str]
) -> None:
    body = "    Adds(c[1], a, 1.0f, 8); Adds(c[1], a, 1.0f, 8); // here\n    Adds(c, a, 1.0f, 300); // later\n"
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, body, "    PipeBarrier<PIPE_ALL>();\n"))
    assert [f["kind"] for f in result.findings] == ["alignment", "buffer-bounds", "buffer-bounds"]
    assert [f["here"]["line"] for f in result.findings] == [result.line("here"), *[result.line("later")] * 2]
    assert "alignment at " in result.error
    assert "buffer-bounds" not in result.error
    assert capfd.readouterr().err.count(": alignment: ") == 1


@pytest.mark.plants("gm-bounds")
@pytest.mark.parametrize(("begin", "length", "use"), [(1024, 64, 60), (0, 64, 60)])
def test_of_two_views_of_global_memory_the_closer_one_is_named(
    checked: Checked, begin: int, length: int, use: int
) -> None:
    body = f"""    GlobalTensor<float> part;
    part.SetGlobalBuffer((__gm__ float *)x + {begin}, {length});
    DataCopyPad(a, part[{use}], DataCopyExtParams{{1, 32, 0, 0, 0}}, DataCopyPadExtParams<float>{{}});
    PipeBarrier<PIPE_ALL>();
"""
    finding = checked.run(kernel(GLOBALS, BUFFERS, body)).only("gm-bounds")
    assert (finding["tensor"], finding["offset"], finding["bytes"]) == ("GM part", 4 * length, 16)


@pytest.mark.plants("buffer-bounds")
def test_a_view_behind_its_tensor_is_not_taken_for_the_free_buffer_there(checked: Checked) -> None:
    body = """    TPipe pipe;
    TBuf<TPosition::VECCALC> bufA;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(bufA, 1024);
    pipe.InitBuffer(queue, 1, 1024);
    LocalTensor<float> a = bufA.Get<float>();
    Duplicate(a[256], 1.0f, 8); // here
"""
    result = checked.run(kernel(body))
    assert result.only("buffer-bounds")["here"]["line"] == result.line("here")
