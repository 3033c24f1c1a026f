"""The model of an operator, and its readers and writers. Text in, text out; no files, no libraries."""

from opkg.opinfo.model import Attr, KernelRef, OpInfo, Param

__all__ = ["Attr", "KernelRef", "OpInfo", "Param"]
