"""Custom nodes against the op info of their operators."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from opkg.convert import match
from opkg.opinfo import Attr, OpInfo, Param


def param(name: str, *dtypes: str, kind: str = "required") -> Param:
    return Param(name, kind, dtypes, ("ND",) * len(dtypes))


ADD = OpInfo("Add2", (param("x", "float32", "int8"), param("y", "float32", "int8")), (param("z", "float32", "int32"),))
BIAS = OpInfo("Bias", (param("x", "float16"), param("b", "float16", kind="optional")), (param("y", "float16"),))
JOIN = OpInfo(
    "Join",
    (param("a", "int8"), param("xs", "int8", kind="dynamic"), param("z", "int8")),
    (param("ys", "int8", kind="dynamic"),),
)


def node(inputs: list[str], outputs: list[str] | None = None, **attrs: object) -> NodeProto:
    return helper.make_node("Op", inputs, ["o"] if outputs is None else outputs, domain="me", **attrs)


@pytest.mark.parametrize(
    ("info", "inputs", "outputs"),
    [
        (ADD, ["a", "b"], ["c"]),
        (BIAS, ["a"], ["c"]),
        (BIAS, ["a", ""], ["c"]),
        (BIAS, ["a", "b"], ["c"]),
        (JOIN, ["a", "z"], []),
        (JOIN, ["a", "p", "q", "z"], ["u", "v"]),
    ],
)
def test_counts_that_fit(info: OpInfo, inputs: list[str], outputs: list[str]) -> None:
    assert match.check_counts(node(inputs, outputs), info) == []


@pytest.mark.parametrize(
    ("info", "inputs", "outputs", "says"),
    [
        (ADD, ["a"], ["c"], "has no input 'y', which is required"),
        (ADD, ["", "b"], ["c"], "has no input 'x', which is required"),
        (ADD, ["a", "b", "c"], ["c"], "has 3 inputs; the operator has 2: x, y"),
        (ADD, ["a", "b"], ["c", "d"], "has 2 outputs; the operator has 1: z"),
        (BIAS, ["a", "b", "c"], ["c"], "has 3 inputs; the operator has 2: x, b (optional)"),
        (JOIN, ["a"], [], "has 1 inputs, too few for a, xs (dynamic), z"),
    ],
)
def test_counts_that_do_not_fit(info: OpInfo, inputs: list[str], outputs: list[str], says: str) -> None:
    assert match.check_counts(node(inputs, outputs), info) == [says]


TWO = OpInfo(
    "Two",
    (param("a", "int8", kind="dynamic"), param("b", "int8", kind="dynamic"), param("c", "int8", kind="optional")),
    (param("y", "int8"),),
)


def test_two_dynamic_inputs_need_their_numbers() -> None:
    (problem,) = match.check_counts(node(["p", "q"]), TWO)
    assert problem == "leaves open which inputs belong to a and which to b; say so in opkg_inputs"
    assert match.check_counts(node(["p", "q"], opkg_inputs=[1, 1, 1]), TWO) == []
    assert match.check_counts(node(["p", "q", "r"], opkg_inputs=[0, 2, 1]), TWO) == []


@pytest.mark.parametrize("counts", [[1, 1], [1, 0, 1, 0], [-1, 3, 1], [0, 0, 1], [1, 1, 2]])
def test_numbers_that_do_not_fit(counts: list[int]) -> None:
    (problem,) = match.check_counts(node(["p", "q"], opkg_inputs=counts), TWO)
    assert problem == f"has 2 inputs, which opkg_inputs = {counts} does not fit: a (dynamic), b (dynamic), c (optional)"


def test_the_numbers_of_dynamic_tensors_are_written_down() -> None:
    n = node(["a", "p", "q", "z"], ["u", "v"])
    assert match.normalize_attrs(n, JOIN) == []
    assert {a.name: list(a.ints) for a in n.attribute} == {"opkg_inputs": [1, 2, 1], "opkg_outputs": [2]}
    n = node(["a", "b"])
    assert match.normalize_attrs(n, ADD) == []
    assert not n.attribute


def test_groups_of_a_dynamic_parameter() -> None:
    assert match.split_groups(["a", "p", "q", "z"], JOIN.inputs) == [["a"], ["p", "q"], ["z"]]
    assert match.split_groups(["a", "z"], JOIN.inputs) == [["a"], [], ["z"]]
    assert match.split_groups(["a"], BIAS.inputs) == [["a"], [""]]
    assert match.split_groups(["a", "b"], TWO.inputs, [0, 1, 1]) == [[], ["a"], ["b"]]
    assert match.split_groups(["a"], TWO.inputs, [0, 1, 1]) == [[], ["a"], [""]]


def test_columns_follow_the_input_types() -> None:
    n = node(["a", "b"])
    assert match.matching_columns(n, ADD, ["float32", "float32"]) == [0]
    assert match.matching_columns(n, ADD, ["int8", None]) == [1]
    assert match.matching_columns(n, ADD, [None, None]) == [0, 1]
    assert match.matching_columns(n, ADD, ["int8", "float32"]) == []
    assert match.matching_columns(node(["a", "p", "q", "z"]), JOIN, ["int8", "int8", "float32", "int8"]) == []


def test_output_types_where_the_columns_agree() -> None:
    n = node(["a", "b"])
    assert match.output_dtypes(n, ADD, [1]) == ["int32"]
    assert match.output_dtypes(n, ADD, [0, 1]) == [None]
    assert match.output_dtypes(node(["a", "z"], ["u", "v"]), JOIN, [0]) == ["int8", "int8"]


def test_wrong_types_are_shown_with_all_columns() -> None:
    assert match.check_dtypes(node(["a", "b"]), ADD, ["int8", "int8"]) == []
    assert match.check_dtypes(node(["a", "b"]), ADD, ["int8", None]) == []
    (problem,) = match.check_dtypes(node(["a", "b"]), ADD, ["double", None])
    assert problem == (
        "takes (double, ?), and the operator has no such column; for x, y it has: float32, float32; int8, int8"
    )


KINDS = "int float bool string type tensor list_int list_float list_bool list_string list_type list_list_int".split()
EVERY = OpInfo(
    "Every",
    (param("x", "float32"),),
    (param("y", "float32"),),
    tuple(Attr(kind, kind, "optional") for kind in KINDS),
)


def normalized(**attrs: object) -> dict[str, object]:
    n = node(["a"], **attrs)
    assert match.normalize_attrs(n, EVERY) == []
    return {a.name: helper.get_attribute_value(a) for a in n.attribute}


def test_attributes_of_every_kind() -> None:
    table = numpy_helper.from_array(np.array([[1, 2], [3, 4]]))
    given = {
        "int": 3,
        "float": 2,
        "bool": 1,
        "string": "s",
        "type": TensorProto.FLOAT16,
        "list_int": [1, 2],
        "list_float": [1, 2],
        "list_bool": [1, 0],
        "list_string": ["a", "b"],
        "list_type": [TensorProto.INT64, TensorProto.BOOL],
        "list_list_int": table,
        "tensor": table,
    }
    found = normalized(**given)
    kind, shape, data = found.pop("tensor").decode().split(":")  # type: ignore[attr-defined]
    values = np.frombuffer(bytes.fromhex(data), kind)
    assert (shape, values.tolist()) == ("2,2", [1, 2, 3, 4])
    assert found == {
        "int": 3,
        "float": 2.0,
        "bool": 1,
        "string": b"s",
        "type": b"float16",
        "list_int": [1, 2],
        "list_float": [1.0, 2.0],
        "list_bool": [1, 0],
        "list_string": [b"a", b"b"],
        "list_type": [b"int64", b"bool"],
        "list_list_int": b"[[1,2],[3,4]]",
    }


def test_types_by_name_and_lists_of_lists_as_json() -> None:
    assert normalized(type="float16", list_type=["bfloat16"], list_list_int="[[1], [], [2, 3]]") == {
        "type": b"float16",
        "list_type": [b"bfloat16"],
        "list_list_int": b"[[1],[],[2,3]]",
    }


@pytest.mark.parametrize(
    ("attrs", "says"),
    [
        ({"axis": 1}, "has the attribute 'axis', which is not declared; declared are: int, float"),
        ({"int": 1.5}, "attribute 'int' is an integer of 64 bits, not 1.5"),
        ({"bool": 2}, "attribute 'bool' is a bool, not 2"),
        ({"string": 2}, "attribute 'string' is a string, not 2"),
        ({"type": 99}, "attribute 'type' is a data type's name or ONNX number, not 99"),
        ({"list_int": [1.5]}, "attribute 'list_int' is a list of integers, not [1.5]"),
        ({"list_list_int": "[[1]"}, "attribute 'list_list_int' is a list of lists as JSON"),
        ({"list_list_int": "[1]"}, "attribute 'list_list_int' is a list of lists of integers, not [1]"),
    ],
)
def test_attributes_that_do_not_fit(attrs: dict[str, object], says: str) -> None:
    n = node(["a"], **attrs)
    before = n.SerializeToString()
    (problem,) = match.normalize_attrs(n, EVERY)
    assert says in problem
    assert n.SerializeToString() == before


def test_a_required_attribute_must_be_there() -> None:
    info = OpInfo("R", EVERY.inputs, EVERY.outputs, (Attr("axis", "int"), Attr("mode", "string", "optional", "x")))
    assert match.normalize_attrs(node(["a"]), info) == ["lacks the attribute 'axis', which is required"]
    assert match.normalize_attrs(node(["a"], axis=1), info) == []
    usual = OpInfo("R", EVERY.inputs, EVERY.outputs, (Attr("axis", "int", "required", -1),))
    assert match.normalize_attrs(node(["a"]), usual) == []
