"""Kernels that call one library function on whole tensors: any number of them, each of its own type and size."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from kernels import C_TYPES
from twin_harness import Compiler, Kernel

WIDE_CHIP = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")
NUMBERS = 24  # whole numbers and real ones that a call has
MOST = 12  # tensors

FRAME = f"""
using namespace AscendC;
struct Frame {{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[{MOST}];
    template <typename T>
    __aicore__ inline LocalTensor<T> load(uint32_t i, GM_ADDR from, uint32_t bytes)
    {{
        pipe.InitBuffer(buffers[i], bytes < 32 ? 32 : bytes);
        LocalTensor<uint8_t> room = buffers[i].Get<uint8_t>();
        GlobalTensor<uint8_t> source;
        source.SetGlobalBuffer(from);
        DataCopyPad(room, source, DataCopyExtParams{{1, bytes, 0, 0, 0}}, DataCopyPadExtParams<uint8_t>{{}});
        LocalTensor<T> tensor = room.ReinterpretCast<T>();
        tensor.SetBufferLen(bytes);
        return tensor;
    }}
    template <typename T>
    __aicore__ inline void store(GM_ADDR to, const LocalTensor<T> &from, uint32_t bytes)
    {{
        GlobalTensor<uint8_t> target;
        target.SetGlobalBuffer(to);
        DataCopyPad(target, from.template ReinterpretCast<uint8_t>(), DataCopyExtParams{{1, bytes, 0, 0, 0}});
    }}
}};
"""
TILING = f"uint32_t bytes[{MOST}]; int32_t n[{NUMBERS}]; float f[{NUMBERS}]; uint32_t room;"


def source(function: str, tensors: Mapping[str, str], body: str) -> str:
    """A kernel whose body sees its tensors (name -> C++ type), `tmp` of data.room bytes, and data.n and data.f."""
    parameters = ", ".join(f"GM_ADDR {name}_gm" for name in tensors)
    loads = "\n    ".join(
        f"[[maybe_unused]] LocalTensor<{kind}> {name} = frame.load<{kind}>({i}, {name}_gm, data.bytes[{i}]);"
        for i, (name, kind) in enumerate(tensors.items())
    )
    stores = "\n    ".join(
        f"frame.store({name}_gm, {name}, data.bytes[{i}]);" for i, name in enumerate(tensors) if name.startswith("out")
    )
    return (
        FRAME
        + f"""
extern "C" __global__ __aicore__ void {function}({parameters}, GM_ADDR workspace, GM_ADDR tiling_gm)
{{
    (void)workspace;
    GET_TILING_DATA(data, tiling_gm);
    Frame frame;
    {loads}
    TBuf<TPosition::VECCALC> room;
    frame.pipe.InitBuffer(room, data.room);
    [[maybe_unused]] LocalTensor<uint8_t> tmp = room.Get<uint8_t>();
    {body}
    {stores}
}}
"""
    )


class Library:
    """Calls of one kernel."""

    def __init__(self, compiler: Compiler, function: str, tensors: Mapping[str, str], body: str, *defines: str) -> None:
        self.kernel: Kernel = compiler.compile(source(function, tensors, body), function, *defines, tiling=TILING)

    def __call__(
        self,
        *arrays: np.ndarray,
        n: Sequence[int] = (),
        f: Sequence[float] = (),
        key: int = 0,
        room: int = 8192,
        soc: str = "Ascend910B1",
    ) -> None:
        """Arrays in the order of the tensors; those of `out` tensors are written in place."""
        sizes = [a.nbytes for a in arrays] + [0] * (MOST - len(arrays))
        whole = [*n, *[0] * (NUMBERS - len(n))]
        real = [*f, *[0.0] * (NUMBERS - len(f))]
        packed = struct.pack(f"<{MOST}I{NUMBERS}i{NUMBERS}fI", *sizes, *whole, *real, room)
        self.kernel(*arrays, None, packed, key=key, soc=soc)


def c_type(dtype: str) -> str:
    return C_TYPES[dtype]


def close(got: np.ndarray, want: np.ndarray, dtype: str, rtol: float = 5e-5, atol: float = 1e-6) -> None:
    """Asserts that results are those of an exact computation: up to rounding for half, a relative error for float."""
    if dtype == "float16":
        rtol, atol = 0.6 * 2.0**-10, 2.0**-24
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol)
