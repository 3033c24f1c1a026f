"""OPKG_TWIN_CORES limits the cores that tiling is told of, in the proportions of the chip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import host_abi
import pytest

from opkg.paths import native_dir

PROGRAM = """
import ctypes, json, sys
from pathlib import Path
ctypes.CDLL(sys.argv[1])
from host_abi import Package, call, tensor
package = Package(Path(sys.argv[2]) / "libfirst.so", Path(sys.argv[2]))
def cores(soc):
    x = lambda: tensor(dtype="float32", shape=(4,), fmt="ND")
    return package.tile("PlatformNumbers", call([x()], [x()], soc=soc)).numbers[:3]
print(json.dumps([cores(soc) for soc in ("Ascend910B1", "Ascend310P3", "Ascend910_95")]))
"""


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("1", [[1, 1, 0], [1, 1, 1], [1, 1, 0]]),
        ("6", [[3, 6, 0], [6, 6, 6], [3, 6, 0]]),
        ("1000", [[24, 48, 0], [8, 8, 7], [32, 64, 0]]),
        ("0", [[24, 48, 0], [8, 8, 7], [32, 64, 0]]),
        ("many", [[24, 48, 0], [8, 8, 7], [32, 64, 0]]),
    ],
)
def test_cube_and_vector_cores_shrink_together(libraries: Path, limit: str, expected: list[list[int]]) -> None:
    paths = [str(Path(host_abi.__file__).parent), *sys.path]
    environment = {**os.environ, "OPKG_TWIN_CORES": limit, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", PROGRAM, str(native_dir() / "lib/libopkg_host.so.1"), str(libraries)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected
