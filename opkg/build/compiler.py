"""Finding the C++ compiler that builds packages on this machine, and checking that it is new enough."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opkg.build.process import Run
from opkg.errors import BuildError

MINIMUM = {"g++": (11, 0), "clang++": (14, 0)}
"""Oldest version of each family that compiles the twin."""

_LAUNCHERS = frozenset({"ccache", "sccache", "distcc"})
_NAMES = (
    "g++",
    "clang++",
    "c++",
    *(f"g++-{n}" for n in range(16, 10, -1)),
    *(f"clang++-{n}" for n in range(22, 13, -1)),
)


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler.

    Attributes:
        path: the program.
        family: `g++` or `clang++`.
        version: as the compiler states it, `12.2.0`.
        launcher: words that go before the program (`ccache`).
        flags: words that CXX gave after the program.
    """

    path: str
    family: str
    version: str
    launcher: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def identity(self) -> dict[str, Any]:
        """What must stay the same for objects to stay valid; costs one stat. A compiler that is gone equals none."""
        try:
            stat = Path(self.path).stat()
        except OSError:
            return {"path": ""}
        return {
            "path": self.path,
            "size": stat.st_size,
            "mtime": stat.st_mtime_ns,
            "launcher": list(self.launcher),
            "flags": list(self.flags),
        }

    def to_dict(self) -> dict[str, Any]:
        """All fields, as the build's state file keeps them."""
        return {
            "path": self.path,
            "family": self.family,
            "version": self.version,
            "launcher": list(self.launcher),
            "flags": list(self.flags),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Compiler:
        """The inverse of `to_dict`."""
        return cls(data["path"], data["family"], data["version"], tuple(data["launcher"]), tuple(data["flags"]))


def find_compiler(run: Run, environ: Mapping[str, str] = os.environ) -> Compiler:
    """The compiler that CXX names, else the first on PATH that is new enough.

    Raises:
        BuildError: CXX names none, or one that is too old, or there is none at all; says what was looked at.
    """
    if environ.get("CXX", "").strip():
        return _from_cxx(run, environ["CXX"])
    refused: list[str] = []
    for path in _on_path(environ):
        found = _probe(run, path)
        if found is None:
            continue
        why = _too_old(found)
        if not why:
            return found
        refused.append(why)
    raise BuildError(
        "; ".join(refused) if refused else "there is no C++ compiler on PATH",
        "install g++ 11 or clang 14, or newer, or name one in CXX",
        code="OPKG-4011",
    )


def _from_cxx(run: Run, text: str) -> Compiler:
    import shlex

    words = shlex.split(text)
    launcher = tuple(words[:1]) if Path(words[0]).name in _LAUNCHERS and len(words) > 1 else ()
    program, *flags = words[len(launcher) :]
    path = shutil.which(program)
    hint = "set CXX to g++ 11 or clang 14, or newer, or unset it"
    if path is None:
        raise BuildError(f"CXX names '{program}', which is not on PATH", hint, code="OPKG-4011")
    found = _probe(run, path, launcher, tuple(flags))
    if found is None:
        raise BuildError(f"CXX names '{program}', which is neither g++ nor clang++", hint, code="OPKG-4011")
    why = _too_old(found)
    if why:
        raise BuildError(why, hint, code="OPKG-4011")
    return found


def _on_path(environ: Mapping[str, str]) -> Iterator[str]:
    for name in _NAMES:
        found = shutil.which(name, path=environ.get("PATH"))
        if found:
            yield found


def _probe(run: Run, path: str, launcher: tuple[str, ...] = (), flags: tuple[str, ...] = ()) -> Compiler | None:
    """Ask a program for its predefined macros; None if it does not answer as a C++ compiler does."""
    # Macros tell the truth about wrappers and `c++`, whose names and --version are anything.
    finished = run([path, *flags, "-dM", "-E", "-x", "c++", os.devnull])
    macros = dict(re.findall(r"^#define (\w+) (.*)$", finished.output, re.M))
    if finished.code != 0 or "__cplusplus" not in macros:
        return None
    clang = "__clang__" in macros
    names = (
        ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")
        if clang
        else ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
    )
    version = ".".join(macros.get(n, "0") for n in names)
    return Compiler(path, "clang++" if clang else "g++", version, launcher, flags)


def _too_old(compiler: Compiler) -> str:
    major, minor, _ = (int(part) for part in compiler.version.split("."))
    minimum = MINIMUM[compiler.family]
    if (major, minor) >= minimum:
        return ""
    return f"{compiler.path} is {compiler.family} {compiler.version}, older than {minimum[0]}"
