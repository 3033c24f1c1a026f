"""Data types through standard nodes, subgraphs and custom nodes."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import NodeProto, parser

from opkg.convert.dtypes import dtype_name, infer_dtypes


def nothing_custom(node: NodeProto, dtypes: Sequence[str | None]) -> None:
    return None


def infer(graph: str, custom: object = nothing_custom) -> dict[str, str]:
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 19, "me" : 1]> {graph}')
    return infer_dtypes(model, custom)  # type: ignore[arg-type]


def test_names_of_element_types() -> None:
    assert [dtype_name(n) for n in (1, 10, 16, 7, 9, 11, 2)] == [
        "float32",
        "float16",
        "bfloat16",
        "int64",
        "bool",
        "double",
        "uint8",
    ]
    assert dtype_name(0) is None


def test_standard_nodes() -> None:
    found = infer(
        """g (float16[N] x) => (y) {
            s = Shape(x)
            c = Constant<value = int32[2] {1, 2}>()
            f = Constant<value_floats = [1.0, 2.0]>()
            d = Cast<to = 11>(x)
            b = Greater(x, x)
            v, i = TopK(x, s)
            y = Identity(x)
        }"""
    )
    expected = {"x": "float16", "s": "int64", "c": "int32", "f": "float32", "d": "double", "b": "bool"}
    assert found == expected | {"v": "float16", "i": "int64", "y": "float16"}


def test_branches_and_loops() -> None:
    found = infer(
        """g (bool c, float[N] x, int64 n, bool go) => (y, z) {
            y = If(c) <then_branch = t () => (a) { a = Cast<to = 6>(x) },
                       else_branch = e () => (b) { b = Cast<to = 6>(x) }>
            z = Loop(n, go, x) <body = l (int64 i, bool go_in, float[N] s) => (bool go_out, float[N] s_out)
                { go_out = Identity(go_in) s_out = Add(s, s) }>
        }"""
    )
    assert (found["y"], found["a"], found["b"], found["z"]) == ("int32", "int32", "int32", "float32")


def test_custom_nodes_pass_types_on() -> None:
    seen = []

    def custom(node: NodeProto, dtypes: Sequence[str | None]) -> list[str | None] | None:
        if node.domain != "me":
            return None
        seen.append(tuple(dtypes))
        return ["int64", None]

    found = infer("g (float[N] x) => (y) { a, b = me.Custom(x, , u)  y = Neg(a)  k = Neg(b)}", custom)
    assert seen == [("float32", None, None)]
    assert (found["a"], found["y"], "b" in found, "k" in found) == ("int64", "int64", False, False)


def test_what_the_model_says_counts_for_unknown_nodes() -> None:
    found = infer("g (float[N] x) => (y) <int8[N] a> { a = other.Thing(x)  y = Identity(a) }")
    assert (found["a"], found["y"]) == ("int8", "int8")


def test_a_node_that_cannot_be_inferred_leaves_its_type_open() -> None:
    found = infer("g (float[N] x, int64[N] k) => (y) { a = Add(x, k)  b = Conv(x)  y = Neg(x) }")
    assert found["y"] == "float32"
