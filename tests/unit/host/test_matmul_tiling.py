"""Tilings of matrix products: properties that hold for any shape, and what the setters ask for."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

FIELDS = (
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 stepM stepN isBias "
    "transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize batchM batchN singleBatchM singleBatchN "
    "stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A dbL0B dbL0C"
).split()
WISH = (
    "single_core m n k cores dtype a_transposed b_transposed c_in_ub bias base_m base_n base_k single_m single_n "
    "single_k l1 l0c ub n_first split_k align_m align_n max_m max_n max_base_m schedule mx a_format traverse_set "
    "b_dtype"
).split()
FLAGS = {"single_core", "a_transposed", "b_transposed", "c_in_ub", "bias", "n_first", "split_k", "schedule", "mx"}
FLOAT, FLOAT16, INT8, INT4, E5M2 = 0, 1, 2, 29, 36
BITS = {FLOAT: 32, FLOAT16: 16, INT8: 8, INT4: 4, E5M2: 8}
# A core of the Ascend910B1.
L1, L0, L0C, UB, BIAS_TABLE = 524288 - 256, 65536, 131072, 196608 - 256, 1024

Ask = Callable[..., dict[str, int] | None]


@pytest.fixture(scope="module")
def ask(matmul_library: ctypes.CDLL) -> Ask:
    """A tiling, or None where there is none."""
    matmul_library.ask.restype = ctypes.c_int64

    def ask(m: int, n: int, k: int, **wishes: int) -> dict[str, int] | None:
        values = {name: 0 if name in FLAGS or name in ("a_format", "traverse_set") else -1 for name in WISH}
        values.update(m=m, n=n, k=k, cores=1, dtype=FLOAT16)
        values.update(wishes)
        row = np.array([values[name] for name in WISH], np.int32)
        found, cores = np.zeros(50, np.int32), np.zeros(3, np.int32)
        code = matmul_library.ask(None, *(ctypes.c_void_p(a.ctypes.data) for a in (row, found, cores)))
        assert code in (0, -1)
        if code:
            return None
        tiling = dict(zip(FIELDS, found[: len(FIELDS)].tolist(), strict=True))
        return tiling | {"dim": int(cores[0]), "mDim": int(cores[1]), "nDim": int(cores[2])}

    return ask


def up(size: int, by: int) -> int:
    return -(-size // by)


def check_cores(t: dict[str, int], m: int, n: int, k: int, cores: int) -> None:
    """The parts cover the product, and no core stays without work."""
    parts = up(m, t["singleCoreM"]) * up(n, t["singleCoreN"]) * up(k, t["singleCoreK"])
    assert 1 <= t["usedCoreNum"] == parts <= cores
    assert (t["M"], t["N"], t["Ka"], t["Kb"]) == (m, n, k, k)
    for size, single in ((m, t["singleCoreM"]), (n, t["singleCoreN"]), (k, t["singleCoreK"])):
        assert single == size or (single < size and single % 16 == 0)


def check_buffers(t: dict[str, int], dtype: int, bias: bool) -> None:
    """Base blocks fit L0 twice, the result L0C, all that waits L1."""
    bits = BITS[dtype]
    assert t["baseM"] % 16 == t["baseN"] % 16 == 0
    assert t["baseK"] % max(16, 256 // bits) == 0
    assert t["baseM"] * t["baseK"] * bits // 8 * t["dbL0A"] <= L0
    assert t["baseN"] * t["baseK"] * bits // 8 * t["dbL0B"] <= L0
    assert t["baseM"] * t["baseN"] * 4 * t["dbL0C"] <= L0C
    a = t["baseM"] * t["baseK"] * bits // 8 * t["depthA1"]
    b = t["baseN"] * t["baseK"] * bits // 8 * t["depthB1"]
    assert a + b + (t["baseN"] * 4 if bias else 0) <= L1
    assert not bias or t["baseN"] * 4 <= BIAS_TABLE
    assert t["isBias"] == int(bias)
    # No base block is longer than what it works on, but for its rows of fractals.
    for base, single in (("baseM", "singleCoreM"), ("baseN", "singleCoreN"), ("baseK", "singleCoreK")):
        assert 0 < t[base] <= up(t[single], 64) * 64


def check_steps(t: dict[str, int]) -> None:
    """What the MDL form asks of the steps that L1 holds."""
    assert t["depthA1"] % (t["stepM"] * t["stepKa"]) == 0 == t["depthB1"] % (t["stepN"] * t["stepKb"])
    steps = up(t["singleCoreK"], t["baseK"])
    loads_a, loads_b = up(steps, t["stepKa"]), up(steps, t["stepKb"])
    assert loads_a % loads_b == 0 or loads_b % loads_a == 0
    assert t["stepKa"] <= steps and t["stepKb"] <= steps


@pytest.mark.parametrize("dtype", [FLOAT, FLOAT16, INT8, INT4])
def test_any_product_is_covered_and_fits(ask: Ask, dtype: int) -> None:
    rng = random.Random(dtype)
    for _ in range(250):
        m, n, k = (rng.choice([rng.randint(1, 64), rng.randint(1, 1000), rng.randint(1, 30000)]) for _ in range(3))
        cores, bias = rng.choice([1, 2, 20, 24, 48]), rng.random() < 0.5
        flags = {name: rng.randint(0, 1) for name in ("a_transposed", "b_transposed", "split_k")}
        tiling = ask(m, n, k, cores=cores, dtype=dtype, bias=int(bias), **flags)
        assert tiling is not None, (m, n, k)
        check_cores(tiling, m, n, k, cores)
        check_buffers(tiling, dtype, bias)
        check_steps(tiling)
        assert tiling["dim"] == tiling["usedCoreNum"]
        assert tiling["mDim"] * tiling["nDim"] * up(k, tiling["singleCoreK"]) == tiling["dim"]


def test_int8_takes_the_room_of_the_half_that_it_becomes(ask: Ask) -> None:
    rng = random.Random(7)
    for _ in range(50):
        m, n, k = (rng.choice([rng.randint(1, 64), rng.randint(1, 1000), rng.randint(1, 30000)]) for _ in range(3))
        tiling = ask(m, n, k, cores=8, b_dtype=INT8, b_transposed=rng.randint(0, 1))
        assert tiling is not None, (m, n, k)
        check_cores(tiling, m, n, k, 8)
        check_buffers(tiling, FLOAT16, bias=False)


def test_one_core_takes_the_whole_product(ask: Ask) -> None:
    tiling = ask(700, 900, 1100, single_core=1)
    assert tiling is not None
    assert tiling["usedCoreNum"] == 1
    assert [tiling[f"singleCore{axis}"] for axis in "MNK"] == [700, 900, 1100]
    assert [tiling[f"base{axis}"] for axis in "MNK"] == [176, 160, 80]


@pytest.mark.parametrize(
    ("shape", "cores", "single"),
    [
        ((128, 30720, 64), 24, (128, 1280, 64)),
        ((128, 30720, 64), 48, (128, 640, 64)),
        ((128, 24576, 512), 24, (128, 1024, 512)),
        ((512, 512, 128), 2, (256, 512, 128)),
        ((31, 31, 31), 48, (31, 31, 31)),
    ],
)
def test_work_is_dealt_out_evenly(ask: Ask, shape: tuple[int, int, int], cores: int, single: tuple[int, ...]) -> None:
    tiling = ask(*shape, cores=cores)
    assert tiling is not None
    assert tuple(tiling[f"singleCore{axis}"] for axis in "MNK") == single


def test_fixed_base_blocks_and_whole_columns_of_them(ask: Ask) -> None:
    tiling = ask(512, 128, 128, cores=2, base_m=128, base_n=64, base_k=128)
    assert tiling is not None
    assert [tiling[f"base{axis}"] for axis in "MNK"] == [128, 64, 128]
    assert (tiling["singleCoreM"], tiling["singleCoreN"]) == (512, 64)
    tiling = ask(1024, 640, 256, cores=2, base_m=256, base_n=128)
    assert tiling is not None
    assert (tiling["singleCoreM"], tiling["singleCoreN"], tiling["baseM"], tiling["baseN"]) == (512, 640, 256, 128)


def test_fixed_parts_alignment_and_ranges(ask: Ask) -> None:
    tiling = ask(2560, 128, 512, cores=20, single_m=128, single_n=128, single_k=512)
    assert tiling is not None
    assert (tiling["usedCoreNum"], tiling["singleCoreM"]) == (20, 128)
    tiling = ask(1000, 1000, 64, cores=24, align_m=64, align_n=192)
    assert tiling is not None
    assert tiling["singleCoreM"] % 64 == 0 == tiling["singleCoreN"] % 192
    tiling = ask(1000, 1000, 64, cores=24, max_m=100, max_base_m=48)
    assert tiling is not None
    assert tiling["singleCoreM"] <= 100
    assert tiling["baseM"] <= 48
    tiling = ask(30, 512, 64, cores=24, max_m=10)
    assert tiling is not None
    assert tiling["singleCoreM"] == 10


def test_results_for_vector_cores_leave_room_in_their_buffer(ask: Ask) -> None:
    tiling = ask(512, 512, 256, c_in_ub=1)
    assert tiling is not None
    assert tiling["baseM"] * tiling["baseN"] * 4 <= UB // 2
    tiling = ask(512, 512, 256, c_in_ub=1, ub=16384, l0c=32768)
    assert tiling is not None
    assert tiling["baseM"] * tiling["baseN"] * 4 <= 16384


def test_order_steps_and_pairs_of_blocks(ask: Ask) -> None:
    assert (ask(64, 64, 64) or {})["iterateOrder"] == 0
    assert (ask(64, 64, 64, n_first=1, traverse_set=1) or {})["iterateOrder"] == 1
    outer = ask(2048, 2048, 32, schedule=1)
    assert outer is not None
    assert (outer["stepM"], outer["stepN"], outer["depthB1"]) == (1, 2, 2 * 2 * outer["stepKb"])
    nine = ask(256, 512, 192, cores=24, schedule=2)
    assert nine is not None
    assert nine["singleCoreM"] % nine["baseM"] == 0 == nine["singleCoreN"] % nine["baseN"]
    assert nine["stepKa"] == nine["stepKb"] == up(192, nine["baseK"]) <= 3
    mx = ask(32, 128, 96, dtype=E5M2, mx=1)
    assert mx is not None
    assert mx["baseK"] % 64 == 0


def test_k_is_split_where_it_is_asked_for_and_long(ask: Ask) -> None:
    assert (ask(16, 16, 8192, cores=8, split_k=1) or {})["singleCoreK"] == 1024
    assert (ask(16, 16, 8192, cores=8) or {})["singleCoreK"] == 8192


@pytest.mark.parametrize(
    ("shape", "wishes", "sentence"),
    [
        ((0, 16, 16), {}, "the shape 0 x 16 x 16 is not known"),
        ((16, 16, 16), {"cores": 0}, r"SetDim\(0\): there must be a core"),
        ((16, 16, 16), {"dtype": 12}, "data type 12 is none that a product takes"),
        ((512, 512, 64), {"base_m": 256, "base_n": 256}, "does not fit the buffers of a core"),
        (
            (512, 512, 64),
            {"cores": 3, "single_m": 128, "single_n": 128},
            "makes 16 parts of 512 x 512 x 64, .* 3 cores",
        ),
        (
            (1024, 512, 64),
            {"cores": 4, "max_m": 128},
            "no way to deal 1024 x 512 x 64 out to 4 cores keeps to SetSingleRange",
        ),
        ((64, 64, 64), {"l0c": 256}, "no base block for the 64 x 64 x 64 of a core fits"),
        ((2, 16, 16), {"a_format": 7}, "in the format VECTOR has one row, not 2"),
        ((64, 64, 4096), {"schedule": 1}, "OUTER_PRODUCT needs all of K in one step"),
        ((64, 64, 40000), {"schedule": 2}, "N_BUFFER_33 needs at most 3 x 3 base blocks"),
    ],
)
def test_what_cannot_be_done_is_said(
    ask: Ask, capfd: pytest.CaptureFixture[str], shape: tuple[int, int, int], wishes: dict[str, Any], sentence: str
) -> None:
    assert ask(*shape, **wishes) is None
    assert re.search(sentence, capfd.readouterr().err)
