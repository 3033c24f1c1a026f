"""Signatures of operators, read off models that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from opkg.cli import main
from opkg.convert.signatures import ModelSignature, model_signature
from opkg.errors import ConvertError
from opkg.opinfo import Attr
from opkg.project import read_project

INPUTS = {
    "f": (TensorProto.FLOAT, ["n", 8]),
    "g": (TensorProto.FLOAT, ["n", 8]),
    "h": (TensorProto.FLOAT16, ["n", 8]),
    "i": (TensorProto.INT64, ["n", 8]),
}
DOMAIN = "acme.ops"


def _value(name: str, dtype: int, shape: list[Any] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def _node(inputs: str, outputs: str = "y", op: str = "Op", domain: str = DOMAIN, **attrs: Any) -> onnx.NodeProto:
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), domain=domain, **attrs)


def _model(*nodes: onnx.NodeProto, known: tuple[onnx.ValueInfoProto, ...] = ()) -> onnx.ModelProto:
    inputs = [_value(name, *kind) for name, kind in INPUTS.items()]
    graph = helper.make_graph(list(nodes), "g", inputs, [], value_info=list(known))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _signature(*nodes: onnx.NodeProto, known: tuple[onnx.ValueInfoProto, ...] = (), op: str = "Op") -> ModelSignature:
    return model_signature(_model(*nodes, known=known), op)


def test_every_combination_of_data_types_is_a_column() -> None:
    found = _signature(_node("f i", "a"), _node("h i", "b"), _node("f i", "c"))
    assert [p.dtypes for p in found.info.inputs] == [("float32", "float16"), ("int64", "int64")]
    assert found.info.outputs[0].dtypes == ("float32", "float16")
    assert (found.domain, found.opset, found.nodes) == (DOMAIN, 3, 3)


def test_what_the_model_states_about_an_output_comes_first() -> None:
    found = _signature(_node("f", "a"), known=(_value("a", TensorProto.BOOL, ["n", 8]),))
    assert found.info.outputs[0].dtypes == ("bool",)


def test_types_are_known_behind_other_operators() -> None:
    cast = helper.make_node("Cast", ["f"], ["d"], to=TensorProto.DOUBLE)
    found = _signature(cast, _node("d", "a", "First"), _node("a", "b"))
    assert found.info.inputs[0].dtypes == ("double",)


@pytest.mark.parametrize("second", ["f", "f -", "f - g"])
def test_an_input_that_a_node_lacks_is_optional(second: str) -> None:
    found = _signature(_node("f i g", "a"), _node(second, "b"))
    kinds = [p.param_type for p in found.info.inputs]
    assert kinds == ["required", "optional", "required" if second == "f - g" else "optional"]
    assert [p.dtypes for p in found.info.inputs] == [("float32",), ("int64",), ("float32",)]


def test_an_output_that_a_node_lacks_is_optional() -> None:
    found = _signature(_node("f", "a b"), _node("f", "c"))
    assert [p.param_type for p in found.info.outputs] == ["required", "optional"]


def test_widely_differing_numbers_of_inputs_are_a_list() -> None:
    found = _signature(_node("f g", "a"), _node("f g f", "b"), _node("h h h h", "c"))
    assert [(p.name, p.param_type, p.dtypes) for p in found.info.inputs] == [
        ("xs", "dynamic", ("float32", "float16")),
    ]


def test_defaults_of_attributes_are_what_all_nodes_say() -> None:
    found = _signature(
        _node("f", "a", alpha=0.1, mode="sum", axes=[1, 2], k=1), _node("f", "b", alpha=0.1, mode="max", axes=[1, 2])
    )
    assert {attr.name: (attr.type, attr.param_type, attr.default) for attr in found.info.attrs} == {
        "alpha": ("float", "optional", 0.1),
        "mode": ("string", "required", None),
        "axes": ("list_int", "optional", [1, 2]),
        "k": ("int", "optional", None),
    }
    assert any("'k'" in note for note in found.notes)


def test_an_attribute_of_two_types_is_a_contradiction() -> None:
    with pytest.raises(ConvertError, match="attribute 'k' of Op has several types"):
        _signature(_node("f", "a", k=1), _node("f", "b", k=1.5))


@pytest.mark.parametrize(
    ("shape", "rules"),
    [
        (["n", 8], {}),
        (["n"], {"y": "x[:-1]"}),
        (["n", 1], {"y": "x[:-1],1"}),
        ([], {"y": "[]"}),
        ([1], {"y": "[1]"}),
    ],
)
def test_outputs_have_the_shapes_of_the_model(shape: list[Any], rules: dict[str, str]) -> None:
    found = _signature(_node("f", "a"), known=(_value("a", TensorProto.FLOAT, shape),))
    assert (found.shapes, found.notes) == (rules, ())


def test_other_shapes_are_assumptions_that_are_said() -> None:
    assert "follows from no rule" in _signature(_node("f", "a"), known=(_value("a", 1, [8, "n"]),)).notes[0]
    assert "does not say the shape of 'y'" in _signature(_node("f", "a")).notes[0]


def test_nodes_of_subgraphs_count() -> None:
    body = helper.make_graph([_node("h", "inner")], "body", [], [_value("inner", TensorProto.FLOAT16, None)])
    condition = helper.make_node("Constant", [], ["c"], value=helper.make_tensor("c", TensorProto.BOOL, [], [True]))
    branch = helper.make_node("If", ["c"], ["r"], then_branch=body, else_branch=body)
    assert _signature(condition, branch).info.inputs[0].dtypes == ("float16",)


def test_operators_of_onnx_have_their_own_names_lists_and_defaults() -> None:
    found = _signature(_node("f g", "a", "Concat", "", axis=1), _node("f", "b", "Softmax", ""), op="Softmax")
    assert [p.name for p in (*found.info.inputs, *found.info.outputs)] == ["input", "output"]
    assert found.info.attrs == (Attr("axis", "int", "optional", -1),)
    assert (found.domain, found.opset) == ("", 17)
    listed = _signature(_node("f g", "a", "Concat", "", axis=1), op="Concat")
    assert [(p.name, p.param_type) for p in listed.info.inputs] == [("inputs", "dynamic")]


def test_a_type_that_is_not_there_is_an_error_that_names_what_is() -> None:
    with pytest.raises(ConvertError) as caught:
        _signature(_node("f", "a", "Fuse"), _node("f", "b", "Relu", ""), op="Fuze")
    assert caught.value.message == "the model has no node of type 'Fuze'; did you mean 'Fuse'?"
    assert caught.value.hint == "it has acme.ops::Fuse (1), ai.onnx::Relu (1)"


def test_one_type_in_two_domains_must_be_chosen() -> None:
    nodes = (_node("f", "a"), _node("h", "b", domain="other"))
    with pytest.raises(ConvertError, match=r"several domains: acme\.ops, other"):
        _signature(*nodes)
    assert _signature(*nodes, op="other::Op").info.inputs[0].dtypes == ("float16",)


def test_a_project_from_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx.save(_model(_node("f", "a"), known=(_value("a", 1, ["n"]),)), tmp_path / "m.onnx")
    arguments = ["new", "Mine", "--from-model", str(tmp_path / "m.onnx"), "--output-dir", str(tmp_path)]
    assert main([*arguments, "--op", "Op"]) == 0
    project = read_project(tmp_path / "Mine")
    assert (project.vendor, project.domain, project.op_infos[0].op) == ("acme_ops", DOMAIN, "Op")
    assert "ShapeOfRows" in (tmp_path / "Mine/op_host/op.cpp").read_text()
    capsys.readouterr()
    assert main(arguments) == 1
    assert "no node of type 'Mine'" in capsys.readouterr().err


def test_an_operator_of_onnx_becomes_an_alias(tmp_path: Path) -> None:
    onnx.save(_model(_node("f", "a", "Relu", "")), tmp_path / "m.onnx")
    assert main(["new", "Relu", "--from-model", str(tmp_path / "m.onnx"), "--output-dir", str(tmp_path)]) == 0
    project = read_project(tmp_path / "Relu")
    assert (project.vendor, project.aliases) == ("customize", {"Relu": ("ai.onnx::17::Relu",)})


@pytest.mark.parametrize(
    ("more", "word"),
    [(["--from", "a.ini"], "both describe"), (["--input", "x"], "describes the operators already")],
)
def test_a_model_is_the_only_description(more: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "Op", "--from-model", "m.onnx", *more]) == 2
    assert word in capsys.readouterr().err
    assert main(["new", "Op", "--op", "Op"]) == 2
