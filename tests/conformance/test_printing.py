"""What kernels show: printf, tensors in rows, memory by its address, time stamps, assertions with messages."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from twin_harness import Compiler, KernelError

HEAD = """
#include <string>
#include "utils/debug/asc_assert.h"
#include "utils/debug/asc_dump.h"
#include "utils/debug/asc_printf.h"
#include "utils/debug/asc_time.h"
using namespace AscendC;
"""
PREFIX = "[AIV Block 0/1] "


def shown(
    compiler: Compiler,
    capfd: pytest.CaptureFixture[str],
    name: str,
    body: str,
    *defines: str,
    x: np.ndarray | None = None,
) -> str:
    """Everything that a kernel with this body prints on one core; `in` holds x."""
    x = np.arange(16, dtype=np.float32) / 4 if x is None else x
    element = {"float32": "float", "float16": "half", "int8": "int8_t", "int64": "int64_t"}[x.dtype.name]
    source = (
        HEAD
        + f"""
    extern "C" __global__ __aicore__ void {name}(GM_ADDR x)
    {{
        [[maybe_unused]] __gm__ {element} *memory = (__gm__ {element} *)x;
        GlobalTensor<{element}> in;
        in.SetGlobalBuffer(memory, {x.size});
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 512);
        [[maybe_unused]] LocalTensor<{element}> local = buffer.Get<{element}>();
        DataCopy(local, in, {x.size});
        {body}
    }}
    """
    )
    compiler.compile(source, name, *defines)(x)
    return capfd.readouterr().out


def test_values_of_every_kind(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    const bfloat16_t b = bfloat16_t(-2.5f);
    printf("%d %u %ld %llu %x\\n", -7, 7u, -70000000000L, 70000000000ull, 255);
    AscendC::printf("%f %F %.2f %s %c %%\\n", half(0.5f), b, 3.14159f, "text", 'c');
    PRINTF("none\\n");
    ::printf("%p\\n", (void *)0x10);
    std::printf("%5d|%-5d|\\n", 1, 2);
    printf("%s\\n", "a line\\nand another");
    """
    lines = shown(compiler, capfd, "values", body).splitlines()
    expected = ["-7 7 -70000000000 70000000000 ff", "0.500000 -2.500000 3.14 text c %", "none", "0x10", "    1|2    |"]
    assert lines == [PREFIX + line for line in [*expected, "a line", "and another"]]


def test_long_lines_come_out_whole(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = "char text[5000]; for (char &c : text) { c = 'x'; } text[4999] = 0; printf(\"%s%s\\n\", text, text);"
    assert shown(compiler, capfd, "long_line", body) == PREFIX + "x" * 9998 + "\n"


def test_tensors(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = "DumpTensor(local[8], 5, 3); DumpTensor(in, 6, 2); DumpAccChkPoint(local, 7, 8, 2);"
    lines = shown(compiler, capfd, "tensors", body).splitlines()
    assert lines[0] == PREFIX + "DumpTensor: desc=5, addr=0x20, data_type=float32, position=UB, dump_size=3"
    assert lines[1] == "[2.000000, 2.250000, 2.500000]"
    assert re.fullmatch(
        re.escape(PREFIX) + "DumpTensor: desc=6, addr=0x[0-9a-f]+, data_type=float32, position=GM, dump_size=2",
        lines[2],
    )
    assert lines[3] == "[0.000000, 0.250000]"
    assert lines[4].startswith(PREFIX + "DumpTensor: desc=7, addr=0x20,") and lines[5] == "[2.000000, 2.250000]"


@pytest.mark.parametrize(
    ("dtype", "name", "row"),
    [
        ("float16", "float16", "[0.000000, 1.000000, 2.000000, 3.000000]"),
        ("int8", "int8", "[0, 1, 2, 3]"),
        ("int64", "int64", "[0, 1, 2, 3]"),
    ],
)
def test_elements_of_other_types(
    compiler: Compiler, capfd: pytest.CaptureFixture[str], dtype: str, name: str, row: str
) -> None:
    x = np.arange(32).astype(dtype)
    lines = shown(compiler, capfd, f"of_{dtype}", "DumpTensor(local, 1, 4);", x=x).splitlines()
    assert f"data_type={name}," in lines[0]
    assert lines[1] == row


SMALL_FLOATS = [
    ("hifloat8_t", "hifloat8", "[-14.000000, 1.000000, 0.500000]"),
    ("fp8_e4m3fn_t", "float8_e4m3fn", "[-0.437500, 0.015625, 0.031250]"),
    ("fp8_e5m2_t", "float8_e5m2", "[-0.093750, 0.000122, 0.000488]"),
    ("fp4x2_e2m1_t", "float4_e2m1", "[-4.000000, -1.000000, -0.000000]"),
]


@pytest.mark.parametrize(("type_name", "name", "row"), SMALL_FLOATS)
def test_floats_of_8_and_4_bits(
    compiler: Compiler, capfd: pytest.CaptureFixture[str], type_name: str, name: str, row: str
) -> None:
    x = np.zeros(32, np.int8)
    x[:3] = np.array([0xAE, 0x08, 0x18 if name == "hifloat8" else 0x10], np.uint8).view(np.int8)
    body = f"DumpTensor(local.ReinterpretCast<{type_name}>(), 1, 3);"
    lines = shown(compiler, capfd, f"small_{name}", body, "__NPU_ARCH__=3510", "__CCE_AICORE__=310", x=x).splitlines()
    assert f"data_type={name}," in lines[0]
    assert lines[1] == row


def test_a_tensor_prints_itself_a_block_a_row(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(compiler, capfd, "rows_of_blocks", "local[4].Print(10);")
    values = [f"{value / 4:f}" for value in range(4, 14)]
    assert text == f"{PREFIX}0000: {' '.join(values[:8])}\n0008: {' '.join(values[8:])}\n"
    assert shown(compiler, capfd, "whole", "LocalTensor<float> few = local; few.SetSize(2); few.Print();") == (
        f"{PREFIX}0000: 0.000000 0.250000\n"
    )


def test_a_tensor_saves_itself(compiler: Compiler, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    body = f"""
    LocalTensor<float> few = local; few.SetSize(16);
    printf("%d %d\\n", few.ToFile("{tmp_path}/few.bin"), few.ToFile(std::string("{tmp_path}/none/few.bin")));
    """
    assert shown(compiler, capfd, "saved", body) == f"{PREFIX}0 -1\n"
    np.testing.assert_array_equal(np.fromfile(tmp_path / "few.bin", np.float32), np.arange(16, dtype=np.float32) / 4)


def test_tensors_in_rows(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    uint32_t whole[] = {2, 1, 2}, fewer[] = {3}, more[] = {2, 3};
    DumpTensor(local, 1, 4, ShapeInfo(3, whole));
    DumpTensor(local, 2, 4, ShapeInfo(1, fewer));
    DumpTensor(in, 3, 4, ShapeInfo(2, more));
    """
    text = shown(compiler, capfd, "rows", body)
    parts = [part.split("\n", 1)[1] for part in text.split(PREFIX)[1:]]
    assert parts[0] == "[[[0.000000,0.250000]],\n[[0.500000,0.750000]]]\n"
    assert (
        parts[1] == "shape is [3], dumpSize is 4, dumpSize is greater than shapeSize.\n[0.000000,0.250000,0.500000]\n"
    )
    assert parts[2] == (
        "shape is [2, 3], dumpSize is 4, data is not enough.\n[[0.000000,0.250000,0.500000],\n[0.750000,-,-]]\n"
    )


def test_memory_by_its_address(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    asc_dump_ubuf<float>(local.GetPhyAddr(), 1, 2);
    asc_dump_gm<float>(memory + 2, 2, 2);
    asc_dump(local.GetPhyAddr() + 4, 3, 1);
    """
    lines = shown(compiler, capfd, "addresses", body).splitlines()
    assert "desc=1, addr=0x0, data_type=float32, position=UB, dump_size=2" in lines[0]
    assert lines[1] == "[0.000000, 0.250000]"
    assert "position=GM" in lines[2] and lines[3] == "[0.500000, 0.750000]"
    assert "addr=0x10" in lines[4] and lines[5] == "[1.000000]"


def test_kernels_can_be_silenced(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = 'printf("%d\\n", 1); printf("x\\n"); DumpTensor(local, 1, 4); asc_dump_gm<float>(memory, 2, 2);'
    assert shown(compiler, capfd, "silent", body, "ASCENDC_DUMP=0") == ""


def test_time(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    const uint64_t before = clock();
    PrintTimeStamp(65577);
    printf("%d\\n", clock() >= before && GetSystemCycle() > 0);
    TRACE_START(2); TRACE_STOP(2); asc_mark_stamp<PIPE_V>(3); asc_prof_start(); asc_prof_stop();
    """
    assert shown(compiler, capfd, "no_stamp", body) == PREFIX + "1\n"
    stamp, after = shown(compiler, capfd, "stamp", body, "ASCENDC_TIME_STAMP_ON").splitlines()
    found = re.fullmatch(
        re.escape(PREFIX) + r"descId is 65577, rsv is 0, timeStamp is (\d+), pcPtr is \d+, entry is (\d+)\.", stamp
    )
    assert found and int(found[1]) >= int(found[2]) > 0
    assert after == PREFIX + "1"


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("plain", "assert(in.GetSize() == 3);", r"the assertion in\.GetSize\(\) == 3 does not hold$"),
        ("says", 'ascendc_assert(1 > 2, "no %d, %f\\n", 4, half(0.5f));', r"1 > 2 does not hold: no 4, 0\.500000$"),
        ("text", 'ASSERT(false && "reason");', r'the assertion false && "reason" does not hold$'),
        ("acts", 'int n = 0; ASCENDC_ASSERT((n == 1), { printf("acts\\n"); });', r"\(n == 1\) does not hold$"),
    ],
)
def test_assertions(compiler: Compiler, capfd: pytest.CaptureFixture[str], name: str, body: str, message: str) -> None:
    with pytest.raises(KernelError, match=message) as failed:
        shown(compiler, capfd, f"assert_{name}", body)
    assert failed.value.code == 507015
    assert "[ASSERT] " in capfd.readouterr().out
