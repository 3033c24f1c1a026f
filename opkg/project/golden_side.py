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
    def columns(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Data types of inputs and of outputs, each combination of inputs once, as callers can choose only those."""
        count = len(self.inputs)
        found: dict[tuple[str, ...], tuple[str, ...]] = {}
        for column in zip(*(t.param.dtypes for t in (*self.inputs, *self.outputs)), strict=True):
            found.setdefault(column[:count], column[count:])
        return tuple(found.items())

    @property
    def attributes(self) -> tuple[dict[str, Any], ...]:
        """Keyword arguments of the tests: what must be given, then everything."""
        required = {attr.name: attr.sample for attr in self.attrs if attr.default is None}
        every = {attr.name: attr.sample for attr in self.attrs}
        return (required,) if required == every else (required, every)

    @property
    def optionals(self) -> list[int]:
        """The numbers of the inputs that may be absent."""
        return [tensor.index for tensor in self.inputs if tensor.optional]

    @property
    def lists(self) -> list[int]:
        """The numbers of the inputs that are any number of tensors."""
        return [tensor.index for tensor in self.inputs if tensor.dynamic]

    @property
    def emptied(self) -> list[int]:
        """The numbers of the lists that may be empty: all but one that gives the shape."""
        return [tensor.index for tensor in self.inputs if tensor.dynamic and tensor is not self.main]

    @property
    def output_counts(self) -> list[int]:
        """How many tensors the tests ask for as each output."""
        return [2 if tensor.dynamic else 1 for tensor in self.outputs]

    @property
    def count_arguments(self) -> dict[str, int]:
        """The same, as arguments of the operator."""
        return {f"{tensor.name}_count": 2 for tensor in self.outputs if tensor.dynamic}
