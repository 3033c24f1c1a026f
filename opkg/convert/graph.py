"""Names of a model's nodes, and the domains that it imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opkg.runtime.graph import STANDARD_DOMAINS, walk

if TYPE_CHECKING:
    import onnx


def name_nodes(graph: onnx.GraphProto) -> None:
    """Give every node without a name one that is unique, so that messages can name it."""
    nodes = list(walk(graph))
    taken = {node.name for node in nodes}
    for index, node in enumerate(nodes):
        if not node.name:
            name = f"{node.op_type}_{index}"
            while name in taken:
                name += "_"
            taken.add(name)
            node.name = name


def opset_versions(model: onnx.ModelProto) -> dict[str, int]:
    """Version of each domain that the model imports, the default domain as `""`."""
    return {"" if o.domain in STANDARD_DOMAINS else o.domain: o.version for o in model.opset_import}


def import_domain(model: onnx.ModelProto, domain: str) -> None:
    """See to it that the model imports `domain`."""
    if all(o.domain != domain for o in model.opset_import):
        model.opset_import.add(domain=domain, version=1)


def drop_unused_domains(model: onnx.ModelProto) -> None:
    """Forget imports of domains that no node uses any more, except the default one."""
    used = {"", "ai.onnx", *(node.domain for node in walk(model.graph))}
    used |= {node.domain for function in model.functions for node in function.node}
    used |= {function.domain for function in model.functions}
    kept = [o for o in model.opset_import if o.domain in used]
    del model.opset_import[:]
    model.opset_import.extend(kept)
