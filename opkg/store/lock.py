"""One writer at a time on an install root. The kernel drops the lock when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from opkg.errors import StoreError

_POLL = 0.05


@contextmanager
def exclusive(path: Path, wait: float) -> Iterator[None]:
    """Hold the lock file `path`, which the installer inside a bundle takes too.

    Args:
        path: the lock file; its folder exists.
        wait: seconds to wait for another holder.

    Raises:
        StoreError: another process still holds it.
    """
    handle = _open(path)
    try:
        _acquire(handle, path, time.monotonic() + wait)
        with suppress(OSError):  # only informs; the lock file may belong to another user
            os.pwrite(handle, f"{os.getpid():<10}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    flags = os.O_CREAT | os.O_CLOEXEC
    try:
        handle = os.open(path, flags | os.O_RDWR, 0o644)
    except PermissionError:
        return os.open(path, flags | os.O_RDONLY, 0o644)
    with suppress(OSError):  # everyone may lock, whatever the umask of whoever was first
        os.fchmod(handle, 0o644)
    return handle


def _acquire(handle: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = os.pread(handle, 16, 0).decode("ascii", "replace").strip()
                who = f"process {holder}" if holder.isdigit() else "another process"
                raise StoreError(
                    f"{who} is changing {path.parent.parent}", "try again when it is done", code="OPKG-6200"
                ) from None
            time.sleep(_POLL)
