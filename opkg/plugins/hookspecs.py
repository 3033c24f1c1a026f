"""The hooks that a plugin can implement, each with an example that runs.

A hook function may leave out arguments that it does not need. Hooks whose result is an iterable are collected from all
plugins; the others are asked in order until one answers something else than None. All of them run when something is
built, installed, converted or loaded, none of them at each call of an operator.
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from opkg.plugins.types import (
    Check,
    Command,
    Engine,
    Frontend,
    GraphPass,
    InstallPlan,
    KernelOption,
    NodeConverter,
    NodeQuery,
    OpQuery,
    OpSource,
    Template,
    Toolchain,
    Veto,
)

_hookspec = pluggy.HookspecMarker("opkg")


@_hookspec
def opkg_op_sources() -> Iterable[OpSource]:  # type: ignore[empty-body]
    """Folders with built packages. Asked when the registry looks whether its index is up to date.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import OpSource
        >>> @hookimpl
        ... def opkg_op_sources():
        ...     return [OpSource(Path("/srv/operators/fusions"), "shared fusions")]
        >>> [source.name for source in opkg_op_sources()]
        ['shared fusions']
    """


@_hookspec(firstresult=True)
def opkg_find_op(query: OpQuery) -> OpSource | None:
    """A package that provides an operator which no index has; asked only after everything else had nothing.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import OpQuery, OpSource
        >>> @hookimpl
        ... def opkg_find_op(query):
        ...     return OpSource(Path("/srv/generated/cube")) if query.op_type == "Cube" else None
        >>> opkg_find_op(OpQuery("Cube")).path.name, opkg_find_op(OpQuery("Sphere"))
        ('cube', None)
    """


@_hookspec(firstresult=True)
def opkg_select_kernel(query: OpQuery, options: tuple[KernelOption, ...]) -> KernelOption | None:
    """Which of several usable packages serves an operator; None leaves it to the registry's order.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import KernelOption, OpQuery
        >>> @hookimpl
        ... def opkg_select_kernel(query, options):
        ...     return next((option for option in options if option.vendor == "acme"), None)
        >>> options = tuple(KernelOption(v, "ops", "1.0", "", Path("/x") / v, "root") for v in ("customize", "acme"))
        >>> opkg_select_kernel(OpQuery("Square"), options).vendor
        'acme'
    """


@_hookspec(firstresult=True)
def opkg_convert_node(query: NodeQuery) -> NodeConverter | None:
    """How to express a kind of node that nothing provides by nodes that something does; asked once for each kind.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import NodeConverter, NodeQuery
        >>> @hookimpl
        ... def opkg_convert_node(query):
        ...     if (query.domain, query.op_type) != ("com.acme", "Swish"):
        ...         return None
        ...     def convert(node):
        ...         from onnx import helper
        ...         gate = node.output[0] + "_gate"
        ...         return [
        ...             helper.make_node("Sigmoid", [node.input[0]], [gate]),
        ...             helper.make_node("Mul", [node.input[0], gate], [node.output[0]]),
        ...         ]
        ...     return NodeConverter("acme-swish", convert)
        >>> from onnx import helper
        >>> swish = helper.make_node("Swish", ["x"], ["y"], domain="com.acme")
        >>> [node.op_type for node in opkg_convert_node(NodeQuery("com.acme", "Swish", 1)).convert(swish)]
        ['Sigmoid', 'Mul']
    """


@_hookspec
def opkg_frontends() -> Iterable[Frontend]:  # type: ignore[empty-body]
    """Readers of further model formats.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Frontend
        >>> def read_text(path):
        ...     import onnx
        ...     return onnx.parser.parse_model(path.read_text())
        >>> @hookimpl
        ... def opkg_frontends():
        ...     return [Frontend("onnx-text", (".onnxtxt",), read_text)]
        >>> opkg_frontends()[0].suffixes
        ('.onnxtxt',)
    """


@_hookspec
def opkg_graph_passes() -> Iterable[GraphPass]:  # type: ignore[empty-body]
    """Rewrites of a model that the converter runs before it looks operators up.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import GraphPass
        >>> def square(model):
        ...     "Mul(x, x) becomes customize.Square(x)."
        ...     found = [n for n in model.graph.node if n.op_type == "Mul" and n.input[0] == n.input[1]]
        ...     for node in found:
        ...         node.op_type, node.domain = "Square", "customize"
        ...         del node.input[1]
        ...     return bool(found)
        >>> @hookimpl
        ... def opkg_graph_passes():
        ...     return [GraphPass("square", square)]
        >>> from onnx import parser
        >>> graph = "g (float[N] x) => (float[N] y) {y = Mul(x, x)}"
        >>> model = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>' + graph)
        >>> opkg_graph_passes()[0].run(model), model.graph.node[0].op_type
        (True, 'Square')
    """


@_hookspec
def opkg_engines() -> Iterable[Engine]:  # type: ignore[empty-body]
    """Engines that execute standard operators; the converter asks them after its own.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Engine
        >>> def refusals(model, custom=()):
        ...     kinds = {node.op_type for node in model.graph.node} - {"Add", "Mul"}
        ...     return [f"has no operator {kind}" for kind in sorted(kinds)]
        >>> def open_session(*args, **options):
        ...     from acme_engine import Session
        ...     return Session(*args, **options)
        >>> @hookimpl
        ... def opkg_engines():
        ...     return [Engine("acme", refusals, open_session)]
        >>> from onnx import parser
        >>> graph = "g (float[N] x) => (float[N] y) {y = Exp(x)}"
        >>> model = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>' + graph)
        >>> opkg_engines()[0].refusals(model)
        ['has no operator Exp']
    """


@_hookspec
def opkg_toolchains() -> Iterable[Toolchain]:  # type: ignore[empty-body]
    """Toolchains for further targets of `opkg build --target`.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Toolchain
        >>> def build(project, package, log):
        ...     log(f"compiling {project.name}")
        >>> @hookimpl
        ... def opkg_toolchains():
        ...     return [Toolchain("acme", ("acme1", "acme2"), build)]
        >>> opkg_toolchains()[0].targets
        ('acme1', 'acme2')
    """


@_hookspec
def opkg_templates() -> Iterable[Template]:  # type: ignore[empty-body]
    """Further kinds of project for `opkg new --template`.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Template
        >>> @hookimpl
        ... def opkg_templates():
        ...     return [Template("matmul", "a tiled matrix product", Path("templates/matmul"))]
        >>> opkg_templates()[0].name
        'matmul'
    """


@_hookspec
def opkg_commands() -> Iterable[Command]:  # type: ignore[empty-body]
    """Further commands of `opkg`.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Command
        >>> def add_arguments(parser):
        ...     parser.add_argument("--name", default="world")
        >>> def run(args):
        ...     print(f"hello, {args.name}")
        ...     return 0
        >>> @hookimpl
        ... def opkg_commands():
        ...     return [Command("hello", "greet somebody", add_arguments, run)]
        >>> from argparse import Namespace
        >>> opkg_commands()[0].run(Namespace(name="operator"))
        hello, operator
        0
    """


@_hookspec
def opkg_checks() -> Iterable[Check]:  # type: ignore[empty-body]
    """Further checks of `opkg doctor`.

    Example:
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import Check, Finding
        >>> def licence(install_path):
        ...     yield Finding("acme licence", "problem", "it has run out", "acme renew")
        >>> @hookimpl
        ... def opkg_checks():
        ...     return [Check("acme-licence", licence)]
        >>> [finding.advice for finding in opkg_checks()[0].run(None)]
        ['acme renew']
    """


@_hookspec
def opkg_pre_install(plan: InstallPlan) -> Iterable[Veto]:  # type: ignore[empty-body]
    """Look at a package that is verified and about to be installed; any `Veto` stops it before anything changes.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import InstallPlan, Veto
        >>> @hookimpl
        ... def opkg_pre_install(plan):
        ...     known = plan.vendor in ("acme", "customize")
        ...     return [] if known else [Veto(f"vendor {plan.vendor} is not on our list")]
        >>> plan = InstallPlan(Path("/opt/opp"), "other", "ops", "1.0", ("Square",), Path("/tmp/staged"))
        >>> [veto.reason for veto in opkg_pre_install(plan)]
        ['vendor other is not on our list']
    """


@_hookspec
def opkg_post_install(plan: InstallPlan) -> None:
    """Take note of a package that has been installed. A failure here is a warning; the package stays.

    Example:
        >>> from pathlib import Path
        >>> from opkg import hookimpl
        >>> from opkg.plugins.types import InstallPlan
        >>> log = []
        >>> @hookimpl
        ... def opkg_post_install(plan):
        ...     log.append(f"{plan.vendor}/{plan.name} {plan.version}")
        >>> opkg_post_install(InstallPlan(Path("/opt/opp"), "acme", "ops", "1.0", ("Square",), Path("/opt/opp/x")))
        >>> log
        ['acme/ops 1.0']
    """


RESULTS: dict[str, type | None] = {
    "opkg_op_sources": OpSource,
    "opkg_find_op": OpSource,
    "opkg_select_kernel": KernelOption,
    "opkg_convert_node": NodeConverter,
    "opkg_frontends": Frontend,
    "opkg_graph_passes": GraphPass,
    "opkg_engines": Engine,
    "opkg_toolchains": Toolchain,
    "opkg_templates": Template,
    "opkg_commands": Command,
    "opkg_checks": Check,
    "opkg_pre_install": Veto,
    "opkg_post_install": None,
}
"""The type of one result of each hook."""
