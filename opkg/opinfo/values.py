"""One value each: data types, formats, names, parameter types and attribute defaults, checked and made canonical."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from opkg.opinfo.dtypes import ALIASES, DTYPES, FORMATS, GROUPS, canonical_dtype, canonical_format
from opkg.opinfo.model import ATTR_TYPES, PARAM_TYPES, AttrValue
from opkg.opinfo.names import RESERVED_ATTRS, is_identifier
from opkg.opinfo.source import Field, meant

_ATTR_SPELLINGS = {name.replace("_", ""): name for name in ATTR_TYPES} | {"str": "string", "liststr": "list_string"}

INI_ATTR_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "string": "str",
    "type": "type",
    "tensor": "tensor",
    "list_int": "listInt",
    "list_float": "listFloat",
    "list_bool": "listBool",
    "list_string": "listStr",
    "list_type": "listType",
    "list_tensor": "listTensor",
    "list_list_int": "listListInt",
}
"""Attribute types as an `.ini` spells them."""


def dtype(field: Field, name: Any) -> str:
    """The canonical name of a data type."""
    found = canonical_dtype(name) if isinstance(name, str) else None
    if found is None:
        known = [*DTYPES, *ALIASES]
        raise field.error(
            f"unknown data type {_show(name)}{meant(str(name), known)}", "see 'Data types' in docs/op-info.md"
        )
    return found


def dtype_group(field: Field, name: Any) -> tuple[str, ...]:
    """The data types that a name of an IR json stands for: one, or those of a group such as `realnumbertype`."""
    group = GROUPS.get(name.strip().lower()) if isinstance(name, str) else None
    return group if group is not None else (dtype(field, name),)


def tensor_format(field: Field, name: Any) -> str:
    """The canonical spelling of a format."""
    found = canonical_format(name) if isinstance(name, str) else None
    if found is None:
        raise field.error(
            f"unknown format {_show(name)}{meant(str(name), FORMATS)}", "see 'Formats' in docs/op-info.md"
        )
    return found


def identifier(field: Field, what: str) -> str:
    """The name of an operator, input, output or attribute."""
    if not isinstance(field.value, str) or not is_identifier(field.value):
        raise field.error(
            f"{_show(field.value)} cannot name {what}: expected a C++ identifier (letters, digits, '_', no digit first)"
        )
    return field.value


def attr_name(field: Field) -> str:
    """The name of an attribute: an identifier that the vendor's generated wrapper does not use itself."""
    name = identifier(field, "an attribute")
    if name in RESERVED_ATTRS:
        raise field.error(f"the attribute name '{name}' is reserved", "choose another name")
    return name


def param_type(field: Field, allowed: tuple[str, ...] = PARAM_TYPES) -> str:
    """`required`, `optional` or (inputs and outputs only) `dynamic`."""
    text = str(field.value).strip().lower()
    if text not in allowed:
        raise field.error(f"{_show(field.value)} is none of {', '.join(allowed)}")
    return text


def attr_type(field: Field) -> str:
    """The canonical attribute type (`listInt`, `list_int` -> `list_int`)."""
    text = str(field.value).strip()
    found = _ATTR_SPELLINGS.get(text.lower().replace("_", ""))
    if found is None:
        raise field.error(f"unknown attribute type {_show(field.value)}{meant(text, ATTR_TYPES)}")
    return found


def attr_default(field: Field, kind: str) -> AttrValue:
    """The default of an attribute of type `kind`; text is read as that type, `1e-5` and `[1,1]` included."""
    value = field.value
    if value is None or (isinstance(value, str) and not value.strip() and kind != "string"):
        return None
    if kind in ("tensor", "list_tensor"):
        raise field.error("an attribute that holds tensors cannot have a default")
    try:
        return _read_default(value, kind)
    except (ValueError, TypeError, OverflowError):
        raise field.error(f"{_show(value)} is not a value of type {kind}; expected {_EXPECTED[kind]}") from None


def _read_default(value: Any, kind: str) -> AttrValue:
    if kind == "list_list_int":
        return [[_int(item) for item in _items(row)] for row in _items(value)]
    if kind.startswith("list_"):
        read = _SCALARS[kind.removeprefix("list_")]
        return [read(item) for item in _items(value)]
    found: AttrValue = _SCALARS[kind](value)
    return found


def _items(value: Any) -> list[Any]:
    """The elements of a list that is a list, its JSON text, or `a,b` (the vendor's `{1,2}` included)."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        raise TypeError
    text = value.strip()
    if text.startswith("{") and text.endswith("}"):
        text = text.replace("{", "[").replace("}", "]")
    if text.startswith("["):
        try:
            found = json.loads(text)
        except ValueError:
            return _split(text[1:-1]) if text.endswith("]") else _split(text)
        return list(found)
    return _split(text)


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text.strip() else []


def _int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError
    if isinstance(value, str):
        value = int(value, 16) if "x" in value.lower() else int(value)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    return float(value)


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in ("true", "false", "1", "0"):
        raise ValueError
    return text in ("true", "1")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return str(json.loads(text))
    return value


def _type(value: Any) -> str:
    found = canonical_dtype(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError
    return found


_SCALARS: dict[str, Callable[[Any], Any]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "string": _text,
    "type": _type,
}
_SCALARS_TEXT = {
    "int": "a whole number of 64 bits",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "type": "the name of a data type",
}
_EXPECTED = (
    _SCALARS_TEXT
    | {f"list_{kind}": f"a list such as [a,b], each {text}" for kind, text in _SCALARS_TEXT.items()}
    | {"list_list_int": "a list of lists of whole numbers such as [[1,2],[3]]"}
)


def _show(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value, default=str)
