"""Whether two descriptions of one operator mean the same."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from opkg.opinfo.model import Attr, AttrValue, OpInfo, Param


def compare(a: OpInfo, b: OpInfo, names: tuple[str, str] = ("the .ini", "the OpDef")) -> list[str]:
    """What `a` and `b` say differently, one sentence each; empty if they mean the same.

    Kernel and flags are not compared, as an OpDef has none; further keys of a parameter only where both have them.
    Floats are equal if they are equal as float32, which is what a kernel sees.

    Args:
        a: one description.
        b: the other.
        names: what the sentences call them.
    """
    said = _Sentences(names)
    return list(_differences(a, b, said))


class _Sentences:
    def __init__(self, names: tuple[str, str]) -> None:
        self._names = names

    def differ(self, what: str, a: object, b: object) -> str:
        return f"{what}: {self._names[0]} says {a}, {self._names[1]} says {b}"


def _differences(a: OpInfo, b: OpInfo, said: _Sentences) -> Iterator[str]:
    if a.op != b.op:
        yield said.differ("operator", a.op, b.op)
    for kind, left, right in (("input", a.inputs, b.inputs), ("output", a.outputs, b.outputs)):
        yield from _lists(kind, [p.name for p in left], [p.name for p in right], said)
        for x in left:
            yield from (d for y in right if x.name == y.name for d in _params(f"{kind} {x.name}", x, y, said))
    yield from _lists("attribute", [x.name for x in a.attrs], [y.name for y in b.attrs], said)
    for attr in a.attrs:
        yield from (d for other in b.attrs if attr.name == other.name for d in _attrs(attr, other, said))


def _lists(kind: str, a: Sequence[str], b: Sequence[str], said: _Sentences) -> Iterator[str]:
    if list(a) != list(b):
        yield said.differ(f"{kind}s", ", ".join(a) or "none", ", ".join(b) or "none")


def _params(what: str, a: Param, b: Param, said: _Sentences) -> Iterator[str]:
    if a.param_type != b.param_type:
        yield said.differ(what, a.param_type, b.param_type)
    if a.dtypes != b.dtypes:
        yield said.differ(f"{what}, dtypes", ", ".join(a.dtypes), ", ".join(b.dtypes))
    if a.formats != b.formats:
        yield said.differ(f"{what}, formats", ", ".join(a.formats), ", ".join(b.formats))
    other = dict(b.extra)
    for key, value in a.extra:
        if key in other and other[key] != value:
            yield said.differ(f"{what}, {key}", value, other[key])


def _attrs(a: Attr, b: Attr, said: _Sentences) -> Iterator[str]:
    what = f"attribute {a.name}"
    if a.type != b.type:
        yield said.differ(f"{what}, type", a.type, b.type)
    elif a.param_type != b.param_type:
        yield said.differ(what, a.param_type, b.param_type)
    elif a.param_type == "optional" and _single(a.default) != _single(b.default):
        yield said.differ(f"{what}, default", a.default, b.default)


def _single(value: AttrValue) -> object:
    """A value with its floats rounded to float32."""
    if isinstance(value, list):
        return [_single(item) for item in value]
    if isinstance(value, float):
        try:
            return struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    return value
