"""`opkg.lock`: exactly which packages, by digest. TOML; the same packages give the same bytes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opkg.bundle import Manifest
from opkg.bundle.names import NAME, SHA256, VERSION
from opkg.bundle.requirement import OPKG, parse_requirement
from opkg.bundle.tree import hash_file
from opkg.errors import NotFoundError, StoreError
from opkg.registry import layout
from opkg.store.choice import Choice, kept_choices

LOCK_NAME = "opkg.lock"

_FORMAT = 1
_HEAD = "# Exactly these packages, by the sha256 of their manifests; 'opkg sync' makes an install root equal to it.\n"


@dataclass(frozen=True)
class Locked:
    """A package of a lock.

    Attributes:
        vendor: its vendor.
        name: its name.
        version: its version.
        digest: sha256 of its manifest in hex, which pins every file.
        bundle: sha256 of the bundle it came in; empty where that is not known.
        source: where it comes from if not from an install root, such as `plugin some-ops`.
    """

    vendor: str
    name: str
    version: str
    digest: str
    bundle: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"{self.vendor}/{self.name} {self.version} ({self.digest[:12]})"


@dataclass(frozen=True)
class Lock:
    """A list of packages: vendor by vendor, of one vendor the one that wins first.

    Attributes:
        packages: the packages.
        priority: the vendors as `load_priority` has them.
    """

    packages: tuple[Locked, ...]
    priority: tuple[str, ...] = ()

    def to_toml(self) -> str:
        """The text of an `opkg.lock`."""
        lines = [_HEAD, f"format = {_FORMAT}\n", f"priority = {json.dumps(list(self.priority))}\n"]
        for package in self.packages:
            values = {key: value for key, value in asdict(package).items() if value}
            lines += ["\n[[package]]\n", *(f"{key} = {json.dumps(value)}\n" for key, value in values.items())]
        return "".join(lines)


def read_lock(file: Path) -> Lock:
    """Read an `opkg.lock`.

    Raises:
        StoreError: it cannot be read, is none, or of a newer format.
    """
    try:
        return _lock(tomllib.loads(file.read_text("utf-8")))
    except OSError as error:
        raise StoreError(f"cannot read {file}: {error.strerror}", "'opkg lock' writes one") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} is not a lock: {error}", "'opkg lock' writes one") from error


def _lock(data: Mapping[str, Any]) -> Lock:
    if data["format"] > _FORMAT:
        raise ValueError(f"it has format {data['format']} and this opkg reads up to {_FORMAT}")
    packages = tuple(Locked(**package) for package in data.get("package", ()))
    for one in packages:
        # The file may come from anybody, and these become names of folders.
        fields = ((NAME, one.vendor), (NAME, one.name), (VERSION, one.version), (SHA256, one.digest))
        if not all(pattern.match(text) for pattern, text in fields):
            raise ValueError(f"{one.vendor}/{one.name} {one.version} with digest {one.digest!r} can be no package")
    if len({(one.vendor, one.name) for one in packages}) < len(packages):
        raise ValueError("a package is in it twice")
    priority = tuple(data.get("priority", ()))
    if not all(NAME.match(vendor) for vendor in priority):
        raise ValueError(f"'{priority}' is no list of vendors")
    return Lock(packages, priority)


def lock_of(root: Path, packages: Iterable[tuple[Manifest, str]], found: Sequence[Choice]) -> Lock:
    """The lock for packages, given by manifest and digest in the order in which they are looked at.

    Args:
        root: the install root, for the order of its vendors.
        packages: the packages.
        found: bundles, of which the checksums are noted.
    """
    bundles = {choice.digest: choice.bundle for choice in found if choice.bundle}
    locked = [
        Locked(m.vendor, m.name, m.version, digest, hash_file(file) if (file := bundles.get(digest)) else "")
        for m, digest in packages
    ]
    vendors = {one.vendor for one in locked}
    priority = tuple(vendor for vendor in layout.load_priority(root) if vendor in vendors)
    # Sorted by vendor only: within a vendor the order says who wins.
    return Lock(tuple(sorted(locked, key=lambda one: one.vendor)), priority)


def with_required(
    root: Path, seeds: Iterable[tuple[str, str, str]], active: Mapping[str, tuple[Manifest, str]]
) -> list[tuple[Manifest, str]]:
    """Packages by (vendor, name, digest) and all that they require, each once, in the order of their keys.

    Args:
        root: the install root that has them.
        seeds: the packages; an empty digest stands for the version in use.
        active: the packages in use by `vendor/name`.

    Raises:
        NotFoundError: one of them, or something that is required, is not in the root.
    """
    found: dict[str, tuple[Manifest, str]] = {}
    todo = list(seeds)
    while todo:
        vendor, name, digest = todo.pop()
        key = f"{vendor}/{name}"
        if key in found:
            continue
        found[key] = _package(root, vendor, name, digest, active.get(key))
        for requirement in map(parse_requirement, found[key][0].requires):
            if requirement.key != OPKG:
                todo.append((requirement.vendor, requirement.name, ""))
    return [found[key] for key in sorted(found)]


def _package(
    root: Path, vendor: str, name: str, digest: str, active: tuple[Manifest, str] | None
) -> tuple[Manifest, str]:
    if active and digest in ("", active[1]):
        return active
    for choice in kept_choices(root, vendor, name) if digest else ():
        if choice.digest == digest:
            return choice.manifest, choice.digest
    which = f"{vendor}/{name}{f' with digest {digest[:12]}' if digest else ''}"
    raise NotFoundError(f"{which} is not in {root}", "install it there first, or name another root: --install-path DIR")
