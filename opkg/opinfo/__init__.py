"""The model of an operator, and its readers and writers. Text in, text out; no files, no libraries."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.opinfo.comparison import compare
    from opkg.opinfo.ini import read_ini
    from opkg.opinfo.ini_writer import write_ini
    from opkg.opinfo.ir_json import read_ir_json, write_ir_json
    from opkg.opinfo.model import Attr, KernelRef, OpInfo, Param
    from opkg.opinfo.ops_info import ops_info_dict, read_ops_info
    from opkg.opinfo.source import decode

__all__ = [
    "Attr",
    "KernelRef",
    "OpInfo",
    "Param",
    "compare",
    "decode",
    "ops_info_dict",
    "read_ini",
    "read_ir_json",
    "read_ops_info",
    "write_ini",
    "write_ir_json",
]

_LAZY = {
    "Attr": "model",
    "KernelRef": "model",
    "OpInfo": "model",
    "Param": "model",
    "compare": "comparison",
    "decode": "source",
    "ops_info_dict": "ops_info",
    "read_ini": "ini",
    "read_ir_json": "ir_json",
    "read_ops_info": "ops_info",
    "write_ini": "ini_writer",
    "write_ir_json": "ir_json",
}


def __getattr__(name: str) -> object:
    """Load the part that has `name` on first use: most commands need few of them."""
    if name not in _LAZY:
        raise AttributeError(f"module 'opkg.opinfo' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"opkg.opinfo.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
