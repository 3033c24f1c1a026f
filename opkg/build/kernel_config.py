"""The JSON indexes of kernels in an installed package: `binary_info_config.json` and one file an operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opkg.opinfo import Attr, OpInfo, Param
from opkg.opinfo.dtypes import DTYPES, FORMATS
from opkg.opinfo.values import INI_ATTR_TYPES

_CORE_TYPES = {"KERNEL_TYPE_AIV_ONLY": 2}


def binary_info(operators: Sequence[tuple[OpInfo, Sequence[str]]]) -> dict[str, Any]:
    """`binary_info_config.json`: for each operator the key and the library of every column.

    Args:
        operators: each with the task type of every column.
    """
    return {op.op: _binaries(op, task_types) for op, task_types in operators}


def operator_config(op: OpInfo) -> dict[str, Any]:
    """`<op>.json`: for every column the tensors and attributes that it takes."""
    return {"binList": [_column(op, column) for column in range(op.columns)]}


def simplified_key(op: OpInfo, column: int) -> str:
    """`Type/d=0,p=0/<dtype>,<format>/...`, one part for each input and output, as numbers of ge's enumerations."""
    parts = [f"{DTYPES[p.dtypes[column]].number},{FORMATS[p.formats[column]]}" for p in (*op.inputs, *op.outputs)]
    return "/".join([f"{op.op}/d=0,p=0", *parts])


def library_path(op: OpInfo, column: int) -> str:
    """A kernel library as these files name it: below `kernel/`."""
    return f"cpu/{op.snake}/{op.op}_{column}.so"


def _binaries(op: OpInfo, task_types: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "dynamicRankSupport": True,
        "simplifiedKeyMode": 0,
        "binaryList": [
            {
                "coreType": _CORE_TYPES.get(task_type, 0),
                "simplifiedKey": simplified_key(op, column),
                "binPath": library_path(op, column),
            }
            for column, task_type in enumerate(task_types)
        ],
    }
    if any(p.param_type == "optional" for p in op.inputs):
        found["optionalInputMode"] = "gen_placeholder"
    return found


def _column(op: OpInfo, column: int) -> dict[str, Any]:
    return {
        "simplifiedKey": [simplified_key(op, column)],
        "simplifiedKeyMode": 0,
        "opMode": "dynamic",
        "deterministic": "ignore",
        "inputs": [_tensor(p, i, column) for i, p in enumerate(op.inputs)],
        "outputs": [_tensor(p, i, column) for i, p in enumerate(op.outputs)],
        "attrs": [_attr(a) for a in op.attrs],
        "binInfo": {"binPath": library_path(op, column)},
    }


def _tensor(param: Param, index: int, column: int) -> dict[str, Any]:
    return {
        "name": param.name,
        "index": index,
        "dtype": param.dtypes[column],
        "format": param.formats[column],
        "paramType": param.param_type,
        "shape": [-2],
    }


def _attr(attr: Attr) -> dict[str, Any]:
    return {"name": attr.name, "dtype": INI_ATTR_TYPES[attr.type], "value": attr.default}
