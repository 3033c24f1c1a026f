"""The parent's side of a worker: starts it, hands it cases, notices what becomes of it, starts another."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Any

from opkg.errors import OpkgError, RunError
from opkg.testing import outcome as verdicts
from opkg.testing.case import CORES, Case
from opkg.testing.outcome import Outcome, outcome_of

_BOOT = "import sys, json; sys.path[:] = json.loads(sys.argv.pop()); from opkg.testing.worker import main; main()"
_START_SECONDS = 60.0
_SHOWN_LINES = 8
_REPORT_LINES = 60
_REPORT_END = "check: kernel "


class WorkerDeathError(Exception):
    """The process ended by itself; how, in words, and the last lines that it printed."""

    def __init__(self, how: str, lines: tuple[str, ...]) -> None:
        super().__init__(how)
        self.how, self.lines = how, lines


class Worker:
    """Runs cases in a child process, one at a time; after a crash or a hang in a new one.

    Args:
        about: what the worker is told first, see `opkg.testing.worker`.
        cores: a key of `CORES`.
        timeout: seconds that a case may take.
    """

    def __init__(self, about: Mapping[str, Any], cores: str, timeout: float) -> None:
        self._about, self._timeout = about, timeout
        self._env = _environment(cores)
        self._process: _Process | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def abort(self) -> None:
        """End the process from another thread; the case that runs counts as crashed."""
        process = self._process
        if process is not None:
            process.signal()

    def golden(self) -> frozenset[str]:
        """The operators that have a golden.

        Raises:
            OpkgError: the golden cannot be imported, or the worker does not start.
        """
        return self._started().golden

    def run(self, case: Case) -> Outcome:
        """The outcome of a case, whatever it does to its process.

        Raises:
            OpkgError: the worker does not start.
        """
        process, start = self._started(), monotonic()
        silent = process.printed_bytes()
        try:
            answer = process.ask(case.to_dict(), self._timeout)
        except TimeoutError:
            self.close()
            return outcome_of(case, verdicts.TIMEOUT, monotonic() - start, f"it did not end within {self._timeout:g} s")
        except WorkerDeathError as death:
            self.close()
            return outcome_of(case, verdicts.CRASH, monotonic() - start, death.how, details=death.lines)
        except BaseException:
            self.close()
            raise
        details = tuple(answer.get("details", ()))
        if answer["verdict"] in verdicts.FAILURES:
            details += process.lines_since(silent)
        return outcome_of(case, **{**answer, "details": details})

    def _started(self) -> _Process:
        if self._process is None:
            self._process = _Process(self._about, self._env)
        return self._process


class _Process:
    """A worker's process, its pipe of answers, and the file with what it prints."""

    def __init__(self, about: Mapping[str, Any], env: Mapping[str, str]) -> None:
        # A pipe besides stdout, on which kernels print whatever they like.
        answers, to_us = os.pipe()
        # A file takes everything that is printed; a pipe that nobody empties would stop the kernel.
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, str(to_us), json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=self._printed,
                stderr=subprocess.STDOUT,
                pass_fds=(to_us,),
                env=env,
                cwd=_folder(about),
                start_new_session=True,
            )
        except BaseException:
            os.close(answers)
            self._printed.close()
            raise
        finally:
            # The child alone holds this end, so that its death is the end of the file.
            os.close(to_us)
        self._answers = answers
        self._pending = b""
        self.golden = self._begin(about)

    def _begin(self, about: Mapping[str, Any]) -> frozenset[str]:
        try:
            first = self.ask(about, _START_SECONDS)
        except TimeoutError:
            self.kill()
            raise RunError(
                "the process for tests does not start", f"tests/golden.py took {_START_SECONDS:g} s"
            ) from None
        except WorkerDeathError as death:
            self.kill()
            raise RunError(f"the process for tests does not start: {death.how}", " / ".join(death.lines)) from None
        except BaseException:
            self.kill()
            raise
        if "error" in first:
            self.kill()
            error = first["error"]
            raise OpkgError(error["message"], error["hint"], code=error["code"])
        return frozenset(first["golden"])

    def ask(self, value: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send a line and wait for the answer. Raises `TimeoutError` and `WorkerDeathError`."""
        stdin: IO[bytes] | None = self._child.stdin
        assert stdin is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(value).encode() + b"\n")
            stdin.flush()
        end = monotonic() + seconds
        while b"\n" not in self._pending:
            if not select.select([self._answers], [], [], max(0.0, end - monotonic()))[0]:
                raise TimeoutError
            read = os.read(self._answers, 1 << 16)
            if not read:
                raise self._died()
            self._pending += read
        line, _, self._pending = self._pending.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def _died(self) -> WorkerDeathError:
        try:
            code = self._child.wait(10)
        except subprocess.TimeoutExpired:
            return WorkerDeathError("the process closed its pipe", self._lines())
        if code >= 0:
            return WorkerDeathError(f"the process ended with exit code {code}", self._lines())
        number = -code
        known = number in {int(each) for each in signal.Signals}
        name = f"{signal.Signals(number).name}: {signal.strsignal(number)}" if known else f"signal {number}"
        return WorkerDeathError(f"the process was ended by {name}", self._lines())

    def _lines(self) -> tuple[str, ...]:
        """The end of what the process printed."""
        return self._tail(max(0, self.printed_bytes() - 8192))[-_SHOWN_LINES:]

    def printed_bytes(self) -> int:
        """How much the process has printed so far."""
        return os.fstat(self._printed.fileno()).st_size

    def lines_since(self, start: int) -> tuple[str, ...]:
        """What it printed behind `start`: the last report of the check build as a whole, else the end of it."""
        lines = self._tail(max(start, self.printed_bytes() - 65536))
        ends = [number for number, line in enumerate(lines) if line.startswith(_REPORT_END)]
        if not ends:
            return lines[-_SHOWN_LINES:]
        begin = ends[-2] + 1 if len(ends) > 1 else 0
        return lines[begin : ends[-1]][:_REPORT_LINES]

    def _tail(self, start: int) -> tuple[str, ...]:
        # Not seek and read: the child writes at the same offset.
        text = os.pread(self._printed.fileno(), 65536, start).decode("utf-8", "replace")
        return tuple(line for line in text.splitlines() if line.strip())

    def signal(self) -> None:
        """Kill the process and everything that it started."""
        # Once it was waited for, its number may be another process's.
        if self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process, and free what belongs to it."""
        self.signal()
        self._child.wait()
        if self._child.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._child.stdin.close()
        os.close(self._answers)
        self._printed.close()


def _folder(about: Mapping[str, Any]) -> Path | None:
    """Where the worker stands: beside the golden, where that is."""
    folder = Path(about["golden"]).parent
    return folder if folder.is_dir() else None


def _environment(cores: str) -> dict[str, str]:
    """More threads than CPUs, where nothing else is asked for: cores are interrupted by each other at any place."""
    threads = str(max(4, len(os.sched_getaffinity(0))))
    set_here = {name for variables in CORES.values() for name in variables}
    kept = {name: value for name, value in os.environ.items() if name not in set_here}
    return {"OPKG_NUM_THREADS": threads, **kept, **CORES[cores]}
