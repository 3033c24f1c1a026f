"""The chips that the native half knows, read from its own table so that there is only one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from opkg.paths import native_dir

_ROW = re.compile(r'^\s*\{"(\w[\w-]*)",\s*"[\w-]+",\s*"([\w-]+)",\s*(\d+),\s*(\d+),', re.M)
_DEFAULT_UNIT = "ascend910b"


@dataclass(frozen=True)
class Chip:
    """A chip: `Ascend910B1`, its compute unit `ascend910b`, and the values of __NPU_ARCH__ and __CCE_AICORE__."""

    name: str
    unit: str
    npu_arch: int
    cce_aicore: int


def chip_for(units: Sequence[str]) -> Chip:
    """The chip whose twin a package gets: that of the first compute unit that is known, else of an ascend910b."""
    first: dict[str, Chip] = {}
    for name, unit, arch, aicore in _ROW.findall(_table()):
        first.setdefault(unit, Chip(name, unit, int(arch), int(aicore)))
    return next((first[unit] for unit in units if unit in first), first[_DEFAULT_UNIT])


def chip_names() -> tuple[str, ...]:
    """Every chip of the table, `Ascend910B1` and so on, and the families that several of them belong to."""
    rows = re.findall(r'^\s*\{"(\w[\w-]*)",\s*"([\w-]+)",', _table(), re.M)
    return tuple(dict.fromkeys(name for row in rows for name in row))


def _table() -> str:
    return (native_dir() / "include" / "opkg" / "soc_table.h").read_text("utf-8")
