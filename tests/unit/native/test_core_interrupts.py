"""Ctrl-C while a kernel runs that never ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import signal, sys
import numpy as np
from opkg._native import _core

signal.signal(signal.SIGINT, {handler})
package = _core.Package(sys.argv[1], sys.argv[2])
x = np.zeros(1, np.float32)
call = _core.Call(package, "Fail", [("how", _core.ATTR_STRING, "never ends")])
call.run([x])
"""


def _started(library: Path, handler: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", _PROGRAM.format(handler=handler), str(library.parent), str(library)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "running\n"
    return child


def test_the_second_interrupt_ends_the_process(fake_library: Path) -> None:
    child = _started(fake_library, "signal.default_int_handler")
    try:
        child.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.5)  # the first one is the program's, and waits for the kernel
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=20)
    finally:
        child.kill()
    assert (child.returncode, errors) == (-signal.SIGINT, "\nopkg: a kernel does not end; interrupted\n")


def test_one_interrupt_is_enough_where_the_program_has_no_handler(fake_library: Path) -> None:
    child = _started(fake_library, "signal.SIG_DFL")
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=20) == ("", "")
    assert child.returncode == -signal.SIGINT
