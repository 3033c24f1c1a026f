"""Finding the source file of an operator's kernel, and what its compiler options mean here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from opkg.errors import BuildError
from opkg.opinfo import OpInfo
from opkg.project import Project

_COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
_KERNEL = re.compile(r"__global__[\w\s]*?\b(\w+)\s*\(")
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
    text = _COMMENTS.sub(" ", file.read_text("utf-8", "replace"))
    return list(dict.fromkeys(_KERNEL.findall(text)))


def no_function(source: Path, function: str, root: Path) -> BuildError:
    """The error for a kernel file without its kernel."""
    others = ", ".join(f"`{name}`" for name in defined_kernels(source))
    return BuildError(
        f"{relative(source, root)} defines no kernel function `{function}`"
        + (f"; it defines {others}" if others else ""),
        f'define it: extern "C" __global__ __aicore__ void {function}(GM_ADDR ..., GM_ADDR workspace, GM_ADDR tiling)',
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
