"""The one place from which the build starts other programs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from opkg.errors import BuildError


@dataclass(frozen=True)
class Finished:
    """How a program ended: its exit status (negative: the signal that ended it) and all that it printed."""

    code: int
    output: str


class Run:
    """Starts programs, one at a time, and keeps what they print in a log file.

    Args:
        log: file that gets each command line and its output; None keeps none.
        env: variables on top of the caller's environment.
    """

    def __init__(self, log: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        self._log = log
        # What tools print is read by programs, and those know English.
        self._env = {**os.environ, "LC_ALL": "C", **(env or {})}

    def __call__(
        self, argv: Sequence[str | Path], *, cwd: Path | None = None, on_line: Callable[[str], None] | None = None
    ) -> Finished:
        """Run a program to its end and return its status and output (stdout and stderr together).

        PWD names `cwd` as it is given, so that a compiler that is run through a link records the link.

        An interrupt reaches the program too, and it has ended when the exception leaves this function.

        Raises:
            BuildError: the program cannot be started.
        """
        words = [str(a) for a in argv]
        env = self._env if cwd is None else {**self._env, "PWD": str(cwd)}
        with _InterruptsHeld() as held:
            child = _start(words, cwd, env)
        with child:
            try:
                held.deliver()
                output = _drain(child.stdout, on_line)
            except BaseException:
                _stop(child)
                raise
        self._keep(words, output)
        return Finished(child.returncode, output)

    def _keep(self, words: list[str], output: str) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(f"$ {' '.join(words)}\n{output}")


class _InterruptsHeld:
    """Keeps an interrupt until a program has been started: one that came in between would lose the program."""

    def __enter__(self) -> _InterruptsHeld:
        self._caught = False
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._before = signal.signal(signal.SIGINT, self._catch)
        return self

    def __exit__(self, *_: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)

    def _catch(self, *_: object) -> None:
        self._caught = True

    def deliver(self) -> None:
        """Raise KeyboardInterrupt if one was held."""
        if self._caught:
            raise KeyboardInterrupt


def _start(words: list[str], cwd: Path | None, env: Mapping[str, str]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise BuildError(f"cannot start {words[0]}: {error.strerror}", "check that it is installed") from error


def _drain(stream: IO[str] | None, on_line: Callable[[str], None] | None) -> str:
    lines: list[str] = []
    for line in stream or ():
        lines.append(line)
        if on_line is not None:
            on_line(line.rstrip("\n"))
    return "".join(lines)


def _stop(child: subprocess.Popen[str]) -> None:
    """Interrupt a program, so that it removes what it had half written, and wait for it."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
