"""The registry: one question, "what serves this operator?", and the lists behind the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opkg.errors import NotFoundError
from opkg.plugins.types import OpQuery
from opkg.registry import explain
from opkg.registry.index import Index
from opkg.registry.model import Candidate, Package, Resolution
from opkg.registry.pins import Pin, pins_of
from opkg.registry.resolve import choose, normal_domain
from opkg.registry.sources import Source, all_sources

_PACKAGE = (
    "p.source,p.vendor,p.name,p.version,p.domain,p.root,p.n_operators,p.lacks,p.target,p.soc,p.os,p.arch,p.isa,p.abi,"
    "p.glibc,p.host_library,p.digest"
)
_OPERATOR = "o.op_type,o.domain,o.since,o.op_info,o.columns"
_CANDIDATE = f"SELECT {_OPERATOR},{_PACKAGE} FROM operators o JOIN packages p ON p.id=o.package"


class Registry:
    """Every operator of a list of sources.

    Args:
        sources: where packages are looked for, best first.
        pins: operator type to the package that must serve it, as `OPKG_PIN` writes it.
    """

    def __init__(self, sources: tuple[Source, ...], pins: Mapping[str, Pin]) -> None:
        self._index = Index(sources)
        self._pins = dict(pins)

    def resolve(
        self, op_type: str, domain: str | None = None, version: int | None = None, *, vendor: str = ""
    ) -> Resolution:
        """Which candidate serves an operator here, and why each other one does not.

        Args:
            op_type: operator type.
            domain: its domain in the model, `""` or `ai.onnx` for ONNX's own; None fits any.
            version: opset version of the domain in the model; None fits any.
            vendor: only this one's operators, and those by their own names.
        """
        query = OpQuery(op_type, normal_domain(domain), version)
        own = "AND o.alias=0 AND p.vendor=?" if vendor else ""
        given = (op_type, vendor) if vendor else (op_type,)
        candidates = self._candidates(f"WHERE o.op_type=? {own} ORDER BY p.id, o.rowid", *given)
        return choose(query, candidates, self._pins.get(op_type), self.looked_at())

    def require(self, op_type: str, domain: str | None = None, version: int | None = None) -> Candidate:
        """The candidate that serves an operator.

        Raises:
            NotFoundError: nothing does; the message says everything that was looked at.
        """
        found = self.resolve(op_type, domain, version)
        if found.chosen is None:
            raise NotFoundError(self._explain(found, op_type, domain), explain.hint(op_type, found, self.op_types()))
        return found.chosen

    def explain(self, op_type: str, domain: str | None = None, version: int | None = None, *, vendor: str = "") -> str:
        """Why an operator is served by what it is served by, or by nothing; several lines."""
        return self._explain(self.resolve(op_type, domain, version, vendor=vendor), op_type, domain)

    def operators(self) -> list[Candidate]:
        """Every operator under its own name, in the order of the sources."""
        return self._candidates("WHERE o.alias=0 ORDER BY p.id, o.rowid")

    def packages(self) -> list[Package]:
        """Every package, in the order of the sources."""
        return [self._package(row) for row in self._index.rows(f"SELECT {_PACKAGE} FROM packages p ORDER BY p.id")]

    def operator_names(self, package: Package) -> list[str]:
        """The operator types of a package, sorted."""
        query = "SELECT o.op_type FROM operators o JOIN packages p ON p.id=o.package WHERE o.alias=0 AND p.root=?"
        return sorted(row[0] for row in self._index.rows(query, str(package.root)))

    def op_types(self) -> list[str]:
        """Every name by which an operator can be looked up, sorted."""
        return [row[0] for row in self._index.rows("SELECT DISTINCT op_type FROM operators ORDER BY op_type")]

    def looked_at(self) -> tuple[str, ...]:
        """Every source with what it has."""
        counted = dict(self._index.rows("SELECT source, SUM(n_operators) FROM packages GROUP BY source"))
        return explain.places(self._index.sources, counted)

    def _explain(self, found: Resolution, op_type: str, domain: str | None) -> str:
        names = [] if found.chosen else self.op_types()
        return explain.text(op_type, normal_domain(domain), found, names)

    def _candidates(self, where: str, *arguments: object) -> list[Candidate]:
        return list(self._read(self._index.rows(f"{_CANDIDATE} {where}", *arguments)))

    def _read(self, rows: list[tuple[Any, ...]]) -> Iterator[Candidate]:
        for op_type, domain, since, op_info, columns, *package in rows:
            yield Candidate(op_type, domain, since, self._package(package), op_info, tuple(json.loads(columns)))

    def _package(self, row: list[Any] | tuple[Any, ...]) -> Package:
        (
            source,
            vendor,
            name,
            version,
            domain,
            root,
            count,
            lacks,
            target,
            soc,
            os,
            arch,
            isa,
            abi,
            glibc,
            host,
            digest,
        ) = row
        return Package(
            vendor=vendor,
            name=name,
            version=version,
            domain=domain,
            root=Path(root),
            source=self._index.sources[source].label,
            operators=count,
            lacks=lacks,
            target=target,
            soc=tuple(json.loads(soc)),
            os=os,
            arch=arch,
            isa=isa,
            abi=abi,
            glibc=glibc,
            host_library=Path(host),
            digest=digest,
        )


def open_registry(install_path: Path | str | None = None, *, pins: Mapping[str, str] | None = None) -> Registry:
    """The registry of this process: environment, install roots, plugins and what opkg ships.

    Args:
        install_path: the install root to look into instead of the default ones.
        pins: operator type to `vendor[/name[@version]]`; wins over `OPKG_PIN`.

    Raises:
        UsageError: a pin cannot be read.
    """
    return Registry(all_sources(install_path), pins_of(pins))
