"""Runs many programs at once, each in a temporary copy of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from opkg.errors import short
from opkg.testing.programs.execute import Ended, execute
from opkg.testing.programs.find import Program
from opkg.testing.programs.recipe import DEFAULT_SOC, Step, recipe_of
from opkg.testing.programs.stage import copy_surroundings, stage_program
from opkg.testing.programs.strays import MARK, end_strays
from opkg.testing.programs.verdict import Row, State, judge


@dataclass(frozen=True)
class Settings:
    """How programs are run.

    Attributes:
        toolkit: the toolkit tree that they build with.
        jobs: how many run at once.
        limit: seconds that one command may take.
        options: more arguments for every CMake configuration.
        soc: the chip that kernel-launch projects are told to build for.
        logs: folder that keeps what each program printed; None keeps nothing.
        python: the interpreter that runs their scripts.
    """

    toolkit: Path
    jobs: int = 2
    limit: float = 300.0
    options: tuple[str, ...] = ()
    soc: str = DEFAULT_SOC
    logs: Path | None = None
    python: Path = Path(sys.executable)


def run_programs(
    top: Path, programs: Sequence[Program], settings: Settings, on_row: Callable[[Row], None] = lambda row: None
) -> tuple[Row, ...]:
    """Build, run and check programs; the rows, in the order of `programs`.

    Args:
        top: the folder in which they were found.
        on_row: called with each row when it is done, from the thread that made it.
    """

    stop = threading.Event()

    def one(program: Program) -> Row:
        row = run_program(top, program, settings, around, stop)
        # What an interrupt killed has no result to tell.
        if not stop.is_set():
            on_row(row)
        return row

    with tempfile.TemporaryDirectory(prefix="opkg-ci-", ignore_cleanup_errors=True) as place:
        # A program that is the whole folder has nothing around it.
        alone = all(program.root == top for program in programs)
        around = top if alone else copy_surroundings(top, Path(place) / "around")
        with ThreadPoolExecutor(max_workers=settings.jobs) as pool:
            try:
                return tuple(pool.map(one, programs))
            except BaseException:
                # Leaving the pool waits for what runs; an interrupted user does not want to.
                stop.set()
                raise


def run_program(top: Path, program: Program, settings: Settings, around: Path, stop: threading.Event) -> Row:
    """Build, run and check one program in a temporary copy.

    Args:
        top: the folder in which it was found.
        around: a copy of `top`.
        stop: once it is set nothing goes on.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="opkg-ci-", ignore_cleanup_errors=True) as place:
            return _run_in(Path(place), top, program, settings, around, stop)
    except OSError as error:
        # A file where a folder must be, one that cannot be copied, a full disk: no reason to lose the other rows.
        return Row(program, State.FAILED, State.NONE, State.NONE, 0.0, short(f"cannot be run: {_why(error)}"))


def _run_in(folder: Path, top: Path, program: Program, settings: Settings, around: Path, stop: threading.Event) -> Row:
    log = _log(settings, program, folder)
    copy = stage_program(top, program.root, folder / "tree", around)
    env = _environment(settings, folder)
    recipe = recipe_of(program, options=settings.options, soc=settings.soc)
    done: list[tuple[Step, Ended]] = []
    try:
        for step in recipe.steps:
            ended = _do(step, copy, env, log, settings, stop)
            done.append((step, ended))
            if ended.code != 0:
                break
    finally:
        end_strays(env)
    row = judge(program, done, recipe)
    return replace(row, reason=row.reason.replace(f"{copy}{os.sep}", ""))


def _why(error: OSError) -> str:
    """An error of the disk in one line; copying a folder gathers many."""
    if isinstance(error, shutil.Error):
        return str(error.args[0][0][2])
    return f"{error.strerror or error}: {error.filename}" if error.filename else str(error)


def _do(step: Step, copy: Path, env: dict[str, str], log: Path, settings: Settings, stop: threading.Event) -> Ended:
    folder = copy / step.folder
    folder.mkdir(parents=True, exist_ok=True)
    if step.words[0] == "./*":
        found = list(_executables(folder))
        if not found:
            return Ended(127, "the build made no program", 0.0)
        return execute([str(found[0])], folder, env, log, settings.limit, stop)
    words = list(step.words)
    if words[0] == "opkg":
        words[:1] = [sys.executable, "-m", "opkg"]
    return execute(words, folder, env, log, settings.limit, stop)


def _executables(folder: Path) -> Iterator[Path]:
    """Programs that a build made: executable ELF files that are not libraries."""
    for path in sorted(folder.iterdir()):
        if path.is_file() and os.access(path, os.X_OK) and ".so" not in path.name:
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def _log(settings: Settings, program: Program, folder: Path) -> Path:
    if settings.logs is None:
        return folder / "log.txt"
    if program.name != ".":
        name = f"{program.name}.log"
    else:
        # Programs at one time in one log would be judged by each other's words.
        name = "log.txt" if (program.root / program.root.name).is_dir() else f"{program.root.name}.log"
    log = settings.logs / name
    log.parent.mkdir(parents=True, exist_ok=True)
    # Its output is read back out of this file, so nothing of an earlier run may be in it.
    log.unlink(missing_ok=True)
    return log


def _environment(settings: Settings, folder: Path) -> dict[str, str]:
    """The caller's environment with the toolkit's, and with `python3` being this Python."""
    toolkit = str(settings.toolkit)
    arch = os.uname().machine
    shims = folder / "bin"
    shims.mkdir()
    for name in ("python", "python3"):
        _write_script(shims / name, _python(settings.python))
    path = os.pathsep.join([f"{toolkit}/bin", os.environ.get("PATH", os.defpath)])
    cmake = shutil.which("cmake", path=path)
    if settings.options and cmake is not None:
        # A program's own run.sh calls cmake itself, and is to have these options as well.
        others = "--build | --install | --open | --version | --help* | -E | -P"
        start = f'exec {shlex.quote(cmake)} "$@"'
        _write_script(shims / "cmake", f"case $1 in {others}) {start} ;; esac\n{start} {shlex.join(settings.options)}")
    (folder / "tmp").mkdir()
    env = dict(os.environ)
    env.update(
        ASCEND_HOME_PATH=toolkit,
        ASCEND_TOOLKIT_HOME=toolkit,
        ASCEND_INSTALL_PATH=toolkit,
        ASCEND_OPP_PATH=f"{toolkit}/opp",
        ASCEND_AICPU_PATH=toolkit,
        # So that what they leave there goes with the copy.
        TMPDIR=str(folder / "tmp"),
        PATH=os.pathsep.join([str(shims), path]),
        LD_LIBRARY_PATH=_joined(f"{toolkit}/lib64", f"{toolkit}/{arch}-linux/lib64", env.get("LD_LIBRARY_PATH")),
        CMAKE_PREFIX_PATH=_joined(toolkit, f"{toolkit}/{arch}-linux/lib64/cmake", env.get("CMAKE_PREFIX_PATH")),
        **{MARK: folder.name},
        # As many programs as there are CPUs build at once already.
        CMAKE_BUILD_PARALLEL_LEVEL="1",
        MAKEFLAGS="-j1",
    )
    return env


def _python(interpreter: Path) -> str:
    """A line of a shell that starts an interpreter; what was put on the path for opkg's own is not for another."""
    start = f'exec {shlex.quote(str(interpreter))} "$@"'
    if interpreter == Path(sys.executable):
        return start
    own = Path(__file__).resolve().parents[3]
    kept = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path).resolve() != own]
    return f"export PYTHONPATH={shlex.quote(os.pathsep.join(kept))}\n{start}"


def _write_script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def _joined(*paths: str | None) -> str:
    return os.pathsep.join(path for path in paths if path)
