"""What the templates of a new project need to know about one operator: names, types, and how it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from opkg.opinfo import KernelRef, OpInfo, write_ini
from opkg.opinfo.dtypes import DTYPES
from opkg.project import kinds
from opkg.project.attribute import Attribute
from opkg.project.golden_side import GoldenSide
from opkg.project.host_side import HostSide
from opkg.project.refusals import check
from opkg.project.tensor import Tensor


@dataclass(frozen=True)
class Recipe:
    """One operator of a new project."""

    info: OpInfo
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attrs: tuple[Attribute, ...]

    @property
    def op(self) -> str:
        """The operator type."""
        return self.info.op

    @property
    def snake(self) -> str:
        """File name and kernel symbol."""
        return self.info.snake

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Inputs, then outputs: the order of the kernel's arguments."""
        return (*self.inputs, *self.outputs)

    @property
    def types(self) -> str:
        """The template parameters of the kernel's class."""
        return ", ".join(tensor.type for tensor in self.tensors)

    @property
    def main(self) -> Tensor:
        """The first required input, which gives every tensor its shape."""
        return next(tensor for tensor in self.inputs if not tensor.optional)

    @property
    def others(self) -> tuple[Tensor, ...]:
        """The inputs but `main`."""
        return tuple(tensor for tensor in self.inputs if tensor is not self.main)

    @property
    def required(self) -> tuple[Tensor, ...]:
        """The inputs that are always there."""
        return tuple(tensor for tensor in self.inputs if not tensor.optional)

    @property
    def second(self) -> Tensor | None:
        """The required input after `main`, if there is one."""
        return next((tensor for tensor in self.others if not tensor.optional), None)

    @property
    def optionals(self) -> tuple[Tensor, ...]:
        """The inputs that may be absent."""
        return tuple(tensor for tensor in self.inputs if tensor.optional)

    @property
    def used_attrs(self) -> tuple[Attribute, ...]:
        """The attributes that the arithmetic uses."""
        return tuple(attr for attr in self.attrs if attr.field)

    @property
    def columns(self) -> tuple[tuple[str, ...], ...]:
        """The data types of each column: inputs, then outputs."""
        return tuple(zip(*(tensor.param.dtypes for tensor in self.tensors), strict=True))

    @property
    def paths(self) -> frozenset[str]:
        """The ways of computing that its columns need."""
        return frozenset(map(kinds.path, self.columns))

    @property
    def float_types(self) -> frozenset[str]:
        """The data types of the columns that are computed in float32."""
        return frozenset(name for column in self.columns if kinds.path(column) == "float" for name in column)

    @property
    def bytes_per_element(self) -> int:
        """How much of a core's Unified Buffer one element takes in the widest column."""
        return max(map(self._column_bytes, self.columns))

    def _column_bytes(self, column: Sequence[str]) -> int:
        queues = 2 * sum(DTYPES[name].bits // 8 for name in column)
        if kinds.path(column) != "float":
            return queues
        return queues + 8 + (2 if self.needs_half else 0)

    def casts(self, *dtypes: str) -> bool:
        """Whether a column that is computed in float32 has one of these data types."""
        return not self.float_types.isdisjoint(dtypes)

    @property
    def needs_half(self) -> bool:
        """Whether a buffer of half lies between 8-bit types and float32."""
        return bool(self.float_types & {"int8", "uint8", "bool"})

    @property
    def formula(self) -> str:
        """What it computes, in words."""
        names = [tensor.name for tensor in (self.main, *self.others)]
        base = f"{names[0]} * {names[0]}" if len(names) == 1 else " + ".join(names)
        return ", ".join([base, *(attr.says for attr in self.used_attrs)])

    @property
    def mode(self) -> str:
        """`paths` as one word: `native`, `native+float`, ..."""
        return "+".join(path for path in ("native", "float", "scalar") if path in self.paths)

    @property
    def path(self) -> str:
        """The way of computing, where there is only one."""
        return next(iter(self.paths))

    @property
    def has_bool(self) -> bool:
        """Whether a column has booleans, which kernels copy as bytes."""
        return any("bool" in column for column in self.columns)

    @property
    def output_bool(self) -> bool:
        """Whether a column that is computed in float32 puts out booleans."""
        return any("bool" in column[len(self.inputs) :] and kinds.path(column) == "float" for column in self.columns)

    @property
    def has_int_attr(self) -> bool:
        """Whether the arithmetic adds an integer."""
        return any(attr.field_type == "int64_t" for attr in self.attrs if attr.field)

    @property
    def waits(self) -> bool:
        """Whether the scalar unit reads or writes elements, which needs events between the pipes."""
        return "scalar" in self.paths or bool(self.float_types & set(kinds.SCALAR))

    def stored(self, tensor: Tensor) -> str:
        """The type of a tensor's elements in buffers."""
        return f"S_{tensor.arg.upper()}" if self.has_bool else tensor.type

    @property
    def host(self) -> HostSide:
        """What `op_host/` is made of."""
        return HostSide(self.inputs, self.outputs)

    @property
    def tests(self) -> GoldenSide:
        """What `tests/` is made of."""
        return GoldenSide(self.inputs, self.outputs, self.attrs)

    @property
    def ini(self) -> str:
        """The op info, without its last newline."""
        kernel = KernelRef(self.snake, self.snake)
        return write_ini([replace(self.info, kernel=self.info.kernel or kernel)]).rstrip("\n")


def make_recipe(info: OpInfo) -> Recipe:
    """The recipe of an operator.

    Raises:
        ProjectError: the templates have no correct kernel for it; says what stands in the way.
    """
    check(info)
    optional_bits = iter(range(32))
    inputs = tuple(
        Tensor(param, param.name, i, 1 << next(optional_bits) if param.param_type == "optional" else 0)
        for i, param in enumerate(info.inputs)
    )
    taken = {param.name for param in info.inputs}
    outputs = tuple(
        Tensor(param, f"{param.name}_ref" if param.name in taken else param.name, i)
        for i, param in enumerate(info.outputs)
    )
    return Recipe(info, inputs, outputs, tuple(Attribute(attr, i) for i, attr in enumerate(info.attrs)))
