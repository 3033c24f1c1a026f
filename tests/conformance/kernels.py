"""Sources of the kernels that the numeric tests share: one kernel a dtype, a tiling key for each instruction."""

from __future__ import annotations

import numpy as np

FRAME = """
using namespace AscendC;
// Everything on one core: inputs are copied to the Unified Buffer, one instruction runs, the result is copied back.
struct Frame {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[5];
    __aicore__ inline Frame()
    {
        for (auto &buffer : buffers) {
            pipe.InitBuffer(buffer, 32 * 1024);
        }
    }
    template <typename T>
    __aicore__ inline LocalTensor<T> load(uint32_t i, GM_ADDR from, uint32_t bytes)
    {
        LocalTensor<uint8_t> room = buffers[i].Get<uint8_t>();
        GlobalTensor<uint8_t> source;
        source.SetGlobalBuffer(from);
        DataCopyPad(room, source, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<uint8_t>{});
        return room.ReinterpretCast<T>();
    }
    template <typename T>
    __aicore__ inline void store(GM_ADDR to, const LocalTensor<T> &from, uint32_t bytes)
    {
        GlobalTensor<uint8_t> target;
        target.SetGlobalBuffer(to);
        DataCopyPad(target, from.template ReinterpretCast<uint8_t>(), DataCopyExtParams{1, bytes, 0, 0, 0});
    }
};
"""

# x0, x1 and y before the call; `in_bytes` of each, `out_bytes` of y.
ARGUMENTS = "GM_ADDR x0, GM_ADDR x1, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling"
TILING = (
    "uint32_t in_bytes; uint32_t out_bytes; int32_t count; int32_t mode; uint64_t scalar_bits; uint64_t mask[2];"
    "uint32_t repeat; uint32_t strides[6]; uint32_t flag;"
)


def kernel(function: str, body: str, *, t: str = "DTYPE_X", u: str = "DTYPE_X") -> str:
    """A kernel whose body sees tensors a, b (of type t) and d (of type u), a scalar s and the tiling `data`."""
    return (
        FRAME
        + f"""
extern "C" __global__ __aicore__ void {function}({ARGUMENTS})
{{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    Frame frame;
    [[maybe_unused]] LocalTensor<{t}> a = frame.load<{t}>(0, x0, data.in_bytes);
    [[maybe_unused]] LocalTensor<{t}> b = frame.load<{t}>(1, x1, data.in_bytes);
    LocalTensor<{u}> d = frame.load<{u}>(2, y, data.out_bytes);
    [[maybe_unused]] LocalTensor<{t}> w = frame.buffers[3].Get<{t}>();
    [[maybe_unused]] {t} s;
    __builtin_memcpy(&s, &data.scalar_bits, sizeof(s));
    [[maybe_unused]] const int32_t n = data.count;
    {body}
    frame.store(y, d, data.out_bytes);
}}
"""
    )


TILING_DTYPE = np.dtype(
    [
        ("in_bytes", "<u4"),
        ("out_bytes", "<u4"),
        ("count", "<i4"),
        ("mode", "<i4"),
        ("scalar", "<u8"),
        ("mask", "<u8", 2),
        ("repeat", "<u4"),
        ("strides", "<u4", 6),
        ("flag", "<u4"),
    ]
)


def tiling(x: np.ndarray, y: np.ndarray, scalar: np.generic | None = None, **fields: object) -> bytes:
    """The tiling bytes of `kernel`; fields that are not given are zero."""
    made = np.zeros((), TILING_DTYPE)
    made["in_bytes"] = x.nbytes
    made["out_bytes"] = y.nbytes
    if scalar is not None:
        made["scalar"] = int.from_bytes(scalar.tobytes().ljust(8, b"\0"), "little")
    for name, value in fields.items():
        made[name] = value
    return made.tobytes()


C_TYPES = {
    "float32": "float",
    "float16": "half",
    "bfloat16": "bfloat16_t",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
}


def samples(dtype: str, n: int, seed: int = 0) -> np.ndarray:
    """Values of every kind: the dtype's extremes, NaN, infinities, subnormals, signed zeros, and random ones."""
    rng = np.random.default_rng(seed)
    if dtype.startswith("float"):
        info = np.finfo(dtype)
        special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            info.max,
            -info.max,
            info.tiny,
            info.smallest_subnormal,
            np.inf,
            -np.inf,
            np.nan,
        ]
        values = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)
        values[: min(n, len(special))] = special[:n]
        with np.errstate(over="ignore"):
            return rng.permutation(values).astype(dtype)
    info_int = np.iinfo(dtype)
    ints = rng.integers(info_int.min, info_int.max, n, dtype=dtype, endpoint=True)
    extremes = np.array([info_int.min, info_int.max, 0, 1, info_int.max - 1], dtype)
    ints[: min(n, 5)] = extremes[:n]
    return rng.permutation(ints)
