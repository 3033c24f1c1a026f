"""The thread pool's size, and a process that forks while it exists."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys
import numpy as np
from opkg._native import _core
print(_core.threads())
package = _core.Package(sys.argv[1], sys.argv[1] + "/libfake.so")
call = _core.Call(package, "Nested")
x = np.zeros(1, np.float32)
assert call(x)[0] == 40
child = os.fork()
if child == 0:
    os._exit(0 if call(x)[0] == 40 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def threads(fake_library: Path, **env: str) -> int:
    program = [sys.executable, "-c", PROGRAM, str(fake_library.parent)]
    done = subprocess.run(program, env={**os.environ, **env}, capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout)


def test_the_default_is_the_cpus_of_the_process(fake_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPKG_NUM_THREADS", raising=False)
    assert threads(fake_library) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("count", ["1", "3"])
def test_the_environment_sets_it(fake_library: Path, count: str) -> None:
    assert threads(fake_library, OPKG_NUM_THREADS=count) == int(count)
