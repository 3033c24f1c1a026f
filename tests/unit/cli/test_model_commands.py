"""`opkg convert`, `run` and `inspect`, with an engine in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fake_engine import FakeOpen, engine
from onnx import parser

from opkg.cli import main
from opkg.runtime import engines

MODEL = """<ir_version: 8, opset_import: ["" : 17]> g (float[N, 4] x, float[4] b) => (float[N, 4] s, float[N, 4] d)
    { s = Add(x, b)  d = Sub(x, b) }"""


@pytest.fixture
def folder(offer_package: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(engines, "OPENVINO", engine(FakeOpen()))
    onnx.save(parser.parse_model(MODEL), tmp_path / "m.onnx")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_convert_says_what_it_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "m.onnx", "-o", "m.om", "--input-shape", "x:2,4"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "model:  m.om",
        "input:  x: float32[2,4]",
        "input:  b: float32[4]",
        "output: s: float32[2,4]",
        "output: d: float32[2,4]",
        "engine: fake",
    ]


def test_convert_as_json_and_under_the_models_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "m.onnx", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["output"], shown["engine"], shown["operators"], shown["refused"]) == ("m.om", "fake", [], [])
    assert shown["inputs"][0] == {"name": "x", "dtype": "float32", "shape": [-1, 4]}
    assert (folder / "m.om").is_file()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["m.onnx", "-o", "m.onnx"], 2, "the output m.onnx is the model itself"),
        (["m.onnx", "--input-shape", "x"], 2, "--input-shape: 'x' has no list of dimensions"),
        (["m.onnx", "--input-shape", "q:1"], 1, "the model has no input 'q'"),
        (["m.onnx", "--input-shape", "x:1,4,y:2"], 1, "separate them by a semicolon: 'x:1,4;y:1,8'"),
        (["no.onnx"], 1, "the model no.onnx does not exist"),
        (["m.onnx", "-o", "no/such/m.om"], 1, "no/such/m.om cannot be written: there is no folder no/such"),
        ([], 2, "required: MODEL"),
    ],
)
def test_convert_errors(
    folder: Path, words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", *words]) == code
    assert says in capsys.readouterr().err
    assert not (folder / "m.om").exists()


@pytest.fixture
def om(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["convert", "m.onnx", "--label", "seven"]) == 0
    np.save("x.npy", np.arange(8, dtype=np.float32).reshape(2, 4))
    np.ones(4, np.float32).tofile("b.bin")
    capsys.readouterr()
    return folder / "m.om"


def test_run_writes_every_output(om: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "m.om", "--input", "x=x.npy", "--input", "b=b.bin", "--output-dir", "out/here"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "s: float32[2,4] in out/here/s.npy",
        "d: float32[2,4] in out/here/d.npy",
    ]
    assert np.load("out/here/d.npy").tolist() == [[-1, 0, 1, 2], [3, 4, 5, 6]]


def test_run_as_json_without_files(om: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "m.om", "--input", "x=x.npy", "--input", "b=b.bin", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "outputs": [
            {"name": "s", "dtype": "float32", "shape": [2, 4]},
            {"name": "d", "dtype": "float32", "shape": [2, 4]},
        ]
    }


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--input", "x"], 2, "--input takes NAME=FILE, not 'x'"),
        (["--input", "x=x.npy", "--input", "x=x.npy"], 2, "--input gives 'x' twice"),
        (["--input", "x=x.npy"], 1, "the inputs do not fit the model; missing: b"),
        (["--input", "x=no.npy"], 1, "no.npy cannot be read: No such file or directory"),
        (["--input", "x.npy"], 2, "write it as --input x=x.npy"),
        (["--input", "x=both.npz"], 1, "give each input a .npy file"),
        (["--input", "b=odd.bin"], 1, "5 raw bytes are no whole number of float32"),
        (
            ["--input", "x=x.npy", "--input", "b=b.bin", "--output-dir", "x.npy/out"],
            1,
            "x.npy/out cannot be made: Not a directory\n  check the path, or name another place with --output-dir",
        ),
        (["--input", "x=bad.npy"], 1, "bad.npy does not hold an array for input 'x'"),
        (["--input", "b=odd.bin"], 1, "odd.bin does not hold an array for input 'b'"),
        (["--input", "q=b.bin"], 1, "the model has no input 'q'"),
    ],
)
def test_run_errors(om: Path, words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.npy").write_text("no array")
    Path("odd.bin").write_bytes(b"12345")
    np.savez("both.npz", x=np.zeros(1))
    assert main(["run", "m.om", *words]) == code
    assert says in capsys.readouterr().err


def test_raw_bytes_of_a_type_that_numpy_lacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ml_dtypes")
    text = '<ir_version: 8, opset_import: ["" : 17]> g (bfloat16[2] x) => (float[2] y) { y = Cast<to = 1>(x) }'
    onnx.save(parser.parse_model(text), "b.onnx")
    assert main(["convert", "b.onnx", "-o", "b.om"]) == 0
    Path("x.bin").write_bytes(bytes.fromhex("803f00c0"))
    assert main(["run", "b.om", "--input", "x=x.bin", "--output-dir", "out"]) == 0
    assert np.load("out/y.npy").tolist() == [1.0, -2.0]


def test_names_of_outputs_become_file_names(tmp_path: Path) -> None:
    from opkg.cli.run import _write

    arrays = dict.fromkeys(["a/b:0", "a_b:0", "../up", ""], np.zeros(1))
    files = _write(arrays, tmp_path / "out")
    assert [file.name for file in files.values()] == ["a_b_0.npy", "a_b_0_.npy", "_up.npy", "output.npy"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(file.name for file in files.values())


def test_inspect_an_offline_model(om: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "m.om"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["offline model m.om", "  label:   seven", "  engine:  fake", "  input:   x: float32[?,4]"]
    assert any(line.startswith("  section: graph, ") for line in lines)
    assert main(["inspect", "m.om", "--json", "--verify"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["label"], shown["operators"]) == ("offline model", "seven", [])
    names = [section["name"] for section in shown["sections"]]
    assert names == ["graph", "weights", "signature", "operators", "options", "label"]


def test_inspect_finds_damage(om: Path, capsys: pytest.CaptureFixture[str]) -> None:
    om.write_bytes(om.read_bytes().replace(b"Sub", b"Mul"))
    assert main(["inspect", "m.om"]) == 0
    assert main(["inspect", "m.om", "--verify"]) == 1
    assert "the checksum is wrong in section graph" in capsys.readouterr().err


def test_inspect_a_package(offer_package: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = offer_package([])
    assert main(["inspect", str(root)]) == 0
    out = capsys.readouterr().out
    assert "customize/pack 1.0.0" in out
    assert main(["inspect", str(root), "--verify"]) == 2
    assert "try 'opkg verify'" in capsys.readouterr().err


def test_inspect_what_is_neither(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("hello")
    assert main(["inspect", str(tmp_path / "text")]) == 2
    assert "neither a bundle, nor an offline model" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path / "no")]) == 2
    assert "does not exist" in capsys.readouterr().err
