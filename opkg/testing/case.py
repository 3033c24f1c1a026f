"""A case: one call of one operator in one column, said so exactly that it can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Shape = tuple[int, ...]
Group = tuple[Shape, ...] | None
"""The tensors of one declared input: one, any number if it is dynamic, None if it is absent."""

CORES: Mapping[str, Mapping[str, str]] = {
    "one": {"OPKG_TWIN_CORES": "1"},
    "many": {},
    "backwards": {"OPKG_TWIN_ORDER": "backwards"},
}
"""How a case is spread over cores, with the environment that makes it so: one core, the chip's cores, the chip's cores
with the last one first."""


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        op: operator type.
        column: number of the column.
        name: what is special about it, such as `length=33`; unique within the column.
        inputs: shapes of each declared input.
        cores: a key of `CORES`.
        attrs: attributes that are given; the others have their defaults.
        special: whether the values are the unusual ones of their data types, else random.
        fractions: whether random values have all the digits of their type, not only eighths.
        ranges: smallest and largest random value by input name; `*` for all others.
        counts: number of tensors of each dynamic output.
        seed: what the random values begin with.
    """

    op: str
    column: int
    name: str
    inputs: tuple[Group, ...]
    cores: str = "many"
    attrs: Mapping[str, Any] = field(default_factory=dict)
    special: bool = False
    fractions: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0

    @property
    def label(self) -> str:
        """How a list of tests calls it: `Square-0-length=33-many`."""
        return f"{self.op}-{self.column}-{self.name}-{self.cores}"

    def to_dict(self) -> dict[str, Any]:
        """The case as JSON takes it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Case:
        """The inverse of `to_dict`, also of what JSON made of it."""
        groups = tuple(None if g is None else tuple(tuple(shape) for shape in g) for g in data["inputs"])
        ranges = {name: (low, high) for name, (low, high) in data["ranges"].items()}
        return cls(**{**data, "inputs": groups, "ranges": ranges})
