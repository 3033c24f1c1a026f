"""The msopgen IR json: reading and writing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from opkg.opinfo import values
from opkg.opinfo.assemble import PlacedAttr, PlacedParam, assemble
from opkg.opinfo.json_lines import JsonText, Path, parse_json
from opkg.opinfo.model import Attr, AttrValue, OpInfo, Param
from opkg.opinfo.source import Field, meant

_OP_KEYS = ("op", "language", "input_desc", "output_desc", "attr")
_PARAM_KEYS = ("name", "param_type", "format", "type")
_ATTR_KEYS = ("name", "param_type", "type", "default_value")


def read_ir_json(text: str, file: str = "") -> list[OpInfo]:
    """The operators of an IR json: one object or a list of them; of two with the same name the last one holds.

    A type or format that is not a list holds for every column. A name such as `realnumbertype` stands for one column
    for each of its types. Defaults may be JSON values or text, which is read as the attribute's type.

    Raises:
        OpInfoError: with file, line and key.
    """
    parsed = parse_json(text.removeprefix("\ufeff"), file)
    reader = _Reader(parsed, file)
    if isinstance(parsed.value, list):
        found = [reader.operator((index,), item) for index, item in enumerate(parsed.value)]
    else:
        found = [reader.operator((), parsed.value)]
    return list({op.op: op for op in found}.values())


class _Reader:
    """Turns parsed values into the model; knows where each one stands."""

    def __init__(self, parsed: JsonText, file: str) -> None:
        self._parsed = parsed
        self._file = file

    def operator(self, path: Path, data: Any) -> OpInfo:
        self._object(path, data, "an operator", _OP_KEYS)
        op = self._field(path, data, "op")
        values.identifier(op, "an operator")
        inputs, outputs = self._raw_params(path, data, "input_desc"), self._raw_params(path, data, "output_desc")
        columns = max((raw.columns for raw in (*inputs, *outputs)), default=1)
        return assemble(
            op,
            [raw.placed(columns) for raw in inputs],
            [raw.placed(columns) for raw in outputs],
            [self._attr((*path, "attr", i), item) for i, item in enumerate(self._list(path, data, "attr"))],
        )

    def _raw_params(self, path: Path, data: Any, key: str) -> list[_RawParam]:
        return [self._raw_param((*path, key, i), item) for i, item in enumerate(self._list(path, data, key))]

    def _raw_param(self, path: Path, data: Any) -> _RawParam:
        self._object(path, data, "an input or output", _PARAM_KEYS)
        name = self._field(path, data, "name")
        values.identifier(name, "an input or output")
        kind = values.param_type(self._field(path, data, "param_type", "required"))
        types = self._field(path, data, "type")
        formats = self._field(path, data, "format", "ND")
        return _RawParam(name, kind, types, formats)

    def _attr(self, path: Path, data: Any) -> PlacedAttr:
        self._object(path, data, "an attribute", _ATTR_KEYS)
        name = self._field(path, data, "name")
        values.attr_name(name)
        kind = values.attr_type(self._field(path, data, "type"))
        how = values.param_type(self._field(path, data, "param_type", "required"), ("required", "optional"))
        default = values.attr_default(self._field(path, data, "default_value", None), kind)
        return PlacedAttr(Attr(name.value, kind, how, default if how == "optional" else None), name)

    def _object(self, path: Path, data: Any, what: str, known: tuple[str, ...]) -> None:
        here = Field(data, _dotted(path), self._parsed.line(path), self._file)
        if not isinstance(data, dict):
            raise here.error(f"expected {what} as a JSON object")
        for key in data:
            if key not in known and meant(key, [name for name in known if name not in data]):
                place = Field(data[key], _dotted((*path, key)), self._parsed.line((*path, key)), self._file)
                raise place.error(f"unknown key{meant(key, known)}")

    def _field(self, path: Path, data: Mapping[str, Any], key: str, *default: Any) -> Field:
        found = Field(data.get(key), _dotted((*path, key)), self._parsed.line((*path, key)), self._file)
        if key in data:
            return found
        if not default:
            raise found.error("is missing")
        return found.at(found.key, default[0])

    def _list(self, path: Path, data: Mapping[str, Any], key: str) -> list[Any]:
        field = self._field(path, data, key, [])
        if not isinstance(field.value, list):
            raise field.error("expected a list")
        return field.value


class _RawParam:
    """A parameter before it is known how many columns the operator has."""

    def __init__(self, name: Field, kind: str, types: Field, formats: Field) -> None:
        self._name, self._kind, self._types = name, kind, types
        listed = types.value if isinstance(types.value, list) else [types.value]
        groups = [values.dtype_group(types, item) for item in listed]
        self._dtypes = tuple(dtype for group in groups for dtype in group)
        self._formats = self._expand_formats(formats, groups)
        self._broadcast = not isinstance(types.value, list) and len(self._dtypes) == 1
        self._formats_broadcast = not isinstance(formats.value, list)
        if not self._dtypes:
            raise types.error("lists no data type")

    def _expand_formats(self, formats: Field, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """The formats, one a data type where they are a list; a group's format holds for all of its types."""
        if not isinstance(formats.value, list):
            return (values.tensor_format(formats, formats.value),)
        checked = [values.tensor_format(formats, item) for item in formats.value]
        if len(checked) == len(groups):
            return tuple(item for item, group in zip(checked, groups, strict=True) for _ in group)
        if len(checked) != len(self._dtypes) and not (len(self._dtypes) == 1 and self._scalar_type()):
            raise formats.error(f"lists {len(checked)} where {self._types.key} lists {len(self._dtypes)}")
        return tuple(checked)

    def _scalar_type(self) -> bool:
        return not isinstance(self._types.value, list)

    @property
    def columns(self) -> int:
        return max(len(self._dtypes), len(self._formats))

    def placed(self, columns: int) -> PlacedParam:
        """The parameter with what is not a list repeated for each of `columns`."""
        dtypes = self._dtypes * columns if self._broadcast else self._dtypes
        formats = self._formats * len(dtypes) if self._formats_broadcast else self._formats
        if len(formats) != len(dtypes):
            raise self._types.error(f"has {len(dtypes)} columns where its format has {len(formats)}")
        return PlacedParam(Param(self._name.value, self._kind, dtypes, formats), self._name, self._types)


def _dotted(path: Path) -> str:
    """A path as people write it: `[0].input_desc[1].type`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def write_ir_json(operators: Sequence[OpInfo]) -> str:
    """The operators as an IR json. Kernel, flags and extra keys have no place in that format and are left out."""
    return json.dumps([_operator(op) for op in operators], indent=4) + "\n"


def _operator(op: OpInfo) -> dict[str, Any]:
    found: dict[str, Any] = {
        "op": op.op,
        "language": "cpp",
        "input_desc": [_param(param) for param in op.inputs],
        "output_desc": [_param(param) for param in op.outputs],
    }
    if op.attrs:
        found["attr"] = [_attr(attr) for attr in op.attrs]
    return found


def _param(param: Param) -> dict[str, Any]:
    return {
        "name": param.name,
        "param_type": param.param_type,
        "format": list(param.formats),
        "type": list(param.dtypes),
    }


def _attr(attr: Attr) -> dict[str, Any]:
    found: dict[str, Any] = {"name": attr.name, "param_type": attr.param_type, "type": attr.type}
    if attr.default is not None:
        found["default_value"] = _json_default(attr.default)
    return found


def _json_default(value: AttrValue) -> Any:
    """A default as strict JSON, which has no infinity; text that looks quoted is quoted, since readers unquote it."""
    if isinstance(value, list):
        return [_json_default(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, str) and value.strip()[:1] == '"':
        return json.dumps(value)
    return value
