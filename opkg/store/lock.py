"""One writer at a time on an install root. The kernel drops the lock when its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from opkg.errors import StoreError

_POLL = 0.05


@contextmanager
def exclusive(path: Path, wait: float, command: str = "opkg") -> Iterator[None]:
    """Hold the lock file `path`, which the installer inside a bundle takes too.

    Args:
        path: the lock file; its folder exists.
        wait: seconds to wait for another holder.
        command: what those who wait are told about this process.

    Raises:
        StoreError: another process still holds it.
    """
    handle = _open(path)
    try:
        _acquire(handle, path, time.monotonic() + wait)
        with suppress(OSError):  # only informs; the lock file may belong to another user
            _sign(handle, command)
        yield
    finally:
        os.close(handle)


def holder(path: Path) -> str:
    """Who holds the lock file `path` at this moment; empty where nobody does."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        # Shared, so that two who only ask do not take each other for a writer.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(handle)
    finally:
        os.close(handle)
    return ""


def _open(path: Path) -> int:
    # Not inherited: a child that outlives this process would hold the lock for it.
    flags = os.O_CREAT | os.O_CLOEXEC
    try:
        handle = os.open(path, flags | os.O_RDWR, 0o644)
    except PermissionError:
        # A lock needs no permission to write, only the note about its holder does.
        return os.open(path, flags | os.O_RDONLY, 0o644)
    with suppress(OSError):  # everyone may lock, whatever the umask of whoever was first
        os.fchmod(handle, 0o644)
    return handle


def _acquire(handle: int, path: Path, deadline: float) -> None:
    while True:
        try:
            # Polled: a call that waits could only be given up after a time with the help of signals, and of the main
            # thread.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise StoreError(
                    f"{_holder(handle)} is changing {path.parent.parent}",
                    "try again when it is done, or wait longer: --wait SECONDS",
                    code="OPKG-6200",
                ) from None
            time.sleep(_POLL)


def _sign(handle: int, command: str) -> None:
    """Say in the lock file who holds it. The file itself is no lock: what a dead process left in it blocks nobody."""
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    text = json.dumps({"pid": os.getpid(), "command": command, "host": socket.gethostname(), "since": since})
    # A reader in between finds no JSON and says "another process".
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{text}\n".encode(), 0)


def _holder(handle: int) -> str:
    """Who holds the lock, as far as the lock file says; a bundle's own installer writes nothing into it."""
    try:
        told = json.loads(os.pread(handle, 4096, 0))
        here = told["host"] == socket.gethostname()
        if here and not Path("/proc", str(int(told["pid"]))).exists() and Path("/proc/self").exists():
            return "another process"  # the one that is named is gone
        where = "" if here else f" on {told['host']}"
        return f"process {int(told['pid'])} ({told['command']}){where}, since {told['since']},"
    except (ValueError, KeyError, TypeError):
        return "another process"
