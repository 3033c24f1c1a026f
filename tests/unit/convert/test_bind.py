"""Who provides the nodes of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from onnx import ModelProto, NodeProto, helper, parser

from opkg import plugins
from opkg.convert.bind import MissingOperatorsError, bind_nodes
from opkg.convert.graph import name_nodes, opset_versions
from opkg.errors import ConvertError
from opkg.opinfo import OpInfo, Param
from opkg.plugins.types import NodeConverter, NodeQuery
from opkg.registry import open_registry
from opkg.runtime.graph import walk


def elementwise(op_type: str) -> OpInfo:
    return OpInfo(
        op_type,
        (Param("x", "required", ("float32",), ("ND",)),),
        (Param("y", "required", ("float32",), ("ND",)),),
    )


def model(body: str, opsets: str = '"" : 17, "customize" : 1') -> ModelProto:
    proto = parser.parse_model(
        f"<ir_version: 8, opset_import: [{opsets}]> g (float[N] x, bool c) => (float[N] y) {{ {body} }}"
    )
    name_nodes(proto.graph)
    return proto


def kinds(proto: ModelProto) -> list[tuple[str, str]]:
    return [(node.domain, node.op_type) for node in walk(proto.graph)]


def test_standard_nodes_stay_with_the_engine(offer_package: Any) -> None:
    offer_package([elementwise("Relu")])
    proto = model("y = Relu(x)")
    assert bind_nodes(proto, open_registry()) == {}
    assert kinds(proto) == [("", "Relu")]


def test_custom_nodes_are_found_by_domain_and_type(offer_package: Any) -> None:
    offer_package([elementwise("Square")])
    proto = model("a = customize.Square(x)  y = Neg(a)")
    bound = bind_nodes(proto, open_registry())
    assert {key: c.package.label for key, c in bound.items()} == {("customize", "Square"): "customize/pack 1.0.0"}


def test_nodes_in_subgraphs_are_found(offer_package: Any) -> None:
    offer_package([elementwise("Square")])
    proto = model(
        """y = If(c) <then_branch = t () => (float[N] a) { a = customize.Square(x) },
                     else_branch = e () => (float[N] b) { b = Neg(x) }>"""
    )
    assert list(bind_nodes(proto, open_registry())) == [("customize", "Square")]


def test_every_missing_operator_is_named_with_all_its_nodes(offer_package: Any) -> None:
    offer_package([elementwise("Square")])
    proto = model("a = customize.Cube(x)  b = customize.Cube(a)  d = NoSuch(b)  y = customize.Square(d)")
    for node, name in zip(proto.graph.node, ("first", "second", "third", "fourth"), strict=True):
        node.name = name
    with pytest.raises(MissingOperatorsError) as error:
        bind_nodes(proto, open_registry())
    assert [(m.domain, m.op_type, m.version, m.nodes) for m in error.value.missing] == [
        ("customize", "Cube", 1, ("first", "second")),
        ("", "NoSuch", 17, ("third",)),
    ]
    assert error.value.message.splitlines()[0] == "nothing provides 2 operators of the model"
    lines = error.value.message.splitlines()
    assert lines[1:4] == [
        "  customize::1::Cube (nodes first, second)",
        "  ai.onnx::17::NoSuch (node third)",
        "  looked at:",
    ]
    assert error.value.message.count("ASCEND_CUSTOM_OPP_PATH") == 1
    assert error.value.code == "OPKG-8101"
    assert error.value.to_dict()["missing"][0]["nodes"] == ["first", "second"]


def test_of_many_missing_nodes_some_are_named(offer_package: Any) -> None:
    proto = model("y = customize.Cube(x)  " + "  ".join(f"y{i} = customize.Cube(x)" for i in range(27)))
    with pytest.raises(MissingOperatorsError) as error:
        bind_nodes(proto, open_registry())
    assert error.value.message.splitlines()[1].endswith(" and 23 more)")
    assert len(error.value.missing[0].nodes) == 28


def test_an_operator_of_another_domain_is_refused_with_the_reason(offer_package: Any) -> None:
    offer_package([elementwise("Square")])
    proto = model("y = other.Square(x)", '"" : 17, "other" : 1')
    with pytest.raises(MissingOperatorsError, match="its domain is customize, not other") as error:
        bind_nodes(proto, open_registry())
    assert error.value.message.splitlines()[1:3] == ["  other::1::Square (node Square_0)", "    refused:"]
    assert error.value.hint == (
        "give the nodes the domain of customize::Square, or list the alias other::1::Square in its opkg.toml"
    )


def test_an_alias_gives_its_nodes_the_packages_domain(offer_package: Any) -> None:
    offer_package([elementwise("SquareV2")], aliases=["npu::1::Square"])
    proto = model("y = npu.Square(x)", '"" : 17, "npu" : 2')
    assert list(bind_nodes(proto, open_registry())) == [("customize", "SquareV2")]
    assert kinds(proto) == [("customize", "SquareV2")]
    assert opset_versions(proto)["customize"] == 1


def test_an_alias_of_a_later_opset_does_not_fit(offer_package: Any) -> None:
    offer_package([elementwise("SquareV2")], aliases=["npu::3::Square"])
    with pytest.raises(MissingOperatorsError, match="from opset 3 on; the model has 2"):
        bind_nodes(model("y = npu.Square(x)", '"" : 17, "npu" : 2'), open_registry())


def test_a_standard_operator_is_taken_by_an_alias_only_when_asked(offer_package: Any) -> None:
    offer_package([elementwise("MyRelu")], aliases=["ai.onnx::11::Relu"])
    proto = model("y = Relu(x)")
    assert bind_nodes(proto, open_registry()) == {}
    assert list(bind_nodes(proto, open_registry(), ["Relu"])) == [("customize", "MyRelu")]
    assert kinds(proto) == [("customize", "MyRelu")]


def test_asking_for_what_no_package_takes_is_an_error(offer_package: Any) -> None:
    offer_package([elementwise("MyRelu")])
    with pytest.raises(ConvertError) as error:
        bind_nodes(model("y = Relu(x)"), open_registry(), ["Relu"])
    assert error.value.message.startswith("no package takes the standard operator Relu")
    assert "ai.onnx::17::Relu" in error.value.hint


def test_a_package_that_lives_in_onnx_domain_gets_one_of_its_own(offer_package: Any) -> None:
    offer_package([elementwise("Blob")], domain="ai.onnx")
    proto = model("y = Blob(x)")
    assert list(bind_nodes(proto, open_registry())) == [("opkg.customize", "Blob")]


def test_engine_domains_are_the_engines_unless_a_package_has_the_operator(offer_package: Any) -> None:
    proto = model("y = com.microsoft.FastGelu(x)", '"" : 17, "com.microsoft" : 1')
    offer_package([elementwise("Other")])
    assert bind_nodes(proto, open_registry()) == {}
    offer_package([elementwise("FastGelu")], name="gelu", domain="com.microsoft")
    assert list(bind_nodes(proto, open_registry())) == [("opkg.customize", "FastGelu")]


def test_of_onnx_other_domains_a_package_is_asked_first(offer_package: Any) -> None:
    proto = model("y = ai.onnx.ml.Scaler(x)", '"" : 17, "ai.onnx.ml" : 3')
    offer_package([elementwise("Other")])
    assert bind_nodes(proto, open_registry()) == {}
    offer_package([elementwise("MyScaler")], name="ml", aliases=["ai.onnx.ml::1::Scaler"])
    assert list(bind_nodes(proto, open_registry())) == [("customize", "MyScaler")]


def test_operators_of_two_packages_with_one_name_are_kept_apart(offer_package: Any) -> None:
    offer_package([elementwise("Same")], vendor="beta", domain="shared", aliases=["one::1::A"])
    offer_package([elementwise("Same")], vendor="alpha", domain="shared", aliases=["two::1::B"])
    proto = model("a = one.A(x)  b = two.B(a)  y = one.A(b)", '"" : 17, "one" : 1, "two" : 1')
    bound = bind_nodes(proto, open_registry())
    assert {kind: candidate.vendor for kind, candidate in bound.items()} == {
        ("shared", "Same"): "beta",
        ("shared.alpha", "Same"): "alpha",
    }
    assert kinds(proto) == [("shared", "Same"), ("shared.alpha", "Same"), ("shared", "Same")]


def converter_of(monkeypatch: pytest.MonkeyPatch, convert: Any) -> list[NodeQuery]:
    asked = []

    def first(hook: str, *, query: NodeQuery) -> tuple[str, NodeConverter] | None:
        assert hook == "opkg_convert_node"
        asked.append(query)
        return ("acme-tools", NodeConverter("acme", convert)) if query.domain == "com.acme" else None

    monkeypatch.setattr(plugins, "first", first)
    return asked


def swish(node: NodeProto) -> Sequence[NodeProto]:
    gate = node.output[0] + "_gate"
    return [
        helper.make_node("Sigmoid", [node.input[0]], [gate]),
        helper.make_node("Square", [gate], [node.output[0]], domain="customize"),
    ]


def test_a_plugin_converts_nodes_that_nothing_provides(offer_package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_package([elementwise("Square")])
    asked = converter_of(monkeypatch, swish)
    proto = model("a = com.acme.Swish(x)  b = com.acme.Swish(a)  y = Neg(b)", '"" : 17, "com.acme" : 3')
    assert list(bind_nodes(proto, open_registry())) == [("customize", "Square")]
    assert kinds(proto) == [("", "Sigmoid"), ("customize", "Square")] * 2 + [("", "Neg")]
    assert asked == [NodeQuery("com.acme", "Swish", 3)]
    assert len({node.name for node in proto.graph.node}) == 5


def test_a_plugin_converts_nodes_of_subgraphs_beside_those_around_them(
    offer_package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer_package([elementwise("Square")])
    converter_of(monkeypatch, swish)
    proto = model("a = com.acme.Swish(x)  y = Neg(a)", '"" : 17, "com.acme" : 3')
    branch = helper.make_graph([helper.make_node("Swish", ["a"], ["inner"], domain="com.acme")], "g", [], [])
    branch.output.add(name="inner")
    condition = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    proto.graph.node[1].CopyFrom(condition)
    assert list(bind_nodes(proto, open_registry())) == [("customize", "Square")]
    assert kinds(proto) == [("", "Sigmoid"), ("customize", "Square"), ("", "If")] + 2 * [
        ("", "Sigmoid"), ("customize", "Square"),
    ]  # fmt: skip


def test_a_converter_that_fails_or_never_ends_leaves_the_node_missing(
    offer_package: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer_package([elementwise("Square")])
    proto = model("y = com.acme.Swish(x)", '"" : 17, "com.acme" : 3')
    converter_of(monkeypatch, lambda node: 1 // 0)
    with pytest.raises(MissingOperatorsError, match=r"com\.acme::3::Swish"):
        bind_nodes(proto, open_registry())
    assert "plugin acme-tools" in capsys.readouterr().err
    calls: list[str] = []
    converter_of(monkeypatch, lambda node: calls.append(node.op_type) or [node])
    with pytest.raises(MissingOperatorsError, match=r"com\.acme::3::Swish"):
        bind_nodes(proto, open_registry())
    assert 1 < len(calls) < 100
    assert capsys.readouterr().err == ""
