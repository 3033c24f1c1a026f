"""`opkg ci`."""

from __future__ import annotations

import argparse
import fnmatch
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_json
from opkg.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from opkg.testing.programs import Program, Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="the folder to search (default: this one)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only programs of this name; * and ? stand for any"
    )
    parser.add_argument(
        "--from", dest="names", type=Path, metavar="FILE", help="only the programs named in FILE, a line each"
    )
    parser.add_argument("--list", action="store_true", help="only show what is found")
    parser.add_argument(
        "--toolkit", type=Path, metavar="DIR", help="the toolkit tree to build with (default: a new one)"
    )
    parser.add_argument("--check", action="store_true", help="build programs with the twin's checks")
    parser.add_argument(
        "-D",
        dest="defines",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a CMake variable for all programs",
    )
    parser.add_argument(
        "--soc", default="Ascend910B1", metavar="NAME", help="chip of kernel-launch projects (Ascend910B1)"
    )
    parser.add_argument(
        "--python", type=Path, metavar="FILE", help="interpreter of the programs' scripts (default: opkg's own)"
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="S", help="seconds that a command may take (300)"
    )
    parser.add_argument("--logs", type=Path, metavar="DIR", help="keep what each program prints in this folder")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="how many programs run at once (default: CPUs)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Find, run, and print the table."""
    from opkg.testing.programs import Settings, run_programs

    if args.timeout <= 0:
        raise UsageError(f"--timeout {args.timeout:g}: expected more than 0")
    if args.jobs is not None and args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs}: expected at least 1")
    top = Path(args.dir).resolve()
    programs = _chosen(top, args)
    if args.list:
        _print_list(programs, args.json)
        return 0
    defines = tuple(f"-D{define}" for define in args.defines) + (("-DCMAKE_ASC_CHECK=ON",) if args.check else ())
    with _interrupted_by_signals(), _toolkit(args.toolkit) as toolkit:
        settings = Settings(
            toolkit=toolkit,
            jobs=args.jobs or len(os.sched_getaffinity(0)),
            limit=args.timeout,
            options=defines,
            soc=args.soc,
            logs=args.logs,
            python=_interpreter(args.python),
        )
        rows = run_programs(top, programs, settings, _Progress(len(programs)))
    _print(rows, args.json)
    return 1 if any(row.failed for row in rows) else 0


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does: programs are in sessions of their own and would go on."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGTERM, signal.SIGHUP) if main else ()
    # `nohup` ignores SIGHUP, and that is to stay.
    before = {n: signal.signal(n, interrupt) for n in numbers if signal.getsignal(n) == signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interpreter(given: Path | None) -> Path:
    if given is None:
        return Path(sys.executable)
    if not os.access(given, os.X_OK) or given.is_dir():
        raise NotFoundError(f"--python {given}: it cannot be run", "name the file of an interpreter: env/bin/python3")
    # Not resolved: a virtual environment is known by the link's own place.
    return given.absolute()


def _chosen(top: Path, args: argparse.Namespace) -> tuple[Program, ...]:
    from opkg.testing.programs import find_programs

    programs = find_programs(top)
    patterns = list(args.only)
    if args.names is not None:
        patterns += [line.strip() for line in args.names.read_text("utf-8").splitlines() if line.strip()]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(program.name, pattern) for program in programs):
            print(f"opkg: no program is named {pattern}", file=sys.stderr)
    named = bool(args.only) or args.names is not None
    if named:
        programs = tuple(p for p in programs if any(fnmatch.fnmatchcase(p.name, pattern) for pattern in patterns))
    if not programs:
        raise NotFoundError(
            f"no program or operator project {'of these names ' if named else ''}in {top}",
            "'opkg ci --list DIR' shows what is found",
        )
    return programs


@contextmanager
def _toolkit(given: Path | None) -> Iterator[Path]:
    import tempfile

    from opkg.build.toolkit import make_toolkit

    if given is not None:
        if not (given / "set_env.sh").is_file():
            raise NotFoundError(
                f"{given} is no toolkit: it has no set_env.sh", f"make one: opkg toolkit --install-path {given}"
            )
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="opkg-toolkit-") as place:
        yield make_toolkit(Path(place) / "toolkit").path


class _Progress:
    """Says on stderr which program is done, with its number."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._lock = threading.Lock()

    def __call__(self, row: Row) -> None:
        fate = "verified" if row.verified else row.reason or "done"
        with self._lock:
            self._done += 1
            print(f"[{self._done}/{self._total}] {row.program.name}: {fate}", file=sys.stderr, flush=True)


def _print_list(programs: tuple[Program, ...], as_json: bool) -> None:
    from opkg.cli.output import print_json, print_table

    if as_json:
        print_json([{"project": p.name, "form": p.form.value, "sources": list(p.sources)} for p in programs])
    else:
        print_table([(p.name, p.form.value) for p in programs], ("project", "form"))


def _print(rows: tuple[Row, ...], as_json: bool) -> None:
    from opkg.cli.output import print_json, print_table
    from opkg.testing.programs.report import HEADER, cells, to_dict, totals

    if as_json:
        print_json({"programs": [to_dict(row) for row in rows]})
        return
    print_table(map(cells, rows), HEADER)
    print(totals(rows))
