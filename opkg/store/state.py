"""What an install root holds, read without a lock: before a change or after it, never in between."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opkg.bundle import MANIFEST_NAME, Manifest
from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store.view import Shown


@dataclass(frozen=True)
class VendorState:
    """What `vendors/<vendor>` is.

    Attributes:
        kind: `none`, `view` (made by the store), `bare` (one package that its bundle's own installer put there) or
            `foreign` (made by another installer).
        folder: what the vendor's link leads to, or the real folder; does not change under a reader.
        generation: number of the generation that a view shows, else 0.
        shown: the packages of a view, the one installed last first; the one package of a bare folder.
    """

    kind: str
    folder: Path
    generation: int = 0
    shown: tuple[Shown, ...] = ()


def read_state(root: Path, vendor: str) -> VendorState:
    """The state of one vendor.

    Raises:
        StoreError: the record or a manifest of a view cannot be read.
        BundleError: a manifest is damaged.
    """
    place = layout.vendors_dir(root) / vendor
    attempts = 0
    while os.path.lexists(place):
        attempts += 1
        # Resolved once, so that a switch to another generation in between cannot mix the two.
        folder = followed(place)
        try:
            return _read_folder(place, folder)
        except StoreError:
            # What was switched away from may be deleted while it is read; then there is something newer, and it may
            # even have the same number.
            if followed(place) == folder and attempts > 2:
                raise
    return VendorState("none", followed(place))


def followed(place: Path) -> Path:
    """What a vendor's link leads to; the link itself where it went away or leads nowhere."""
    try:
        return place.resolve()
    except OSError:
        return place


def _read_folder(place: Path, folder: Path) -> VendorState:
    try:
        folders = layout.active_packages(folder)
    except (ValueError, OSError) as error:
        raise StoreError(f"the list of packages in {place} cannot be read: {error}", "install them again") from error
    if folders is not None:
        shown = tuple(Shown(f"{f.parent.name}/{f.name}", f, *read_manifest(f)) for f in folders)
        return VendorState("view", folder, int(folder.name), shown)
    if (folder / MANIFEST_NAME).is_file():
        return VendorState("bare", folder, 0, (Shown("", place, *read_manifest(folder)),))
    return VendorState("foreign", folder)


def current_generation(root: Path, vendor: str) -> int:
    """Number of the generation that a vendor's view shows; 0 where there is none, -1 for another kind of folder."""
    place = layout.vendors_dir(root) / vendor
    if not os.path.lexists(place):
        return 0
    # The text of the link, not where it ends: a recovery asks while a generation may not be in its place.
    target = place.readlink() if place.is_symlink() else Path()
    return int(target.name) if target.parent.name == vendor and target.name.isdigit() else -1


def read_manifest(package: Path) -> tuple[Manifest, str]:
    """The manifest in a package's folder and its digest (sha256 of its bytes, in hex).

    Raises:
        StoreError: it is missing or cannot be read.
        BundleError: it is damaged.
    """
    try:
        data = (package / MANIFEST_NAME).read_bytes()
        return Manifest.from_json(data.decode()), hashlib.sha256(data).hexdigest()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise StoreError(f"the manifest in {package} cannot be read: {reason}", "install the package again") from error


def kept_vendors(root: Path) -> tuple[str, ...]:
    """The vendors of which the store holds packages or generations, in use or not."""
    folders = (root / layout.STATE_DIR / base for base in ("packages", "generations"))
    return tuple(sorted({entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()}))


def kept_packages(root: Path, vendor: str) -> Iterator[Path]:
    """The folders of all packages of a vendor that the store holds, active or not."""
    for manifest in sorted(layout.packages_dir(root, vendor).glob(f"*/*/{MANIFEST_NAME}")):
        yield manifest.parent
