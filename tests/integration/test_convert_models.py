"""Models with operators of a built package: converted, loaded and run, against values that are computed here."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import opkg
from opkg.build import build_project
from opkg.cli import main
from opkg.convert import MissingOperatorsError, convert
from opkg.errors import ConvertError, NotFoundError, RunError
from opkg.store import Root

PROJECT = Path(__file__).parents[1] / "data" / "projects" / "model_ops"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An install root with the package `model_ops`."""
    folder = tmp_path_factory.mktemp("model ops")
    project = folder / "project"
    shutil.copytree(PROJECT, project)
    built = build_project(project, pkg=True, log=lambda line: None)
    assert built.bundle is not None
    Root(folder / "root").install(built.bundle)
    return folder / "root"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ASCEND_CUSTOM_OPP_PATH", raising=False)
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


Shape = Sequence[int | str]


def save(
    folder: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[int, Shape]],
    outputs: dict[str, tuple[int, Shape | None]],
    initializers: Sequence[TensorProto] = (),
) -> Path:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(name, dtype, shape) for name, (dtype, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, dtype, shape) for name, (dtype, shape) in outputs.items()],
        list(initializers),
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("customize", 1)]
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def custom(op_type: str, inputs: list[str], outputs: list[str], **attrs: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, inputs, outputs, name=f"the_{op_type}", domain="customize", **attrs)


def loaded(path: Path, root: Path, **options: Any) -> opkg.runtime.Model:
    result = convert(path, path.with_suffix(".om"), install_path=root, **options)
    return opkg.load(result.output, install_path=root)


FLOAT, HALF = TensorProto.FLOAT, TensorProto.FLOAT16


def test_attributes_of_every_kind(root: Path, tmp_path: Path) -> None:
    attrs: dict[str, Any] = {"factor": 2.0, "shift": 1, "negate": 1, "mode": "double", "steps": [1, 2]}
    attrs |= {"weights": [0.5, 0.25], "flags": [1, 0, 1], "table": "[[1, 2], [3]]"}
    path = save(tmp_path, [custom("ScaleBias", ["x"], ["y"], **attrs)], {"x": (FLOAT, [2, 3])}, {"y": (FLOAT, [2, 3])})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = loaded(path, root).run({"x": x})["y"]
    assert np.array_equal(y, x * -4 + 1 + 10 * 3 + 100 * 0.75 + 1000 * 2 + (1 + 2) + 2 * 3)


@pytest.mark.parametrize("dtype", [FLOAT, HALF, TensorProto.INT32, TensorProto.INT8])
@pytest.mark.parametrize("given", [True, False])
def test_optional_inputs_in_every_type_the_engine_carries(root: Path, tmp_path: Path, dtype: int, given: bool) -> None:
    numpy_type = helper.tensor_dtype_to_np_dtype(dtype)
    node = custom("ScaleBias", ["x", "b" if given else ""], ["y"], shift=3)
    inputs: dict[str, tuple[int, Shape]] = {"x": (dtype, [8])} | ({"b": (dtype, [8])} if given else {})
    x = np.array([-128, -1, 0, 1, 2, 3, 100, 120], numpy_type)
    b = np.arange(8).astype(numpy_type)
    arrays = {"x": x, "b": b} if given else {"x": x}
    y = loaded(save(tmp_path, [node], inputs, {"y": (dtype, [8])}), root).run(arrays)["y"]
    expected = x.astype(np.float64) + 3 + (b if given else 0)
    assert y.dtype == numpy_type
    assert np.array_equal(y, np.where(expected > 127, y, expected).astype(numpy_type))


def test_several_outputs_between_standard_nodes(root: Path, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "two"], ["doubled"]),
        custom("TopCount", ["doubled"], ["largest", "count"], threshold=1.0),
        helper.make_node("Neg", ["largest"], ["n"]),
        helper.make_node("Add", ["count", "count"], ["c"]),
    ]
    two = numpy_helper.from_array(np.float32(2), "two")
    outputs: dict[str, tuple[int, Shape | None]] = {"n": (FLOAT, ["N"]), "c": (TensorProto.INT32, ["N"])}
    model = loaded(save(tmp_path, nodes, {"x": (FLOAT, ["N", 3])}, outputs, [two]), root)
    assert [str(info) for info in model.inputs] == ["x: float32[?,3]"]
    for rows in (1, 4):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        found = model.run({"x": x})
        assert np.array_equal(found["n"], -(2 * x).max(axis=1))
        assert np.array_equal(found["c"], 2 * (2 * x > 1).sum(axis=1))
        assert found["c"].dtype == np.int32


def test_an_unused_output(root: Path, tmp_path: Path) -> None:
    nodes = [custom("TopCount", ["x"], ["", "count"], threshold=0.0)]
    path = save(tmp_path, nodes, {"x": (FLOAT, [2, 2])}, {"count": (TensorProto.INT32, [2])})
    x = np.array([[1, -1], [2, 3]], np.float32)
    with pytest.raises(ConvertError, match="has no output 'largest', which is required"):
        loaded(path, root)
    nodes[0].output[0] = "unused"
    path = save(tmp_path, nodes, {"x": (FLOAT, [2, 2])}, {"count": (TensorProto.INT32, [2])})
    assert loaded(path, root).run({"x": x})["count"].tolist() == [1, 2]


def test_shapes_that_depend_on_data(root: Path, tmp_path: Path) -> None:
    nodes = [
        custom("NonZeroCustom", ["x"], ["positions"]),
        helper.make_node("Cast", ["positions"], ["p"], to=FLOAT),
        custom("ScaleBias", ["p"], ["y"], shift=1),
    ]
    model = loaded(save(tmp_path, nodes, {"x": (FLOAT, ["N"])}, {"y": (FLOAT, ["M"])}), root)
    for values in ([0, 5, 0, 7], [0, 0], [1], []):
        x = np.array(values, np.float32)
        assert model.run({"x": x})["y"].tolist() == (np.flatnonzero(x) + 1).tolist()


def test_dynamic_inputs_and_shapes_from_values(root: Path, tmp_path: Path) -> None:
    inputs: dict[str, tuple[int, Shape]] = {"a": (FLOAT, ["A"]), "b": (FLOAT, ["B"]), "rows": (TensorProto.INT32, [])}
    node = custom("JoinAll", ["a", "b", "a", "rows"], ["y"])
    model = loaded(save(tmp_path, [node], inputs, {"y": (FLOAT, ["R", "L"])}), root)
    for sizes, rows in (((2, 3), 2), ((1, 0), 1), ((2, 3), 3)):
        a, b = (np.arange(n, dtype=np.float32) + n for n in sizes)
        y = model.run({"a": a, "b": b, "rows": np.array(rows, np.int32)})["y"]
        assert y.tolist() == [[*a, *b, *a]] * rows


def test_nodes_in_branches(root: Path, tmp_path: Path) -> None:
    def branch(name: str, shift: int) -> onnx.GraphProto:
        node = custom("ScaleBias", ["x"], [name], shift=shift)
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(name, FLOAT, ["N"])])

    choice = helper.make_node("If", ["c"], ["y"], then_branch=branch("then", 10), else_branch=branch("else", 20))
    path = save(tmp_path, [choice], {"c": (TensorProto.BOOL, []), "x": (FLOAT, ["N"])}, {"y": (FLOAT, ["N"])})
    model = loaded(path, root)
    x = np.ones(2, np.float32)
    assert model.run({"c": np.array(True), "x": x})["y"].tolist() == [11, 11]
    assert model.run({"c": np.array(False), "x": x})["y"].tolist() == [21, 21]


def test_large_weights_and_static_shapes(root: Path, tmp_path: Path) -> None:
    weights = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        custom("ScaleBias", ["m"], ["s"], factor=0.5),
        helper.make_node("Constant", [], ["k"], value=numpy_helper.from_array(weights)),
        helper.make_node("MatMul", ["s", "k"], ["y"]),
    ]
    path = save(
        tmp_path, nodes, {"x": (FLOAT, ["N", 64])}, {"y": (FLOAT, ["N", 64])}, [numpy_helper.from_array(weights, "w")]
    )
    model = loaded(path, root, input_shapes={"x": (3, 64)})
    assert model.inputs[0].shape == model.outputs[0].shape == (3, 64)
    x = np.random.default_rng(2).standard_normal((3, 64)).astype(np.float32)
    expected = (x.astype(np.float64) @ weights / 2) @ weights
    assert np.allclose(model.run({"x": x})["y"], expected, rtol=1e-5, atol=1e-4)
    with pytest.raises(RunError, match=r"input 'x' has shape \[2, 64\]; the model takes x: float32\[3,64\]"):
        model.run({"x": x[:2]})
    assert path.with_suffix(".om").stat().st_size < 2 * weights.nbytes


def test_the_second_load_gives_the_same_from_the_cache(root: Path, tmp_path: Path) -> None:
    path = save(tmp_path, [custom("ScaleBias", ["x"], ["y"], shift=5)], {"x": (HALF, ["N"])}, {"y": (HALF, ["N"])})
    first = loaded(path, root)
    again = opkg.load(path.with_suffix(".om"), install_path=root)
    x = np.array([0.5, 1.5], np.float16)
    assert first.run({"x": x})["y"].tolist() == again.run({"x": x})["y"].tolist() == [5.5, 6.5]
    assert [node.op_type for node in again.custom_nodes] == ["ScaleBias"]
    (entry,) = (tmp_path / "cache" / "opkg" / "models").iterdir()
    entry.write_bytes(entry.read_bytes()[:-1000])
    assert opkg.load(path.with_suffix(".om"), install_path=root).run({"x": x})["y"].tolist() == [5.5, 6.5]


def test_values_that_the_engine_would_narrow_are_refused(root: Path, tmp_path: Path) -> None:
    path = save(
        tmp_path,
        [custom("ScaleBias", ["x"], ["y"])],
        {"x": (TensorProto.INT64, [2])},
        {"y": (TensorProto.INT64, [2])},
    )
    with pytest.raises(ConvertError) as error:
        convert(path, tmp_path / "model.om", install_path=root)
    assert "node 'the_ScaleBias' (customize::ScaleBias) takes or gives int64, which OpenVINO narrows" in str(
        error.value
    )
    assert error.value.code == "OPKG-8103"
    assert not (tmp_path / "model.om").exists()


def test_inputs_that_the_engine_would_narrow_are_refused_when_the_model_runs(root: Path, tmp_path: Path) -> None:
    nodes = [helper.make_node("Identity", ["i"], ["j"]), custom("ScaleBias", ["x"], ["y"])]
    inputs: dict[str, tuple[int, Shape]] = {"x": (FLOAT, [2]), "i": (TensorProto.INT64, ["N"])}
    outputs: dict[str, tuple[int, Shape | None]] = {"y": (FLOAT, [2]), "j": (TensorProto.INT64, ["N"])}
    model = loaded(save(tmp_path, nodes, inputs, outputs), root)
    x = np.ones(2, np.float32)
    for values in ([], [-(2**31), 2**31 - 1]):
        assert model.run({"x": x, "i": np.array(values, np.int64)})["j"].tolist() == values
    for value in (2**31, -(2**31) - 1, 2**62):
        with pytest.raises(RunError, match=f"input 'i' has the value {value}; the model's engine takes int64 from"):
            model.run({"x": x, "i": np.array([0, value], np.int64)})


def test_int64_around_custom_nodes_is_no_obstacle(root: Path, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Reshape", ["x", "s"], ["r"]),
        custom("ScaleBias", ["r"], ["y"]),
    ]
    model = loaded(save(tmp_path, nodes, {"x": (FLOAT, ["N"])}, {"y": (FLOAT, ["N"])}), root)
    assert model.run({"x": np.ones(3, np.float32)})["y"].tolist() == [1, 1, 1]


def test_columns_that_do_not_fit_are_shown(root: Path, tmp_path: Path) -> None:
    node = custom("TopCount", ["x"], ["a", "b"], threshold=0.0)
    path = save(tmp_path, [node], {"x": (TensorProto.DOUBLE, [2])}, {"a": (TensorProto.DOUBLE, None)})
    with pytest.raises(ConvertError) as error:
        convert(path, tmp_path / "model.om", install_path=root)
    assert error.value.message == (
        "node 'the_TopCount' (customize::TopCount) takes (double), and the operator has no such column; "
        "for x it has: float32; float16"
    )


def test_all_that_is_wrong_is_said_at_once(root: Path, tmp_path: Path) -> None:
    nodes = [custom("TopCount", ["x"], ["a", "b"], top=1), custom("ScaleBias", [], ["c"], shift=1.5)]
    path = save(tmp_path, nodes, {"x": (FLOAT, [2])}, {"a": (FLOAT, None), "c": (FLOAT, None)})
    with pytest.raises(ConvertError) as error:
        convert(path, tmp_path / "model.om", install_path=root)
    for words in ("attribute 'top'", "'threshold', which is required", "no input 'x'", "'shift' is an integer"):
        assert words in error.value.message


def test_a_missing_operator_is_named_with_its_nodes_and_places(root: Path, tmp_path: Path) -> None:
    nodes = [custom("NoSuch", ["x"], ["a"]), custom("NoSuch", ["a"], ["y"])]
    nodes[1].name = "second"
    path = save(tmp_path, nodes, {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})
    with pytest.raises(MissingOperatorsError, match=r"customize::1::NoSuch \(nodes the_NoSuch, second\)") as error:
        convert(path, tmp_path / "model.om", install_path=root)
    assert str(root) in error.value.message


def test_a_standard_operator_that_the_engine_lacks_is_named(root: Path, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "x"], ["s"], name="make"),
        helper.make_node(
            "SequenceMap",
            ["s"],
            ["m"],
            name="map",
            body=helper.make_graph(
                [helper.make_node("Neg", ["e"], ["n"])],
                "body",
                [helper.make_tensor_value_info("e", FLOAT, [2])],
                [helper.make_tensor_value_info("n", FLOAT, [2])],
            ),
        ),
        helper.make_node("SequenceAt", ["m", "zero"], ["y"], name="at"),
    ]
    zero = numpy_helper.from_array(np.int64(0), "zero")
    path = save(tmp_path, nodes, {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])}, [zero])
    with pytest.raises(ConvertError, match="SequenceMap"):
        convert(path, tmp_path / "model.om", install_path=root)


def test_a_model_whose_package_is_gone_says_what_to_install(root: Path, tmp_path: Path) -> None:
    path = save(tmp_path, [custom("ScaleBias", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})
    convert(path, tmp_path / "model.om", install_path=root)
    with pytest.raises(NotFoundError) as error:
        opkg.load(tmp_path / "model.om", install_path=tmp_path / "empty")
    assert "ScaleBias of customize/model_ops 1.0.0" in error.value.message
    assert error.value.hint.startswith("install customize/model_ops 1.0.0")


def test_commands_from_model_to_output(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path, [custom("ScaleBias", ["x"], ["y"], shift=1)], {"x": (FLOAT, ["N"])}, {"y": (FLOAT, ["N"])})
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.array([1, 2], np.float32))
    where = ["--install-path", str(root)]
    assert main(["convert", "model.onnx", "-o", "model.om", "--input-shape", "x=2", *where]) == 0
    assert "operator: ScaleBias of customize/model_ops 1.0.0, nodes: 1" in capsys.readouterr().out
    assert main(["run", "model.om", "--input", "x=x.npy", "--output-dir", "out", *where]) == 0
    assert np.load("out/y.npy").tolist() == [2, 3]
    capsys.readouterr()
    assert main(["inspect", "model.om"]) == 0
    assert "operator: ScaleBias of customize/model_ops 1.0.0, nodes: 1" in capsys.readouterr().out


def test_inputs_and_outputs_that_no_node_makes_or_takes(root: Path, tmp_path: Path) -> None:
    """Also checks that a value which an engine knows by another name keeps its own."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Reshape", ["x", "s"], ["r"]),
        helper.make_node("Neg", ["r"], ["y"]),
        custom("ScaleBias", ["unused"], ["dead"]),
    ]
    inputs: dict[str, tuple[int, Shape]] = {"unused": (FLOAT, ["M"]), "x": (FLOAT, ["N"]), "z": (FLOAT, [1])}
    outputs: dict[str, tuple[int, Shape | None]] = {"z": (FLOAT, [1]), "y": (FLOAT, ["N"])}
    model = loaded(save(tmp_path, nodes, inputs, outputs), root)
    assert [(info.name, info.used) for info in model.inputs] == [("unused", False), ("x", True), ("z", True)]
    assert (model.operators, model.custom_nodes) == ((), ())
    one = np.ones(1, np.float32)
    found = model.run({"x": np.array([1, 2], np.float32), "unused": np.zeros(7, np.float32), "z": one})
    assert {name: array.tolist() for name, array in found.items()} == {"z": [1], "y": [-1, -2]}


def test_every_unknown_standard_operator_is_named_with_its_nodes(root: Path, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Scaler", ["x"], ["a"], name="first", domain="ai.onnx.ml", offset=[1.0], scale=[1.0]),
        helper.make_node("Scaler", ["a"], ["b"], name="second", domain="ai.onnx.ml", offset=[1.0], scale=[1.0]),
        helper.make_node("NoSuchThing", ["b"], ["y"], name="third", domain="com.microsoft"),
    ]
    path = save(tmp_path, nodes, {"x": (FLOAT, [2, 2])}, {"y": (FLOAT, [2, 2])})
    model = onnx.load(path)
    model.opset_import.extend([helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("com.microsoft", 1)])
    onnx.save(model, path)
    with pytest.raises(ConvertError) as error:
        convert(path, tmp_path / "model.om", install_path=root)
    assert error.value.message == (
        "OpenVINO has no ai.onnx.ml::Scaler (nodes first, second); com.microsoft::NoSuchThing (node third)"
    )
    assert not (tmp_path / "model.om").exists()


def test_a_type_that_no_array_has_is_refused(root: Path, tmp_path: Path) -> None:
    string = TensorProto.STRING
    path = save(tmp_path, [helper.make_node("Identity", ["x"], ["y"])], {"x": (string, [2])}, {"y": (string, [2])})
    with pytest.raises(ConvertError, match="'x' has a data type that opkg's models cannot take or give"):
        convert(path, tmp_path / "model.om", install_path=root)


def test_any_thread_may_run_custom_nodes(root: Path, tmp_path: Path) -> None:
    nodes = [custom("ScaleBias", ["x"], ["s"], shift=1), custom("NonZeroCustom", ["s"], ["y"])]
    nodes[1].name = "positions"
    model = loaded(save(tmp_path, nodes, {"x": (FLOAT, ["N"])}, {"y": (TensorProto.INT32, ["M"])}), root)

    def run(length: int) -> bool:
        x = np.full(length, -1, np.float32)
        x[::3] = 2
        return all(model.run({"x": x})["y"].tolist() == list(range(0, length, 3)) for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, (1, 7, 100, 1000))) == [True] * 4
