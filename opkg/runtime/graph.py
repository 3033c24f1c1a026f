"""Walking a model: its nodes and graphs with those of subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

STANDARD_DOMAINS = ("", "ai.onnx")
"""The two spellings of the default domain."""


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """The graphs that a node (`If`, `Loop`, `Scan`) holds in its attributes."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def walk(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Every node, each before those of its subgraphs."""
    for node in graph.node:
        yield node
        for inner in subgraphs(node):
            yield from walk(inner)


def graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graph and all below it."""
    yield graph
    for node in graph.node:
        for inner in subgraphs(node):
            yield from graphs(inner)


def full_type(domain: str, op_type: str) -> str:
    """`customize::Square`; the default domain is written `ai.onnx`."""
    return f"{domain or 'ai.onnx'}::{op_type}"
