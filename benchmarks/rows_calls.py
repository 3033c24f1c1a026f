"""What one call of one operator costs from Python."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import projects
from harness import Row, alternate


def rows() -> Iterator[Row]:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    with tempfile.TemporaryDirectory() as scratch:
        folder, root = Path(scratch), Path(scratch, "opp")
        projects.install(projects.scaffold("Square", folder), root)
        projects.use(root)

        import opkg

        square = opkg.ops.customize.Square
        x = np.arange(16, dtype=np.float32)
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [16])
        node = helper.make_node("Mul", ["x", "x"], ["y"])
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [16])], [y])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        feeds = {"x": x}
        assert np.array_equal(square(x), session.run(None, feeds)[0])
        onnx.checker.check_model(model)
        ours, theirs = alternate(lambda: square(x), lambda: session.run(None, feeds), rounds=31, calls=2000)
        yield Row("one operator from Python, 16 elements", "ONNX Runtime, run of one node", ours, theirs, 0.3)
