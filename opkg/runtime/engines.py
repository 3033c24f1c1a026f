"""The engines that run an offline model's standard operators: opkg's own, then those of plugins.

An engine is an `opkg.plugins.types.Engine`. Its callables are:

- `refusals(model, nodes)`: takes an `onnx.ModelProto` and the `NodeTypes` of the custom nodes in it, and returns a
  sentence for each reason why the engine cannot carry the model exactly.
- `open(graph, operators, blob=None)`: takes the serialised model (None with `blob`), the `BoundOperator`s, and what a
  session's `export_blob` gave. Returns a `Session`. Raises `ConvertError`, `RunError`, or `ModelError` when the blob
  does not fit.
- `open.identity()`, where there is one: text that changes when the engine's blobs no longer fit (its version, the CPU).
  Without it no blob is kept.
- `open.ranges`, where there is one: the least and the largest value that the engine takes exactly, by data type.
  Inputs beyond are refused when the model runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from opkg._native import load_openvino
from opkg.errors import ConvertError, ModelError, short
from opkg.plugins.types import Engine
from opkg.runtime.attrs import attr_kind, attr_value
from opkg.runtime.graph import full_type, walk
from opkg.runtime.operators import BoundOperator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Value = tuple[str, str, tuple[int, ...]]


class Session(Protocol):
    """A model ready to run. `inputs` and `outputs` are name, canonical dtype and shape (-1: any) of each."""

    @property
    def inputs(self) -> Sequence[Value]:
        """What goes in, in the model's order."""

    @property
    def outputs(self) -> Sequence[Value]:
        """What comes out, in the model's order."""

    @property
    def custom_nodes(self) -> Sequence[tuple[str, str, str]]:
        """Name, operator type and `BoundOperator.key` of each node that a package runs, as compiled."""

    def infer(self, inputs: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Run the model, from any thread. Raises `RunError`."""

    def export_blob(self) -> bytes:
        """The compiled form."""


@dataclass(frozen=True)
class NodeTypes:
    """A node that an opkg package runs: its name, its operator, and the data types that are known of its values."""

    name: str
    op_type: str
    dtypes: tuple[str | None, ...]
    columns: tuple[tuple[str, ...], ...]


def engines() -> list[Engine]:
    """All engines, the preferred one first."""
    from opkg import plugins

    return [OPENVINO, *(engine for _, engine in plugins.collect("opkg_engines"))]


def engine_named(name: str) -> Engine:
    """The engine that a model was converted for.

    Raises:
        ModelError: this process has no such engine.
    """
    # Without asking plugins: most models need none, and importing all of them takes longer than loading a model.
    if name == OPENVINO.name:
        return OPENVINO
    for engine in engines():
        if engine.name == name:
            return engine
    raise ModelError(f"the model was converted for the engine '{short(name)}', which is not here", "install its plugin")


def openvino_refusals(model: Any, nodes: Sequence[NodeTypes]) -> list[str]:
    """Why OpenVINO cannot carry a model's custom operators exactly: it narrows some data types on their way."""
    module = load_openvino()
    found = []
    for node in nodes:
        narrowed = sorted({d for d in node.dtypes if d is not None and not module.carries(d)})
        if narrowed:
            found.append(
                f"node '{node.name}' ({node.op_type}) takes or gives {' and '.join(narrowed)}, "
                "which OpenVINO narrows before a custom operator sees it"
            )
        elif None in node.dtypes and any(not module.carries(d) for column in node.columns for d in column):
            found.append(
                f"node '{node.name}' ({node.op_type}) may take a data type that OpenVINO narrows, "
                "and the model does not say which one it takes"
            )
    return found


class _OpenVino:
    """Opens sessions of the OpenVINO engine."""

    ranges: ClassVar = {"int64": (-(2**31), 2**31 - 1)}  # it computes with int32

    def __call__(
        self, graph: bytes | None, operators: Sequence[BoundOperator], *, blob: bytes | memoryview | None = None
    ) -> Session:
        module = load_openvino()
        custom = [_custom_op(module, operator) for operator in operators]
        try:
            session: Session = module.Model(graph, custom, blob=blob)
        except ConvertError as error:
            raise _with_nodes(error, graph) from error
        return session

    @staticmethod
    def identity() -> str:
        """Version of OpenVINO, and what this CPU is."""
        return f"{load_openvino().version()} {cpu_identity()}"


OPENVINO = Engine("openvino", openvino_refusals, _OpenVino())


_UNKNOWN = re.compile(r"No conversion rule found for operations: ([^\n|]*)")


def _with_nodes(error: ConvertError, graph: bytes | None) -> ConvertError:
    """OpenVINO's list of operators that it does not know, with the nodes that have them."""
    import onnx

    listed = _UNKNOWN.search(error.message)
    if listed is None or graph is None:
        return error
    kinds = {re.sub(r"-\d+\Z", "", name.strip()) for name in listed.group(1).split(",")}
    nodes: dict[str, list[str]] = {}
    for node in walk(onnx.ModelProto.FromString(graph).graph):
        kind = f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type
        if kind in kinds:
            nodes.setdefault(full_type(node.domain, node.op_type), []).append(node.name)
    if not nodes:
        return error
    named = "; ".join(f"{kind} (node{'s' * (len(names) > 1)} {', '.join(names)})" for kind, names in nodes.items())
    return ConvertError(
        f"OpenVINO has no {named}",
        "a package can provide it: name the operator among its aliases in opkg.toml, and convert with --prefer",
        code="OPKG-8105",
    )


def _custom_op(module: Any, operator: BoundOperator) -> Any:
    info = operator.spec.op_info
    return module.CustomOp(
        domain=operator.spec.domain,
        type=info.op,
        key=operator.key,
        root=str(operator.package_root),
        host_library=str(operator.host_library),
        inputs=[(p.name, p.param_type) for p in info.inputs],
        outputs=[(p.name, p.param_type) for p in info.outputs],
        attrs=[
            (a.name, attr_kind(a).number, None if a.default is None else attr_value(a, a.default)) for a in info.attrs
        ],
    )


@lru_cache(maxsize=1)
def cpu_identity() -> str:
    """A digest of this CPU's model and instruction sets."""
    import hashlib
    import platform

    try:
        with Path("/proc/cpuinfo").open("rb") as file:
            # The first processor speaks for all; the whole file takes a while on a machine with hundreds.
            lines = file.read(8192).splitlines()
    except OSError:
        lines = []
    wanted = (b"model name", b"flags", b"Features", b"CPU part")
    first = {line.split(b":")[0].strip(): line for line in reversed(lines) if line.startswith(wanted)}
    text = b"\n".join([platform.machine().encode(), *(first[key] for key in sorted(first))])
    return hashlib.sha256(text).hexdigest()[:16]
