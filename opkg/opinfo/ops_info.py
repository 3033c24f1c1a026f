"""The content of a package's `aic-<soc>-ops-info.json`: the `.ini` as nested objects, every value text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opkg.errors import OpInfoError
from opkg.opinfo.ini_writer import default_text, flag_key
from opkg.opinfo.model import Attr, OpInfo, Param
from opkg.opinfo.values import INI_ATTR_TYPES


def ops_info_dict(operators: Sequence[OpInfo]) -> dict[str, Any]:
    """`{Operator: {"input0": {"name": ..., "dtype": "float16,float32", ...}, "opFile": {"value": ...}}}`."""
    return {op.op: _operator(op) for op in operators}


def read_ops_info(op_type: str, sections: Any, file: str = "") -> OpInfo:
    """One operator of such a file, read as the `.ini` that it was made from.

    Raises:
        OpInfoError: it does not read so.
    """
    # Not at the top: what only writes these files does not need the reader.
    from opkg.opinfo.ini import read_ini

    try:
        lines = [f"{name}.{key}={value}" for name, values in sections.items() for key, value in values.items()]
    except AttributeError:
        raise OpInfoError("expected objects of objects", file=file, key=op_type) from None
    return read_ini("\n".join([f"[{op_type}]", *lines, ""]), file)[0]


def _operator(op: OpInfo) -> dict[str, dict[str, str]]:
    found = {f"input{i}": _param(param) for i, param in enumerate(op.inputs)}
    found |= {f"output{i}": _param(param) for i, param in enumerate(op.outputs)}
    if op.attrs:
        found["attr"] = {"list": ",".join(attr.name for attr in op.attrs)}
    found |= {f"attr_{attr.name}": _attr(attr) for attr in op.attrs}
    for name, value in op.flags.items():
        outer, _, inner = flag_key(name).rpartition(".")
        found.setdefault(outer, {})[inner] = value
    module, function = (op.kernel.module, op.kernel.function) if op.kernel else (op.snake, op.snake)
    found["opFile"] = {"value": module}
    found["opInterface"] = {"value": function}
    return found


def _param(param: Param) -> dict[str, str]:
    found = {
        "name": param.name,
        "dtype": ",".join(param.dtypes),
        "format": ",".join(param.formats),
        "paramType": param.param_type,
        "shape": "all",
    }
    return found | dict(param.extra)


def _attr(attr: Attr) -> dict[str, str]:
    found = {"type": INI_ATTR_TYPES[attr.type], "value": "all", "paramType": attr.param_type}
    if attr.default is not None:
        found["defaultValue"] = default_text(attr.default)
    return found
