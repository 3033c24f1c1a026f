"""The child: imports the golden, loads the package, and runs the cases that it reads, one a line.

It answers on a pipe of its own, since kernels print. Whatever a kernel does to its process, it does here.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from opkg.errors import OpkgError
from opkg.opinfo import OpInfo
from opkg.testing.case import Case
from opkg.testing.tolerance import Tolerance

_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


def main() -> None:
    """Serve until stdin ends; the first line says what about: package, operators, golden, tolerances."""
    # Crashes are what is looked for; each would leave a core file of gigabytes.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _die_with_parent()
    reports = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    lines = iter(sys.stdin)
    try:
        server = _Server(json.loads(next(lines)))
    except OpkgError as error:
        _say(reports, {"error": error.to_dict()})
        return
    _say(reports, {"golden": list(server.with_golden())})
    for line in lines:
        _say(reports, server.answer(json.loads(line)))


def _die_with_parent() -> None:
    """Have the kernel end this process when the thread that started it ends: a case that hangs outlives nobody."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def _say(reports: IO[str], value: Mapping[str, Any]) -> None:
    reports.write(json.dumps(value) + "\n")
    reports.flush()


class _Server:
    def __init__(self, about: Mapping[str, Any]) -> None:
        from opkg.testing.golden import Golden
        from opkg.testing.projects import BuiltPackage
        from opkg.testing.trial import run_case

        self._run_case = run_case
        self._infos = [OpInfo.from_dict(each) for each in about["operators"]]
        self._golden = Golden(Path(about["golden"]))
        self._tolerances = {
            op: {dtype: Tolerance(**each) for dtype, each in table.items()} for op, table in about["tolerances"].items()
        }
        self._package = BuiltPackage(Path(about["package"]))

    def with_golden(self) -> Iterator[str]:
        """The operators that have a golden."""
        return (info.op for info in self._infos if self._golden.has(info))

    def answer(self, data: Mapping[str, Any]) -> dict[str, Any]:
        case = Case.from_dict(data)
        try:
            operator = self._package.raw_operator(case.op)
        except OpkgError as error:
            return {"verdict": "error", "message": error.message, "details": [error.hint] if error.hint else []}
        found = asdict(self._run_case(case, operator, self._golden, self._tolerances.get(case.op, {})))
        return {key: found[key] for key in ("verdict", "seconds", "message", "details", "difference")}
