"""Library functions say their operands to the checker: defects around them are found, correct calls give no finding."""

from __future__ import annotations

import pytest
from check_harness import Checked
from test_defects import BUFFERS, GLOBALS, LOAD, kernel

TOPK = """    TopkTiling tiling;
    TopKInfo info;
    info.outter = 2; info.inner = 32; info.n = 32;
    LocalTensor<int32_t> index = b.ReinterpretCast<int32_t>(), none;
    LocalTensor<bool> finish;
"""
REDUCE = "    const uint32_t shape[2] = {4, 30};\n"
# Each call reads a (256 floats, loaded) and writes c.
CALLS = {
    "Tanh": "Tanh(c, a, 256u);",
    "Sin": "Sin(c, a, b.ReinterpretCast<uint8_t>(), 256u);",
    "Power": "Power(c, a, 2.0f, 256u);",
    "Fmod": "Fmod(c, a, a, 256u);",
    "ClampMax": "ClampMax(c, a, 1.0f, 256u);",
    "CumSum": "LocalTensor<float> last = b; CumSum(c, last, a, CumSumInfo{4, 64});",
    "ReduceMax": REDUCE + "    ReduceMax<float, Pattern::Reduce::AR>(c, a, shape, true);",
    "Sum": "SumParams p; p.outter = 4; p.inner = 64; p.n = 63; Sum(c, a, p);",
    "TopK": TOPK + "    TopK<float>(c, index, a, none, finish, 5, tiling, info);",
    "DropOut": "DropOutShapeInfo p; p.firstAxis = 2; p.srcLastAxis = 64; p.maskLastAxis = 64;\n"
    "    DropOut(c, a, b.ReinterpretCast<uint8_t>(), 0.5f, p);",
    "Pad": "PadTiling p; p.srcHeight = 4; p.srcWidth = 30; p.srcOriWidth = 30; Pad(c, a, PadParams{0, 2, 0}, p);",
    "Broadcast": "const uint32_t to[2] = {16, 16}, from[2] = {16, 1}; Broadcast<float, 2, 1>(c, a, to, from);",
}


# Those that stand for the others where each defect is planted by itself.
SOME = ["Tanh", "ReduceMax", "TopK", "DropOut", "Pad"]


def call(name: str, mark: str = "here") -> str:
    return f"    {CALLS[name]} // {mark}\n"


def test_correct_calls_give_no_finding(checked: Checked) -> None:
    store = "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n    DataCopy(gz, c, 8);\n"
    again = "    PipeBarrier<PIPE_ALL>();\n"
    calls = (f"    {{\n{LOAD}{call(name)}{store}{again}    }}\n" for name in CALLS)
    assert checked.run(kernel(GLOBALS, BUFFERS, *calls)).findings == []


@pytest.mark.parametrize("name", SOME)
def test_sources_that_nothing_has_written(checked: Checked, name: str) -> None:
    fill = "" if name != "DropOut" else "    Duplicate(b, 1.0f, 256);\n"
    finding = checked.run(kernel(GLOBALS, BUFFERS, fill, call(name))).only("uninitialised")
    assert f"{name} reads" in finding["message"]


@pytest.mark.parametrize("name", SOME)
def test_loads_that_are_not_waited_for(checked: Checked, name: str) -> None:
    load = "    Duplicate(b, 1.0f, 256);\n    DataCopy(a, gx, 256); // there\n"
    result = checked.run(kernel(GLOBALS, BUFFERS, load, call(name)))
    finding = result.only("missing-sync")
    assert finding["missing"].startswith("SetFlag/WaitFlag<HardEvent::MTE2_V>")
    assert finding["there"]["line"] == result.line("there")


@pytest.mark.parametrize("name", SOME)
def test_results_that_are_stored_too_early(checked: Checked, name: str) -> None:
    store = "    DataCopy(gz, c, 8); // there\n"
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, call(name), store))
    finding = result.only("missing-sync")
    assert finding["missing"].startswith("SetFlag/WaitFlag<HardEvent::V_MTE3>")
    assert finding["here"]["line"] == result.line("there")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Tanh(c, a, 257u);", "Tanh"),
        ("Power(c, 2.0f, a, 300u);", "Power"),
        ("const uint32_t shape[2] = {9, 30}; ReduceMin<float, Pattern::Reduce::RA>(c, a, shape, true);", "ReduceMin"),
        ("MeanParams p; p.outter = 5; p.inner = 64; p.n = 60; Mean(c, a, p);", "Mean"),
        ("const uint32_t to[2] = {17, 16}, from[2] = {17, 1}; Broadcast<float, 2, 1>(c, a, to, from);", "Broadcast"),
        ("UnPadTiling p; p.srcHeight = 9; p.srcWidth = 32; UnPad(c, a, UnPadParams{0, 1}, p);", "UnPad"),
    ],
)
def test_more_than_a_tensor_has(checked: Checked, body: str, words: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, f"    {body} // here\n"))
    findings = result.of("buffer-bounds")
    assert findings and words in findings[0]["message"]
    assert findings[0]["here"]["line"] == result.line("here")


def test_filling_beyond_global_memory_of_the_kernel(checked: Checked) -> None:
    finding = checked.run(kernel(GLOBALS, "    Fill(gz, 4097, 1.0f); // here\n")).only("gm-bounds")
    assert "Fill" in finding["message"]
