"""Differences in meaning between two descriptions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opkg.opinfo import Attr, KernelRef, OpInfo, Param, compare

X = Param("x", "required", ("float16", "float32"), ("ND", "ND"))
Y = replace(X, name="y")
OP = OpInfo("Square", (X,), (Y,), (Attr("k", "float", "optional", 0.1),))


def test_kernel_flags_and_float32_rounding_do_not_differ() -> None:
    other = replace(OP, kernel=KernelRef("a", "b"), flags={"dynamicFormat": "true"})
    other = replace(other, attrs=(Attr("k", "float", "optional", 0.10000000149011612),))
    assert compare(OP, other) == []


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (replace(OP, op="Cube"), "operator: the .ini says Square, the OpDef says Cube"),
        (replace(OP, inputs=()), "inputs: the .ini says x, the OpDef says none"),
        (replace(OP, outputs=(Y, replace(Y, name="z"))), "outputs: the .ini says y, the OpDef says y, z"),
        (
            replace(OP, inputs=(replace(X, dtypes=("float16", "int8")),)),
            "input x, dtypes: the .ini says float16, float32, the OpDef says float16, int8",
        ),
        (
            replace(OP, outputs=(replace(Y, formats=("ND", "NCHW")),)),
            "output y, formats: the .ini says ND, ND, the OpDef says ND, NCHW",
        ),
        (
            replace(OP, inputs=(replace(X, param_type="optional"),)),
            "input x: the .ini says required, the OpDef says optional",
        ),
        (replace(OP, attrs=()), "attributes: the .ini says k, the OpDef says none"),
        (
            replace(OP, attrs=(Attr("k", "int", "optional", 1),)),
            "attribute k, type: the .ini says float, the OpDef says int",
        ),
        (
            replace(OP, attrs=(Attr("k", "float", "optional", 0.2),)),
            "attribute k, default: the .ini says 0.1, the OpDef says 0.2",
        ),
        (replace(OP, attrs=(Attr("k", "float"),)), "attribute k: the .ini says optional, the OpDef says required"),
    ],
)
def test_each_difference_is_one_sentence(other: OpInfo, sentence: str) -> None:
    assert compare(OP, other) == [sentence]


def test_further_keys_count_where_both_have_them() -> None:
    left = replace(OP, inputs=(replace(X, extra=(("valueDepend", "required"),)),))
    right = replace(OP, inputs=(replace(X, extra=(("valueDepend", "optional"),)),))
    assert compare(left, OP) == []
    assert compare(left, right, ("one", "two")) == ["input x, valueDepend: one says required, two says optional"]


def test_defaults_beyond_float32_are_infinite_in_both() -> None:
    left, right = (replace(OP, attrs=(Attr("k", "list_float", "optional", [v]),)) for v in (1e300, float("inf")))
    assert compare(left, right) == []
