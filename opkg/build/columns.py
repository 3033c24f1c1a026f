"""The dtype/format columns of an operator: what a kernel is compiled with for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opkg.opinfo import OpInfo, Param
from opkg.opinfo.dtypes import DTYPES


@dataclass(frozen=True)
class Column:
    """One column of one operator.

    Attributes:
        op: the operator type.
        index: number of the column.
        label: its dtypes and formats for people: `x float16, y float16`.
        macros: names and values that the kernel is compiled with, in order.
    """

    op: str
    index: int
    label: str
    macros: tuple[tuple[str, str], ...]

    @property
    def stem(self) -> str:
        """File name of the kernel library without its ending."""
        return f"{self.op}_{self.index}"

    @property
    def title(self) -> str:
        """How messages call the column."""
        return f"{self.op} column {self.index} ({self.label})"


def columns_of(op: OpInfo) -> tuple[Column, ...]:
    """Every column of an operator, in order."""
    return tuple(Column(op.op, index, _label(op, index), tuple(_macros(op, index))) for index in range(op.columns))


def _label(op: OpInfo, index: int) -> str:
    return ", ".join(_param_label(p, index) for p in (*op.inputs, *op.outputs))


def _param_label(param: Param, index: int) -> str:
    fmt = param.formats[index]
    return f"{param.name} {param.dtypes[index]}" + ("" if fmt == "ND" else f" {fmt}")


def _macros(op: OpInfo, index: int) -> Iterator[tuple[str, str]]:
    """DTYPE_X, ORIG_DTYPE_X and FORMAT_X of each input and output; an output named as an input is X_REF."""
    inputs = {p.name for p in op.inputs}
    named = [(p.name, p) for p in op.inputs]
    named += [(f"{p.name}_ref" if p.name in inputs else p.name, p) for p in op.outputs]
    for name, param in named:
        dtype = DTYPES[param.dtypes[index]]
        if dtype.cpp:
            yield f"DTYPE_{name.upper()}", dtype.cpp
        yield f"ORIG_DTYPE_{name.upper()}", dtype.enum
        yield f"FORMAT_{name.upper()}", f"FORMAT_{param.formats[index]}"
