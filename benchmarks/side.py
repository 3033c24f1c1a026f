"""One side of a measurement, in a process of its own. Prints its median in milliseconds.

usage: side.py opkg MODEL.om | opkg-load MODEL.om | onnxruntime MODEL.onnx DIM... | openvino-load MODEL.onnx DIM...
       side.py openvino MODEL.onnx DIM... [--extension=LIBRARY]
       side.py opkg-operator VENDOR.OPERATOR DIM... | opkg-product VENDOR.OPERATOR DIM | numpy-product - DIM
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable


def median_ms(call: Callable[[], object], seconds: float = 2.0, warm: int = 3) -> float:
    for _ in range(warm):
        call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def feed(shape: list[int], dtype: str) -> object:
    import numpy as np

    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 255, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def run_opkg(om: str) -> float:
    import opkg

    loaded = opkg.load(om)
    feeds = {i.name: feed(list(i.shape), i.dtype) for i in loaded.inputs}
    return median_ms(lambda: loaded.run(feeds))


def load_opkg(om: str) -> float:
    import opkg

    opkg.load(om)  # fills the cache where it is empty
    return median_ms(lambda: opkg.load(om), warm=1)


def run_operator(name: str, shape: list[int]) -> float:
    """An operator of one float32 input, into an output that is there already."""
    import opkg

    vendor, op = name.split(".")
    call = getattr(getattr(opkg.ops, vendor), op)
    x = feed(shape, "float32")
    y = call(x)
    return median_ms(lambda: call(x, out=y))


def run_product(name: str, n: int) -> float:
    """An operator that multiplies two square float16 matrices into a float32 one that is there already."""
    import numpy as np

    import opkg

    vendor, op = name.split(".")
    call = getattr(getattr(opkg.ops, vendor), op)
    a, b, c = feed([n, n], "float16"), feed([n, n], "float16"), np.zeros((n, n), np.float32)
    return median_ms(lambda: call(a, b, out=c))


def numpy_product(n: int) -> float:
    """The same in numpy, all in float32."""
    import numpy as np

    a, b, c = feed([n, n], "float32"), feed([n, n], "float32"), np.zeros((n, n), np.float32)
    return median_ms(lambda: np.matmul(a, b, out=c))


def run_onnxruntime(path: str, shape: list[int]) -> float:
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wanted = session.get_inputs()[0]
    dtype = {"tensor(float)": "float32", "tensor(int32)": "int32"}[wanted.type]
    feeds = {wanted.name: feed(shape, dtype)}
    return median_ms(lambda: session.run(None, feeds))


def load_openvino(path: str, shape: list[int]) -> float:
    import openvino

    def load() -> None:
        core = openvino.Core()
        read = core.read_model(path)
        read.reshape(shape)
        core.compile_model(read, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"})

    return median_ms(load, warm=1)


def run_openvino(path: str, shape: list[int], extensions: list[str]) -> float:
    import openvino

    core = openvino.Core()
    for extension in extensions:
        core.add_extension(extension)
    read = core.read_model(path)
    read.reshape(shape)
    compiled = core.compile_model(read, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"})
    request = compiled.create_infer_request()
    feeds = [feed(shape, "float32")]
    return median_ms(lambda: request.infer(feeds))


def main() -> int:
    what, path, *rest = sys.argv[1:]
    extensions = [word.partition("=")[2] for word in rest if word.startswith("--extension=")]
    shape = [int(d) for d in rest if not d.startswith("--")]
    sides: dict[str, Callable[[], float]] = {
        "opkg": lambda: run_opkg(path),
        "opkg-load": lambda: load_opkg(path),
        "opkg-product": lambda: run_product(path, *shape),
        "numpy-product": lambda: numpy_product(*shape),
        "opkg-operator": lambda: run_operator(path, shape),
        "onnxruntime": lambda: run_onnxruntime(path, shape),
        "openvino": lambda: run_openvino(path, shape, extensions),
        "openvino-load": lambda: load_openvino(path, shape),
    }
    print(sides[what]())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
