"""Runs one command of a program: with a time limit for it and all that it starts, and with what it prints in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO

_KEPT_BYTES = 2_000_000
_MOST_BYTES = 256_000_000
"""A command that prints more is stopped: its log would fill the disk for all the others."""


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: exit status; negative: the signal that ended it; None: it was stopped.
        output: the end of what it printed (stdout and stderr together).
        seconds: how long it took.
        flooded: it was stopped for what it printed, not for its time.
    """

    code: int | None
    output: str
    seconds: float
    flooded: bool = False

    def how(self) -> str:
        """How it ended, in words; empty if well."""
        if self.code == 0:
            return ""
        if self.flooded:
            return f"stopped: it printed more than {_MOST_BYTES // 1_000_000} MB"
        if self.code is None:
            return f"still running after {self.seconds:.0f} s"
        if self.code < 0:
            return f"crashed: {signal.strsignal(-self.code) or f'signal {-self.code}'}"
        return f"exit status {self.code}"


def execute(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    log: Path,
    limit: float,
    stop: threading.Event | None = None,
) -> Ended:
    """Run a command to its end, or to its time limit.

    Args:
        words: the command.
        folder: where it runs.
        env: its whole environment.
        log: file to which the command line and its output are added.
        limit: seconds after which it is stopped, with everything that it started.
        stop: once it is set the command is stopped at once.
    """
    start = monotonic()
    with log.open("ab") as file:
        file.write(f"$ {' '.join(words)}\n".encode())
        file.flush()
        begin = file.tell()
        try:
            # Output goes to a file, not a pipe: a daemon that keeps it open cannot keep us waiting. Nobody answers
            # questions: stdin is empty. A session of its own can be ended whole, and has no terminal to wait for.
            child = subprocess.Popen(
                words, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            file.write(f"{words[0]}: {error.strerror}\n".encode())
            return Ended(127, f"{words[0]}: {error.strerror}", monotonic() - start)
        code, flooded = _wait(child, limit, file, begin + _MOST_BYTES, stop or threading.Event())
    return Ended(code, _tail(log, begin), monotonic() - start, flooded)


def _wait(
    child: subprocess.Popen[bytes], limit: float, file: IO[bytes], most: int, stop: threading.Event
) -> tuple[int | None, bool]:
    """The exit status, None where it had to be stopped, and whether that was for the size of its output."""
    # Most commands take milliseconds and some take minutes: the pause between two looks grows.
    end, pause, flooded = monotonic() + limit, 0.0005, False
    try:
        # Not reaped yet: while the leader is a zombie nobody else can get its number, so the group below is this one.
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            flooded = os.fstat(file.fileno()).st_size > most
            if flooded or monotonic() > end or stop.wait(pause):
                return None, flooded
            pause = min(2 * pause, 0.05)
    finally:
        # Whatever the command left behind ends with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        code = child.wait()
    return code, False


def _tail(log: Path, begin: int) -> str:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - _KEPT_BYTES))
        return file.read().decode("utf-8", "replace")
