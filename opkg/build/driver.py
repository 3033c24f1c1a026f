"""`build_project`: takes the lock, finds out whether there is anything to do, and has it done."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from opkg.build.current import bundle_of, is_current
from opkg.build.result import BuildResult
from opkg.build.state import load_state
from opkg.build.workspace import Workspace
from opkg.errors import UsageError

DEFAULT_MARCH = {"x86_64": "x86-64-v3"}
"""Instruction set that kernels are compiled for, by architecture; elsewhere it is the compiler's own choice."""


@dataclass(frozen=True)
class _Request:
    pkg: bool
    jobs: int | None
    clean: bool
    march: str
    check: bool
    verbose: bool
    log: Callable[[str], None]


def build_project(
    path: Path | str,
    *,
    out: Path | str | None = None,
    pkg: bool = False,
    jobs: int | None = None,
    target: str = "cpu",
    clean: bool = False,
    march: str | None = None,
    check: bool = False,
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
        check: compile kernels with the twin's checks: what they do is followed and looked at, many times slower.
            Without `out` the results go to `build_out/check`, beside those of a build without checks.
        verbose: give every command and its output to `log`.
        log: takes lines for the user.

    Raises:
        ProjectError, OpInfoError: the project cannot be read.
        BuildError: it cannot be built; `.log` has all that the user should see.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"-j {jobs}: expected at least 1")
    root = Path(path).expanduser().resolve()
    if not root.is_dir():
        raise UsageError(f"{path} is not a folder", "name the folder of a project")
    if check and (pkg or target.lower() != "cpu"):
        raise UsageError("a check build is neither packed nor built for a chip", "leave out --pkg and --target")
    results = root / "build_out" / "check" if check else root / "build_out"
    space = Workspace(root, Path(out).expanduser().absolute() if out else results)
    level = DEFAULT_MARCH.get(os.uname().machine, "") if march is None else march
    request = _Request(pkg, jobs, clean, level, check, verbose, log)
    if not os.path.isdir(space.work):  # noqa: PTH112  a folder that may not be looked into is not one yet
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
    if state is not None and is_current(space, state, request.march, request.pkg, check=request.check):
        return BuildResult(space.package, bundle_of(space, state) if request.pkg else None)
    from opkg.build.session import Session

    session = Session(space, state, request.march, request.jobs, request.verbose, request.log, check=request.check)
    if request.clean:
        session.forget()
    rebuilt = session.build("clean build" if request.clean else "first build")
    return BuildResult(space.package, session.pack() if request.pkg else None, rebuilt)
