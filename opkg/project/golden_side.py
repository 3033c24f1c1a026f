"""How the tests of a new project call the operator and its golden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from opkg.project.attribute import Attribute, python_literal
from opkg.project.tensor import Tensor


@dataclass(frozen=True)
class GoldenSide:
    """What the files in `tests/` are made of."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attrs: tuple[Attribute, ...]
    main: Tensor

    @property
    def arguments(self) -> str:
        """The inputs."""
        return ", ".join(tensor.py for tensor in self.inputs)

    @property
    def parameters(self) -> str:
        """The parameters of the golden function."""
        options = ["output_dtypes"]
        options += [a.name if a.default is None else f"{a.name}={python_literal(a.default)}" for a in self.attrs]
        return ", ".join([self.arguments, "*", *options])

    @property
    def attributes(self) -> tuple[dict[str, Any], ...]:
        """Keyword arguments of the tests: what must be given, then everything."""
        required = {attr.name: attr.sample for attr in self.attrs if attr.default is None}
        every = {attr.name: attr.sample for attr in self.attrs}
        return (required,) if required == every else (required, every)

    @property
    def emptied(self) -> list[str]:
        """The names of the lists that may be empty: all but one that gives the shape."""
        return [tensor.name for tensor in self.inputs if tensor.dynamic and tensor is not self.main]
