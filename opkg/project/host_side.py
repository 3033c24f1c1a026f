"""How the host side of a new project gets shapes and data types."""

from __future__ import annotations

from dataclasses import dataclass

from opkg.opinfo.dtypes import DTYPES
from opkg.project.tensor import Tensor


@dataclass(frozen=True)
class HostSide:
    """What the file in `op_host/` is made of."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def shape_call(self, tensor: Tensor) -> str:
        """The call that gives an input's shape; plain numbers hold only where no optional input comes before."""
        return f"Get{self._how(tensor)}InputShape({tensor.index})"

    def dtype_call(self, tensor: Tensor) -> str:
        """The call that gives an input's data type."""
        return f"Get{self._how(tensor)}InputDataType({tensor.index})"

    def _how(self, tensor: Tensor) -> str:
        if tensor.optional:
            return "Optional"
        return "Required" if any(other.optional for other in self.inputs[: tensor.index]) else ""

    def output_source(self, output: Tensor) -> Tensor | None:
        """The required input that has `output`'s data type in every column, if there is one."""
        return next((t for t in self._required if t.param.dtypes == output.param.dtypes), None)

    def constant_dtype(self, output: Tensor) -> str:
        """The data type of `output`, if it is the same in every column."""
        names = set(output.param.dtypes)
        return f"ge::{DTYPES[names.pop()].enum}" if len(names) == 1 else ""

    @property
    def looked_up(self) -> tuple[Tensor, ...]:
        """The outputs whose data type follows from the column as a whole."""
        return tuple(t for t in self.outputs if not self.output_source(t) and not self.constant_dtype(t))

    @property
    def lookup_rows(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Enumerators of required inputs and of `looked_up`, each combination of inputs once."""
        rows: dict[tuple[str, ...], tuple[str, ...]] = {}
        for column in range(len(self.outputs[0].param.dtypes)):
            given = tuple(DTYPES[t.param.dtypes[column]].enum for t in self._required)
            rows.setdefault(given, tuple(DTYPES[t.param.dtypes[column]].enum for t in self.looked_up))
        return tuple(rows.items())

    @property
    def _required(self) -> tuple[Tensor, ...]:
        return tuple(tensor for tensor in self.inputs if not tensor.optional)
