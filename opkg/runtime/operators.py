"""The exact operators an offline model needs, and finding them again in the registry."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.errors import MALFORMED, ModelError, NotFoundError, fault
from opkg.opinfo import OpInfo

if TYPE_CHECKING:
    from opkg.registry import Candidate, Registry


@dataclass(frozen=True)
class OperatorSpec:
    """One custom operator of a model.

    Attributes:
        domain: domain of its nodes in the graph.
        op_info: the operator; its nodes have the type `op_info.op`.
        vendor, package, version, digest: the package it was converted with; `digest` is the manifest's sha256.
        nodes: names of its nodes.
    """

    domain: str
    op_info: OpInfo
    vendor: str
    package: str
    version: str
    digest: str
    nodes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The operator and its package as people read it."""
        return f"{self.op_info.op} of {self.vendor}/{self.package} {self.version}"

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON has it."""
        return {
            "domain": self.domain,
            "op_type": self.op_info.op,
            "vendor": self.vendor,
            "package": self.package,
            "version": self.version,
            "digest": self.digest,
            "nodes": list(self.nodes),
            "op_info": self.op_info.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OperatorSpec:
        """The inverse of `to_dict`."""
        return cls(
            domain=data["domain"],
            op_info=OpInfo.from_dict(data["op_info"]),
            vendor=data["vendor"],
            package=data["package"],
            version=data["version"],
            digest=data["digest"],
            nodes=tuple(data["nodes"]),
        )


@dataclass(frozen=True)
class BoundOperator:
    """An operator of a model together with the package on this machine that runs it."""

    spec: OperatorSpec
    package_root: Path
    host_library: Path
    digest: str

    @property
    def key(self) -> str:
        """What compiled forms of a model call the operator: another build of its package is another operator."""
        spec = self.spec
        return f"{spec.vendor}/{spec.package}/{spec.op_info.op}/{self.digest[:16]}"


def operators_json(specs: Sequence[OperatorSpec]) -> bytes:
    """The `operators` section."""
    return json.dumps([spec.to_dict() for spec in specs], sort_keys=True, ensure_ascii=False).encode()


def read_operators(section: bytes) -> tuple[OperatorSpec, ...]:
    """The inverse of `operators_json`.

    Raises:
        ModelError: it does not read so.
    """
    try:
        return tuple(OperatorSpec.from_dict(entry) for entry in json.loads(section))
    except MALFORMED as error:
        raise ModelError(f"the model's list of operators cannot be read: {fault(error)}") from error


def bind_operators(specs: Sequence[OperatorSpec], registry: Registry) -> tuple[BoundOperator, ...]:
    """Find each operator's package: the very one of the conversion, else the same version of it, with a warning.

    Raises:
        NotFoundError: some are not there; says each with what was found instead and everything that was looked at.
    """
    bound: list[BoundOperator] = []
    missing: list[str] = []
    for spec in specs:
        candidates = _candidates(spec, registry)
        found = _same(spec, candidates)
        if found is None:
            missing.append(_missing(spec, candidates, registry))
        else:
            bound.append(BoundOperator(spec, found.package_root, found.host_library, found.digest))
    if missing:
        raise NotFoundError("the model needs what is not installed: " + "\n".join(missing), _hint(specs, bound))
    return tuple(bound)


def _candidates(spec: OperatorSpec, registry: Registry) -> list[Candidate]:
    """Every package of the vendor that has the operator and can run here."""
    from opkg.plugins.types import OpQuery
    from opkg.registry.resolve import why_not

    resolution = registry.resolve(spec.op_info.op)
    found = [resolution.chosen] if resolution.chosen is not None else []
    found += [candidate for candidate, _ in resolution.rejected]
    anything = OpQuery(spec.op_info.op)
    mine = [c for c in found if c.vendor == spec.vendor and c.op_info.op == spec.op_info.op]
    return [c for c in mine if not why_not(c, anything, None)]


def _same(spec: OperatorSpec, candidates: Sequence[Candidate]) -> Candidate | None:
    for candidate in candidates:
        # The very build first, wherever it stands in the order: another build of the same version may compute
        # otherwise.
        if candidate.digest == spec.digest:
            return candidate
    for candidate in candidates:
        same_release = (candidate.name, candidate.version) == (spec.package, spec.version)
        if same_release and _interface(candidate.op_info) == _interface(spec.op_info):
            sys.stderr.write(
                f"opkg: warning: {spec.label} is another build than the one the model was converted with\n"
            )
            return candidate
    return None


def _interface(op_info: OpInfo) -> Any:
    params = [[(p.name, p.param_type) for p in side] for side in (op_info.inputs, op_info.outputs)]
    return params, [(a.name, a.type) for a in op_info.attrs]


def _missing(spec: OperatorSpec, candidates: Sequence[Candidate], registry: Registry) -> str:
    others = ", ".join(sorted({f"{c.vendor}/{c.name} {c.version}" for c in candidates}))
    found = f" (found: {others})" if others else ""
    return f"{spec.label}{found}\n{registry.explain(spec.op_info.op)}".rstrip()


def _hint(specs: Sequence[OperatorSpec], bound: Sequence[BoundOperator]) -> str:
    there = [b.spec for b in bound]
    packages = sorted({f"{s.vendor}/{s.package} {s.version}" for s in specs if s not in there})
    return f"install {', '.join(packages)}, or convert the model again with what is installed"
