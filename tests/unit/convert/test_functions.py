"""Functions that a model brings along."""

from __future__ import annotations

from typing import Any

from onnx import ModelProto, helper, parser

from opkg.convert.functions import inline_functions
from opkg.opinfo import OpInfo, Param
from opkg.registry import open_registry


def model() -> ModelProto:
    proto = parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17, "customize" : 1]> '
        "g (float[N] x) => (float[N] y) { a = customize.Twice(x)  y = customize.Once(a) }"
    )
    opsets = [helper.make_opsetid("", 17)]
    for name, op_type in (("Twice", "Add"), ("Once", "Identity")):
        inputs = ["v", "v"] if op_type == "Add" else ["v"]
        body = [helper.make_node(op_type, inputs, ["w"])]
        proto.functions.append(helper.make_function("customize", name, ["v"], ["w"], body, opsets))
    return proto


def test_functions_become_their_bodies(offer_package: Any) -> None:
    proto = model()
    assert inline_functions(proto, open_registry())
    assert [(node.domain, node.op_type) for node in proto.graph.node] == [("", "Add"), ("", "Identity")]
    assert not proto.functions
    assert not inline_functions(proto, open_registry())


def test_a_package_is_preferred_to_the_models_own_body(offer_package: Any) -> None:
    param = Param("x", "required", ("float32",), ("ND",))
    offer_package([OpInfo("Twice", (param,), (param,))])
    proto = model()
    assert inline_functions(proto, open_registry())
    assert [(node.domain, node.op_type) for node in proto.graph.node] == [("customize", "Twice"), ("", "Identity")]
    assert not proto.functions
