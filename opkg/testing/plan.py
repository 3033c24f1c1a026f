"""Which cases an operator is tested with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opkg.errors import ProjectError
from opkg.opinfo import OpInfo, Param
from opkg.testing.case import Case, Group, Shape
from opkg.testing.declared import CASES_NAME, Declared, DeclaredCase

LENGTHS = (
    0,
    1,
    2,
    7,
    16,
    31,
    32,
    33,
    63,
    127,
    255,
    256,
    257,
    1000,
    4095,
    4096,
    4097,
    8191,
    16385,
    20011,
    65537,
    200003,
)
"""Elements: none, one, primes, around the 32 bytes of a block, around powers of two where tiles end, and many."""

SHAPES: tuple[Shape, ...] = ((), (2, 3, 5), (4, 0), (1, 1, 7, 1), (3, 1, 2, 2, 11), (1, 2, 1, 3, 1, 2, 1, 5))
"""Ranks from 0 to 8."""

SPECIAL_LENGTH = 1009
"""Enough for all pairs of special values, and no multiple of 32 bytes."""

ATTRIBUTE_LENGTH = 1000


@dataclass(frozen=True)
class Skipped:
    """A column that no call can choose, and why."""

    op: str
    column: int
    why: str


def cases_of(
    info: OpInfo, declared: Declared, *, seed: int, cores: Sequence[str], lengths: Sequence[int] | None = None
) -> Iterator[Case | Skipped]:
    """All cases of an operator, column by column; `lengths` instead of those of the project or of opkg.

    Raises:
        ProjectError: `cases.toml` must say something that it does not.
    """
    _check_attrs(info, declared)
    if lengths is not None:
        declared = replace(declared, lengths=tuple(lengths))
    for column in range(info.columns):
        why = why_not(info, column)
        if why:
            yield Skipped(info.op, column, why)
            continue
        plain = Case(info.op, column, "", (), attrs=declared.attrs, ranges=declared.ranges, seed=seed)
        for case in _column_cases(info, declared, replace(plain, counts=declared.counts)):
            if _reaches(info, case):
                yield from (replace(case, cores=each) for each in cores)


def why_not(info: OpInfo, column: int) -> str:
    """Why no call from Python can choose a column; empty if one can."""
    blocked = next((p for p in (*info.inputs, *info.outputs) if p.formats[column] not in _PLAIN), None)
    if blocked is not None:
        return f"'{blocked.name}' has the format {blocked.formats[column]}, which arrays do not have"
    chosen = _chosen(info, column, info.inputs)
    return "" if chosen == column else f"column {chosen} has the same data types of inputs and is chosen"


_PLAIN = frozenset("ND NCHW NHWC HWCN CHWN NCDHW NDHWC DHWCN DHWNC NCL NC CN".split())
"""Formats whose memory is the tensor's dimensions in their order."""


def _chosen(info: OpInfo, column: int, given: Sequence[Param]) -> int:
    """The column that a call gets whose inputs have the data types of `column`: the fewest formats of other layouts."""
    fitting = [
        other
        for other in range(info.columns)
        if all(p.dtypes[other] == p.dtypes[column] and p.formats[other] in _PLAIN for p in given)
    ]
    return max(fitting, key=lambda other: sum(p.formats[other] == "ND" for p in given))


def _reaches(info: OpInfo, case: Case) -> bool:
    """Whether the inputs that are there choose the case's own column."""
    given = [param for param, group in zip(info.inputs, case.inputs, strict=True) if group]
    return _chosen(info, case.column, given) == case.column


def _check_attrs(info: OpInfo, declared: Declared) -> None:
    for attr in info.attrs:
        required = attr.param_type == "required" and attr.default is None
        if required and attr.name not in declared.attrs:
            raise ProjectError(
                f"the tests of {info.op} need a value of its attribute '{attr.name}', which has no default",
                f"write [{info.op}.attrs] and {attr.name} = ... into tests/{CASES_NAME}",
            )


def _column_cases(info: OpInfo, declared: Declared, plain: Case) -> Iterator[Case]:
    for length in declared.lengths if declared.lengths is not None else LENGTHS:
        yield replace(plain, name=f"length={length}", inputs=_at_length(info, declared, length))
    shapes = declared.shapes if declared.shapes is not None else () if declared.pattern else SHAPES
    for shape in shapes:
        yield replace(plain, name=f"shape={_words(shape)}", inputs=tuple(_group(p, shape) for p in info.inputs))
    if declared.special:
        yield replace(plain, name="special", special=True, inputs=_at_length(info, declared, SPECIAL_LENGTH))
    if any(_is_floating(param.dtypes[plain.column]) for param in info.inputs):
        yield replace(plain, name="fractions", fractions=True, inputs=_at_length(info, declared, ATTRIBUTE_LENGTH))
    yield from _absences(info, declared, plain)
    yield from _numbers(info, declared, plain)
    for extra in declared.cases:
        if extra.columns is None or plain.column in extra.columns:
            yield _declared_case(info, declared, extra, plain)


def _is_floating(dtype: str) -> bool:
    return "float" in dtype or dtype in ("double", "complex64", "complex128")


def _words(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _at_length(info: OpInfo, declared: Declared, length: int) -> tuple[Group, ...]:
    """The inputs at a length: as the project's pattern has it, else vectors."""
    shapes = (tuple(length if e == "n" else int(e) for e in declared.pattern.get(p.name, ("n",))) for p in info.inputs)
    return tuple(_group(param, shape) for param, shape in zip(info.inputs, shapes, strict=True))


def _group(param: Param, shape: Shape) -> Group:
    return (shape, shape) if param.param_type == "dynamic" else (shape,)


def _absences(info: OpInfo, declared: Declared, plain: Case) -> Iterator[Case]:
    """Each optional input absent, and all of them."""
    optional = [p.name for p in info.inputs if p.param_type == "optional"]
    full = _at_length(info, declared, ATTRIBUTE_LENGTH)
    for absent in [[name] for name in optional] + ([optional] if len(optional) > 1 else []):
        inputs = tuple(None if p.name in absent else g for p, g in zip(info.inputs, full, strict=True))
        yield replace(plain, name=f"without={'+'.join(absent)}", inputs=inputs)


def _numbers(info: OpInfo, declared: Declared, plain: Case) -> Iterator[Case]:
    """Other numbers of tensors for dynamic inputs than two."""
    if not any(p.param_type == "dynamic" for p in info.inputs):
        return
    full = _at_length(info, declared, ATTRIBUTE_LENGTH)
    for count in (1, 3):
        inputs = tuple(
            g[:1] * count if g and p.param_type == "dynamic" else g for p, g in zip(info.inputs, full, strict=True)
        )
        yield replace(plain, name=f"tensors={count}", inputs=inputs)


def _declared_case(info: OpInfo, declared: Declared, extra: DeclaredCase, plain: Case) -> Case:
    full = _at_length(info, declared, ATTRIBUTE_LENGTH)
    inputs = tuple(
        None if p.name in extra.absent else extra.shapes.get(p.name, g) for p, g in zip(info.inputs, full, strict=True)
    )
    attrs: Mapping[str, Any] = {**plain.attrs, **extra.attrs}
    ranges = extra.ranges or plain.ranges
    return replace(plain, name=extra.name, inputs=inputs, attrs=attrs, special=extra.special, ranges=ranges)
