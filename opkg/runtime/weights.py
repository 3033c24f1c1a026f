"""Large tensors stand in a section of their own; the graph refers to them by offset and length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from opkg.errors import ModelError, short
from opkg.runtime.graph import graphs

if TYPE_CHECKING:
    import onnx

SECTION = "opkg:weights"
"""Location of external data that stands in the `weights` section; `offset` counts from the section's start."""

ALIGNMENT = 64
MINIMUM = 1024
"""Tensors of fewer bytes stay in the graph."""

# ONNX Runtime's word for an address in this process, which OpenVINO understands as well.
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


def refer_to_memory(model: onnx.ModelProto, address: int, size: int) -> None:
    """Point the references into the `weights` section at memory, where its `size` bytes are mapped at `address`.

    Raises:
        ModelError: a tensor refers to something else, or past the section's end: an engine would read it from wherever
            the file says.
    """
    import onnx

    for tensor in _all_tensors(model):
        if tensor.data_location != onnx.TensorProto.EXTERNAL and not tensor.external_data:
            continue
        offset, length = _place(tensor)
        if not 0 <= offset <= offset + length <= size:
            raise ModelError(
                f"the model is damaged: its tensor '{short(tensor.name)}' lies outside of the section 'weights'"
            )
        _refer(tensor, _IN_MEMORY, address + offset, length)


def _place(tensor: onnx.TensorProto) -> tuple[int, int]:
    """Offset and length of a reference into the `weights` section; (-1, 0) for any other reference."""
    where = {entry.key: entry.value for entry in tensor.external_data}
    if where.get("location") != SECTION or not all(where.get(k, "").isdecimal() for k in ("offset", "length")):
        return -1, 0
    return int(where["offset"]), int(where["length"])


def tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every constant tensor of the model: initializers, and values of `Constant` nodes; those of subgraphs too."""
    for graph in graphs(model.graph):
        yield from graph.initializer
        for node in graph.node:
            if node.op_type == "Constant":
                yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def _all_tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every tensor anywhere in the model; offline models have no functions of their own, where more could hide."""
    if model.functions:
        raise ModelError("the model is damaged: its graph has functions", "convert the model again")
    for graph in graphs(model.graph):
        yield from graph.initializer
        for sparse in graph.sparse_initializer:
            yield from (sparse.values, sparse.indices)
        yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.TensorProto]:
    for node in nodes:
        for attribute in node.attribute:
            sparse = [attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else []
            yield from ([attribute.t] if attribute.HasField("t") else [])
            yield from attribute.tensors
            for each in (*sparse, *attribute.sparse_tensors):
                yield from (each.values, each.indices)


def _raw(tensor: onnx.TensorProto) -> bytes | None:
    """The tensor's bytes, little-endian, if they are worth moving."""
    import onnx

    if tensor.data_type == onnx.TensorProto.STRING or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    if tensor.HasField("raw_data"):
        return tensor.raw_data if len(tensor.raw_data) >= MINIMUM else None
    # Looked at before it is converted: a model has thousands of small constants.
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
