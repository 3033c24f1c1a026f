"""An engine in Python for tests: ONNX's reference evaluator, which counts how often it compiles."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from opkg.convert.dtypes import dtype_name
from opkg.errors import ModelError
from opkg.plugins.types import Engine
from opkg.runtime.engines import NodeTypes
from opkg.runtime.weights import tensors


class FakeSession:
    def __init__(self, model: bytes) -> None:
        self.model = model
        proto = onnx.ModelProto.FromString(model)
        self._evaluator = ReferenceEvaluator(proto)
        self.inputs = [_value(v) for v in proto.graph.input]
        self.outputs = [_value(v) for v in proto.graph.output]
        self.custom_nodes: list[tuple[str, str, str]] = []

    def infer(self, inputs: Sequence[Any]) -> list[Any]:
        found = self._evaluator.run(None, {name: a for (name, _, _), a in zip(self.inputs, inputs, strict=True)})
        return [np.asarray(array) for array in found]

    def export_blob(self) -> bytes:
        return b"fake blob" + self.model


class FakeOpen:
    """`Engine.open`: what it compiled and imported is in `log`."""

    def __init__(self, identity: str = "1") -> None:
        self.log: list[str] = []
        self.version = identity

    def identity(self) -> str:
        return self.version

    def __call__(self, graph: bytes | None, operators: Sequence[Any], *, blob: Any = None) -> FakeSession:
        if blob is not None:
            self.log.append("import")
            if not bytes(blob).startswith(b"fake blob"):
                raise ModelError("not a blob of this engine")
            return FakeSession(bytes(blob)[len(b"fake blob") :])
        assert graph is not None
        self.log.append("compile")
        return FakeSession(_with_weights(graph))


def engine(opened: Any, name: str = "fake", refusals: Sequence[str] = ()) -> Engine:
    def refuse(model: Any, operators: Sequence[NodeTypes]) -> Sequence[str]:
        return list(refusals)

    return Engine(name, refuse, opened)


def _with_weights(graph: bytes) -> bytes:
    model = onnx.ModelProto.FromString(graph)
    for tensor in tensors(model):
        where = {entry.key: entry.value for entry in tensor.external_data}
        if where:
            tensor.raw_data = ctypes.string_at(int(where["offset"]), int(where["length"]))
            tensor.ClearField("data_location")
            tensor.ClearField("external_data")
    return model.SerializeToString()


def _value(value: onnx.ValueInfoProto) -> tuple[str, str, tuple[int, ...]]:
    tensor = value.type.tensor_type
    dims = tuple(d.dim_value if d.HasField("dim_value") else -1 for d in tensor.shape.dim)
    return value.name, dtype_name(tensor.elem_type) or "", dims
