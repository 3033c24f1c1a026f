"""An input or output, with every name that the files of a new project have for it."""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass

from opkg.opinfo import Param
from opkg.opinfo.dtypes import DTYPES
from opkg.project.cpp_words import C_LIBRARY, KERNEL_WORDS, PYTHON_WORDS
from opkg.project.shapes import SAME


@dataclass(frozen=True)
class Tensor:
    """An input or output as the templates name it.

    Attributes:
        name: as the op info has it.
        arg: the kernel's argument; an output that is named as an input gets `_ref`.
        index: its number among the inputs or outputs.
        bit: its bit in the tiling data's `present`, for an optional input.
        shape: the kind of its shape, for an output (see `shapes`).
        macro: the macro that holds its type in a kernel (`DTYPE_X`).
    """

    param: Param
    arg: str
    index: int
    bit: int = 0
    shape: str = SAME
    macro: str = ""

    @property
    def name(self) -> str:
        """The name of the op info."""
        return self.param.name

    @property
    def optional(self) -> bool:
        """Whether it may be absent."""
        return self.param.param_type == "optional"

    @property
    def dynamic(self) -> bool:
        """Whether it is any number of tensors."""
        return self.param.param_type == "dynamic"

    @property
    def summed(self) -> bool:
        """Whether it is an output that holds sums."""
        return self.shape != SAME

    @property
    def count(self) -> str:
        """The field of the tiling data that says how many there are, for a dynamic one."""
        return f"{self.arg}Count"

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


def python_name(name: str) -> str:
    """`name`, with an underscore if Python or the golden's own code uses it."""
    return f"{name}_" if keyword.iskeyword(name) or name in PYTHON_WORDS or hasattr(builtins, name) else name


def argument(name: str) -> str:
    """`name`, with `_arg` if the generated C++ has it already: a word, a member (`pipe_`), or a type (`T_X`)."""
    taken = name in KERNEL_WORDS or name in C_LIBRARY or name.endswith("_") or name.startswith(("T_", "S_"))
    return f"{name}_arg" if taken else name
