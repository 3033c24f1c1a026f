"""What is written is read again as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opkg.errors import OpInfoError
from opkg.opinfo import (
    Attr,
    KernelRef,
    OpInfo,
    Param,
    ops_info_dict,
    read_ini,
    read_ir_json,
    read_ops_info,
    write_ini,
    write_ir_json,
)
from opkg.opinfo.dtypes import DTYPES, FORMATS
from opkg.opinfo.model import ATTR_TYPES
from opkg.opinfo.names import RESERVED_ATTRS

some = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "string": st.text(st.characters(exclude_categories=["Cs"])),
    "type": st.sampled_from(sorted(DTYPES)),
}


def _defaults(kind: str) -> st.SearchStrategy[Any]:
    if kind in ("tensor", "list_tensor"):
        return st.none()
    if kind == "list_list_int":
        return st.lists(st.lists(SCALARS["int"]))
    return SCALARS[kind] if kind in SCALARS else st.lists(SCALARS[kind.removeprefix("list_")])


@st.composite
def attrs(draw: st.DrawFn) -> Attr:
    name = draw(NAMES.filter(lambda name: name not in RESERVED_ATTRS))
    kind = draw(st.sampled_from(ATTR_TYPES))
    if draw(st.booleans()):
        return Attr(name, kind)
    return Attr(name, kind, "optional", draw(st.none() | _defaults(kind)))


@st.composite
def operators(draw: st.DrawFn, plain: bool = False) -> OpInfo:
    columns = draw(st.integers(1, 4))
    extra = st.just(()) if plain else st.sampled_from([(), (("valueDepend", "optional"),), (("needCompile", "false"),)])
    param = st.builds(
        Param,
        NAMES,
        st.sampled_from(["required", "optional", "dynamic"]),
        st.tuples(*[st.sampled_from(sorted(DTYPES))] * columns),
        st.tuples(*[st.sampled_from(sorted(FORMATS))] * columns),
        extra,
    )
    inputs, outputs = (
        draw(st.lists(param, min_size=least, max_size=3, unique_by=lambda p: p.name)) for least in (0, 1)
    )
    flags = st.dictionaries(st.sampled_from(["dynamicShapeSupport", "opPattern", "coreType.value"]), NAMES)
    return OpInfo(
        draw(NAMES),
        tuple(inputs),
        tuple(outputs),
        tuple(draw(st.lists(attrs(), max_size=3, unique_by=lambda a: a.name))),
        None if plain else draw(st.none() | st.builds(KernelRef, NAMES, NAMES)),
        {} if plain else draw(flags),
    )


@some
@given(st.lists(operators(), max_size=3, unique_by=lambda op: op.op))
def test_ini(ops: list[OpInfo]) -> None:
    assert read_ini(write_ini(ops)) == ops


@some
@given(st.lists(operators(plain=True), max_size=3, unique_by=lambda op: op.op))
def test_ir_json(ops: list[OpInfo]) -> None:
    text = write_ir_json(ops)
    json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
    assert read_ir_json(text) == ops


@some
@given(operators())
def test_canonical_form(op: OpInfo) -> None:
    assert OpInfo.from_dict(json.loads(json.dumps(op.to_dict()))) == op


@some
@given(operators())
def test_ops_info_is_text_in_two_levels(op: OpInfo) -> None:
    (found,) = ops_info_dict([op]).values()
    assert all(isinstance(text, str) for keys in found.values() for text in keys.values())
    assert found["output0"]["dtype"] == ",".join(op.outputs[0].dtypes)
    assert found["opFile"]["value"] == (op.kernel.module if op.kernel else op.snake)


@some
@given(operators())
def test_ops_info_reads_as_the_ini_does(op: OpInfo) -> None:
    ((op_type, sections),) = ops_info_dict([op]).items()
    (written,) = read_ini(write_ini([op]))
    found = read_ops_info(op_type, sections)
    assert (found.op, found.inputs, found.outputs, found.attrs) == (op.op, written.inputs, written.outputs, op.attrs)


def test_ops_info_that_is_not_one_is_an_error_of_its_operator() -> None:
    for sections in ([], {"input0": "x"}, 3):
        with pytest.raises(OpInfoError, match="file: Square: expected objects of objects"):
            read_ops_info("Square", sections, "file")
