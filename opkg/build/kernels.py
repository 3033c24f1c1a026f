"""Finding the source file of an operator's kernel, and what its compiler options mean here."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

from opkg.build.elf import Elf
from opkg.errors import BuildError
from opkg.opinfo import OpInfo
from opkg.project import Project

_COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
_KERNEL = re.compile(r"__global__[\w\s]*?\b(\w+)\s*\(")
_ARGUMENTS = "opkg_kernel_arguments"
"""ELF section in which a kernel library has the number of its function's parameters (`opkg/kernel_entry.h`)."""
_KEPT_OPTIONS = ("-D", "-U", "-I", "-O", "-g", "-W", "-f", "-m", "-std=")


def kernel_function(op: OpInfo) -> str:
    """The name of the function that is the operator's kernel."""
    return op.kernel.function if op.kernel else op.snake


def kernel_source(project: Project, op: OpInfo) -> Path:
    """The file that defines an operator's kernel: the one of its name, else the only one that defines the function.

    Raises:
        BuildError: there is none, or several define it.
    """
    for name in (op.snake, op.kernel.module if op.kernel else ""):
        if name in project.kernel_sources:
            return project.kernel_sources[name]
    function = kernel_function(op)
    files = sorted(set(project.kernel_sources.values()))
    defining = [f for f in files if function in defined_kernels(f)]
    if len(defining) == 1:
        return defining[0]
    if defining:
        names = ", ".join(relative(f, project.root) for f in defining)
        raise BuildError(
            f"the kernel `{function}` of {op.op} is defined in several files: {names}",
            f"call the file of the right one op_kernel/{op.snake}.cpp",
            code="OPKG-4022",
        )
    raise BuildError(
        f"the operator {op.op} has no kernel: there is no op_kernel/{op.snake}.cpp, "
        f"and no other file in op_kernel/ defines a kernel `{function}`",
        _looked_at(files, project.root),
        code="OPKG-4022",
    )


def defined_kernels(file: Path) -> list[str]:
    """The names of the `__global__` functions in a file, as a look at its text finds them."""
    # Strings go as well: what looks like a comment in one is none.
    text = _COMMENTS.sub(" ", file.read_text("utf-8", "replace"))
    return list(dict.fromkeys(_KERNEL.findall(text)))


def no_function(source: Path, function: str, root: Path) -> BuildError:
    """The error for a kernel file without its kernel."""
    defined = defined_kernels(source)
    if function in defined:
        return BuildError(
            f"{relative(source, root)} has the kernel function `{function}`, but the compiler does not see it",
            "look for an #if around it, or a namespace",
            code="OPKG-4022",
        )
    others = ", ".join(f"`{name}`" for name in defined)
    return BuildError(
        f"{relative(source, root)} defines no kernel function `{function}`"
        + (f"; it defines {others}" if others else ""),
        f'define it: extern "C" __global__ __aicore__ void {function}(GM_ADDR ..., GM_ADDR workspace, GM_ADDR tiling)',
        code="OPKG-4022",
    )


def check_arguments(project: Project, op: OpInfo, computes_shapes: bool, library: Path) -> None:
    """Compare the number of a built kernel's parameters with what it will be given.

    Raises:
        BuildError: the kernel takes more or fewer.
    """
    names = argument_names(op, computes_shapes)
    found = Elf(library).section(_ARGUMENTS)
    # A library from before that section says nothing, and is not blamed for it.
    taken = struct.unpack("<I", found[:4])[0] if found else len(names)
    if taken != len(names):
        function = kernel_function(op)
        raise BuildError(
            f"the kernel `{function}` in {relative(kernel_source(project, op), project.root)} takes {taken} arguments, "
            f"and {op.op} gives it {len(names)}",
            f"declare it as {function}({', '.join(f'GM_ADDR {name}' for name in names)})",
            code="OPKG-4022",
        )


def argument_names(op: OpInfo, computes_shapes: bool) -> list[str]:
    """What a kernel is given, in order: inputs, outputs, room for the shapes that it computes, workspace, tiling."""
    inputs = [p.name for p in op.inputs]
    outputs = [f"{p.name}_ref" if p.name in inputs else p.name for p in op.outputs]
    return [*inputs, *outputs, *(["shape_out"] if computes_shapes else []), "workspace", "tiling"]


def no_pointer(source: Path, function: str, root: Path) -> BuildError:
    """The error for a kernel one of whose parameters is a number."""
    return BuildError(
        f"the kernel `{function}` in {relative(source, root)} has a parameter that is no pointer",
        "every parameter is a GM_ADDR; numbers travel in the tiling struct",
        code="OPKG-4022",
    )


def usable_options(options: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options that a host compiler takes, and those that only the vendor's kernel compiler knows."""
    kept = tuple(o for o in options if o.startswith(_KEPT_OPTIONS))
    return kept, tuple(o for o in options if not o.startswith(_KEPT_OPTIONS))


def kernel_options(project: Project, op: str) -> tuple[str, ...]:
    """The compile options of an operator's kernel: those for all, then its own."""
    return (*project.compile_options.get("ALL", ()), *project.compile_options.get(op, ()))


def relative(path: Path, root: Path) -> str:
    """A path as messages show it: below the project's folder where it is inside."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _looked_at(files: Sequence[Path], root: Path) -> str:
    if not files:
        return "op_kernel/ has no .cpp file"
    found = [f"{relative(f, root)} ({', '.join(defined_kernels(f)) or 'no kernel'})" for f in files]
    return "looked at " + ", ".join(found)
