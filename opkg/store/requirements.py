"""What packages of a root require of each other and of opkg, checked before anything changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import opkg
from opkg.bundle import MANIFEST_NAME, Manifest
from opkg.bundle.requirement import OPKG, Requirement, parse_requirement
from opkg.errors import BundleError, StoreError
from opkg.registry import layout
from opkg.store.view import Shown


@dataclass(frozen=True)
class Unmet:
    """A requirement that the packages of a root do not meet.

    Attributes:
        by: the package that requires it, `vendor/name version`.
        requirement: what it requires.
        found: the version that is there instead; empty where there is none.
    """

    by: str
    requirement: Requirement
    found: str

    def __str__(self) -> str:
        what = f"and {self.requirement.key} is {self.found}" if self.found else "which would not be there"
        return f"{self.by} requires {self.requirement}, {what}"


@dataclass(frozen=True)
class Held:
    """As much of a package as counts here."""

    key: str
    version: str
    requires: tuple[str, ...]


def held(manifest: Manifest) -> Held:
    """As much of a manifest as counts here."""
    return Held(manifest.key, manifest.version, manifest.requires)


def unmet(packages: Iterable[Held]) -> list[Unmet]:
    """The requirements that packages, which are together in a root, do not meet.

    Raises:
        BundleError: a requirement is malformed.
    """
    packages = list(packages)
    present = {package.key: package.version for package in packages} | {OPKG: opkg.__version__}
    found = []
    for package in packages:
        for requirement in map(parse_requirement, package.requires):
            version = present.get(requirement.key, "")
            if not version or not requirement.accepts(version):
                found.append(Unmet(f"{package.key} {package.version}", requirement, version))
    return found


def refuse_unmet(root: Path, planned: Mapping[str, Sequence[Shown]]) -> None:
    """Refuse a change after which a package lacks what it requires, unless it lacks it already.

    Args:
        root: the install root.
        planned: the packages that each changed vendor will show.

    Raises:
        StoreError: says who requires what.
        BundleError: a requirement of a new package is malformed.
    """
    before = {vendor: _active(root, vendor) for vendor in layout.vendor_names(root)}
    after = before | {vendor: [held(shown.manifest) for shown in packages] for vendor, packages in planned.items()}
    everyone = _all(after)
    if not any(package.requires for package in everyone):
        return
    present = _all(before)
    # What is unmet already was forced once, and is no reason to refuse a change that does not make it worse.
    known = {str(one) for one in unmet(_readable(present, present))}
    new = [one for one in unmet(_readable(everyone, present)) if str(one) not in known]
    if new:
        raise StoreError(
            "; ".join(map(str, new)),
            "install or keep what is required, in the same root; --force does without",
            code="OPKG-6320",
        )


def _readable(packages: Iterable[Held], known: Sequence[Held]) -> Iterator[Held]:
    """The packages, those that are known without requirements that cannot be read: they can only be there by force."""
    for package in packages:
        yield replace(package, requires=tuple(filter(_is_one, package.requires))) if package in known else package


def _is_one(text: str) -> bool:
    try:
        parse_requirement(text)
    except BundleError:
        return False
    return True


def _all(packages: Mapping[str, Sequence[Held]]) -> list[Held]:
    return [package for held_by_vendor in packages.values() for package in held_by_vendor]


def _active(root: Path, vendor: str) -> list[Held]:
    """The packages of a vendor; what cannot be read is for `verify` to tell, and meets nobody's requirement."""
    place = layout.vendors_dir(root) / vendor
    try:
        folders = layout.active_packages(place)
    except StoreError:
        return []
    if folders is None:
        return list(_read(place, ""))
    # The folder's name is <version>-<digest>.
    return [package for folder in folders for package in _read(folder, folder.name.rpartition("-")[0])]


def _read(folder: Path, version: str) -> Iterator[Held]:
    try:
        data = (folder / MANIFEST_NAME).read_bytes()
        # Parsed only where it matters: a root may have ten thousand operators.
        if version and b'"requires": []' in data:
            yield Held(f"{folder.parent.parent.name}/{folder.parent.name}", version, ())
        else:
            yield held(Manifest.from_json(data.decode()))
    except (OSError, UnicodeDecodeError, BundleError):
        return
