"""Large tensors stand in a section of their own; the graph refers to them by offset and length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from opkg.runtime.graph import graphs

if TYPE_CHECKING:
    import onnx

SECTION = "opkg:weights"
"""Location of external data that stands in the `weights` section; `offset` counts from the section's start."""

ALIGNMENT = 64
MINIMUM = 1024
"""Tensors of fewer bytes stay in the graph."""

_IN_MEMORY = "*/_ORT_MEM_ADDR_/*"


def split_weights(model: onnx.ModelProto) -> list[bytes]:
    """Move large tensors out of the model, in place.

    Returns:
        The buffers of the `weights` section, padding included. The same model gives the same buffers; equal tensors
        stand there once.
    """
    chunks: list[bytes] = []
    places: dict[bytes, int] = {}
    end = 0
    for tensor in tensors(model):
        data = _raw(tensor)
        if data is None:
            continue
        if data not in places:
            padding = -end % ALIGNMENT
            places[data] = end + padding
            end += padding + len(data)
            chunks += [bytes(padding), data]
        _refer(tensor, SECTION, places[data], len(data))
    return chunks


def refer_to_memory(model: onnx.ModelProto, address: int) -> None:
    """Point the references into the `weights` section at memory, where the section is mapped at `address`."""
    for tensor in tensors(model):
        where = {entry.key: entry.value for entry in tensor.external_data}
        if where.get("location") == SECTION:
            _refer(tensor, _IN_MEMORY, address + int(where["offset"]), int(where["length"]))


def tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every constant tensor of the model: initializers, and values of `Constant` nodes; those of subgraphs too."""
    for graph in graphs(model.graph):
        yield from graph.initializer
        for node in graph.node:
            if node.op_type == "Constant":
                yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def _raw(tensor: onnx.TensorProto) -> bytes | None:
    """The tensor's bytes, little-endian, if they are worth moving."""
    import onnx

    if tensor.data_type == onnx.TensorProto.STRING or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    if tensor.HasField("raw_data"):
        return tensor.raw_data if len(tensor.raw_data) >= MINIMUM else None
    if tensor.ByteSize() < MINIMUM:
        return None
    data: bytes = onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor)).raw_data
    return data if len(data) >= MINIMUM else None


def _refer(tensor: onnx.TensorProto, location: str, offset: int, length: int) -> None:
    import onnx

    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "external_data"):
        tensor.ClearField(field)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", str(offset)), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)
