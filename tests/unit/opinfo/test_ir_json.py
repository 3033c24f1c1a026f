"""Reading msopgen's IR json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opkg.errors import OpInfoError
from opkg.opinfo import OpInfo, read_ir_json


def _io(name: str, types: Any, formats: Any = "ND", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": types, "format": formats, **more}


def _read(**more: Any) -> OpInfo:
    data = {"op": "A", "input_desc": [_io("x", ["float"])], "output_desc": [_io("y", ["float"])], **more}
    (op,) = read_ir_json(json.dumps(data, indent=1), "a.json")
    return op


def _refused(**more: Any) -> OpInfoError:
    with pytest.raises(OpInfoError) as caught:
        _read(**more)
    return caught.value


def test_one_object_is_one_operator_and_param_type_defaults_to_required() -> None:
    assert _read().inputs[0].param_type == "required"


def test_the_last_of_two_operators_with_one_name_holds() -> None:
    first = {"op": "A", "output_desc": [_io("y", "float")]}
    last = {"op": "A", "output_desc": [_io("z", "int8")]}
    other = {"op": "B", "output_desc": [_io("y", "float")]}
    found = read_ir_json(json.dumps([first, other, last]))
    assert [(op.op, op.outputs[0].name) for op in found] == [("A", "z"), ("B", "y")]


def test_scalars_hold_for_every_column() -> None:
    op = _read(input_desc=[_io("x", "float")], output_desc=[_io("y", ["float", "int8"], ["ND", "NCHW"])])
    assert (op.inputs[0].dtypes, op.inputs[0].formats) == (("float32", "float32"), ("ND", "ND"))


def test_groups_stand_for_their_types() -> None:
    op = _read(
        input_desc=[_io("x", "IndexNumberType")],
        output_desc=[_io("y", ["int32", "int64"])],
    )
    assert op.inputs[0].dtypes == ("int32", "int64")
    op = _read(input_desc=[_io("x", ["IndexNumberType", "float"], ["NCHW", "ND"])], output_desc=[_io("y", "bool")])
    assert op.inputs[0].dtypes == ("int32", "int64", "float32")
    assert op.inputs[0].formats == ("NCHW", "NCHW", "ND")


def test_a_list_of_one_is_not_broadcast() -> None:
    error = _refused(output_desc=[_io("y", ["float", "half"])])
    assert "2 columns" in error.message and error.key == "output_desc[0].type"


def test_lines_are_those_of_the_file() -> None:
    text = '{\n"op": "A",\n"output_desc": [\n {"name": "y",\n  "type": "flot"}]}'
    with pytest.raises(OpInfoError) as caught:
        read_ir_json(text, "a.json")
    assert (caught.value.line, caught.value.key) == (5, "output_desc[0].type")
    assert "did you mean 'float'?" in caught.value.message


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('{"op": "A"', 1, "not JSON"),
        ('{"op": "A",\n"op": "B"}', 2, "line 1"),
        ("[1]", 1, "JSON object"),
        ("3", 1, "object"),
    ],
)
def test_text_of_another_shape_is_refused(text: str, line: int, word: str) -> None:
    with pytest.raises(OpInfoError) as caught:
        read_ir_json(text, "a.json")
    assert caught.value.line == line and word in caught.value.message


@pytest.mark.parametrize(
    ("more", "key", "word"),
    [
        ({"op": "2A"}, "op", "identifier"),
        ({"output_desc": []}, "output0", "output0"),
        ({"output_desc": {}}, "output_desc", "list"),
        ({"input_desc": [_io("x", ["float"], ["ND", "ND"])]}, "input_desc[0].format", "2"),
        ({"input_desc": [_io("x", ["float"], param_type="maybe")]}, "input_desc[0].param_type", "dynamic"),
        ({"input_desc": [{"name": "x"}]}, "input_desc[0].type", "missing"),
        ({"input_desc": [{"name": "x", "type": "int8", "formt": "ND"}]}, "input_desc[0].formt", "format"),
        ({"attr": [{"name": "if", "type": "int"}]}, "attr[0].name", "reserved"),
        ({"attr": [{"name": "k", "type": "itn"}]}, "attr[0].type", "'int'"),
        ({"attr": [{"name": "k", "type": "int", "default_value": 1.5}]}, "attr[0].default_value", "whole number"),
        ({"attr": [{"name": "k", "type": "tensor", "default_value": "1"}]}, "attr[0].default_value", "tensors"),
    ],
)
def test_what_is_wrong_is_named(more: dict[str, Any], key: str, word: str) -> None:
    error = _refused(**more)
    assert error.key == key and word in error.message


def test_a_required_attribute_has_no_default() -> None:
    op = _read(attr=[{"name": "k", "type": "float", "param_type": "required", "default_value": "1.0"}])
    assert op.attrs[0].default is None
