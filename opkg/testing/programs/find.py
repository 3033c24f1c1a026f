"""Which folders below a folder are programs or operator projects, and of which form."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opkg.errors import ProjectError

_NOT_ENTERED = frozenset({"build", "build_out", "out", "node_modules", "__pycache__", "CMakeFiles"})
_ASC = re.compile(r"find_package\s*\(\s*ASC\b|\bLANGUAGES\b[^)]*\bASC\b")
_LAUNCH = re.compile(r"ascendc_library|tikicpulib|ascendc_kernel_cmake|cpu_lib\.cmake|npu_lib\.cmake")
_RTC = re.compile(r"\bacl_rtc\b")
_PROJECT = re.compile(r"^\s*project\s*\(", re.MULTILINE)


class Form(enum.Enum):
    """How a program launches its kernels; the value is what tables show."""

    ASC = "asc"
    LAUNCH = "launch"
    OPERATOR = "operator"
    RTC = "rtc"


@dataclass(frozen=True)
class Program:
    """A folder that builds by itself.

    Attributes:
        name: its path below the folder that was searched, with `/`; `.` for that folder itself.
        root: the folder.
        form: how it launches its kernels.
        sources: the names of its kernel sources (`*.asc`), relative to `root`; empty for other forms.
    """

    name: str
    root: Path
    form: Form
    sources: tuple[str, ...] = ()


def find_programs(folder: Path) -> tuple[Program, ...]:
    """Every program and operator project in a folder and below it, by name.

    A folder that is one is not searched further, except for the folders below it that have a `CMakeLists.txt` with a
    `project()` of their own and are not added by it.

    Raises:
        ProjectError: `folder` is not a folder.
    """
    if not folder.is_dir():
        raise ProjectError(f"{folder} is not a folder", "name the folder with the programs")
    found = (_program(folder, Path(root)) for root in _folders(folder))
    return tuple(sorted((program for program in found if program is not None), key=lambda program: program.name))


def _folders(folder: Path) -> Iterator[str]:
    for root, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _NOT_ENTERED)
        if "op_host" in names or "op_kernel" in names:
            # The parts of an operator project are no programs of their own.
            names[:] = [name for name in names if name not in ("op_host", "op_kernel", "framework", "cmake")]
            yield root
        elif "CMakeLists.txt" in files:
            yield root


def _program(folder: Path, root: Path) -> Program | None:
    form = _form(root)
    if form is None:
        return None
    name = root.relative_to(folder).as_posix()
    sources = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.asc")) if form is Form.ASC else []
    return Program(name, root, form, tuple(sources))


def _form(root: Path) -> Form | None:
    listing = _text(root / "CMakeLists.txt")
    if _ASC.search(listing) and _PROJECT.search(listing):
        return Form.ASC
    # C++ that compiles its kernels while it runs; the library for it is the only mark.
    if _RTC.search(listing) and _PROJECT.search(listing):
        return Form.RTC
    helpers = "".join(_text(path) for path in sorted((root / "cmake").glob("*.cmake")))
    # Operator projects include the same helpers; what they have besides is the presets.
    if _PROJECT.search(listing) and _LAUNCH.search(listing + helpers) and not (root / "CMakePresets.json").is_file():
        return Form.LAUNCH
    if (root / "op_host").is_dir() and (root / "op_kernel").is_dir():
        return Form.OPERATOR
    return None


def _text(path: Path) -> str:
    """The text of a small file; nothing where it is not one."""
    try:
        # Asked first: a named pipe would be waited for.
        return path.read_text("utf-8", errors="replace") if path.is_file() else ""
    except (FileNotFoundError, PermissionError):
        return ""
