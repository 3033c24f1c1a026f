"""The packages of a place: the store's, a bundle's own, and what another installer left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opkg.bundle.manifest import MANIFEST_NAME
from opkg.errors import StoreError
from opkg.registry.layout import active_packages, config_ini, ops_info_files, vendor_names, vendors_dir
from opkg.registry.sources import Source
from opkg.registry.watch import Watch


class Found(NamedTuple):
    """The folder of a package, the vendor in whose name it was found, and what is wrong with the place itself."""

    root: Path
    vendor: str
    trouble: str = ""


def packages_of(source: Source, watch: Watch) -> Iterator[Found]:
    """The packages of a place, in the order in which they are asked."""
    path = Path(source.path)
    watch.add(path)
    if source.kind == "root":
        yield from _of_root(path, watch)
    elif source.kind == "vendor":
        yield from _of_vendor(path, watch)
    else:
        for folder in [path, *_folders(path)]:
            watch.add(folder)
            watch.add(folder / MANIFEST_NAME)
            if (folder / MANIFEST_NAME).is_file():
                yield Found(folder, "")


def _of_root(root: Path, watch: Watch) -> Iterator[Found]:
    vendors = vendors_dir(root)
    watch.add(vendors)
    watch.add(config_ini(root))
    try:
        names = vendor_names(root)
    except OSError:  # others' root, which this user may not read: no reason to find nothing elsewhere either
        return
    for vendor in names:
        yield from _of_vendor(vendors / vendor, watch)


def _of_vendor(folder: Path, watch: Watch) -> Iterator[Found]:
    watch.add(folder)
    try:
        active = active_packages(folder)
    except StoreError as error:
        yield Found(folder, folder.name, error.message)
        return
    if active is not None:
        yield from (Found(package, package.parents[1].name) for package in active)
        return
    # Another installer writes into the folder in place, so everything that is read must be watched.
    watch.add(folder / MANIFEST_NAME)
    config = folder / "op_impl" / "ai_core" / "tbe" / "config"
    for place in (config, *_folders(config), *ops_info_files(folder)):
        watch.add(place)
    if (folder / MANIFEST_NAME).is_file() or (folder / "op_impl").is_dir():
        yield Found(folder, folder.name)


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
