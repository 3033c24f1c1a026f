"""A temporary copy of a program, at the same depth below a copy of its surroundings."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_BUILT = frozenset({"build", "build_out", "out"})
"""What builds leave in a program's folder; further down these are names like any other."""
_LARGE = 8_000_000
_MOST = 256_000_000


def copy_surroundings(top: Path, into: Path) -> Path:
    """Copy what programs below `top` find around themselves, so that what they write there is not written into it.

    Large files are linked, and so are all others after the first 256 MB: the copy may lie in memory.

    Returns:
        The copy.
    """
    room = _MOST

    def copy(source: str, target: str) -> None:
        nonlocal room
        path = Path(source)
        if not path.is_file() or not os.access(path, os.R_OK):
            return  # no program can read it here either
        size = path.stat().st_size
        if size > min(_LARGE, room):
            Path(target).symlink_to(path)
            return
        room -= size
        shutil.copy2(source, target)

    shutil.copytree(top.resolve(), into, ignore=_not_around, symlinks=True, copy_function=copy)
    _mend_links(top.resolve(), into)
    return into


def stage_program(top: Path, root: Path, into: Path, around: Path) -> Path:
    """Copy the folder `root` to the same place below `into`, and link to everything else below `around`.

    The program can write wherever it likes in its own folder, and finds what it includes from folders above it.

    Args:
        top: the folder in which programs were found.
        root: the program's own, in it.
        into: where the copy is made.
        around: a copy of `top`, see `copy_surroundings`.

    Returns:
        The copy of `root`.
    """
    # Real folders down to the program's own, so that `..` leads up through the copy and not through the original.
    here, there = around, into
    there.mkdir(parents=True, exist_ok=True)
    for name in root.resolve().relative_to(top.resolve()).parts:
        _link_others(here, there, name)
        here, there = here / name, there / name
        there.mkdir()

    def left_out(folder: str, names: list[str]) -> set[str]:
        built = set(_BUILT.intersection(names) if folder == str(root) else ())
        return built | set(shutil.ignore_patterns(".git", "__pycache__")(folder, names))

    shutil.copytree(root, there, dirs_exist_ok=True, ignore=left_out, symlinks=True)
    _mend_links(top.resolve(), into, there)
    return there


def _not_around(folder: str, names: list[str]) -> set[str]:
    """What is left out: histories, folders that nobody can read, and copies of programs, which may be made in there."""
    left = set(shutil.ignore_patterns(".git", "opkg-ci-*", "opkg-toolkit-*")(folder, names))
    for name in names:
        path = Path(folder, name)
        if path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
            left.add(name)
    return left


def _mend_links(top: Path, copy: Path, below: Path | None = None) -> None:
    """Let links that led out of `top` lead there from its copy as well, and those that led into it into the copy.

    Only the text of each is looked at, not where it ends: that may be another link, or itself.
    """
    for folder, folders, files in os.walk(below or copy):
        source = top / Path(folder).relative_to(copy)
        for path in (Path(folder, name) for name in (*folders, *files)):
            if not path.is_symlink():
                continue
            said = path.readlink()
            led = Path(os.path.normpath(source / said))
            wanted = copy / led.relative_to(top) if led.is_relative_to(top) else led
            # A large file's link leads to the original of itself, and is to.
            if wanted not in (path, Path(os.path.normpath(path.parent / said))):
                path.unlink()
                path.symlink_to(source / said if wanted == led else wanted)


def _link_others(here: Path, there: Path, name: str) -> None:
    for entry in os.scandir(here):
        if entry.name != name:
            (there / entry.name).symlink_to(entry.path)
