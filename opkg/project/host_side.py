"""How the host side of a new project gets shapes and data types."""

from __future__ import annotations

from dataclasses import dataclass

from opkg.opinfo.dtypes import DTYPES
from opkg.project.tensor import Tensor


@dataclass(frozen=True)
class HostSide:
    """What the file in `op_host/` is made of; `main` is the input that gives the shape."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    main: Tensor

    @property
    def always(self) -> tuple[Tensor, ...]:
        """The inputs that are always there: the required ones, and `main`."""
        return tuple(t for t in self.inputs if t is self.main or not (t.optional or t.dynamic))

    def shape_call(self, tensor: Tensor, which: str = "0") -> str:
        """The call that gives an input's shape; plain numbers hold only where each input before is one tensor."""
        how, more = self._how(tensor, which)
        return f"Get{how}InputShape({tensor.index}{more})"

    def dtype_call(self, tensor: Tensor) -> str:
        """The call that gives an input's data type."""
        how, more = self._how(tensor, "0")
        return f"Get{how}InputDataType({tensor.index}{more})"

    def count_call(self, tensor: Tensor) -> str:
        """The call that says how many tensors an input or output has."""
        side = "Input" if tensor in self.inputs else "Output"
        return f"GetIr{side}InstanceInfo({tensor.index})->GetInstanceNum()"

    def _how(self, tensor: Tensor, which: str) -> tuple[str, str]:
        if tensor.dynamic:
            return "Dynamic", f", {which}"
        if tensor.optional:
            return "Optional", ""
        before = self.inputs[: tensor.index]
        return ("Required" if any(other.optional or other.dynamic for other in before) else ""), ""

    @property
    def plain_outputs(self) -> bool:
        """Whether each output is one tensor, so that its number is that of its declaration."""
        return not any(t.optional or t.dynamic for t in self.outputs)

    def output_source(self, output: Tensor) -> Tensor | None:
        """The input that is always there and has `output`'s data type in every column, if there is one."""
        return next((t for t in self.always if t.param.dtypes == output.param.dtypes), None)

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
        """Enumerators of the inputs that are always there and of `looked_up`, each combination of inputs once."""
        rows: dict[tuple[str, ...], tuple[str, ...]] = {}
        for column in range(len(self.outputs[0].param.dtypes)):
            given = tuple(DTYPES[t.param.dtypes[column]].enum for t in self.always)
            rows.setdefault(given, tuple(DTYPES[t.param.dtypes[column]].enum for t in self.looked_up))
        return tuple(rows.items())
