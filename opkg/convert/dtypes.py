"""Which data type each value of a model has: what the model says, what ONNX infers, what operators' columns say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from opkg.convert.graph import opset_versions
from opkg.opinfo.dtypes import DTYPES
from opkg.runtime.graph import STANDARD_DOMAINS, subgraphs

if TYPE_CHECKING:
    import onnx

_BY_ONNX = {dtype.onnx: dtype.name for dtype in DTYPES.values() if dtype.onnx and not dtype.name.startswith("q")}

CustomTypes = Callable[["onnx.NodeProto", Sequence[str | None]], Sequence[str | None] | None]
"""Data types of a custom node's outputs from those of its inputs; None if the node is not a custom one."""


def dtype_name(elem_type: int) -> str | None:
    """Canonical name of an ONNX element type; None where opkg has none or the type is not known (0)."""
    return _BY_ONNX.get(elem_type)


def infer_dtypes(model: onnx.ModelProto, custom: CustomTypes) -> dict[str, str]:
    """The canonical data type of every value whose type can be known.

    Args:
        model: not changed.
        custom: asked for each node first.

    Returns:
        Type by value name, subgraphs included (ONNX lets no inner value take the name of an outer one).
    """
    found: dict[str, onnx.TypeProto] = {}
    _Inference(model, custom, found).graph(model.graph)
    names = {name: dtype_name(_elem_type(proto)) for name, proto in found.items()}
    return {name: dtype for name, dtype in names.items() if dtype is not None}


def _elem_type(proto: onnx.TypeProto) -> int:
    kind = proto.WhichOneof("value")
    if kind == "optional_type":
        return _elem_type(proto.optional_type.elem_type)
    return proto.tensor_type.elem_type if kind == "tensor_type" else 0


class _Inference:
    def __init__(self, model: onnx.ModelProto, custom: CustomTypes, found: dict[str, onnx.TypeProto]) -> None:
        self.model = model
        self.custom = custom
        self.found = found
        self.opsets = list(model.opset_import)
        self.versions = opset_versions(model)

    def graph(self, graph: onnx.GraphProto) -> None:
        for value in [*graph.input, *graph.value_info, *graph.output]:
            if value.type.WhichOneof("value"):
                self.found.setdefault(value.name, value.type)
        for tensor in graph.initializer:
            self.found[tensor.name] = _tensor_type(tensor.data_type)
        for node in graph.node:
            # Before the node itself, whose outputs have the types that its bodies give.
            for inner in subgraphs(node):
                self.graph(inner)
            for name, proto in self.node(node).items():
                if name and _elem_type(proto):
                    # Kept where the model states it: inference knows less about custom operators than who exported
                    # them.
                    self.found.setdefault(name, proto)

    def node(self, node: onnx.NodeProto) -> Mapping[str, onnx.TypeProto]:
        dtypes = [dtype_name(_elem_type(self.found[name])) if name in self.found else None for name in node.input]
        mine = self.custom(node, dtypes)
        if mine is not None:
            types = (_tensor_type(DTYPES[d].onnx) if d else _tensor_type(0) for d in mine)
            return dict(zip(node.output, types, strict=False))
        inner = [*subgraphs(node)]
        return self.control_flow(node, inner[0]) if inner else self.standard(node)

    def control_flow(self, node: onnx.NodeProto, body: onnx.GraphProto) -> dict[str, onnx.TypeProto]:
        skip = 1 if node.op_type == "Loop" else 0  # a loop's body gives its condition first
        names = [value.name for value in body.output][skip:]
        return {out: self.found[name] for out, name in zip(node.output, names, strict=False) if name in self.found}

    def standard(self, node: onnx.NodeProto) -> Mapping[str, onnx.TypeProto]:
        import onnx
        from onnx.shape_inference import InferenceError, infer_node_outputs

        if node.op_type == "Constant":
            return {node.output[0]: _constant_type(node)}
        domain = "" if node.domain in STANDARD_DOMAINS else node.domain
        version = self.versions.get(domain, 1)
        if not onnx.defs.has(node.op_type, version, domain):
            return {}
        known = {name: self.found.get(name, _tensor_type(0)) for name in node.input if name}
        try:
            schema = onnx.defs.get_schema(node.op_type, version, domain)
            return infer_node_outputs(schema, node, known, opset_imports=self.opsets)
        except (InferenceError, onnx.checker.ValidationError, RuntimeError, ValueError):
            return {}  # a value's type is not known then; nothing else follows from it


def _tensor_type(elem_type: int) -> onnx.TypeProto:
    import onnx

    proto = onnx.TypeProto()
    proto.tensor_type.elem_type = elem_type
    return proto


def _constant_type(node: onnx.NodeProto) -> onnx.TypeProto:
    import onnx

    of = {"value_float": 1, "value_floats": 1, "value_int": 7, "value_ints": 7, "value_string": 8, "value_strings": 8}
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.TENSOR:
            return _tensor_type(attribute.t.data_type)
        if attribute.name in of:
            return _tensor_type(of[attribute.name])
    return _tensor_type(0)
