"""Kernels on the twin against numpy and ONNX Runtime."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import projects
from harness import Row, alternate, alternate_children

MATRIX = (16384, 1024)
MIB = 1 << 20
SIDE = str(Path(__file__).resolve().parent / "side.py")


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder, root = Path(scratch), Path(scratch, "opp")
        options = ["--input", "a:float32,float16", "--input", "b:float32,float16", "--output", "y:float32,float16"]
        product = multiply(projects.scaffold("Product", folder, *options))
        shutil.copytree(projects.SOURCES / "rows", folder / "rows")
        projects.install(product, root)
        projects.install(folder / "rows", root)
        projects.use(root)
        yield from elementwise()
        yield from by_row(folder)
        yield from matrices()


def multiply(project: Path) -> Path:
    """The scaffold of an operator with two inputs adds them; this one multiplies."""
    kernel = project / "op_kernel" / "product.cpp"
    text = kernel.read_text("utf-8")
    assert text.count("AscendC::Add(") == 1, "the scaffold's kernel changed; say here what its computation is"
    kernel.write_text(text.replace("AscendC::Add(", "AscendC::Mul("), "utf-8")
    return project


def elementwise() -> Iterator[Row]:
    """A product of two arrays of 64 MiB into a third, all three there already."""
    import numpy as np

    import opkg

    for dtype, bound in (("float32", 0.75), ("float16", 0.2)):
        n = 64 * MIB // np.dtype(dtype).itemsize
        rng = np.random.default_rng(1)
        a, b = (rng.uniform(0.5, 1.5, n).astype(dtype) for _ in range(2))
        y, expected = np.zeros(n, dtype), np.zeros(n, dtype)
        ours, theirs = alternate(
            partial(opkg.ops.customize.Product, a, b, out=y), partial(np.multiply, a, b, out=expected)
        )
        assert np.array_equal(y, expected)
        yield Row(f"twin, product in {dtype}, 64 MiB, all cores", "np.multiply(out=)", ours, theirs, bound)


def matrices() -> Iterator[Row]:
    """A product of two square matrices of float16 into float32, against numpy's product of the same in float32.

    Each side in processes of its own: numpy's threads spin on after a product, too.
    """
    import numpy as np

    import opkg

    rng = np.random.default_rng(3)
    a, b = (rng.uniform(-1, 1, (1024, 1024)).astype(np.float16) for _ in range(2))
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_allclose(opkg.ops.bench.MatrixProduct(a, b), wide_a @ wide_b, rtol=0, atol=1e-3)
    ours, theirs = alternate_children(
        [sys.executable, SIDE, "opkg-product", "bench.MatrixProduct", "1024"],
        [sys.executable, SIDE, "numpy-product", "-", "1024"],
    )
    yield Row("twin, matmul of 1024 cubed, float16 to float32", "np.matmul in float32", ours, theirs, 2.0)


def by_row(folder: Path) -> Iterator[Row]:
    """Sum, softmax and layer norm of the rows of a float32 matrix, each side in processes of its own.

    In one process the threads of ONNX Runtime, which spin on after each run, take half of the other side's time.
    ONNX Runtime's arena keeps its output's memory from run to run; `out=` keeps ours.
    """
    import numpy as np
    import onnxruntime

    import opkg

    x = np.random.default_rng(2).standard_normal(MATRIX).astype(np.float32)
    dims = [str(d) for d in MATRIX]
    for op, node, attrs in (
        ("RowSum", "ReduceSum", {"keepdims": 0}),
        ("RowSoftmax", "Softmax", {"axis": -1}),
        ("RowLayerNorm", "LayerNormalization", {"axis": -1}),
    ):
        model = folder / f"{node}.onnx"
        model.write_bytes(peer(node, attrs))
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        expected = session.run(None, {"x": x})[0]
        np.testing.assert_allclose(getattr(opkg.ops.bench, op)(x), expected, rtol=2e-4, atol=2e-4)
        del session
        ours, theirs = alternate_children(
            [sys.executable, SIDE, "opkg-operator", f"bench.{op}", *dims],
            [sys.executable, SIDE, "onnxruntime", str(model), *dims],
        )
        yield Row(f"twin, {node} of the rows of {'x'.join(dims)} float32", f"ONNX Runtime {node}", ours, theirs, 2.0)


def peer(op: str, attrs: dict[str, int]) -> bytes:
    """A model of one node on a matrix of MATRIX."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    constants = {
        "ReduceSum": [numpy_helper.from_array(np.array([1], np.int64), "axes")],
        "LayerNormalization": [numpy_helper.from_array(np.ones(MATRIX[1], np.float32), "scale")],
    }.get(op, [])
    node = helper.make_node(op, ["x", *(c.name for c in constants)], ["y"], **attrs)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, MATRIX)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
