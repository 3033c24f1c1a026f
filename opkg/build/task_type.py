"""The kind of cores that a built kernel states (KERNEL_TASK_TYPE_DEFAULT), read from its library.

The twin's macro writes what a kernel's body says into an ELF section: records of kind, keyed, key and value
(`opkg::twin::KernelFact` in twin/abi.h).
"""

from __future__ import annotations

import struct
from pathlib import Path

from opkg.build.elf import Elf

_SECTION = "opkg_kernel_facts"
_RECORD = struct.Struct("<IIQQ")
_TASK_TYPE = 1

NAMES = (
    "KERNEL_TYPE_AIV_ONLY",
    "KERNEL_TYPE_AIC_ONLY",
    "KERNEL_TYPE_MIX_AIV_1_0",
    "KERNEL_TYPE_MIX_AIC_1_0",
    "KERNEL_TYPE_MIX_AIC_1_1",
    "KERNEL_TYPE_MIX_AIC_1_2",
    "KERNEL_TYPE_AICORE",
    "KERNEL_TYPE_VECTORCORE",
    "KERNEL_TYPE_MIX_AICORE",
    "KERNEL_TYPE_MIX_VECTOR_CORE",
)
"""Names of the twin's KernelMetaType, in the order of their values."""


def task_type(library: Path) -> str:
    """What the kernel states for all tiling keys (`KERNEL_TYPE_AIV_ONLY`); empty where it states nothing."""
    return task_type_of(Elf(library).section(_SECTION) or b"")


def task_type_of(facts: bytes) -> str:
    """The same, of the section's bytes."""
    whole = len(facts) - len(facts) % _RECORD.size
    for kind, keyed, _, value in _RECORD.iter_unpack(facts[:whole]):
        if kind == _TASK_TYPE and not keyed and value < len(NAMES):
            return NAMES[value]
    return ""
