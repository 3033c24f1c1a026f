"""The SoCs that the field names, and the compute unit that each belongs to."""

from __future__ import annotations

_MEMBERS = {
    "ascend910": "ascend910a ascend910proa ascend910prob ascend910premiuma",
    "ascend910b": "ascend910b1 ascend910b2 ascend910b2c ascend910b3 ascend910b4 ascend910b4-1",
    "ascend910_93": "ascend910_9391 ascend910_9392 ascend910_9381 ascend910_9382 ascend910_9372 ascend910_9362",
    "ascend950": "ascend950dt ascend950pr",
    "ascend310p": "ascend310p1 ascend310p3 ascend310p5 ascend310p7 "
    "ascend310p3vir01 ascend310p3vir02 ascend310p3vir04 ascend310p3vir08",
    "ascend310b": "ascend310b1 ascend310b2 ascend310b3 ascend310b4",
    "ascend610": "",
    "ascend610lite": "",
    "bs9sx1a": "bs9sx1aa",
    "bs9sx2a": "",
    "mc61am21a": "",
}

COMPUTE_UNITS: dict[str, str] = {name: unit for unit, members in _MEMBERS.items() for name in (unit, *members.split())}
"""Lower-cased SoC name to compute unit (`ascend910b3` -> `ascend910b`); a compute unit stands for itself.

The name `ascend910b` means the compute unit, as the vendor's manual uses it; msopgen's own table takes it for a model
of the first 910.
"""


def compute_unit(soc: str) -> str | None:
    """The compute unit of a SoC in any case (`Ascend910B3` -> `ascend910b`), or None if it is unknown."""
    return COMPUTE_UNITS.get(soc.strip().lower())
