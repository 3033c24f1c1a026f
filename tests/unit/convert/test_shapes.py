"""The grammar of --input-shape, and shapes in a model."""

from __future__ import annotations

import pytest
from onnx import ModelProto, parser

from opkg.convert.shapes import apply_input_shapes, model_inputs, parse_input_shapes
from opkg.errors import ConvertError, UsageError


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x:1,3,48,320;y:1,8"], {"x": (1, 3, 48, 320), "y": (1, 8)}),
        (["x=1,3,48,320", "y=1,8"], {"x": (1, 3, 48, 320), "y": (1, 8)}),
        (["x:1,3;"], {"x": (1, 3)}),
        ([" x : 1, 3 ; y:-1 "], {"x": (1, 3), "y": (-1,)}),
        (["scope/x:0:1,3"], {"scope/x:0": (1, 3)}),
        (["x:0=1,3"], {"x:0": (1, 3)}),
        (["a=b:1,3"], {"a=b": (1, 3)}),
        (["s:;x:2"], {"s": (), "x": (2,)}),
        (["s="], {"s": ()}),
        (["1,3;2"], {"0": (1, 3), "1": (2,)}),
        ([], {}),
    ],
)
def test_grammar(texts: list[str], expected: dict[str, tuple[int, ...]]) -> None:
    assert parse_input_shapes(texts) == expected


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["x:1;x:2"], "gives input 'x' twice"),
        (["x:1", "x=1"], "gives input 'x' twice"),
        ([":1,2"], "no name"),
        (["=1,2"], "no name"),
        (["x:1,a"], "'x:1,a' has no list of dimensions"),
        (["x:1,,2"], "has no list of dimensions"),
        (["x:-2"], "has no list of dimensions"),
        (["x"], "'x' has no list of dimensions"),
        (["x:1 2,"], "has no list of dimensions"),
    ],
)
def test_grammar_errors(texts: list[str], says: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_input_shapes(texts)
    assert says in error.value.message
    assert "x=1,3,48,320" in error.value.hint


def model(inputs: str, body: str = "y = Identity(x)", extra: str = "") -> ModelProto:
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> g ({inputs}) => (float[N, M] y) {extra} {{ {body} }}'
    )


def dims(proto: ModelProto, name: str) -> list[int | str]:
    values = {v.name: v for v in [*proto.graph.input, *proto.graph.output]}
    return [d.dim_param or d.dim_value for d in values[name].type.tensor_type.shape.dim]


def test_symbols_become_numbers_wherever_they_stand() -> None:
    proto = model("float[N, 3] x, float[N, M] z")
    apply_input_shapes(proto, {"x": (2, 3)})
    assert (dims(proto, "x"), dims(proto, "z"), dims(proto, "y")) == ([2, 3], [2, "M"], [2, "M"])


def test_minus_one_leaves_a_dimension_open() -> None:
    proto = model("float[N, 3] x")
    apply_input_shapes(proto, {"x": (-1, -1)})
    assert dims(proto, "x") == ["N", 3]


def test_an_input_can_be_given_by_its_position() -> None:
    proto = model("float[N, 3] x, float[N, M] z")
    apply_input_shapes(proto, {"1": (4, 5)})
    assert dims(proto, "z") == [4, 5]


def test_a_shape_for_an_input_without_one() -> None:
    proto = model("float x")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    apply_input_shapes(proto, {"x": (4, -1)})
    dim = proto.graph.input[0].type.tensor_type.shape.dim
    assert (dim[0].dim_value, dim[1].HasField("dim_value")) == (4, False)


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ({"x": (2, 4)}, "dimension 1 of input 'x' is 3 in the model; the given shape is 2,4"),
        ({"x": (2,)}, "input 'x' has 2 dimensions in the model; the given shape is 2"),
        ({"x": ()}, "input 'x' has 2 dimensions in the model; the given shape is a scalar"),
        ({"q": (2, 3)}, "the model has no input 'q'"),
        ({"7": (2, 3)}, "the model has no input '7'"),
    ],
)
def test_shapes_that_do_not_fit(shapes: dict[str, tuple[int, ...]], says: str) -> None:
    with pytest.raises(ConvertError) as error:
        apply_input_shapes(model("float[N, 3] x"), shapes)
    assert error.value.message == says


def test_initializers_are_not_inputs() -> None:
    proto = model("float[N] x, float[1] w", "y = Add(x, w)", "<float[1] w = {1.0}>")
    proto.graph.input.add(name="w")
    proto.graph.input.add(name="sparse")
    proto.graph.sparse_initializer.add().values.name = "sparse"
    assert [v.name for v in model_inputs(proto.graph)] == ["x"]


def test_what_an_exporter_noted_of_other_shapes_goes() -> None:
    proto = model("float[N] x", "a = Neg(x)  y = Neg(a)")
    proto.graph.value_info.add(name="a")
    apply_input_shapes(proto, {})
    assert [value.name for value in proto.graph.value_info] == ["a"]
    apply_input_shapes(proto, {"x": (4,)})
    assert list(proto.graph.value_info) == []
