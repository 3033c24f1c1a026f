"""Values that are made and values that are used."""

from __future__ import annotations

import pytest
from onnx import ModelProto, parser

from opkg.convert.graph import name_nodes
from opkg.convert.values import check_values, drop_unused
from opkg.errors import ConvertError


def model(graph: str) -> ModelProto:
    proto = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {graph}')
    name_nodes(proto.graph)
    return proto


BRANCHES = """y = If(c) <then_branch = t () => (p) { p = Add(a, w) }, else_branch = e () => (q) { q = Neg(x) }>"""


def test_a_model_in_order_is_fine() -> None:
    proto = model(f"g (float[N] x, bool c) => (float[N] y) <float[1] w = {{1.0}}> {{ a = Neg(x)  {BRANCHES} }}")
    check_values(proto.graph)


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        ("g (float[N] x) => (float[N] y) { y = Add(x, b) }", "takes the value 'b', which nothing before it makes"),
        ("g (float[N] x) => (float[N] y) { y = Neg(a)  a = Neg(x) }", "takes the value 'a'"),
        ("g (float[N] x) => (float[N] z) { y = Neg(x) }", "the model's output 'z' is made by nothing"),
        (f"g (float[N] x, bool c) => (float[N] y) {{ a = Neg(x) {BRANCHES} }}", "takes the value 'w'"),
        ("g (float[N] x) => (float[N] y) { y = Neg(x)  y = Abs(x) }", "makes the value 'y', which is there already"),
        ("g (float[N] x) => (float[N] x) { x = Neg(x) }", "makes the value 'x', which is there already"),
    ],
)
def test_what_is_missing_is_named(graph: str, says: str) -> None:
    with pytest.raises(ConvertError, match=says):
        check_values(model(graph).graph)


def test_a_value_of_a_branch_is_not_known_outside() -> None:
    with pytest.raises(ConvertError, match="takes the value 'p'"):
        check_values(
            model(
                f"g (float[N] x, bool c) => (float[N] z) <float[1] w = {{1.0}}> {{ a = Neg(x) {BRANCHES} z = Neg(p) }}"
            ).graph
        )


def test_unused_nodes_and_constants_go() -> None:
    proto = model(
        """g (float[N] x, float[N] u) => (float[N] y) <float[1] w = {1.0}, float[1] v = {2.0}> {
            dead = Add(x, w)  deader = Neg(dead)  a = Add(x, v)  k = Neg(u)  y = Neg(a) }"""
    )
    used = drop_unused(proto.graph)
    assert [node.output[0] for node in proto.graph.node] == ["a", "y"]
    assert [tensor.name for tensor in proto.graph.initializer] == ["v"]
    assert used == {"x", "v", "a", "y"}


def test_what_branches_use_stays() -> None:
    proto = model(f"g (float[N] x, bool c) => (float[N] y) <float[1] w = {{1.0}}> {{ a = Neg(x)  {BRANCHES} }}")
    used = drop_unused(proto.graph)
    assert [node.output[0] for node in proto.graph.node] == ["a", "y"]
    assert {"x", "c", "w", "a", "y"} <= used
    assert len(proto.graph.initializer) == 1


def test_an_input_that_is_an_output_is_used() -> None:
    proto = model("g (float[N] x, float[N] z) => (float[N] y, float[N] z) { y = Neg(x) }")
    assert drop_unused(proto.graph) == {"x", "y", "z"}
