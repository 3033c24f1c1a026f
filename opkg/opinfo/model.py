"""The model of an operator: what every reader makes and every writer, builder, registry and converter takes.

Frozen values, no I/O. A *column* is one combination of data types and formats that the operator supports: column `i`
of an operator is `inputs[k].dtypes[i]` and `inputs[k].formats[i]` for every input and the same for every output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opkg.opinfo.names import snake_case

PARAM_TYPES = ("required", "optional", "dynamic")
ATTR_TYPES = (
    "int",
    "float",
    "bool",
    "string",
    "type",
    "tensor",
    "list_int",
    "list_float",
    "list_bool",
    "list_string",
    "list_type",
    "list_tensor",
    "list_list_int",
)

AttrValue = None | int | float | bool | str | list[int] | list[float] | list[bool] | list[str] | list[list[int]]


@dataclass(frozen=True)
class Param:
    """An input or an output.

    Attributes:
        name: C++ identifier.
        param_type: `required`, `optional` or `dynamic` (any number of tensors).
        dtypes: canonical data type of each column.
        formats: format of each column, as many as `dtypes`.
        extra: further keys of the source (`valueDepend`, `outputShapeDependOnCompute`, `needCompile`, ...).
    """

    name: str
    param_type: str
    dtypes: tuple[str, ...]
    formats: tuple[str, ...]
    extra: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The canonical form."""
        found: dict[str, Any] = {
            "name": self.name,
            "param_type": self.param_type,
            "dtypes": list(self.dtypes),
            "formats": list(self.formats),
        }
        if self.extra:
            found["extra"] = dict(self.extra)
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Param:
        """The inverse of `to_dict`."""
        return cls(
            data["name"],
            data["param_type"],
            tuple(data["dtypes"]),
            tuple(data["formats"]),
            tuple(sorted(data.get("extra", {}).items())),
        )


@dataclass(frozen=True)
class Attr:
    """An attribute. `default` is None for a required one; lists are lists."""

    name: str
    type: str
    param_type: str = "required"
    default: AttrValue = None

    def to_dict(self) -> dict[str, Any]:
        """The canonical form."""
        return {"name": self.name, "type": self.type, "param_type": self.param_type, "default": self.default}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attr:
        """The inverse of `to_dict`."""
        return cls(data["name"], data["type"], data["param_type"], data["default"])


@dataclass(frozen=True)
class KernelRef:
    """Where the source says the kernel is: a module (file stem) and a function in it."""

    module: str
    function: str


@dataclass(frozen=True)
class OpInfo:
    """One operator: its name (the operator type), what goes in and out, and its attributes."""

    op: str
    inputs: tuple[Param, ...]
    outputs: tuple[Param, ...]
    attrs: tuple[Attr, ...] = ()
    kernel: KernelRef | None = None
    flags: Mapping[str, str] = field(default_factory=dict)

    @property
    def snake(self) -> str:
        """File name and kernel symbol (`AddCustom` -> `add_custom`)."""
        return snake_case(self.op)

    @property
    def columns(self) -> int:
        """How many dtype/format columns the operator has."""
        params = (*self.inputs, *self.outputs)
        return len(params[0].dtypes) if params else 0

    def to_dict(self) -> dict[str, Any]:
        """The canonical form, as JSON takes it."""
        return {
            "op": self.op,
            "inputs": [p.to_dict() for p in self.inputs],
            "outputs": [p.to_dict() for p in self.outputs],
            "attrs": [a.to_dict() for a in self.attrs],
            "kernel": None if self.kernel is None else {"module": self.kernel.module, "function": self.kernel.function},
            "flags": dict(self.flags),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OpInfo:
        """The inverse of `to_dict`."""
        kernel = data.get("kernel")
        return cls(
            data["op"],
            tuple(map(Param.from_dict, data["inputs"])),
            tuple(map(Param.from_dict, data["outputs"])),
            tuple(map(Attr.from_dict, data["attrs"])),
            KernelRef(kernel["module"], kernel["function"]) if kernel else None,
            dict(data.get("flags", {})),
        )
