"""The demo reads its line of text, with 28 custom operators in a real model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import parser

DEMO = Path(__file__).parents[2] / "examples" / "ocr_demo"

pytestmark = pytest.mark.slow


def test_the_demo_reads_its_line(tmp_path: Path) -> None:
    # A clone of opkg, where it is not built: what is imported is the installed one.
    source = tmp_path / "clone" / "opkg"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("raise RuntimeError('this is not the installed opkg')")
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    environment = os.environ | home | {"XDG_CACHE_HOME": cache, "OPKG_NO_PLUGINS": "1"}
    done = subprocess.run(
        [sys.executable, str(DEMO / "demo.py"), "--text", "opkg 42: read me!", "--work", str(tmp_path / "work dir")],
        cwd=source.parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "text: opkg 42: read me!" in done.stdout
    assert "custom calls: 28" in done.stdout
    difference = re.search(r"largest difference from ONNX Runtime: (\S+)", done.stdout)
    assert difference is not None
    assert float(difference.group(1)) <= 1e-4


@pytest.fixture
def hard_swish(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(DEMO))
    import hard_swish

    return hard_swish


def model(body: str) -> onnx.ModelProto:
    constants = "<float three = {3.0}, float zero = {0.0}, float six = {6.0}, float five = {5.0}>"
    text = f'<ir_version: 8, opset_import: ["" : 13]> g (float[N] x) => (float[N] y) {constants} {{ {body} }}'
    return parser.parse_model(text)


@pytest.mark.parametrize("add", ["x, three", "three, x"])
@pytest.mark.parametrize("mul", ["x, c", "c, x"])
def test_every_order_of_operands_is_a_hard_swish(hard_swish: object, add: str, mul: str) -> None:
    proto = model(f"a = Add({add}) c = Clip(a, zero, six) m = Mul({mul}) d = Div(m, six) y = Neg(d)")
    assert hard_swish.replace_hard_swish(proto) == 1  # type: ignore[attr-defined]
    assert [(n.domain, n.op_type, *n.input) for n in proto.graph.node] == [
        ("customize", "HardSwish", "x"),
        ("", "Neg", "d"),
    ]
    assert [(o.domain, o.version) for o in proto.opset_import] == [("", 13), ("customize", 1)]


@pytest.mark.parametrize(
    "body",
    [
        "a = Add(x, five) c = Clip(a, zero, six) m = Mul(x, c) y = Div(m, six)",
        "a = Add(x, three) c = Clip(a, zero, five) m = Mul(x, c) y = Div(m, six)",
        "a = Add(x, three) c = Clip(a, zero, six) m = Mul(x, c) y = Div(m, five)",
        "a = Add(x, three) c = Clip(a, zero, six) m = Mul(a, c) y = Div(m, six)",
        "a = Add(x, three) c = Clip(a, zero, six) m = Mul(x, c) d = Div(m, six) y = Add(d, m)",
    ],
)
def test_what_only_looks_like_one_stays(hard_swish: object, body: str) -> None:
    proto = model(body)
    before = proto.SerializeToString()
    assert hard_swish.replace_hard_swish(proto) == 0  # type: ignore[attr-defined]
    assert proto.SerializeToString() == before


def test_a_replaced_model_means_the_same(hard_swish: object) -> None:
    proto = model("a = Add(x, three) c = Clip(a, zero, six) m = Mul(x, c) y = Div(m, six)")
    x = np.linspace(-5, 5, 41, dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, {"x": x})
    hard_swish.replace_hard_swish(proto)  # type: ignore[attr-defined]
    proto.graph.node[0].domain = ""  # ONNX's own operator of that name
    proto.opset_import[0].version = 14
    del proto.opset_import[1:]
    (found,) = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, {"x": x})
    assert np.allclose(found, expected, atol=1e-6)
