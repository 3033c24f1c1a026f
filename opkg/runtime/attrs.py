"""Attribute values: what a caller may give for each declared type, and what the native core takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opkg.opinfo import Attr
from opkg.opinfo.dtypes import BY_NUMBER, DTYPES, canonical_dtype


@dataclass(frozen=True)
class AttrKind:
    """A type of attributes: its number in the package interface, what it is in words, and how a value becomes one.

    `convert` raises TypeError or ValueError for a value that does not fit.
    """

    number: int
    words: str
    convert: Callable[[Any], Any]


def _integer(value: Any) -> int:
    # `__index__`, not int(): 2.5 would pass as 2. A bool has it as well, and is mostly a slip.
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError
    number = int(value.__index__())
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError
    return number


def _real(value: Any) -> float:
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        raise TypeError
    return float(value)


def _boolean(value: Any) -> int:
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return int(bool(value))
    number = _integer(value)
    if number not in (0, 1):
        raise ValueError
    return number


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError
    return value


def _dtype(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if value not in BY_NUMBER:
            raise ValueError
        return value
    name = canonical_dtype(value if isinstance(value, str) else getattr(value, "name", None) or value.__name__)
    if name is None:
        raise ValueError
    return DTYPES[name].number


def _list(convert: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def all_of(value: Any) -> list[Any]:
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
            raise TypeError
        return [convert(element) for element in value]

    return all_of


def _tensor(value: Any) -> Any:
    import numpy as np

    array = np.ascontiguousarray(value)
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16":
        raise TypeError
    return array


KINDS: Mapping[str, AttrKind] = {
    "int": AttrKind(0, "an integer of 64 bits", _integer),
    "float": AttrKind(1, "a number", _real),
    "bool": AttrKind(2, "a bool", _boolean),
    "string": AttrKind(3, "a string", _text),
    "type": AttrKind(4, "the name of a data type", _dtype),
    "list_int": AttrKind(5, "a list of integers", _list(_integer)),
    "list_float": AttrKind(6, "a list of numbers", _list(_real)),
    "list_bool": AttrKind(7, "a list of bools", _list(_boolean)),
    "list_string": AttrKind(8, "a list of strings", _list(_text)),
    "list_type": AttrKind(9, "a list of names of data types", _list(_dtype)),
    "list_list_int": AttrKind(10, "a list of lists of integers", _list(_list(_integer))),
    "tensor": AttrKind(11, "an array", _tensor),
}
"""Every type that a caller can give; `list_tensor` cannot be."""


class AttrError(ValueError):
    """A value does not fit its attribute; the text ends a sentence that begins with the operator or node."""


def attr_value(attr: Attr, value: Any) -> Any:
    """`value` as the native core takes it for `attr`.

    Raises:
        AttrError: it does not fit the attribute's type.
    """
    kind = attr_kind(attr)
    try:
        return kind.convert(value)
    except (TypeError, ValueError, AttributeError):
        raise AttrError(f"attribute '{attr.name}' is {kind.words}, not {value!r}") from None


def attr_kind(attr: Attr) -> AttrKind:
    """The kind of an attribute.

    Raises:
        AttrError: attributes of this type cannot be passed.
    """
    kind = KINDS.get(attr.type)
    if kind is None:
        raise AttrError(f"attribute '{attr.name}' has the type {attr.type}, which cannot be passed to a kernel")
    return kind


def complete_attrs(attrs: Sequence[Attr], given: Mapping[str, Any]) -> list[tuple[str, int, Any]]:
    """Every declared attribute in order, as name, kind number, and value or default (None: neither).

    Raises:
        AttrError: an attribute that is not declared, a required one that is not given, or a value that does not fit.
    """
    declared = [attr.name for attr in attrs]
    for name in given:
        if name not in declared:
            raise AttrError(f"attribute '{name}' is not declared; declared are: {', '.join(declared) or 'none'}")
    found = []
    for attr in attrs:
        value = given.get(attr.name, attr.default)
        if attr.name not in given and attr.param_type == "required" and attr.default is None:
            raise AttrError(f"attribute '{attr.name}' is required and was not given")
        found.append((attr.name, attr_kind(attr).number, None if value is None else attr_value(attr, value)))
    return found
