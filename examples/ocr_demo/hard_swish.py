"""Replacing the hard-swish subgraphs of a model by one custom node each, as an exporter would have written them."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import numpy_helper

DOMAIN = "customize"


def replace_hard_swish(model: onnx.ModelProto) -> int:
    """Turn each `x * Clip(x + 3, 0, 6) / 6` into `customize.HardSwish(x)`, in place; returns how many there were."""
    graph = _Graph(model.graph)
    found = list(graph.hard_swishes())
    gone = [name for nodes in found for name in (node.output[0] for node in nodes)]
    kept = []
    for node in model.graph.node:
        if node.output[0] not in gone:
            kept.append(node)
            continue
        match = next((m for m in found if m[-1].output[0] == node.output[0]), None)
        if match is not None:  # the division was the last of the four: the custom node stands in its place
            add = match[0]
            x = next(name for name in add.input if graph.number(name) is None)
            kept.append(onnx.helper.make_node("HardSwish", [x], list(node.output), name=node.name, domain=DOMAIN))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    if found:
        model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))
    return len(found)


class _Graph:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self.nodes = list(graph.node)
        self.producer = {name: node for node in graph.node for name in node.output}
        self.uses: dict[str, int] = {}
        for node in graph.node:
            for name in node.input:
                self.uses[name] = self.uses.get(name, 0) + 1
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = node.attribute[0].t

    def number(self, name: str) -> float | None:
        """The value of a constant with one element."""
        tensor = self.constants.get(name)
        if tensor is None:
            return None
        array = numpy_helper.to_array(tensor)
        return float(array.reshape(())) if array.size == 1 else None

    def inner(self, node: onnx.NodeProto | None, op_type: str) -> onnx.NodeProto | None:
        """`node`, if it is of that type and its result is used once."""
        fits = node is not None and node.op_type == op_type and self.uses[node.output[0]] == 1
        return node if fits else None

    def operands(self, node: onnx.NodeProto) -> Iterator[tuple[str, str]]:
        """Both orders of a node's two operands."""
        yield node.input[0], node.input[1]
        yield node.input[1], node.input[0]

    def hard_swishes(self) -> Iterator[tuple[onnx.NodeProto, onnx.NodeProto, onnx.NodeProto, onnx.NodeProto]]:
        """Every (Add, Clip, Mul, Div) that together are a hard swish."""
        for div in self.nodes:
            if div.op_type != "Div" or self.number(div.input[1]) != 6:
                continue
            mul = self.inner(self.producer.get(div.input[0]), "Mul")
            for x, clipped in self.operands(mul) if mul else ():
                clip = self.inner(self.producer.get(clipped), "Clip")
                if clip is None or [self.number(name) for name in clip.input[1:]] != [0, 6]:
                    continue
                add = self.inner(self.producer.get(clip.input[0]), "Add")
                if add and any((a, self.number(b)) == (x, 3) for a, b in self.operands(add)):
                    yield add, clip, mul, div
                    break
