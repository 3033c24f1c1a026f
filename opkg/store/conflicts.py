"""The same operator in two packages of one root: found before anything changes, and which of them then serves it.

Between vendors an operator is (domain, type), by its own name or by an alias, and `load_priority` decides. The packages
of one vendor share a folder for programs that know CANN's layout, where a type has one place whatever its domain; there
the order of the packages decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from opkg.bundle import MANIFEST_NAME, Manifest
from opkg.errors import ConflictError, StoreError
from opkg.registry import layout
from opkg.registry.model import ONNX_DOMAIN, parse_key
from opkg.store.priority import Place
from opkg.store.view import Shown

Wins = Literal["", "new", "present"]
"""Whose operators serve where a new package and a present one have the same: neither was said, the new one's, ..."""


@dataclass(frozen=True)
class Clash:
    """An operator that a package has in common with another one of the root.

    Attributes:
        operator: `domain::Type`.
        vendor: the other package's vendor.
        name: the other package's name.
        version: the other package's version.
    """

    operator: str
    vendor: str
    name: str
    version: str

    @property
    def key(self) -> str:
        """The other package, `vendor/name`."""
        return f"{self.vendor}/{self.name}"


@dataclass(frozen=True)
class Decision:
    """Where a new package goes.

    Attributes:
        position: its place among the packages of its vendor.
        place: its vendor's place in `load_priority`.
        clashes: the operators that others have too.
    """

    position: int
    place: Place
    clashes: tuple[Clash, ...]


def decide(root: Path, manifest: Manifest, before: Sequence[Shown], wins: Wins) -> Decision:
    """Where a package goes among others that may have the same operators.

    Args:
        root: the install root.
        manifest: the package.
        before: the packages of its vendor as they are, in their order; one of its own name is replaced.
        wins: what the user says.

    Raises:
        ConflictError: another package has one of its operators, which the replaced one had not, and nobody said which
            of them wins.
    """
    others = [shown.manifest for shown in before if shown.manifest.name != manifest.name]
    replaced = next((shown.manifest for shown in before if shown.manifest.name == manifest.name), None)
    inside = tuple(_inside(manifest, others))
    outside = tuple(_outside(root, manifest.vendor, (manifest,)))
    if not wins:
        # What the version before had in common with others was decided when it came.
        known = (*_inside(replaced, others), *_outside(root, manifest.vendor, (replaced,))) if replaced else ()
        _refuse(manifest, [clash for clash in (*inside, *outside) if not _accepted(clash, known)])
    index = next((i for i, shown in enumerate(before) if shown.manifest.name == manifest.name), 0)
    # Where nothing is shared the order says nothing, and new packages are looked at first.
    position = {"new": 0, "present": len(others), "": min(index, len(others))}[wins] if inside else 0
    return Decision(position, _place(root, wins, (manifest, *others), outside), (*inside, *outside))


def _accepted(clash: Clash, known: Iterable[Clash]) -> bool:
    return (clash.operator, clash.key) in {(one.operator, one.key) for one in known}


def _refuse(manifest: Manifest, clashes: Sequence[Clash]) -> None:
    if clashes:
        first = clashes[0]
        both = ", ".join(sorted(clash.operator.rpartition("::")[2] for clash in clashes if clash.key == first.key))
        raise ConflictError(
            f"{first.key} {first.version} already has {both}, as {manifest.key} does",
            f"remove that package first: opkg uninstall {first.key}; or let {manifest.key} win with --priority, "
            f"{first.key} with --allow-shadow",
        )


def _place(root: Path, wins: Wins, packages: Iterable[Manifest], outside: Sequence[Clash]) -> Place:
    """The vendor goes to the front, but for what was decided about its operators before or is said now."""
    if wins == "present" and outside:
        return "last"
    if wins == "new" and outside:
        return "first"
    vendor = next(iter(packages)).vendor
    return "keep" if any(_outside(root, vendor, packages)) else "first"


def _inside(manifest: Manifest, others: Iterable[Manifest]) -> Iterator[Clash]:
    own = {entry.op_info.op for entry in manifest.operators}
    for other in others:
        for op in sorted(own.intersection(entry.op_info.op for entry in other.operators)):
            yield Clash(f"{manifest.domain or manifest.vendor}::{op}", other.vendor, other.name, other.version)


def _outside(root: Path, vendor: str, packages: Iterable[Manifest]) -> Iterator[Clash]:
    own = {name for manifest in packages for name in _names(manifest.to_dict())}
    types = {op_type.encode() for _, op_type in own}
    for other in layout.vendor_names(root) if own else ():
        for manifest in _manifests(layout.vendors_dir(root) / other, types) if other != vendor else ():
            for domain, op_type in sorted(own & _names(manifest)):
                yield Clash(f"{domain}::{op_type}", other, manifest["name"], manifest["version"])


def _names(manifest: dict[str, Any]) -> set[tuple[str, str]]:
    """Domain and type of everything by which the registry finds the operators of a package."""
    found = set()
    for entry in manifest["operators"]:
        found.add((manifest["domain"] or manifest["vendor"], entry["op_info"]["op"]))
        for alias in entry["aliases"]:
            op_type, domain, _ = parse_key(alias)
            found.add((ONNX_DOMAIN if domain is None else domain, op_type))
    return found


def _manifests(place: Path, types: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The manifests of a vendor in which one of `types` occurs; what cannot be read is for `verify` to tell."""
    try:
        folders = layout.active_packages(place)
    except StoreError:
        return
    for folder in (place,) if folders is None else folders:
        try:
            data = (folder / MANIFEST_NAME).read_bytes()
            if not any(op_type in data for op_type in types):
                continue  # saves the parsing of nearly all manifests of a large root
            manifest = json.loads(data)
            _names(manifest)
        except (OSError, ValueError, KeyError, TypeError):
            continue
        yield manifest
