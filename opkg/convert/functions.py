"""Model-local functions: nodes whose meaning the model carries itself are replaced by it, unless a package has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

    from opkg.registry import Registry


def inline_functions(model: onnx.ModelProto, registry: Registry) -> bool:
    """Replace calls of the model's own functions by their bodies; those that a package provides stay calls."""
    if not model.functions:
        return False
    from onnx import inliner

    # A package's operator is what was written for this machine; the body is how it would be computed without.
    ids = [(f.domain, f.name) for f in model.functions if registry.resolve(f.name, f.domain).chosen is not None]
    inlined = (
        inliner.inline_selected_functions(model, ids, exclude=True) if ids else inliner.inline_local_functions(model)
    )
    del inlined.functions[:]
    model.CopyFrom(inlined)
    return True
