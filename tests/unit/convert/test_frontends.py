"""Reading model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser

from opkg import plugins
from opkg.convert.frontends import read_model
from opkg.errors import ConvertError
from opkg.plugins.types import Frontend

TEXT = '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu(x) }'


def test_an_onnx_file_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    for name in ("model.onnx", "MODEL.ONNX", "model"):
        path = tmp_path / name
        path.write_bytes(parser.parse_model(TEXT).SerializeToString())
        assert read_model(path).graph.node[0].op_type == "Relu"


def with_external_data(folder: Path) -> Path:
    weights = numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, [4])],
        [helper.make_tensor_value_info("y", 1, [4])],
        [weights],
    )
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph), path, save_as_external_data=True, location="data.bin", size_threshold=0)
    return path


def test_external_data_is_read(tmp_path: Path) -> None:
    model = read_model(with_external_data(tmp_path))
    assert numpy_helper.to_array(model.graph.initializer[0]).tolist() == [0, 1, 2, 3]


def test_missing_external_data_is_named(tmp_path: Path) -> None:
    path = with_external_data(tmp_path)
    (tmp_path / "data.bin").unlink()
    with pytest.raises(ConvertError, match=r"external data that cannot be read: .*data\.bin"):
        read_model(path)


@pytest.mark.parametrize("content", [b"", b"\x00", b"not a model at all", b"\x08\x07"])
def test_what_is_not_a_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ConvertError, match=r"model\.onnx is not an ONNX model"):
        read_model(path)


def test_a_truncated_model(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(parser.parse_model(TEXT).SerializeToString()[:-9])
    with pytest.raises(ConvertError, match="is not an ONNX model, or is damaged"):
        read_model(path)


def test_missing_files_and_directories(tmp_path: Path) -> None:
    with pytest.raises(ConvertError, match="does not exist"):
        read_model(tmp_path / "no.onnx")
    with pytest.raises(ConvertError, match="is a directory"):
        read_model(tmp_path)


def test_a_plugins_frontend_reads_its_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> object:
        return parser.parse_model(path.read_text())

    monkeypatch.setattr(plugins, "collect", lambda hook: [("acme", Frontend("text", (".onnxtxt",), read))])
    path = tmp_path / "model.onnxtxt"
    path.write_text(TEXT)
    assert read_model(path).graph.node[0].op_type == "Relu"
    path.write_text("nonsense")
    with pytest.raises(ConvertError, match="the frontend 'text' failed on"):
        read_model(path)
