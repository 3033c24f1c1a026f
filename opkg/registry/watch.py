"""Notices that what an index was made from has changed, at the price of one system call for each path."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICK_NS = 20_000_000  # a file changed less than this before it is looked at may change again with the same time stamp
_GENERATION = ".opkg/generations/"


class Watch:
    """The files and folders whose change makes an index stale, each with its state before it was read."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self._newest = 0

    def add(self, path: Path) -> None:
        """Note the state of a path; to be called before its content is looked at."""
        self.states[str(path)] = state(str(path))
        try:
            self._newest = max(self._newest, path.lstat().st_mtime_ns)
        except OSError:
            return

    @property
    def settled(self) -> bool:
        """Whether everything is old enough for a later change to show in its time stamp."""
        return self._newest < time.time_ns() - _TICK_NS


def state(path: str) -> str:
    """Text that differs when a file, folder or link has changed; empty where there is nothing."""
    try:
        target = os.readlink(path)  # noqa: PTH115 - this runs for each vendor at every start
        if _GENERATION in target:
            # The store never changes a generation that it has made, but a root may be deleted and made again.
            link = os.lstat(path)
            return f"{target} {link.st_ino} {link.st_mtime_ns}"
    except OSError:
        target = ""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return target
    return f"{target} {found.st_ino} {found.st_size} {found.st_mtime_ns}"
