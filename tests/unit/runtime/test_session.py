"""Converting and loading offline models, with an engine in Python."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fake_engine import FakeOpen, engine
from onnx import helper, numpy_helper, parser

import opkg
from opkg import plugins
from opkg.convert import convert
from opkg.convert.api import choose_engine
from opkg.errors import ConvertError, ModelError, NotFoundError, RunError
from opkg.opinfo import OpInfo, Param
from opkg.plugins.types import Engine, NodeConverter
from opkg.registry import open_registry
from opkg.runtime import TensorInfo, cache, engines
from opkg.runtime.om import read_om, write_om
from opkg.runtime.operators import OperatorSpec, bind_operators

WEIGHTS = np.arange(1000, dtype=np.float32)


def save(folder: Path) -> Path:
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, ["N", 1000])],
        [helper.make_tensor_value_info("y", 1, ["N", 1000])],
        [numpy_helper.from_array(WEIGHTS, "w")],
    )
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.fixture
def opened(offer_package: Any, monkeypatch: pytest.MonkeyPatch) -> FakeOpen:
    opener = FakeOpen()
    monkeypatch.setattr(engines, "OPENVINO", engine(opener))
    return opener


@pytest.fixture
def om(opened: FakeOpen, tmp_path: Path) -> Path:
    convert(save(tmp_path), tmp_path / "model.om", label="v7")
    opened.log.clear()
    return tmp_path / "model.om"


def test_conversion_says_what_it_made(opened: FakeOpen, tmp_path: Path) -> None:
    result = convert(save(tmp_path), tmp_path / "model.om", input_shapes={"x": (2, 1000)})
    assert result.output == tmp_path / "model.om"
    assert result.inputs == (TensorInfo("x", "float32", (2, 1000)),)
    assert [str(info) for info in result.outputs] == ["y: float32[2,1000]"]
    assert (result.engine, result.operators, result.refused) == ("fake", (), ())


def test_the_same_conversion_gives_the_same_bytes(om: Path, tmp_path: Path) -> None:
    again = convert(tmp_path / "model.onnx", tmp_path / "again.om", label="v7").output
    assert again.read_bytes() == om.read_bytes()


def test_weights_stand_in_their_section(om: Path) -> None:
    with read_om(om) as file:
        assert bytes(file.section("weights")) == WEIGHTS.tobytes()
        assert len(file.section("graph")) < 500
        assert bytes(file.section("label")) == b"v7"
        assert json.loads(bytes(file.section("options")))["opkg"] == opkg.__version__


def test_options_are_kept_whatever_they_were_given_as(opened: FakeOpen, tmp_path: Path) -> None:
    convert(save(tmp_path), tmp_path / "model.om", prefer=iter(["Sub", "Mul"]))
    with read_om(tmp_path / "model.om") as file:
        assert json.loads(bytes(file.section("options")))["prefer"] == ["Mul", "Sub"]


def test_what_a_converter_makes_for_nothing_is_not_in_the_model(
    opened: FakeOpen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proto = parser.parse_model('<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]> '
                               "agraph (float[2] x) => (float[2] y) { y = com.acme.Both(x) }")  # fmt: skip
    onnx.save(proto, tmp_path / "model.onnx")

    def both(node: onnx.NodeProto) -> list[onnx.NodeProto]:
        return [helper.make_node("Neg", ["x"], list(node.output)), helper.make_node("Abs", ["x"], ["aside"])]

    converter = NodeConverter("acme", both)
    monkeypatch.setattr(plugins, "first", lambda hook, query: ("acme", converter))
    model = opkg.load(convert(tmp_path / "model.onnx", tmp_path / "model.om").output)
    with read_om(tmp_path / "model.om") as file:
        graph = onnx.ModelProto.FromString(bytes(file.section("graph"))).graph
    assert [node.op_type for node in graph.node] == ["Neg"]
    assert model.run({"x": np.ones(2, np.float32)})["y"].tolist() == [-1, -1]


def test_a_loaded_model_runs(om: Path) -> None:
    model = opkg.load(om)
    assert model.inputs == (TensorInfo("x", "float32", (-1, 1000)),)
    assert repr(model) == "Model(x: float32[?,1000] -> y: float32[?,1000])"
    (y,) = model.run({"x": np.ones((3, 1000), np.float32)}).values()
    assert np.array_equal(y, np.tile(WEIGHTS + 1, (3, 1)))


def test_loading_takes_the_compiled_form_from_the_cache(om: Path, opened: FakeOpen) -> None:
    opkg.load(om)
    opkg.load(str(om))
    assert opened.log == ["import", "import"]


def test_another_engine_version_compiles_again(om: Path, opened: FakeOpen) -> None:
    opened.version = "2"
    opkg.load(om)
    opkg.load(om)
    assert opened.log == ["compile", "import"]


def test_a_compiled_form_that_does_not_fit_is_made_again(om: Path, opened: FakeOpen) -> None:
    (entry,) = cache.blob_dir().iterdir()
    cache.keep_blob(entry.stem, b"something else")
    opkg.load(om)
    opkg.load(om)
    assert opened.log == ["import", "compile", "import"]


def test_without_a_cache_every_load_compiles(om: Path, opened: FakeOpen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_CACHE_MB", "0")
    for entry in cache.blob_dir().iterdir():
        entry.unlink()
    opkg.load(om)
    opkg.load(om)
    assert opened.log == ["compile", "compile"]
    assert list(cache.blob_dir().iterdir()) == []


def test_an_engine_without_an_identity_is_never_cached(om: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    def opener(graph: bytes, operators: Any) -> Any:
        log.append("compile")
        return FakeOpen()(graph, operators)

    monkeypatch.setattr(engines, "OPENVINO", engine(opener))
    opkg.load(om)
    opkg.load(om)
    assert log == ["compile", "compile"]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({}, "the inputs do not fit the model; missing: x"),
        ({"q": np.zeros(1)}, "the inputs do not fit the model; missing: x; unknown: q"),
        ({"x": np.zeros((1, 1000), np.float32), "q": 1}, "the inputs do not fit the model; unknown: q"),
        ({"x": np.zeros((1, 1000))}, "input 'x' has dtype float64; the model takes x: float32[?,1000]"),
        ({"x": np.zeros((1, 5), np.float32)}, "input 'x' has shape [1, 5]; the model takes x: float32[?,1000]"),
        ({"x": np.zeros(1000, np.float32)}, "input 'x' has shape [1000]; the model takes x: float32[?,1000]"),
    ],
)
def test_inputs_that_do_not_fit(om: Path, inputs: dict[str, Any], says: str) -> None:
    with pytest.raises(RunError) as error:
        opkg.load(om).run(inputs)
    assert error.value.message == says


def test_inputs_of_any_layout(om: Path) -> None:
    x = np.asfortranarray(np.arange(2000, dtype=np.float32).reshape(2, 1000))
    assert np.array_equal(opkg.load(om).run({"x": x})["y"], x + WEIGHTS)
    swapped = x.astype(">f4")
    with pytest.raises(RunError, match="dtype >f4"):
        opkg.load(om).run({"x": swapped})


def test_any_thread_may_run_a_model(om: Path) -> None:
    model = opkg.load(om)
    wrong: list[int] = []

    def work(seed: int) -> None:
        x = np.full((1, 1000), seed, np.float32)
        if not np.array_equal(model.run({"x": x})["y"], x + WEIGHTS):
            wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_model_of_an_engine_that_is_not_here(om: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "OPENVINO", engine(FakeOpen(), name="other"))
    with pytest.raises(ModelError, match="converted for the engine 'fake', which is not here"):
        opkg.load(om)


def rewritten(om: Path, **sections: bytes) -> Path:
    """The same model with other content in some sections, and checksums that are right."""
    with read_om(om) as file:
        kept = {name: bytes(file.section(name)) for name in file.sections}
    return write_om(om.with_name("rewritten.om"), kept | sections)


def test_a_signature_that_does_not_fit_the_graph(om: Path) -> None:
    signature = {"inputs": [], "outputs": [], "engine": "fake"}
    with pytest.raises(ModelError, match="its signature does not fit its graph"):
        opkg.load(rewritten(om, signature=json.dumps(signature).encode()))
    signature["inputs"] = [{"name": "x", "dtype": "float33", "shape": []}]  # type: ignore[list-item]
    with pytest.raises(ModelError, match="'float33' is no data type"):
        opkg.load(rewritten(om, signature=json.dumps(signature).encode()))


def test_a_graph_that_is_none(om: Path) -> None:
    with pytest.raises(ModelError, match="its graph cannot be read"):
        opkg.load(rewritten(om, graph=b"no graph"))


def test_weights_that_are_too_short(om: Path) -> None:
    with pytest.raises(ModelError, match="outside of the section 'weights'"):
        opkg.load(rewritten(om, weights=bytes(3999)))


@pytest.mark.parametrize("section", ["signature", "operators"])
@pytest.mark.parametrize("content", [b"", b"[1]", b'{"inputs": 3}', b"\xff"])
def test_sections_that_do_not_read(om: Path, section: str, content: bytes) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        opkg.load(rewritten(om, **{section: content}))


def test_the_first_engine_that_refuses_nothing_is_taken() -> None:
    proto = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[N] y) {y = Neg(x)}')
    picky = engine(None, "picky", ["it narrows int64"])
    taken, reasons = choose_engine(proto, [], [picky, engine(None, "easy")])
    assert (taken.name, reasons) == ("easy", ["picky: it narrows int64"])
    with pytest.raises(ConvertError, match="picky: it narrows int64") as error:
        choose_engine(proto, [], [picky])
    assert error.value.code == "OPKG-8103"


def operator(op_type: str) -> OpInfo:
    param = Param("x", "required", ("float32",), ("ND",))
    return OpInfo(op_type, (param,), (Param("y", "required", ("float32",), ("ND",)),))


def spec_of(package: Path, digest: str = "", version: str = "1.0.0") -> OperatorSpec:
    import hashlib

    own = hashlib.sha256((package / "opkg-package.json").read_bytes()).hexdigest()
    return OperatorSpec("customize", operator("Square"), "customize", "pack", version, digest or own)


def test_the_very_package_of_the_conversion_is_preferred(offer_package: Any) -> None:
    offer_package([operator("Square")], version="2.0.0")
    package = offer_package([operator("Square")])
    (bound,) = bind_operators([spec_of(package)], open_registry())
    assert (bound.package_root, bound.host_library) == (package, package / "host.so")
    assert bound.key == f"customize/pack/Square/{bound.digest[:16]}"


def test_another_build_of_the_same_version_is_a_warning(offer_package: Any, capsys: pytest.CaptureFixture[str]) -> None:
    package = offer_package([operator("Square")])
    (bound,) = bind_operators([spec_of(package, "0" * 64)], open_registry())
    assert bound.package_root == package
    assert "Square of customize/pack 1.0.0 is another build" in capsys.readouterr().err


def test_what_is_missing_is_said_with_everything_that_was_looked_at(offer_package: Any) -> None:
    package = offer_package([operator("Square")])
    with pytest.raises(NotFoundError) as error:
        bind_operators([spec_of(package, "0" * 64, "9.0.0")], open_registry())
    assert "Square of customize/pack 9.0.0 (found: customize/pack 1.0.0)" in error.value.message
    assert str(package) in error.value.message
    assert error.value.hint.startswith("install customize/pack 9.0.0")


def test_a_package_that_cannot_run_here_does_not_count(offer_package: Any) -> None:
    package = offer_package([operator("Square")])
    spec = spec_of(package)
    (package / "host.so").unlink()
    with pytest.raises(NotFoundError, match="its host library is missing"):
        bind_operators([spec], open_registry())


def test_an_operator_that_changed_its_interface_is_not_the_same(offer_package: Any) -> None:
    offer_package([operator("Square")])
    other = OpInfo("Square", operator("Square").inputs * 2, operator("Square").outputs)
    spec = OperatorSpec("customize", other, "customize", "pack", "1.0.0", "0" * 64)
    with pytest.raises(NotFoundError):
        bind_operators([spec], open_registry())


def test_engines_are_opkgs_own_and_those_of_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    from opkg import plugins

    extra = Engine("extra", lambda model, operators: [], FakeOpen())
    monkeypatch.setattr(plugins, "collect", lambda hook: [("dist", extra)] if hook == "opkg_engines" else [])
    assert [e.name for e in engines.engines()] == [engines.OPENVINO.name, "extra"]
    assert engines.engine_named("extra") is extra
