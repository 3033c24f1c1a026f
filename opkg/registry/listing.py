"""What `opkg list` shows: rows of the index as they are, since ten thousand of them must not take time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from opkg.registry.index import Index
from opkg.registry.roots import absolute
from opkg.registry.sources import all_sources

if TYPE_CHECKING:
    from pathlib import Path


class PackageLine(NamedTuple):
    """A package; `lacks` says why it cannot be used."""

    vendor: str
    name: str
    version: str
    operators: int
    source: str
    path: str
    lacks: str


class OperatorLine(NamedTuple):
    """An operator under its own name."""

    op_type: str
    domain: str
    vendor: str
    name: str
    version: str
    source: str
    path: str


def package_lines(install_path: Path | None) -> list[PackageLine]:
    """Every package in the order of the sources; those of one install root if it is named."""
    index, labels = _index(install_path)
    rows = index.rows("SELECT vendor,name,version,n_operators,source,root,lacks FROM packages ORDER BY id")
    return [PackageLine._make((*row[:4], labels[row[4]], *row[5:])) for row in rows if row[4] in labels]


def operator_lines(install_path: Path | None) -> list[OperatorLine]:
    """Every operator in the order of the sources; those of one install root if it is named."""
    index, labels = _index(install_path)
    rows = index.rows(
        "SELECT o.op_type,o.domain,p.vendor,p.name,p.version,p.source,p.root"
        " FROM operators o JOIN packages p ON p.id=o.package WHERE o.alias=0 ORDER BY p.id,o.rowid"
    )
    return [OperatorLine._make((*row[:5], labels[row[5]], row[6])) for row in rows if row[5] in labels]


def _index(install_path: Path | None) -> tuple[Index, dict[int, str]]:
    """The index, and the label of each source that is shown."""
    index = Index(all_sources(install_path))
    shown = {
        number: source.label
        for number, source in enumerate(index.sources)
        if install_path is None or source.path == str(absolute(install_path))
    }
    return index, shown
