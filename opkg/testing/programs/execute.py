"""Runs one command of a program: with a time limit for it and all that it starts, and with what it prints in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

_KEPT_BYTES = 2_000_000


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: exit status; negative: the signal that ended it; None: it was stopped at its time limit.
        output: the end of what it printed (stdout and stderr together).
        seconds: how long it took.
    """

    code: int | None
    output: str
    seconds: float

    def how(self) -> str:
        """How it ended, in words; empty if well."""
        if self.code == 0:
            return ""
        if self.code is None:
            return f"still running after {self.seconds:.0f} s"
        if self.code < 0:
            return f"crashed: {signal.strsignal(-self.code) or f'signal {-self.code}'}"
        return f"exit status {self.code}"


def execute(words: Sequence[str], folder: Path, env: Mapping[str, str], log: Path, limit: float) -> Ended:
    """Run a command to its end, or to its time limit.

    Args:
        words: the command.
        folder: where it runs.
        env: its whole environment.
        log: file to which the command line and its output are added.
        limit: seconds after which it is stopped, with everything that it started.
    """
    start = monotonic()
    with log.open("ab") as file:
        file.write(f"$ {' '.join(words)}\n".encode())
        file.flush()
        begin = file.tell()
        try:
            child = subprocess.Popen(
                words, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            file.write(f"{words[0]}: {error.strerror}\n".encode())
            return Ended(127, f"{words[0]}: {error.strerror}", monotonic() - start)
        code = _wait(child, limit)
    return Ended(code, _tail(log, begin), monotonic() - start)


def _wait(child: subprocess.Popen[bytes], limit: float) -> int | None:
    try:
        return child.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # Whatever the command left behind ends with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _tail(log: Path, begin: int) -> str:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - _KEPT_BYTES))
        return file.read().decode("utf-8", "replace")
