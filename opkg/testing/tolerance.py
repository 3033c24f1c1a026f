"""How far a result may lie from the golden, by data type, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """`abs(result - golden) <= absolute + relative * abs(golden)` passes."""

    relative: float
    absolute: float
    reason: str

    @property
    def exact(self) -> bool:
        """Whether nothing but the golden itself passes."""
        return self.relative == 0 and self.absolute == 0

    def __str__(self) -> str:
        if self.exact:
            return f"none ({self.reason})"
        return f"{self.relative:.3g} relative, {self.absolute:.3g} absolute ({self.reason})"


EXACT = Tolerance(0.0, 0.0, "exact results were asked for")

_INTEGER = Tolerance(0.0, 0.0, "integers and booleans have no rounding")


def _units(bits: int, units: int, why: str) -> Tolerance:
    """`units` in the last place of a type with `bits` bits after the point; a sixteenth of that for results near 0."""
    relative = units * 2.0**-bits
    return Tolerance(relative, relative / 16, f"{units} units in the last place: {why}")


_ONCE_MORE = "a kernel may round between two steps where numpy does not"
_ANY_ORDER = "sums in another order, functions that are approximated"

TOLERANCES: Mapping[str, Tolerance] = {
    "float16": _units(10, 2, _ONCE_MORE),
    "bfloat16": _units(7, 2, _ONCE_MORE),
    "float32": _units(23, 128, _ANY_ORDER),
    "double": _units(52, 128, _ANY_ORDER),
    "complex64": _units(23, 128, _ANY_ORDER),
    "complex128": _units(52, 128, _ANY_ORDER),
    "float8_e5m2": _units(2, 1, "the type has two bits after the point"),
    "float8_e4m3fn": _units(3, 1, "the type has three bits after the point"),
}
"""By canonical data type of an output; every other type must be equal."""


def tolerance_for(dtype: str) -> Tolerance:
    """The tolerance of a data type where the project states none."""
    return TOLERANCES.get(dtype, _INTEGER)
