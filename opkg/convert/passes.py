"""Running the graph passes of plugins, in the order that they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opkg.plugins.trouble import complain, one_line
from opkg.plugins.types import GraphPass

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class PassResult:
    """What a pass did. `provider` is the distribution it came from; `error` is empty if it worked."""

    name: str
    provider: str
    changed: bool
    error: str = ""


def run_passes(model: onnx.ModelProto, passes: Sequence[tuple[str, GraphPass]] | None = None) -> list[PassResult]:
    """Run all passes on `model`, in place.

    A pass that fails is a warning that names its distribution, and what it did to the model is undone.

    Args:
        model: changed in place.
        passes: provider and pass of each; None: those of all plugins.
    """
    if passes is None:
        from opkg import plugins

        passes = plugins.collect("opkg_graph_passes")
    return [_run(model, provider, each) for provider, each in in_order(passes)]


def _run(model: onnx.ModelProto, provider: str, each: GraphPass) -> PassResult:
    # A pass that fails half way leaves a graph that nobody meant.
    before = model.__class__()
    before.CopyFrom(model)
    try:
        return PassResult(each.name, provider, bool(each.run(model)))
    except Exception as error:
        model.CopyFrom(before)
        complain(
            provider, f"graph pass {each.name}", f"it failed, and its changes are undone: {one_line(error)}", error
        )
        return PassResult(each.name, provider, False, one_line(error))


def in_order(passes: Sequence[tuple[str, GraphPass]]) -> list[tuple[str, GraphPass]]:
    """The passes in an order that keeps every `after` and `before`; else as they come.

    Passes whose wishes form a circle come last, as they were given, with a warning.
    """
    waiting = list(passes)
    earlier = {each.name: _earlier(each, waiting) for _, each in waiting}
    done: list[tuple[str, GraphPass]] = []
    while waiting:
        left = {each.name for _, each in waiting}
        ready = next((entry for entry in waiting if not earlier[entry[1].name] & left), None)
        if ready is None:
            names = ", ".join(sorted(left))
            complain(waiting[0][0], "graph passes", f"{names} each want to run before another of them")
            return done + waiting
        waiting.remove(ready)
        done.append(ready)
    return done


def _earlier(each: GraphPass, passes: Sequence[tuple[str, GraphPass]]) -> set[str]:
    names = set(each.after) | {other.name for _, other in passes if each.name in other.before}
    return names - {each.name}
