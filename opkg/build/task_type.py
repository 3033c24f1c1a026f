"""The kind of cores that a built kernel states (KERNEL_TASK_TYPE_DEFAULT), read from its library."""

from __future__ import annotations

from pathlib import Path

from opkg.build.elf import Elf

SECTION = ".opkg.task_type"


def task_type(library: Path) -> str:
    """`KERNEL_TYPE_AIV_ONLY`, `KERNEL_TYPE_MIX_AIC_1_2`, ...; empty where the kernel states none."""
    found = Elf(library).section(SECTION)
    return found.split(b"\0", 1)[0].decode("ascii") if found else ""
