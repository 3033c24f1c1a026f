"""Memory whose size the twin was told: where it ends, whatever a kernel says; and tiling data that is too short."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from check_harness import Checked, Result
from twin_harness import LIB


@contextmanager
def allocated(address: int, size: int) -> Iterator[None]:
    twin = ctypes.CDLL(str(LIB / "libopkg_twin.so.1"), mode=ctypes.RTLD_GLOBAL)
    twin.opkg_twin_allocated.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
    twin.opkg_twin_allocated(address, size)
    yield
    twin.opkg_twin_allocated(address, 0)


COPY = """extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float *)x%s);
    gy.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, gx[64], 64); // here
    PipeBarrier<PIPE_ALL>();
    DataCopy(gy, a, 64);
}
"""


@pytest.mark.parametrize("size", ["", ", 4096"])
def test_where_memory_ends(checked: Checked, size: str) -> None:
    x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    with allocated(x.ctypes.data, 480):
        result = checked.run(COPY % size, x, y)
    finding = result.only("gm-bounds")
    assert finding["here"]["line"] == result.line("here")
    assert finding["message"] == "DataCopy reads 256 bytes of memory that has 224 from there on"
    assert (finding["tensor"], finding["offset"], finding["bytes"]) == ("GM gx", 480, 32)


@pytest.mark.parametrize("size", ["", ", 4096"])
@pytest.mark.parametrize("given", [256, 128])
def test_a_copy_that_begins_where_memory_ends_or_behind_it(checked: Checked, size: str, given: int) -> None:
    x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    with allocated(x.ctypes.data, given):
        result = checked.run(COPY % size, x, y)
    finding = result.only("gm-bounds")
    assert finding["message"] == "DataCopy reads 256 bytes of memory that has 0 from there on"
    assert (finding["tensor"], finding["offset"], finding["bytes"]) == ("GM gx", 256, 256)


@pytest.mark.parametrize("size", [512, 16384])
def test_memory_that_is_large_enough(checked: Checked, size: int) -> None:
    x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    with allocated(x.ctypes.data, size):
        assert checked.run(COPY % "", x, y).findings == []
    assert np.all(y[:64] == 1.0)


TILING = """struct Tiling {
    uint32_t total;
    uint32_t tile;
    uint64_t more;
};
extern "C" __global__ __aicore__ void k(GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(Tiling, data, tiling); // here
    (void)data;
}
"""


def with_tiling(checked: Checked, given: int) -> Result:
    room = np.frombuffer(bytearray(struct.pack("<IIQ", 1, 2, 3) + bytes(64)), np.uint8)
    with allocated(room.ctypes.data, given):
        return checked.run(TILING, room)


@pytest.mark.parametrize("given", [16, 64])
def test_tiling_data_that_is_long_enough(checked: Checked, given: int) -> None:
    assert with_tiling(checked, given).findings == []


@pytest.mark.plants("tiling-size")
@pytest.mark.parametrize("given", [8, 12])
def test_tiling_data_that_is_too_short(checked: Checked, given: int) -> None:
    result = with_tiling(checked, given)
    finding = result.only("tiling-size")
    assert finding["code"] == "OPKG-C011"
    assert finding["here"]["line"] == result.line("here")
    assert finding["message"] == f"the kernel reads a tiling struct of 16 bytes, but the host gives {given}"
