"""Whether the last build is still current: a look at everything that shapes one, without doing any of the work."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from opkg import __version__
from opkg.build import ninja
from opkg.build.compiler import Compiler
from opkg.build.process import Run
from opkg.build.provenance import source_of
from opkg.build.state import Signature, State, file_signature, signature
from opkg.build.tools import find_tool
from opkg.build.workspace import Workspace
from opkg.paths import native_dir

_ENVIRONMENT = ("CPPFLAGS", "CXXFLAGS", "LDFLAGS")


def is_current(space: Workspace, state: State, march: str, pkg: bool, *, check: bool = False) -> bool:
    """Whether nothing has changed since the build that left `state`; with `pkg`, its bundle included."""
    # What a build leaves is looked at first, as that is what a user deletes or changes by hand.
    if not state.outputs or package_signature(space) != state.outputs:
        return False
    if signature(space.root, state.watched) != state.sources:
        return False
    if inputs_of(space, march, Compiler.from_dict(state.compiler), check=check) != state.inputs:
        return False
    if pkg and (not state.bundle or signature(space.out, state.bundle) != state.bundle):
        return False
    if not (space.cmake / "build.ninja").is_file():
        return False
    # Headers from outside of the project are known to ninja alone, from what compilers told it.
    return ninja.NOTHING in Run()([find_tool("ninja"), "-n"], cwd=space.cmake).output


def bundle_of(space: Workspace, state: State) -> Path | None:
    """The bundle that a build made, if it made one."""
    return next((space.out / name for name in state.bundle), None)


def package_signature(space: Workspace) -> Signature:
    """The signature of the staged package."""
    return signature(space.out, [space.package.name])


def inputs_of(space: Workspace, march: str, compiler: Compiler, *, check: bool = False) -> dict[str, Any]:
    """What shapes a build besides the project's files, by name."""
    return {
        "opkg": __version__,
        "ninja": file_signature(find_tool("ninja")),
        "place": [str(space.root), str(space.out), str(native_dir())],
        "compiler": {"CXX": os.environ.get("CXX", ""), **compiler.identity()},
        "options": {
            "march": march,
            **({"check": "on"} if check else {}),
            **{name: os.environ.get(name, "") for name in _ENVIRONMENT},
        },
        "headers": headers_signature(),
        "source": source_of(space.root, space.out),
    }


def headers_signature() -> str:
    """A digest over names, sizes and times of opkg's headers and CMake files."""
    found = signature(native_dir(), ["include", "cmake"])
    return hashlib.sha256(repr(found).encode()).hexdigest()
