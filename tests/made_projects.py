"""Projects for the build's tests, and calling what came out."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from opkg.build import BuildResult
from opkg.opinfo import OpInfo, Param
from opkg.project import new_project

DATA = Path(__file__).parent / "data"


def square(folder: Path) -> Path:
    """The project of `opkg new Square`, with float16 and float32."""
    dtypes, formats = ("float16", "float32"), ("ND", "ND")
    x, y = (Param(name, "required", dtypes, formats) for name in "xy")
    made = folder.parent / "made" / "Square"  # the folder's own name need not be one of a package
    new_project(made, [OpInfo("Square", (x,), (y,))])
    made.rename(folder)
    made.parent.rmdir()
    return folder


def pair(folder: Path) -> Path:
    """A stranger's project: two operators without .ini, classic and plain tiling structs, a file of another name."""
    shutil.copytree(DATA / "projects/pair", folder)
    return folder


def call(result: BuildResult, op_type: str, *inputs: np.ndarray, attrs: tuple = ()) -> np.ndarray:
    """Run an operator of one output on arrays; from a copy, as a process keeps a library that it has once loaded."""
    from opkg._native import _core

    copy = Path(tempfile.mkdtemp(dir=result.package.parent), "package")
    shutil.copytree(result.package, copy)
    package = _core.Package(str(copy), str(copy / result.manifest.host_library))
    return _core.Call(package, op_type, attrs, [1] * len(inputs), [1]).run(list(inputs))[0]


def edit(file: Path, old: str, new: str) -> None:
    """Replace a text that must be there."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def tree(folder: Path, *without: str) -> dict[str, bytes]:
    """Every file of a folder with its bytes."""
    files = (f for f in sorted(folder.rglob("*")) if f.is_file())
    named = ((f.relative_to(folder).as_posix(), f) for f in files)
    return {name: f.read_bytes() for name, f in named if not name.startswith(without)}
