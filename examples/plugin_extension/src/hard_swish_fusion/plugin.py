"""The hooks. What they need is imported when it is used, so that loading the plugin costs nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from opkg import hookimpl
from opkg.plugins.types import Command, GraphPass


@hookimpl
def opkg_graph_passes() -> Iterable[GraphPass]:
    """One pass of the converter."""
    from hard_swish_fusion.fusion import fuse

    return [GraphPass("fuse-hard-swish", fuse)]


@hookimpl
def opkg_commands() -> Iterable[Command]:
    """`opkg nodes MODEL`."""
    return [Command("nodes", "count the operators of an ONNX model", _add_arguments, _count)]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="an ONNX file")


def _count(args: argparse.Namespace) -> int:
    from collections import Counter

    import onnx

    model = onnx.load(args.model, load_external_data=False)
    counted = Counter("::".join(filter(None, (node.domain, node.op_type))) for node in model.graph.node)
    for operator, number in counted.most_common():
        print(f"{number:6} {operator}")
    return 0
