"""The rules of an operator as a whole, the same for every source it was read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opkg.opinfo.model import Attr, KernelRef, OpInfo, Param
from opkg.opinfo.source import Field


@dataclass(frozen=True)
class PlacedParam:
    """A parameter with the places of its name and of its data types."""

    param: Param
    name: Field
    dtypes: Field


@dataclass(frozen=True)
class PlacedAttr:
    """An attribute with the place of its name."""

    attr: Attr
    name: Field


def assemble(
    op: Field,
    inputs: Sequence[PlacedParam],
    outputs: Sequence[PlacedParam],
    attrs: Sequence[PlacedAttr],
    kernel: KernelRef | None = None,
    flags: Mapping[str, str] | None = None,
) -> OpInfo:
    """The operator, once its parts agree with each other.

    Raises:
        OpInfoError: no output, a name used twice, or inputs and outputs with unequal numbers of columns.
    """
    if not outputs:
        raise op.at("output0").error(
            f"the operator {op.value} has no output0", "every operator has at least one output"
        )
    for placed in (inputs, outputs, attrs):
        _check_names([p.name for p in placed])
    _check_columns([*inputs, *outputs])
    return OpInfo(
        op.value,
        tuple(p.param for p in inputs),
        tuple(p.param for p in outputs),
        tuple(a.attr for a in attrs),
        kernel,
        dict(flags or {}),
    )


def _check_names(names: Sequence[Field]) -> None:
    seen: dict[str, Field] = {}
    for name in names:
        if name.value in seen:
            raise name.error(
                f"the name '{name.value}' is taken by {seen[name.value].key} on line {seen[name.value].line}"
            )
        seen[name.value] = name


def _check_columns(params: Sequence[PlacedParam]) -> None:
    first = params[0]
    for placed in params[1:]:
        if len(placed.param.dtypes) != len(first.param.dtypes):
            raise placed.dtypes.error(
                f"has {len(placed.param.dtypes)} columns where {first.dtypes.key} has {len(first.param.dtypes)}",
                "every input and output lists one dtype and one format for each column",
            )
