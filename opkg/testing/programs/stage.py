"""A temporary copy of a program, at the same depth below a copy of its surroundings."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns(".git", "build", "build_out", "out", "__pycache__")


def stage_program(top: Path, root: Path, into: Path) -> Path:
    """Copy the folder `root` to the same place below `into`, and link to everything else below `top`.

    The program can write wherever it likes in its own folder, and finds what it includes from folders above it.

    Returns:
        The copy of `root`.
    """
    top, root = top.resolve(), root.resolve()
    here, there = top, into
    there.mkdir(parents=True, exist_ok=True)
    for name in root.relative_to(top).parts:
        _link_others(here, there, name)
        here, there = here / name, there / name
        there.mkdir()
    shutil.copytree(root, there, dirs_exist_ok=True, ignore=_LEFT_OUT, symlinks=True)
    return there


def _link_others(here: Path, there: Path, name: str) -> None:
    for entry in os.scandir(here):
        if entry.name not in (name, ".git"):
            (there / entry.name).symlink_to(entry.path)
