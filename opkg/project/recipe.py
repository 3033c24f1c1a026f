"""What the templates of a new project need to know about one operator: names, types, and how it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from opkg.opinfo import KernelRef, OpInfo, Param, write_ini
from opkg.opinfo.dtypes import DTYPES
from opkg.project import kinds
from opkg.project.attribute import Attribute
from opkg.project.cpp_words import C_LIBRARY, CPP_KEYWORDS
from opkg.project.golden_side import GoldenSide
from opkg.project.host_side import HostSide
from opkg.project.refusals import check
from opkg.project.shapes import ALL, ALL_KEPT, shape_kinds
from opkg.project.tensor import Tensor, argument, python_name


@dataclass(frozen=True)
class Recipe:
    """One operator of a new project."""

    info: OpInfo
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attrs: tuple[Attribute, ...]
    rules: Mapping[str, str] = field(default_factory=dict)

    @property
    def op(self) -> str:
        """The operator type."""
        return self.info.op

    @property
    def snake(self) -> str:
        """File name."""
        return self.info.snake

    @property
    def kernel(self) -> str:
        """The kernel's symbol: the file's name, unless C++ or its library have that already."""
        return f"{self.snake}_kernel" if self.snake in C_LIBRARY or self.snake in CPP_KEYWORDS else self.snake

    @property
    def golden(self) -> str:
        """Its function in Python."""
        return python_name(self.snake)

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
        """The input that gives every tensor its shape: the first required one, else the first of the first list."""
        required = (tensor for tensor in self.inputs if not tensor.optional and not tensor.dynamic)
        return next(required, None) or next(tensor for tensor in self.inputs if tensor.dynamic)

    @property
    def others(self) -> tuple[Tensor, ...]:
        """The inputs that are added to the first: all but `main`, and `main` too where it is a list."""
        return tuple(tensor for tensor in self.inputs if tensor is not self.main or tensor.dynamic)

    @property
    def required(self) -> tuple[Tensor, ...]:
        """The inputs that are always there."""
        return self.host.always

    @property
    def second(self) -> Tensor | None:
        """The required input after `main`, if there is one."""
        return next((tensor for tensor in self.others if not tensor.optional and not tensor.dynamic), None)

    @property
    def tiled(self) -> tuple[Tensor, ...]:
        """The tensors of which each step has one tile: not lists of inputs, which come one by one, and not sums."""
        return (*(t for t in self.inputs if not t.dynamic), *(t for t in self.outputs if not t.summed))

    @property
    def lists(self) -> tuple[Tensor, ...]:
        """The inputs that are any number of tensors."""
        return tuple(tensor for tensor in self.inputs if tensor.dynamic)

    @property
    def counted(self) -> tuple[Tensor, ...]:
        """All that is any number of tensors."""
        return tuple(tensor for tensor in self.tensors if tensor.dynamic)

    @property
    def sums(self) -> tuple[Tensor, ...]:
        """The outputs that hold sums."""
        return tuple(tensor for tensor in self.outputs if tensor.summed)

    @property
    def sums_all(self) -> bool:
        """Whether sums are over all elements, not over each row."""
        return any(tensor.shape in (ALL, ALL_KEPT) for tensor in self.sums)

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
        return frozenset(map(self._path, self.columns))

    def _path(self, column: Sequence[str]) -> str:
        return kinds.path(column, bool(self.sums))

    @property
    def float_types(self) -> frozenset[str]:
        """The data types of the columns that are computed in float32."""
        return frozenset(name for column in self.columns if self._path(column) == "float" for name in column)

    @property
    def bytes_per_element(self) -> int:
        """How much of a core's Unified Buffer one element takes in the widest column."""
        return max(map(self._column_bytes, self.columns))

    def _column_bytes(self, column: Sequence[str]) -> int:
        queues = 2 * sum(DTYPES[name].bits // 8 for name in column)
        if self._path(column) == "native":
            return queues
        if self._path(column) == "float":
            return queues + 8 + (2 if self.needs_half else 0)
        return queues + (8 if self.lists else 0)

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
        main = () if self.main.dynamic else (self.main,)
        names = [f"the sum of {t.name}" if t.dynamic else t.name for t in (*main, *self.others)]
        base = " + ".join(names) if self.others else f"{names[0]} * {names[0]}"
        where = "over all elements" if self.sums_all else "along the last axis"
        sums = [f"{', '.join(t.name for t in self.sums)} summed {where}"] if self.sums else []
        return ", ".join([base, *(attr.says for attr in self.used_attrs), *sums])

    @property
    def mode(self) -> str:
        """`paths` as one word: `native`, `native+float`, ..."""
        return "+".join(path for path in kinds.PATHS if path in self.paths)

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
        return any("bool" in column[len(self.inputs) :] and self._path(column) == "float" for column in self.columns)

    @property
    def has_int_attr(self) -> bool:
        """Whether the arithmetic adds an integer."""
        return any(attr.field_type == "int64_t" for attr in self.attrs if attr.field)

    @property
    def waits(self) -> bool:
        """Whether the scalar unit reads or writes elements, which needs events between the pipes."""
        return bool({"scalar", "double"} & self.paths) or bool(self.float_types & set(kinds.SCALAR)) or bool(self.sums)

    @property
    def looped(self) -> tuple[str, ...]:
        """The values that the scalar unit computes in, each where a column needs it."""
        return tuple({"scalar": "uint64_t", "double": "double"}[p] for p in ("scalar", "double") if p in self.paths)

    def stored(self, tensor: Tensor) -> str:
        """The type of a tensor's elements in buffers."""
        return f"S_{tensor.arg.upper()}" if self.has_bool else tensor.type

    @property
    def host(self) -> HostSide:
        """What `op_host/` is made of."""
        return HostSide(self.inputs, self.outputs, self.main)

    @property
    def tests(self) -> GoldenSide:
        """What `tests/` is made of."""
        return GoldenSide(self.inputs, self.outputs, self.attrs, self.main)

    @property
    def ini(self) -> str:
        """The op info, without its last newline."""
        return write_ini([replace(self.info, kernel=KernelRef(self.snake, self.kernel))]).rstrip("\n")


def make_recipe(info: OpInfo, rules: Mapping[str, str] | None = None) -> Recipe:
    """The recipe of an operator; `rules` are the shapes of outputs that have others than the inputs.

    Raises:
        ProjectError: the templates have no correct kernel for it; says what stands in the way.
        UsageError: a rule that is none.
    """
    names = [[param.name for param in params] for params in (info.inputs, info.outputs)]
    shapes = shape_kinds(rules or {}, *names)
    check(info, shapes)
    optional_bits = iter(range(32))
    inputs = tuple(
        Tensor(
            param,
            argument(param.name),
            i,
            1 << next(optional_bits) if param.param_type == "optional" else 0,
            macro=f"DTYPE_{param.name.upper()}",
        )
        for i, param in enumerate(info.inputs)
    )
    taken = {param.name for param in info.inputs}
    outputs = tuple(
        _output(param, f"{param.name}_ref" if param.name in taken else param.name, i, shapes[param.name])
        for i, param in enumerate(info.outputs)
    )
    attrs = tuple(Attribute(attr, i) for i, attr in enumerate(info.attrs))
    return Recipe(info, inputs, outputs, attrs, dict(rules or {}))


def _output(param: Param, name: str, index: int, shape: str) -> Tensor:
    return Tensor(param, argument(name), index, shape=shape, macro=f"DTYPE_{name.upper()}")
