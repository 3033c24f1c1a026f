"""Who provides each node of a model: the engine, a package from the registry, or a plugin's converter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opkg.convert.graph import import_domain, name_nodes, opset_versions
from opkg.errors import ConvertError
from opkg.plugins.trouble import complain, one_line
from opkg.plugins.types import NodeConverter, NodeQuery
from opkg.runtime.graph import STANDARD_DOMAINS, full_type, graphs, walk

if TYPE_CHECKING:
    import onnx

    from opkg.registry import Candidate, Registry

Kind = tuple[str, str]
"""Domain (`""` for ONNX's own) and operator type."""

_ENGINE_DOMAINS = frozenset({"com.microsoft", "org.openvinotoolkit", "ai.onnx.preview.training"})
_ENGINE = object()
_MAX_EXPANSIONS = 16
_NODES_SHOWN = 5
_PLACES = "\n  looked at:\n"
"""What stands between reasons and places in the registry's explanation."""


@dataclass(frozen=True)
class MissingOperator:
    """A kind of node that nothing provides, its nodes, and what was looked at."""

    domain: str
    op_type: str
    version: int
    nodes: tuple[str, ...]
    looked_at: str
    elsewhere: str = ""
    """The domain in which a package has it, where that is another one than the nodes'."""

    def __str__(self) -> str:
        plural = "s" if len(self.nodes) > 1 else ""
        more = f" and {len(self.nodes) - _NODES_SHOWN} more" if len(self.nodes) > _NODES_SHOWN else ""
        return f"{self.key} (node{plural} {', '.join(self.nodes[:_NODES_SHOWN])}{more})"

    @property
    def key(self) -> str:
        """Domain, opset and type, as an alias names them."""
        return f"{self.domain or 'ai.onnx'}::{self.version}::{self.op_type}"

    def hint(self) -> str:
        """What to do about it."""
        if not self.elsewhere:
            return f"install a package that has them, or write one: opkg new {self.op_type}"
        known = f"{self.elsewhere}::{self.op_type}"
        return f"give the nodes the domain of {known}, or list the alias {self.key} in its opkg.toml"

    def reasons(self) -> list[str]:
        """Who was refused and why, and names that are spelled alike."""
        return self.looked_at.partition(_PLACES)[0].splitlines()[1:]

    def places(self) -> list[str]:
        """Where it was looked for."""
        return self.looked_at.partition(_PLACES)[2].splitlines()


class MissingOperatorsError(ConvertError):
    """Nothing provides some operators of a model. `missing` has them all."""

    code = "OPKG-8101"

    def __init__(self, missing: Sequence[MissingOperator]) -> None:
        detail = [line for m in missing for line in (f"  {m}", *(f"  {reason}" for reason in m.reasons()))]
        places = dict.fromkeys(place for m in missing for place in m.places())
        plural = "s" if len(missing) > 1 else ""
        super().__init__(
            "\n".join(
                [f"nothing provides {len(missing)} operator{plural} of the model", *detail, "  looked at:", *places]
            ),
            missing[0].hint(),
        )
        self.missing = tuple(missing)

    def to_dict(self) -> dict[str, Any]:
        """The error as `--json` prints it."""
        missing = [
            {
                "domain": m.domain or "ai.onnx",
                "op_type": m.op_type,
                "version": m.version,
                "nodes": list(m.nodes),
                "looked_at": m.looked_at,
            }
            for m in self.missing
        ]
        return {**super().to_dict(), "missing": missing}


def bind_nodes(model: onnx.ModelProto, registry: Registry, prefer: Iterable[str] = ()) -> dict[Kind, Candidate]:
    """Find a provider for every node; nodes that packages run get the package's domain and type.

    Args:
        model: changed in place.
        registry: where packages are looked for.
        prefer: standard operator types that a package takes where one lists them among its aliases.

    Returns:
        The candidate of each kind of custom node that is now in the model.

    Raises:
        MissingOperatorsError: nothing provides some of them.
        ConvertError: no package takes a standard operator that is in `prefer`.
    """
    providers = _Providers(registry, opset_versions(model), frozenset(prefer))
    # The innermost first: a graph that changes gets copies of its nodes, and with them of the graphs inside.
    for graph in reversed(list(graphs(model.graph))):
        _expand(graph, providers)
    name_nodes(model.graph)
    missing: dict[Kind, list[str]] = {}
    bound: dict[Kind, Candidate] = {}
    for node in walk(model.graph):
        kind = kind_of(node)
        provider = providers.of(kind)
        if provider is None:
            missing.setdefault(kind, []).append(node.name)
        elif provider is not _ENGINE:
            bound[_rename(node, provider, bound)] = provider
    if missing:
        raise MissingOperatorsError([providers.missing(kind, names) for kind, names in missing.items()])
    for domain, _ in bound:
        import_domain(model, domain)
    return bound


def kind_of(node: onnx.NodeProto) -> Kind:
    """Domain and type of a node."""
    return ("" if node.domain in STANDARD_DOMAINS else node.domain), node.op_type


def _rename(node: onnx.NodeProto, candidate: Candidate, bound: dict[Kind, Candidate]) -> Kind:
    """Give a node its package's domain, which an engine must not take for one of its own."""
    import onnx

    domain = candidate.package.domain or candidate.vendor
    if domain in STANDARD_DOMAINS or domain in _ENGINE_DOMAINS or onnx.defs.has(candidate.op_info.op, domain):
        domain = f"opkg.{candidate.vendor}"
    # Two packages may have the same operator in the same domain, and a model nodes of both, by different aliases.
    while bound.get((domain, candidate.op_info.op), candidate) is not candidate:
        domain += f".{candidate.vendor}"
    node.domain, node.op_type = domain, candidate.op_info.op
    return domain, candidate.op_info.op


class _Providers:
    """The provider of each kind of node, asked for once."""

    def __init__(self, registry: Registry, versions: dict[str, int], prefer: frozenset[str]) -> None:
        self.registry = registry
        self.versions = versions
        self.prefer = prefer
        self.known: dict[Kind, Any] = {}
        self.converters: dict[Kind, tuple[str, NodeConverter] | None] = {}

    def version(self, domain: str) -> int:
        return self.versions.get(domain, 1)

    def of(self, kind: Kind) -> Any:
        """A candidate, `_ENGINE`, or None."""
        if kind not in self.known:
            self.known[kind] = self._find(kind)
        return self.known[kind]

    def _find(self, kind: Kind) -> Any:
        import onnx

        domain, op_type = kind
        version = self.version(domain)
        standard = onnx.defs.has(op_type, domain)
        # Before any package is asked: installing one must not change what a model with ONNX's own operators computes.
        if standard and not domain and op_type not in self.prefer:
            return _ENGINE
        chosen = self.registry.resolve(op_type, domain or "ai.onnx", version).chosen
        if chosen is not None:
            return chosen
        if op_type in self.prefer and not domain:
            looked_at = self.registry.explain(op_type, "ai.onnx", version)
            raise ConvertError(
                f"no package takes the standard operator {op_type}\n{looked_at}",
                f"a package takes it when its opkg.toml lists the alias ai.onnx::{version}::{op_type}",
            )
        return _ENGINE if standard or domain in _ENGINE_DOMAINS else None

    def converter(self, kind: Kind) -> tuple[str, NodeConverter] | None:
        """A plugin's converter for a kind that nothing provides."""
        if kind not in self.converters:
            from opkg import plugins

            query = NodeQuery(kind[0], kind[1], self.version(kind[0]))
            self.converters[kind] = plugins.first("opkg_convert_node", query=query)
        return self.converters[kind]

    def missing(self, kind: Kind, nodes: Sequence[str]) -> MissingOperator:
        version = self.version(kind[0])
        domain = kind[0] or "ai.onnx"
        looked_at = self.registry.explain(kind[1], domain, version)
        rejected = self.registry.resolve(kind[1], domain, version).rejected
        elsewhere = {candidate.domain for candidate, _ in rejected}
        known = "" if domain in elsewhere else next((c.domain for c, _ in rejected), "")
        return MissingOperator(kind[0], kind[1], version, tuple(nodes), looked_at, known)


def _expand(graph: onnx.GraphProto, providers: _Providers) -> None:
    """Replace nodes that nothing provides by what plugins' converters make of them."""
    expanded = [new for node in graph.node for new in _expansion(node, providers, 0)]
    if len(expanded) != len(graph.node) or any(a is not b for a, b in zip(expanded, graph.node, strict=True)):
        # Copies, as the nodes that stay belong to the list that is emptied here.
        kept = [type(node).FromString(node.SerializeToString()) for node in expanded]
        del graph.node[:]
        graph.node.extend(kept)


def _expansion(node: onnx.NodeProto, providers: _Providers, depth: int) -> list[onnx.NodeProto]:
    kind = kind_of(node)
    # A converter that gives its own kind of node back would go on for ever; it is told as missing then.
    if providers.of(kind) is not None or depth > _MAX_EXPANSIONS:
        return [node]
    found = providers.converter(kind)
    if found is None:
        return [node]
    distribution, converter = found
    try:
        made = list(converter.convert(node))
        return [new for each in made for new in _expansion(each, providers, depth + 1)]
    except Exception as error:
        sentence = f"it cannot convert {full_type(*kind)} node '{node.name}': {one_line(error)}"
        complain(distribution, f"node converter {converter.name}", sentence, error)
        return [node]
