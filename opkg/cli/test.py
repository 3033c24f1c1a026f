"""`opkg test`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_json
from opkg.errors import BuildError, UsageError

if TYPE_CHECKING:
    from opkg.testing.report import Report
    from opkg.testing.suite import Selection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--op", metavar="NAME", help="only this operator")
    parser.add_argument("--column", type=int, metavar="N", help="only this column")
    parser.add_argument("--case", metavar="NAME", help="only cases of this name; * and ? stand for any characters")
    parser.add_argument("--length", metavar="N,...", help="these lengths instead of the usual ones")
    parser.add_argument(
        "--cores", metavar="one,many,backwards", help="only these ways of spreading work (default: all)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random inputs (default: another each time)")
    parser.add_argument("--exact", action="store_true", help="allow no tolerance")
    parser.add_argument("--check", action="store_true", help="with the twin's checks: a finding fails its case")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds that a case may take (60)")
    parser.add_argument("--allow-missing", action="store_true", help="an operator without a golden is no failure")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write JUnit's XML there")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="how many commands and cases run at once")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every case")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Build, run, and say what failed and how to repeat it."""
    from opkg.testing.report import Report
    from opkg.testing.suite import load_suite

    if args.timeout <= 0:
        raise UsageError(f"--timeout {args.timeout:g}: expected more than 0")
    try:
        suite = load_suite(
            args.dir, _selection(args), timeout=args.timeout, jobs=args.jobs, check=args.check, log=_to_stderr
        )
    except BuildError as error:
        if error.log and not args.json:
            _to_stderr(error.log)
        raise
    with suite:
        outcomes = suite.run_all(args.jobs or min(4, len(os.sched_getaffinity(0))))
        report = Report(suite, tuple(outcomes), args.allow_missing)
        if args.junit is not None:
            args.junit.parent.mkdir(parents=True, exist_ok=True)
            args.junit.write_text(report.to_junit(), "utf-8")
        _print(report, args)
    return 1 if report.failed else 0


def _selection(args: argparse.Namespace) -> Selection:
    import secrets

    from opkg.testing.suite import Selection

    if args.seed is not None and args.seed < 0:
        raise UsageError(f"--seed {args.seed}: expected 0 or more")
    cores = {} if args.cores is None else {"cores": _cores(args.cores)}
    return Selection(
        op=args.op,
        column=args.column,
        case=args.case,
        lengths=None if args.length is None else _lengths(args.length),
        seed=secrets.randbelow(1 << 32) if args.seed is None else args.seed,
        exact=args.exact,
        **cores,
    )


def _lengths(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--length {text}: expected numbers of elements, such as 0,33,1000")
    return tuple(map(int, words))


def _cores(text: str) -> tuple[str, ...]:
    from opkg.testing.case import CORES

    words = tuple(dict.fromkeys(text.split(",")))
    unknown = next((word for word in words if word not in CORES), None)
    if unknown is not None:
        raise UsageError(f"--cores {text}: there is no '{unknown}'", f"there are: {', '.join(CORES)}")
    return words


def _print(report: Report, args: argparse.Namespace) -> None:
    from opkg.cli.output import print_json, print_table

    if args.json:
        print_json(report.to_dict())
        return
    print_table(report.rows(args.verbose))
    for line in report.explanations(args.verbose):
        print(line)
    print(report.summary())


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
