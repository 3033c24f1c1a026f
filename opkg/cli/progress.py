"""Progress as one line of a terminal, which is gone when the work is done."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from opkg import progress

_DELAY = 0.4  # seconds; what is done sooner needs no line
_STEP = 0.05


class StatusLine:
    """The last line of a terminal.

    Args:
        stream: the terminal.
        clock: gives seconds that only grow.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._begun: float | None = None
        self._last = 0.0
        self._visible = False

    def __call__(self, text: str) -> None:
        """Show a text in place of the one before; nothing takes the line away."""
        now = self._clock()
        if not text:
            self.clear()
            self._begun = None
            return
        self._begun = now if self._begun is None else self._begun
        # Not for work that is done before anybody reads it, nor more often than a terminal is looked at.
        if now - self._begun >= _DELAY and now - self._last >= _STEP:
            self._last = now
            self._visible = True
            self._stream.write(f"\r\x1b[K{_fitting(text, self._columns())}")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._visible:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._visible = False

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80


@contextmanager
def status_line() -> Iterator[None]:
    """Show the progress of what runs inside on stderr, which must be a terminal."""
    line = StatusLine(sys.stderr)
    try:
        with progress.listening(line):
            yield
    finally:
        line.clear()


def _fitting(text: str, columns: int) -> str:
    """One line that is shorter than the terminal is wide, its middle left out where it is too long."""
    text = " ".join(text.split())
    if len(text) < columns:
        return text
    half = max((columns - 4) // 2, 1)
    return f"{text[:half]}...{text[-half:]}"
