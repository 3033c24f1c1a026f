"""Graph passes: their order, and what a broken one does."""

from __future__ import annotations

import pytest
from onnx import ModelProto, parser

from opkg.convert.passes import in_order, run_passes
from opkg.plugins.types import GraphPass


def model() -> ModelProto:
    return parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[N] y) { y = Relu(x) }')


def rename(to: str) -> object:
    def run(proto: ModelProto) -> bool:
        changed = proto.graph.node[0].op_type != to
        proto.graph.node[0].op_type = to
        return changed

    return run


def named(name: str, after: tuple[str, ...] = (), before: tuple[str, ...] = ()) -> tuple[str, GraphPass]:
    return "dist", GraphPass(name, lambda model: False, after, before)


def names(passes: list[tuple[str, GraphPass]]) -> str:
    return "".join(each.name for _, each in in_order(passes))


def test_order_is_as_given_where_nobody_minds() -> None:
    assert names([named("c"), named("a"), named("b")]) == "cab"


def test_after_and_before_are_kept() -> None:
    assert names([named("a", after=("b",)), named("b"), named("c", before=("b",))]) == "cba"


def test_wishes_about_unknown_passes_do_not_matter() -> None:
    assert names([named("a", after=("nobody",)), named("b", before=("nobody",))]) == "ab"


def test_a_circle_is_one_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert names([named("a", after=("b",)), named("b", after=("a",)), named("c")]) == "cab"
    assert "a, b each want to run before another of them" in capsys.readouterr().err


def test_results_say_what_changed() -> None:
    proto = model()
    results = run_passes(
        proto,
        [("one", GraphPass("p", rename("Abs"))), ("two", GraphPass("q", rename("Abs")))],  # type: ignore[arg-type]
    )
    assert [(r.name, r.provider, r.changed, r.error) for r in results] == [
        ("p", "one", True, ""),
        ("q", "two", False, ""),
    ]
    assert proto.graph.node[0].op_type == "Abs"


def test_a_pass_that_fails_is_undone_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(proto: ModelProto) -> bool:
        proto.graph.node[0].op_type = "Broken"
        raise KeyError("oops")

    proto = model()
    (result,) = run_passes(proto, [("acme-tools", GraphPass("breaks", fail))])
    assert (result.changed, result.error) == (False, "KeyError: 'oops'")
    assert proto.graph.node[0].op_type == "Relu"
    assert "plugin acme-tools (graph pass breaks)" in capsys.readouterr().err
