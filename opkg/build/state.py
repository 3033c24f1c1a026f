"""What a build remembers for the next one: what its inputs looked like, and which files it made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FORMAT = 1

Signature = dict[str, list[int]]
"""Path to [size, time of last change in ns]."""


@dataclass
class State:
    """The content of `state.json`.

    Attributes:
        inputs: everything outside of the project that shapes the build (compiler, options, headers), by name.
        sources: signature of the project's files.
        compiler: the compiler that was chosen.
        headers_id: digest of the contents of opkg's headers.
        watched: folders and files of the project that were looked at.
        outputs: signature of the staged package.
        bundle: signature of the bundle that was made of that package; empty without one.
        described: what identified the host library when it was asked, and its answer.
    """

    inputs: dict[str, Any] = field(default_factory=dict)
    sources: Signature = field(default_factory=dict)
    compiler: dict[str, Any] = field(default_factory=dict)
    headers_id: str = ""
    watched: list[str] = field(default_factory=list)
    outputs: Signature = field(default_factory=dict)
    bundle: Signature = field(default_factory=dict)
    described: dict[str, Any] = field(default_factory=dict)


def load_state(path: Path) -> State | None:
    """The state of the last build; None where there is none, or one that this opkg does not understand."""
    try:
        data = json.loads(path.read_bytes())
        # A state that does not read costs a build from the beginning, and nothing else.
        return State(**data["state"]) if data["format"] == _FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save_state(path: Path, state: State) -> None:
    """Write the state, whole or not at all."""
    replace_text(path, json.dumps({"format": _FORMAT, "state": state.__dict__}, sort_keys=True))


def replace_text(path: Path, text: str) -> None:
    """Write a file beside its place and move it there."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)


def write_if_changed(path: Path, text: str) -> bool:
    """Write a generated file; leave it, and its time, where it says the same already. Returns whether it changed."""
    try:
        if path.read_text("utf-8") == text:
            return False
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, text)
    return True


def signature(base: Path, names: Iterable[str]) -> Signature:
    """The signature of files, and of all files in folders, by their paths below `base`.

    Args:
        base: the folder that paths are relative to.
        names: files and folders, relative to `base` or absolute; what is missing is left out.
    """
    found: Signature = {}
    for name in names:
        _sign(os.path.join(base, name), name, found)  # noqa: PTH118  (pathlib is 5 times slower)
    return dict(sorted(found.items()))


def file_signature(path: Path) -> list[str | int]:
    """Path, size and time of one file."""
    stat = path.stat()
    return [str(path), stat.st_size, stat.st_mtime_ns]


def _sign(path: str, name: str, found: Signature) -> None:
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    _sign_file(entry.path, f"{name}/{entry.name}", found)
                elif entry.name != "__pycache__":
                    _sign(entry.path, f"{name}/{entry.name}", found)
    except NotADirectoryError:
        _sign_file(path, name, found)
    except FileNotFoundError:
        return


def _sign_file(path: str, name: str, found: Signature) -> None:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return  # a link that leads nowhere; whoever needs the file will say so
    found[name] = [stat.st_size, stat.st_mtime_ns]


def digest_tree(root: Path) -> str:
    """Sixteen hexadecimal digits over the names and contents of all files below `root`."""
    total = hashlib.sha256()
    for file in sorted(f for f in root.rglob("*") if f.is_file()):
        total.update(f"{file.relative_to(root).as_posix()}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(name, `changed` | `added` | `removed`) of everything that differs, sorted by name."""
    found = []
    for name in sorted({*before, *after}):
        if name not in before:
            found.append((name, "added"))
        elif name not in after:
            found.append((name, "removed"))
        elif before[name] != after[name]:
            found.append((name, "changed"))
    return found
