"""Which values of a model are made and which are used: finding what is missing, dropping what is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from opkg.errors import ConvertError
from opkg.runtime.graph import full_type, subgraphs

if TYPE_CHECKING:
    import onnx


def check_values(graph: onnx.GraphProto, outer: frozenset[str] = frozenset()) -> None:
    """See to it that every value is made once, and before it is used.

    Raises:
        ConvertError: a node or an output uses a value that nothing makes, or makes one that there is; names both.
    """
    known = set(outer) | {value.name for value in graph.input} | _constants(graph)
    for node in graph.node:
        for name in filter(None, node.input):
            if name not in known:
                raise ConvertError(
                    f"node '{node.name}' ({full_type(node.domain, node.op_type)}) takes the value '{name}', "
                    "which nothing before it makes",
                    "export the model again, with its nodes in order",
                )
        for inner in subgraphs(node):
            # A subgraph sees what was made before its node, and nothing that comes after.
            check_values(inner, frozenset(known))
        for name in filter(None, node.output):
            if name in known:
                raise ConvertError(
                    f"node '{node.name}' ({full_type(node.domain, node.op_type)}) makes the value '{name}', "
                    "which is there already",
                    "export the model again, each value with a name of its own",
                )
            known.add(name)
    for value in graph.output:
        if value.name not in known:
            raise ConvertError(f"the model's output '{value.name}' is made by nothing", "export the model again")


def drop_unused(graph: onnx.GraphProto) -> set[str]:
    """Drop nodes and constants whose results nothing uses, in place; returns the names of all values that are used."""
    used = {value.name for value in graph.output}
    kept = []
    for node in reversed(graph.node):
        if used.isdisjoint(node.output):
            continue
        kept.append(node)
        used.update(filter(None, node.input))
        used.update(name for inner in subgraphs(node) for name in _names_in(inner))
    if len(kept) < len(graph.node):
        # Copies, as the nodes that stay belong to the list that is emptied here.
        survivors = [type(node).FromString(node.SerializeToString()) for node in reversed(kept)]
        del graph.node[:]
        graph.node.extend(survivors)
    for constants in (graph.initializer, graph.sparse_initializer):
        # From the end, so that positions stay what they are.
        for index in reversed(range(len(constants))):
            if _name(constants[index]) not in used:
                del constants[index]
    return used


def _names_in(graph: onnx.GraphProto) -> Iterator[str]:
    """Every name that a graph's nodes and outputs take, those of outer values among them."""
    yield from (value.name for value in graph.output)
    for node in graph.node:
        yield from filter(None, node.input)
        for inner in subgraphs(node):
            yield from _names_in(inner)


def _constants(graph: onnx.GraphProto) -> set[str]:
    return {_name(tensor) for tensor in (*graph.initializer, *graph.sparse_initializer)}


def _name(tensor: onnx.TensorProto | onnx.SparseTensorProto) -> str:
    name: str = tensor.values.name if hasattr(tensor, "values") else tensor.name
    return name
