"""Kernels run with the tilings that the host side makes: whatever the shape, all of the product is there."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matmul_kernels import FIELDS, PART, product
from twin_harness import INCLUDE, LIB, Compiler

SOURCE = """
#include "tiling/tiling_api.h"
using namespace matmul_tiling;
extern "C" __attribute__((visibility("default"))) int64_t make(const int32_t *w, int32_t *to)
{
    MultiCoreMatmulTiling api;
    api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    api.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    api.EnableBias(true);
    api.SetDim(w[3]);
    api.SetOrgShape(w[0], w[1], w[2]);
    api.SetShape(w[0], w[1], w[2]);
    api.SetBufferSpace(-1, -1, -1);
    api.SetTraverse(w[4] ? MatrixTraverse::FIRSTN : MatrixTraverse::FIRSTM);
    TCubeTiling tiling;
    const int64_t code = api.GetTiling(tiling);
    std::memcpy(to, &tiling, sizeof tiling);
    return code;
}
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("tilings")
    (folder / "tilings.cpp").write_text(SOURCE)
    ctypes.CDLL(str(LIB / "libopkg_host.so.1"))
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{INCLUDE / 'host'}"]
    command += [f"-I{INCLUDE}", str(folder / "tilings.cpp"), "-o", str(folder / "libtilings.so"), f"-L{LIB}"]
    subprocess.run([*command, "-lopkg_host"], check=True)
    library = ctypes.CDLL(str(Path(folder) / "libtilings.so"))
    library.make.restype = ctypes.c_int64
    return library


@pytest.mark.parametrize("body", ["mm.IterateAll(mine);", "while (mm.Iterate()) { mm.GetTensorC(mine); }"])
def test_products_of_any_shape(compiler: Compiler, host: ctypes.CDLL, body: str) -> None:
    kernel = product(compiler, PART + body)
    rng = random.Random(len(body))
    numbers = np.random.default_rng(1)
    for _ in range(40):
        m, n, k = (rng.choice([rng.randint(1, 40), rng.randint(1, 700)]) for _ in range(3))
        wish = np.array([m, n, k, rng.choice([1, 2, 5, 24]), rng.randint(0, 1)], np.int32)
        found = np.zeros(len(FIELDS), np.int32)
        assert host.make(*(ctypes.c_void_p(array.ctypes.data) for array in (wish, found))) == 0
        a, b = (numbers.uniform(-1, 1, shape).astype(np.float16) for shape in ((m, k), (k, n)))
        bias, c = numbers.uniform(-1, 1, n).astype(np.float32), np.full((m, n), 9, np.float32)
        kernel(a, b, bias, c, None, None, found.tobytes(), block_dim=int(found[0]), threads=2)
        expected = a.astype(np.float64) @ b.astype(np.float64) + bias
        np.testing.assert_allclose(c, expected, rtol=0, atol=k * 2.0**-23 + 1e-6, err_msg=str(wish))


OWN = """
import ctypes, sys
from pathlib import Path
import numpy as np
from matmul_kernels import tiling
from twin_harness import LIB, Kernel
kernel = Kernel(Path(sys.argv[1]))
rng = np.random.default_rng(1)
for m, n, k in [(1, 1, 1), (5, 7, 3), (12, 32, 256), (101, 99, 300), (49, 700, 513)]:
    a, b = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    bias, c = rng.uniform(-1, 1, n).astype(np.float32), np.zeros((m, n), np.float32)
    stored = (a, b) if sys.argv[2] == "plain" else (a.T.copy(), b.T.copy())
    kernel(*stored, bias, c, None, None, tiling(m, n, k, isBias=1))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64) + bias, rtol=0, atol=k * 2.0**-23 + 1e-6)
name = ctypes.CDLL(str(LIB / "libopkg_twin.so.1")).opkg_twin_blas
name.restype = ctypes.c_char_p
print(name().decode())
"""


@pytest.mark.parametrize("orientation", ["plain", "transposed"])
@pytest.mark.parametrize(
    ("wish", "isa", "name"),
    [("opkg", "base", "opkg"), ("opkg", "v3", "opkg"), ("opkg", "v4", "opkg"), ("", "v4", "openblas")],
)
def test_products_with_and_without_a_blas(compiler: Compiler, orientation: str, wish: str, isa: str, name: str) -> None:
    """In a process of its own, because a process chooses once; the twin's own code has a version an instruction set."""
    turned = "false" if orientation == "plain" else "true"
    words = {"A_T": "float", "B_T": "float", "TRANS_A": turned, "TRANS_B": turned}
    kernel = product(compiler, PART + "mm.IterateAll(mine);", **words)
    environment = {**os.environ, "OPKG_TWIN_BLAS": wish, "OPKG_TWIN_ISA": isa}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", OWN, str(kernel.path), orientation]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == name
