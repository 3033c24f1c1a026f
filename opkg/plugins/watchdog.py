"""A time limit for what a plugin does, and its output kept out of opkg's own.

In the main thread a plugin that takes too long is interrupted. Elsewhere, and where it hangs in native code, which
cannot be interrupted, a line on stderr at least says who it is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

from opkg.errors import UsageError

VARIABLE = "OPKG_PLUGIN_SECONDS"
_DEFAULT = 30.0  # imports of torch or tensorflow take ten on a slow disk


class TooLong(BaseException):
    """Raised inside a plugin whose time is up; no `except Exception` of its own can swallow it."""


def limit() -> float:
    """Seconds that loading a plugin, or one call of a hook, may take; 0 for no limit.

    Raises:
        UsageError: `OPKG_PLUGIN_SECONDS` is no number.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        seconds = float(text) if text else _DEFAULT
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < threading.TIMEOUT_MAX:
        raise UsageError(f"{VARIABLE}={text} is no number of seconds", "0 is no limit")
    return seconds


@contextlib.contextmanager
def watched(who: str, seconds: float) -> Iterator[None]:
    """Run a plugin's code: limited in time, what it prints on stdout goes to stderr.

    Args:
        who: the plugin and what it does, for the line that names it.
        seconds: how long it may take; 0 for no limit.

    Raises:
        TooLong: its time is up.
    """
    # stdout is the answer of a command, often JSON, and a plugin's prints would be in the middle of it.
    with contextlib.redirect_stdout(sys.stderr), _named(who, seconds), _interrupted(seconds):
        yield


@contextlib.contextmanager
def _named(who: str, seconds: float) -> Iterator[None]:
    if not seconds:
        yield
        return
    text = f"opkg: {who} has been busy for more than {seconds:g} seconds; interrupt it, or set {VARIABLE}\n"
    # A second later than the alarm: where that can interrupt, nothing is to be said.
    timer = threading.Timer(seconds + 1, sys.stderr.write, (text,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Raise `TooLong` when the time is up, where this thread and nobody else's alarm allow it."""
    # A process has one alarm; where pytest or another program uses it, theirs stays.
    alone = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    if not seconds or not alone:
        yield
        return
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again, should the plugin swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _ring(_: int, frame: FrameType | None) -> None:
    raise TooLong
