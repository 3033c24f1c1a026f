"""Ends what a program left running outside of its session: daemons, and what daemons started."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import sleep

MARK = "OPKG_CI_PROGRAM"
"""Variable with a value of its own for each program: `setsid` takes a process out of its session, not of this."""

_ROUNDS = 100


def end_strays(env: Mapping[str, str]) -> None:
    """Kill every process that has the mark of this environment; again while new ones appear, as they may fork."""
    mark = f"{MARK}={env[MARK]}".encode()
    for _ in range(_ROUNDS):
        if not sum(_end(pid, mark) for pid in _processes()):
            return
        sleep(0.01)  # the killed need a moment to be gone


def _processes() -> Iterator[int]:
    return (int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit())


def _end(pid: int, mark: bytes) -> bool:
    """Whether a process had the mark and was killed."""
    # Others' processes cannot be read, and any may end by itself meanwhile.
    with contextlib.suppress(PermissionError, ProcessLookupError, FileNotFoundError):
        # The handle before the look: the number may be another process's by the time of the signal.
        process = os.pidfd_open(pid)
        try:
            if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                return True
        finally:
            os.close(process)
    return False
