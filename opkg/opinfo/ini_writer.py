"""Writing an op-info `.ini` with plain keys, the dialect that every tool of the field reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from opkg.opinfo.model import Attr, AttrValue, OpInfo, Param
from opkg.opinfo.values import INI_ATTR_TYPES

_DTYPES = {"float32": "float"}


def write_ini(operators: Sequence[OpInfo]) -> str:
    """The operators as one `.ini`; `read_ini` of it gives them again."""
    return "\n".join("".join(f"{line}\n" for line in _lines(op)) for op in operators)


def _lines(op: OpInfo) -> Iterator[str]:
    yield f"[{op.op}]"
    for kind, params in (("input", op.inputs), ("output", op.outputs)):
        for number, param in enumerate(params):
            yield from (f"{kind}{number}.{line}" for line in _param_lines(param))
    if op.attrs:
        yield f"attr.list={','.join(attr.name for attr in op.attrs)}"
    for attr in op.attrs:
        yield from (f"attr_{attr.name}.{line}" for line in _attr_lines(attr, op.flags))
    for name, value in op.flags.items():
        if not name.startswith("attr_"):
            yield f"{flag_key(name)}={value}"
    if op.kernel is not None:
        yield f"opFile.value={op.kernel.module}"
        yield f"opInterface.value={op.kernel.function}"


def flag_key(name: str) -> str:
    """The dotted key of a flag: `dynamicShapeSupport` -> `dynamicShapeSupport.flag`."""
    if name == "opPattern":
        return "op.pattern"
    return name if "." in name else f"{name}.flag"


def _param_lines(param: Param) -> Iterator[str]:
    extra = dict(param.extra)
    yield f"name={param.name}"
    yield f"dtype={','.join(_DTYPES.get(name, name) for name in param.dtypes)}"
    yield f"shape={extra.pop('shape', 'all')}"
    yield f"format={','.join(param.formats)}"
    yield f"paramType={param.param_type}"
    yield from (f"{key}={value}" for key, value in extra.items())


def _attr_lines(attr: Attr, flags: object) -> Iterator[str]:
    allowed = flags.get(f"attr_{attr.name}.value", "all") if isinstance(flags, dict) else "all"
    yield f"type={INI_ATTR_TYPES[attr.type]}"
    yield f"value={allowed}"
    yield f"paramType={attr.param_type}"
    if attr.default is not None:
        yield f"defaultValue={default_text(attr.default)}"


def default_text(value: AttrValue) -> str:
    """A default as one line: `1.0`, `true`, `[1,1]`; text in quotes only where it would not survive without."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = value.isprintable() and value == value.strip() and value[:1] not in ('"', "{") and value != ""
        return value if plain else json.dumps(value)
    if isinstance(value, list):
        return json.dumps(value, separators=(",", ":"))
    return repr(value)
