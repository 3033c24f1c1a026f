"""An attribute, as the files of a new project declare and use it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opkg.opinfo import Attr

OPDEF_ATTRS = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "string": "String",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_bool": "ListBool",
    "list_list_int": "ListListInt",
}
"""The member of an OpDef's attribute that declares a type; the other types it cannot declare."""

_SAMPLES: dict[str, Any] = {
    "int": 3,
    "float": 2.0,
    "bool": True,
    "string": "text",
    "list_int": [1, 2],
    "list_float": [0.5, 1.5],
    "list_bool": [True, False],
    "list_list_int": [[1, 2], [3]],
}


@dataclass(frozen=True)
class Attribute:
    """An attribute as the templates use it; `index` is its number among all of them."""

    attr: Attr
    index: int

    @property
    def name(self) -> str:
        """The name of the op info."""
        return self.attr.name

    @property
    def kind(self) -> str:
        """Its type."""
        return self.attr.type

    @property
    def field(self) -> str:
        """Its field in the tiling data, empty where the arithmetic does not use it."""
        if self.kind not in ("float", "int", "bool", "list_float", "list_int"):
            return ""
        return f"attr_{self.name}"

    @property
    def field_type(self) -> str:
        """The C++ type of `field`."""
        return {"float": "float", "list_float": "float", "bool": "uint32_t"}.get(self.kind, "int64_t")

    @property
    def fallback(self) -> str:
        """The C++ value of `field` for callers that give the attribute no value."""
        return cpp_literal(int(self.default or 0) if self.kind == "bool" else self.default or _zero(self.kind))

    @property
    def option(self) -> str:
        """Its `AttrType` in an OpDef."""
        return self.attr.param_type.upper()

    @property
    def declaration(self) -> str:
        """Its type and default as an OpDef takes them: `Float(1.0)`."""
        value = "" if self.attr.default is None or self.option == "REQUIRED" else cpp_literal(self.attr.default)
        return f"{OPDEF_ATTRS[self.kind]}({value})"

    @property
    def default(self) -> Any:
        """The value it has when nobody gives one; None if it must be given."""
        if self.attr.param_type == "required":
            return None
        return self.attr.default if self.attr.default is not None else _zero(self.kind)

    @property
    def sample(self) -> Any:
        """A value for tests that differs from the default."""
        found = _SAMPLES[self.kind]
        return found if found != self.default else type(found)() if self.kind == "bool" else found * 2

    @property
    def says(self) -> str:
        """What it does to the result."""
        return {
            "float": "multiplied by {}",
            "int": "plus {}",
            "bool": "negated if {}",
            "list_float": "plus the sum of {}",
            "list_int": "plus the sum of {}",
        }.get(self.kind, "").format(self.name)


def cpp_literal(value: Any) -> str:
    """A default as C++ writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _cpp_float(value)
    if isinstance(value, str):
        return _cpp_text(value)
    if isinstance(value, list):
        return "{" + ", ".join(map(cpp_literal, value)) + "}"
    return str(value)


def _cpp_float(value: float) -> str:
    if math.isnan(value):
        return '__builtin_nanf("")'
    if math.isinf(value):
        return "__builtin_inff()" if value > 0 else "-__builtin_inff()"
    return repr(value)


def _cpp_text(value: str) -> str:
    """A string literal; what is not plain ASCII as octal bytes, which no following digit can extend."""
    plain = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in value.encode())
    return f'"{plain}"'


def python_literal(value: Any) -> str:
    """A default as Python writes it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(python_literal, value))}]"
    return repr(value)


def _zero(kind: str) -> Any:
    zeros: Mapping[str, Any] = {"int": 0, "float": 0.0, "bool": False, "string": ""}
    return zeros.get(kind, [])
