"""Softmax, normalisation, activation and quantization say their operands to the checker."""

from __future__ import annotations

import pytest
from check_harness import Checked
from test_defects import BUFFERS, GLOBALS, LOAD, kernel

LENGTHS = "t.bLength = 2; t.sLength = 2; t.hLength = 64; t.originalHLength = 64;"
# Each call reads a (256 floats, loaded) and writes c; b is there for whatever else it wants.
CALLS = {
    "Gelu": "Gelu(c, a, b.ReinterpretCast<uint8_t>(), 256u);",
    "SwiGLU": "SwiGLU(c, a, a, 1.0f, 256u);",
    "Silu": "Silu(c, a, 256u);",
    "SoftMax": "SoftMaxTiling t{}; SoftMax<float>(c, a, t, {4, 64, 4, 60});",
    "SoftmaxFlashV2": "SoftMaxTiling t{};\n"
    "    SoftmaxFlashV2<float>(c, b, b[32], a, b[64], b, b[32], t, {4, 64, 4, 64});",
    "SoftmaxGrad": "SoftMaxTiling t{}; SoftmaxGrad<float>(c, a, a, t, false, {4, 64, 4, 64});",
    "LayerNorm": f"LayerNormTiling t{{}}; {LENGTHS} LayerNorm<float>(c, b, b[32], a, a, a, 0.1f, t);",
    "RmsNorm": f"RmsNormTiling t{{}}; {LENGTHS} RmsNorm<float>(c, a, a, 0.1f, t);",
    "AscendQuant": "AscendQuant<float>(c.ReinterpretCast<int8_t>(), a, 1.0f, 0.0f, 256u);",
    "AscendDequant": "AscendDequant(c, a.ReinterpretCast<int32_t>(), a, {4, 64, 60});",
}
SOME = ["Gelu", "SoftMax", "RmsNorm", "AscendDequant"]


def call(name: str) -> str:
    return f"    {CALLS[name]} // here\n"


def test_correct_calls_give_no_finding(checked: Checked) -> None:
    store = "    SetFlag<HardEvent::V_MTE3>(0);\n    WaitFlag<HardEvent::V_MTE3>(0);\n    DataCopy(gz, c, 8);\n"
    again = "    PipeBarrier<PIPE_ALL>();\n"
    calls = (f"    {{\n{LOAD}{call(name)}{store}{again}    }}\n" for name in CALLS)
    assert checked.run(kernel(GLOBALS, BUFFERS, *calls)).findings == []


@pytest.mark.parametrize("name", SOME)
def test_sources_that_nothing_has_written(checked: Checked, name: str) -> None:
    findings = checked.run(kernel(GLOBALS, BUFFERS, call(name))).of("uninitialised")
    assert findings and f"{name} reads" in findings[0]["message"]


@pytest.mark.parametrize("name", SOME)
def test_loads_that_are_not_waited_for(checked: Checked, name: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, "    DataCopy(a, gx, 256); // there\n", call(name)))
    findings = result.of("missing-sync")
    assert findings and findings[0]["missing"].startswith("SetFlag/WaitFlag<HardEvent::MTE2_V>")
    assert findings[0]["there"]["line"] == result.line("there")


@pytest.mark.parametrize("name", SOME)
def test_results_that_are_stored_too_early(checked: Checked, name: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, call(name), "    DataCopy(gz, c, 8); // there\n"))
    finding = result.only("missing-sync")
    assert finding["missing"].startswith("SetFlag/WaitFlag<HardEvent::V_MTE3>")
    assert finding["here"]["line"] == result.line("there")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("Sigmoid(c, a, 257u);", "Sigmoid"),
        ("SoftMaxTiling t{}; SoftMax<float>(c, a, t, {5, 64, 5, 64});", "SoftMax"),
        ("SoftMaxTiling t{}; SoftMax<float>(c, b[240], b, a, t, {4, 64, 4, 64});", "SoftMax"),
        (
            f"LayerNormTiling t{{}}; {LENGTHS} t.bLength = 3; LayerNorm<float>(c, b, b[32], a, a, a, 0.1f, t);",
            "LayerNorm",
        ),
        ("AscendDequant(c, a.ReinterpretCast<int32_t>(), a, {5, 64, 60});", "AscendDequant"),
    ],
)
def test_more_than_a_tensor_has(checked: Checked, body: str, name: str) -> None:
    result = checked.run(kernel(GLOBALS, BUFFERS, LOAD, f"    {body} // here\n"))
    findings = result.of("buffer-bounds")
    assert findings and name in findings[0]["message"]
    assert findings[0]["here"]["line"] == result.line("here")
