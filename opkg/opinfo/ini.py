"""Reading an op-info `.ini`, in both dialects."""

from __future__ import annotations

import re

from opkg.opinfo import values
from opkg.opinfo.assemble import PlacedAttr, PlacedParam, assemble
from opkg.opinfo.ini_text import Section, read_sections
from opkg.opinfo.model import Attr, KernelRef, OpInfo, Param
from opkg.opinfo.names import snake_case
from opkg.opinfo.source import Field, meant, nearest

_PARAM_KEY = re.compile(r"(input|output)(0|[1-9][0-9]{0,3})\.(.+)\Z")
_ATTR_KEY = re.compile(r"attr_(.+)\.([^.]+)\Z")
_PARAM_KEYS = ("name", "dtype", "format", "paramType", "shape")
_ATTR_KEYS = ("type", "value", "paramType", "defaultValue")
_NO_FLAG = re.compile(r"(input|output)[0-9]|attr(_|\Z)")
_KERNEL_KEYS = ("kernelName", "opFile.value", "opInterface.value")


def read_ini(text: str, file: str = "") -> list[OpInfo]:
    """The operators of an op-info `.ini`, one a section, in order.

    Args:
        text: plain keys (`input0.name=x`) or JSON values (`input0 = {"name": "x", ...}`), also mixed.
        file: what errors call the text.

    Raises:
        OpInfoError: with file, line and key.
    """
    return [_operator(section) for section in read_sections(text, file)]


def _operator(section: Section) -> OpInfo:
    header = section.header
    op = Field(values.identifier(header, "an operator"), header.key, header.line, header.file)
    engine = section.fields.get("opInfo.engine") or section.fields.get("opInfo.kernelSo")
    if engine is not None:
        raise engine.error(f"{op.value} is an AI CPU operator", "describe the operator's AI core kernel instead")
    rest = dict(section.fields)
    inputs = _params(op, rest, "input")
    outputs = _params(op, rest, "output")
    attrs = _attrs(rest)
    kernel = _kernel(op.value, rest)
    return assemble(op, inputs, outputs, attrs, kernel, _flags(rest))


def _params(op: Field, rest: dict[str, Field], kind: str) -> list[PlacedParam]:
    """The inputs or the outputs; their keys are taken out of `rest`."""
    groups: dict[int, dict[str, Field]] = {}
    for key in list(rest):
        found = _PARAM_KEY.match(key)
        if found and found[1] == kind:
            groups.setdefault(int(found[2]), {})[found[3]] = rest.pop(key)
    for expected, number in enumerate(sorted(groups)):
        if number != expected:
            place = next(iter(groups[number].values()))
            raise place.at(f"{kind}{expected}").error(f"{kind}{number} is described but {kind}{expected} is not")
    return [_param(op, f"{kind}{number}", groups[number]) for number in sorted(groups)]


def _param(op: Field, slot: str, keys: dict[str, Field]) -> PlacedParam:
    name = _required(op, slot, keys, "name")
    kind = _required(op, slot, keys, "paramType")
    dtypes = _required(op, slot, keys, "dtype")
    checked_dtypes = tuple(values.dtype(dtypes, item) for item in _list(dtypes))
    formats = _optional(slot, keys, "format")
    checked_formats = ("ND",) * len(checked_dtypes)
    if formats is not None:
        checked_formats = tuple(values.tensor_format(formats, item) for item in _list(formats))
        if len(checked_formats) != len(checked_dtypes):
            raise formats.error(
                f"lists {len(checked_formats)} where {dtypes.key} lists {len(checked_dtypes)}",
                "list one format for each data type",
            )
    param = Param(
        values.identifier(name, f"an {slot.rstrip('0123456789')}"),
        values.param_type(kind),
        checked_dtypes,
        checked_formats,
        _extra(keys),
    )
    return PlacedParam(param, name, dtypes)


def _extra(keys: dict[str, Field]) -> tuple[tuple[str, str], ...]:
    found = {key: _plain(field) for key, field in keys.items() if key not in _PARAM_KEYS}
    if "shape" in keys and keys["shape"].value != "all":
        found["shape"] = _plain(keys["shape"])
    return tuple(sorted(found.items()))


def _required(op: Field, slot: str, keys: dict[str, Field], name: str) -> Field:
    found = _optional(slot, keys, name)
    if found is None:
        place = next(iter(keys.values()))
        raise place.at(f"{slot}.{name}").error(f"{op.value} lacks this key", f"add a line '{slot}.{name}=...'")
    return found


def _optional(slot: str, keys: dict[str, Field], name: str) -> Field | None:
    """The field of a key, or None; a key that looks like a misspelling of it is an error."""
    if name in keys:
        return keys[name]
    typo = nearest(name, [key for key in keys if key not in _PARAM_KEYS])
    if typo:
        raise keys[typo].error(f"unknown key; did you mean '{slot}.{name}'?")
    return None


def _list(field: Field) -> list[str]:
    items = field.value if isinstance(field.value, list) else str(field.value).split(",")
    found = [item.strip() if isinstance(item, str) else item for item in items]
    if not found or "" in found:
        raise field.error("has an empty item: expected a list such as float16,float")
    return found


def _plain(field: Field) -> str:
    """A value of either dialect as the plain dialect writes it."""
    value = field.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)


def _attrs(rest: dict[str, Field]) -> list[PlacedAttr]:
    """The attributes in the order of `attr.list`; their keys are taken out of `rest`."""
    listed = rest.pop("attr.list", None)
    described: dict[str, dict[str, Field]] = {}
    for key in list(rest):
        if (found := _ATTR_KEY.match(key)) is not None:
            described.setdefault(found[1], {})[found[2]] = rest.pop(key)
    names = _list(listed) if listed is not None and listed.value not in ("", []) else []
    found_attrs = []
    for name in names:
        assert listed is not None
        place = listed.at(listed.key, name)
        values.attr_name(place)
        if name not in described:
            raise place.error(f"the attribute '{name}' is not described", f"add a line 'attr_{name}.type=...'")
        found_attrs.append(_attr(place, described[name]))
        _keep_enumeration(name, described[name], rest)
    for name, keys in described.items():
        if name not in names:
            raise next(iter(keys.values())).error(f"attr.list does not name '{name}'", f"add {name} to attr.list")
    return found_attrs


def _attr(name: Field, keys: dict[str, Field]) -> PlacedAttr:
    if "type" not in keys:
        place = next(iter(keys.values()))
        raise place.at(f"attr_{name.value}.type").error("is missing", f"add a line 'attr_{name.value}.type=...'")
    unknown = [key for key in keys if key not in _ATTR_KEYS]
    if unknown:
        raise keys[unknown[0]].error(f"unknown key of an attribute{meant(unknown[0], _ATTR_KEYS)}")
    kind = values.attr_type(keys["type"])
    default = values.attr_default(keys["defaultValue"], kind) if "defaultValue" in keys else None
    given = keys.get("paramType")
    how = values.param_type(given, ("required", "optional")) if given else "required"
    return PlacedAttr(Attr(name.value, kind, how, default if how == "optional" else None), name)


def _keep_enumeration(name: str, keys: dict[str, Field], rest: dict[str, Field]) -> None:
    """`attr_X.value` other than `all` has no place in the model; it stays a flag, so that nothing is lost."""
    allowed = keys.get("value")
    if allowed is not None and allowed.value != "all":
        rest[f"attr_{name}.value"] = allowed


def _kernel(op: str, rest: dict[str, Field]) -> KernelRef | None:
    given = {key: rest.pop(key) for key in _KERNEL_KEYS if key in rest}
    if "kernelName" in given:
        module, colons, function = str(given["kernelName"].value).partition("::")
        if not colons or not module or not function:
            raise given["kernelName"].error(f"'{given['kernelName'].value}' is not of the form module::function")
        return KernelRef(module.strip(), function.strip())
    if not given:
        return None
    module = str(given["opFile.value"].value) if "opFile.value" in given else snake_case(op)
    function = str(given["opInterface.value"].value) if "opInterface.value" in given else module
    return KernelRef(module, function)


def _hint(key: str) -> str:
    """How the key of a parameter or attribute is written."""
    if key.startswith("attr"):
        return f"attributes are attr.list=... and attr_<name>.<key>=..., with one of {', '.join(_ATTR_KEYS)}"
    return "parameters are input0, input1, ... and output0, ...: input0.name=..., or input0 = {...} with a JSON object"


def _flags(rest: dict[str, Field]) -> dict[str, str]:
    """What is left: `x.flag` under the name `x`, `op.pattern` under the other dialect's `opPattern`."""
    flags: dict[str, str] = {}
    for key, field in rest.items():
        if _NO_FLAG.match(key) and not _ATTR_KEY.match(key):
            raise field.error("unknown key", _hint(key))
        name = "opPattern" if key == "op.pattern" else key.removesuffix(".flag")
        if name in flags:
            raise field.error(f"says again what '{name}' says")
        flags[name] = _plain(field)
    return flags
