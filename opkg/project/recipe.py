"""What the templates of a new project need to know about one operator: names, types, and how it is computed."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opkg.errors import ProjectError
from opkg.opinfo import Attr, KernelRef, OpInfo, Param, write_ini
from opkg.opinfo.dtypes import DTYPES
from opkg.project import kinds
from opkg.project.cpp_words import C_LIBRARY, CPP_KEYWORDS, KERNEL_WORDS, PYTHON_WORDS

_OPDEF_ATTRS = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "string": "String",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_bool": "ListBool",
    "list_list_int": "ListListInt",
}
_SAMPLES: dict[str, Any] = {
    "int": 3,
    "float": 2.0,
    "bool": True,
    "string": "text",
    "list_int": [1, 2],
    "list_float": [0.5, 1.5],
    "list_bool": [True, False],
    "list_list_int": [[1, 2], [3]],
}


@dataclass(frozen=True)
class Tensor:
    """An input or output as the templates name it.

    Attributes:
        name: as the op info has it.
        arg: the kernel's argument; an output that is named as an input gets `_ref`.
        index: its number among the inputs or outputs.
        optional: whether it may be absent.
        bit: its bit in the tiling data's `present`, for an optional input.
    """

    param: Param
    arg: str
    index: int
    bit: int = 0

    @property
    def name(self) -> str:
        """The name of the op info."""
        return self.param.name

    @property
    def optional(self) -> bool:
        """Whether it may be absent."""
        return self.param.param_type == "optional"

    @property
    def macro(self) -> str:
        """The macro that holds its type in a kernel (`DTYPE_X`)."""
        return f"DTYPE_{self.arg.upper()}"

    @property
    def type(self) -> str:
        """Its template parameter."""
        return f"T_{self.arg.upper()}"

    @property
    def local(self) -> str:
        """Its tile in the kernel."""
        return f"{self.arg}Local"

    @property
    def py(self) -> str:
        """Its name in Python."""
        return python_name(self.name)

    @property
    def option(self) -> str:
        """Its `ParamType` in an OpDef."""
        return self.param.param_type.upper()

    @property
    def data_types(self) -> str:
        """Its data types as an OpDef lists them."""
        return ", ".join(f"ge::{DTYPES[name].enum}" for name in self.param.dtypes)

    @property
    def formats(self) -> str:
        """Its formats as an OpDef lists them."""
        return ", ".join(f"ge::FORMAT_{name}" for name in self.param.formats)


@dataclass(frozen=True)
class Attribute:
    """An attribute as the templates use it; `index` is its number among all of them."""

    attr: Attr
    index: int

    @property
    def name(self) -> str:
        """The name of the op info."""
        return self.attr.name

    @property
    def kind(self) -> str:
        """Its type."""
        return self.attr.type

    @property
    def field(self) -> str:
        """Its field in the tiling data, empty where the arithmetic does not use it."""
        if self.kind not in ("float", "int", "bool", "list_float", "list_int"):
            return ""
        return f"attr_{self.name}"

    @property
    def field_type(self) -> str:
        """The C++ type of `field`."""
        return {"float": "float", "list_float": "float", "bool": "uint32_t"}.get(self.kind, "int64_t")

    @property
    def fallback(self) -> str:
        """The C++ value of `field` for callers that give the attribute no value."""
        return cpp_literal(int(self.default or 0) if self.kind == "bool" else self.default or _zero(self.kind))

    @property
    def option(self) -> str:
        """Its `AttrType` in an OpDef."""
        return self.attr.param_type.upper()

    @property
    def declaration(self) -> str:
        """Its type and default as an OpDef takes them: `Float(1.0)`."""
        value = "" if self.attr.default is None or self.option == "REQUIRED" else cpp_literal(self.attr.default)
        return f"{_OPDEF_ATTRS[self.kind]}({value})"

    @property
    def default(self) -> Any:
        """The value it has when nobody gives one; None if it must be given."""
        if self.attr.param_type == "required":
            return None
        return self.attr.default if self.attr.default is not None else _zero(self.kind)

    @property
    def sample(self) -> Any:
        """A value for tests that differs from the default."""
        found = _SAMPLES[self.kind]
        return found if found != self.default else type(found)() if self.kind == "bool" else found * 2

    @property
    def says(self) -> str:
        """What it does to the result."""
        return {
            "float": "multiplied by {}",
            "int": "plus {}",
            "bool": "negated if {}",
            "list_float": "plus the sum of {}",
            "list_int": "plus the sum of {}",
        }.get(self.kind, "").format(self.name)


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

    # --- what the host side is made of

    @property
    def required(self) -> tuple[Tensor, ...]:
        """The inputs that are always there."""
        return tuple(tensor for tensor in self.inputs if not tensor.optional)

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
        return next((t for t in self.required if t.param.dtypes == output.param.dtypes), None)

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
        for column in range(self.info.columns):
            given = tuple(DTYPES[t.param.dtypes[column]].enum for t in self.required)
            rows.setdefault(given, tuple(DTYPES[t.param.dtypes[column]].enum for t in self.looked_up))
        return tuple(rows.items())

    # --- what the tests are made of

    @property
    def python_arguments(self) -> str:
        """The inputs."""
        return ", ".join(tensor.py for tensor in self.inputs)

    @property
    def python_parameters(self) -> str:
        """The parameters of the golden function."""
        options = ["output_dtypes"]
        options += [a.name if a.default is None else f"{a.name}={a.default!r}" for a in self.attrs]
        return ", ".join([self.python_arguments, "*", *options])

    @property
    def test_columns(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Data types of inputs and of outputs, each combination of inputs once, as callers can choose only those."""
        count = len(self.inputs)
        found: dict[tuple[str, ...], tuple[str, ...]] = {}
        for column in self.columns:
            found.setdefault(column[:count], column[count:])
        return tuple(found.items())

    @property
    def test_attributes(self) -> tuple[dict[str, Any], ...]:
        """Keyword arguments of the tests: what must be given, then everything."""
        required = {attr.name: attr.sample for attr in self.attrs if attr.default is None}
        every = {attr.name: attr.sample for attr in self.attrs}
        return (required,) if required == every else (required, every)

    @property
    def optional_indices(self) -> list[int]:
        """The numbers of the inputs that may be absent."""
        return [tensor.index for tensor in self.optionals]

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
    _check(info)
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


def _check(info: OpInfo) -> None:
    if info.snake in C_LIBRARY or info.snake in CPP_KEYWORDS:
        raise ProjectError(
            f"the kernel of {info.op} would be called '{info.snake}', which C++ or its library uses already",
            f"call the operator {info.op}Custom",
        )
    if not any(param.param_type == "required" for param in info.inputs):
        raise _refusal(info, "it has no required input, which would give its outputs their shape")
    for param in (*info.inputs, *info.outputs):
        _check_param(info, param)
    for attr in info.attrs:
        if attr.type not in _OPDEF_ATTRS:
            raise _refusal(info, f"its attribute {attr.name} has type {attr.type}, which no OpDef can declare")
    if len(info.inputs) > 31:
        raise _refusal(info, "it has more than 31 inputs")
    _check_names(info)


def _check_param(info: OpInfo, param: Param) -> None:
    if param.param_type == "dynamic":
        raise _refusal(info, f"'{param.name}' is dynamic (any number of tensors)")
    if param in info.outputs and param.param_type == "optional":
        raise _refusal(info, f"its output '{param.name}' is optional")
    for name in param.dtypes:
        if name not in kinds.SUPPORTED:
            raise _refusal(info, f"'{param.name}' has data type {name}, in which no Ascend C instruction computes")


def _check_names(info: OpInfo) -> None:
    names = [param.name for param in (*info.inputs, *info.outputs)]
    for name in [*names, *(attr.name for attr in info.attrs)]:
        if name in CPP_KEYWORDS or name in KERNEL_WORDS:
            raise ProjectError(f"{info.op}: '{name}' cannot name an argument of a kernel", "choose another name")
    for kind in (info.inputs, info.outputs):
        folded: dict[str, str] = {}
        for param in kind:
            other = folded.setdefault(param.name.upper(), param.name)
            if other != param.name:
                raise ProjectError(
                    f"{info.op}: '{other}' and '{param.name}' differ in case only, and a kernel has one macro for both"
                )
    for attr in info.attrs:
        if attr.name in PYTHON_WORDS:
            raise ProjectError(f"{info.op}: '{attr.name}' cannot name an attribute here", "choose another name")
        if attr.name in names:
            raise ProjectError(f"{info.op}: '{attr.name}' names an attribute and an input or output", "rename one")


def _refusal(info: OpInfo, why: str) -> ProjectError:
    return ProjectError(
        f"no kernel can be generated for {info.op}: {why}",
        "start from a simpler signature and write that part of the kernel by hand",
    )


def cpp_literal(value: Any) -> str:
    """A default as C++ writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _cpp_float(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "{" + ", ".join(map(cpp_literal, value)) + "}"
    return str(value)


def _cpp_float(value: float) -> str:
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        text = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}[text]
    return text


def python_name(name: str) -> str:
    """`name`, with an underscore if Python or the golden's own code uses it."""
    return f"{name}_" if keyword.iskeyword(name) or name in PYTHON_WORDS else name


def _zero(kind: str) -> Any:
    zeros: Mapping[str, Any] = {"int": 0, "float": 0.0, "bool": False, "string": ""}
    return zeros.get(kind, [])
