"""The model of an operator, and its readers and writers. Text in, text out; no files, no libraries."""

from opkg.opinfo.comparison import compare
from opkg.opinfo.ini import read_ini
from opkg.opinfo.ini_writer import write_ini
from opkg.opinfo.ir_json import read_ir_json, write_ir_json
from opkg.opinfo.model import Attr, KernelRef, OpInfo, Param
from opkg.opinfo.ops_info import ops_info_dict
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
    "write_ini",
    "write_ir_json",
]
