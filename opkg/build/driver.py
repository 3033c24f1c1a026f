"""`build_project`: takes the lock, finds out whether there is anything to do, and has it done."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opkg import __version__
from opkg.build import ninja
from opkg.build.compiler import Compiler, find_compiler
from opkg.build.process import Run
from opkg.build.result import BuildResult
from opkg.build.state import Signature, State, changes, digest_tree, load_state, save_state, signature
from opkg.build.tools import find_tool
from opkg.build.workspace import Workspace
from opkg.errors import BuildError, UsageError
from opkg.paths import native_dir

DEFAULT_MARCH = {"x86_64": "x86-64-v3"}
"""Instruction set that kernels are compiled for, by architecture; elsewhere it is the compiler's own choice."""

_WATCHED = ("opkg.toml", "CMakePresets.json", "op_host", "op_kernel", "op_info", "framework", "tbe", "op_proto")


@dataclass(frozen=True)
class _Request:
    pkg: bool
    jobs: int | None
    clean: bool
    march: str
    verbose: bool
    log: Callable[[str], None]


def build_project(
    path: Path,
    *,
    out: Path | None = None,
    pkg: bool = False,
    jobs: int | None = None,
    target: str = "cpu",
    clean: bool = False,
    march: str | None = None,
    verbose: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> BuildResult:
    """Build a project: `<out>/package`, and with `pkg` also `<out>/custom_opp_<os>_<arch>.run`.

    Nothing outside of `out` is written. What is up to date is not built again.

    Args:
        path: the project's folder.
        out: folder for everything that is made; `build_out` in the project if None.
        pkg: also write the bundle.
        jobs: how many commands run at once; ninja's choice if None.
        target: `cpu`, or a compute unit (`ascend910b`) for the vendor's toolkit or a plugin's toolchain.
        clean: forget everything that earlier builds left.
        march: instruction set of kernels, as -march takes it; `x86-64-v3` on x86-64 if None.
        verbose: give every command and its output to `log`.
        log: takes lines for the user.

    Raises:
        ProjectError, OpInfoError: the project cannot be read.
        BuildError: it cannot be built; `.log` has all that the user should see.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"-j {jobs}: expected at least 1")
    root = path.expanduser().resolve()
    if not root.is_dir():
        raise UsageError(f"{path} is not a folder", "name the folder of a project")
    space = Workspace(root, (out.expanduser().absolute() if out else root / "build_out"))
    request = _Request(pkg, jobs, clean, DEFAULT_MARCH.get(platform.machine(), "") if march is None else march, verbose, log)
    if not space.work.is_dir():
        _check_project(root)
    space.make()
    with space.locked(log):
        if target.lower() == "cpu":
            return _build_cpu(space, request)
        from opkg.build.toolchains import build_with_toolchain

        return build_with_toolchain(space, target.lower(), pkg, log)


def _check_project(root: Path) -> None:
    """Refuse a folder that is no project before anything is made in it."""
    from opkg.project import read_project

    read_project(root)


def _build_cpu(space: Workspace, request: _Request) -> BuildResult:
    state = None if request.clean else load_state(space.state)
    if request.clean:
        _forget(space)
    if state is not None:
        done = _up_to_date(space, state, request)
        if done is not None:
            return done
    from opkg.build.session import Session

    session = Session(space, state, request.march, request.jobs, request.verbose, request.log)
    rebuilt = session.build("clean build" if request.clean else "first build")
    bundle = session.pack() if request.pkg else None
    return BuildResult(space.package, bundle, rebuilt)


def _forget(space: Workspace) -> None:
    for folder in (space.cmake, space.generated, space.package):
        shutil.rmtree(folder, ignore_errors=True)
    space.state.unlink(missing_ok=True)
    (space.work / "CMakeLists.txt").unlink(missing_ok=True)
    space.make()


def _up_to_date(space: Workspace, state: State, request: _Request) -> BuildResult | None:
    """The last build's result if nothing has changed since; costs a look at the inputs and one ninja that does nothing."""
    if not state.outputs or signature(space.root, state.watched, space.out) != state.sources:
        return None
    if signature(space.package, sorted({n.split("/")[0] for n in state.outputs})) != state.outputs:
        return None
    bundle = Path(next(iter(state.bundle))) if state.bundle else None
    if request.pkg and (bundle is None or signature(space.out, state.bundle) != state.bundle):
        return None
    if inputs_of(space, request.march, known_compiler(state)) != state.inputs:
        return None
    finished = Run()([find_tool("ninja"), "-n"], cwd=space.cmake)
    if ninja.NOTHING not in finished.output:
        return None
    return BuildResult(space.package, space.out / bundle if request.pkg and bundle else None)
