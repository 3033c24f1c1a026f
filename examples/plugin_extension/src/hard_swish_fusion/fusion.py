"""x * clip(x + 3, 0, 6) / 6, as exporters write hard-swish, becomes one node `example.HardSwish`."""

from __future__ import annotations

from collections import Counter

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

DOMAIN = "example"


def fuse(model: ModelProto) -> bool:
    """Replace every hard-swish of the main graph; whether there was one."""
    graph = _Graph(model.graph)
    chains = [chain for node in model.graph.node if (chain := graph.hard_swish(node))]
    if not chains:
        return False
    fused = {id(chain[-1]): _fused(chain) for chain in chains}
    gone = {id(node) for chain in chains for node in chain}
    nodes = [fused.get(id(node), node) for node in model.graph.node if id(node) in fused or id(node) not in gone]
    replacement = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(replacement)
    if all(opset.domain != DOMAIN for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return True


def _fused(chain: list[NodeProto]) -> NodeProto:
    add, clip, _, div = chain
    [x] = set(chain[2].input) - set(clip.output)
    return helper.make_node("HardSwish", [x], list(div.output), name=add.name, domain=DOMAIN)


class _Graph:
    """Who makes a value, how often it is used, and which values are constant numbers."""

    def __init__(self, graph: GraphProto) -> None:
        self.maker = {name: node for node in graph.node for name in node.output}
        self.uses = Counter(name for node in graph.node for name in node.input)
        self.uses.update(value.name for value in graph.output)
        self.numbers = {tensor.name: _number(tensor) for tensor in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.numbers[node.output[0]] = _number(node.attribute[0].t)

    def hard_swish(self, div: NodeProto) -> list[NodeProto] | None:
        """Add, Clip, Mul, Div where they are a hard-swish that nothing else looks into; `div` is the last of them."""
        if div.op_type != "Div" or not self._is(div.input[1], 6):
            return None
        mul = self._inner(div.input[0], "Mul")
        for x, clipped in (mul.input, mul.input[::-1]) if mul else ():
            clip = self._inner(clipped, "Clip")
            add = self._inner(clip.input[0], "Add") if clip and self._bounds(clip) == (0, 6) else None
            if mul and clip and add and any(a == x and self._is(b, 3) for a, b in (add.input, add.input[::-1])):
                return [add, clip, mul, div]
        return None

    def _inner(self, name: str, op_type: str) -> NodeProto | None:
        """The node of that type that makes a value, if nothing else uses the value."""
        node = self.maker.get(name)
        return node if node and not node.domain and node.op_type == op_type and self.uses[name] == 1 else None

    def _bounds(self, clip: NodeProto) -> tuple[float | None, float | None]:
        if len(clip.input) == 3:
            return self.numbers.get(clip.input[1]), self.numbers.get(clip.input[2])
        given = {attribute.name: attribute.f for attribute in clip.attribute}
        return given.get("min"), given.get("max")

    def _is(self, name: str, number: float) -> bool:
        return self.numbers.get(name) == number


def _number(tensor: TensorProto) -> float | None:
    return float(numpy_helper.to_array(tensor).item()) if not any(d != 1 for d in tensor.dims) else None
