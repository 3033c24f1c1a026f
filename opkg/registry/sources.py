"""Where packages are looked for: an ordered list of places, and the packages in each."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opkg.bundle.layout import list_vendors, read_vendor
from opkg.bundle.manifest import MANIFEST_NAME
from opkg.errors import OpkgError, StoreError
from opkg.paths import data_dir
from opkg.plugins import collect, static_op_packages
from opkg.registry.roots import custom_paths, install_roots

_TICK_NS = 20_000_000  # a file changed less than this before it is looked at may change again with the same time stamp


class Source(NamedTuple):
    """One place: `vendor` (a vendor's folder), `root` (an install root) or `packages` (one package or several)."""

    kind: str
    label: str
    path: str


class Found(NamedTuple):
    """The folder of a package, the vendor in whose name it was found, and what is wrong with the place itself."""

    root: Path
    vendor: str
    trouble: str = ""


class Watch:
    """The files and folders whose change makes an index stale, each with its state before it was read."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self._newest = 0

    def add(self, path: Path) -> None:
        """Note the state of a path; to be called before its content is looked at."""
        self.states[str(path)] = state(str(path))
        try:
            self._newest = max(self._newest, path.lstat().st_mtime_ns)
        except OSError:
            return

    @property
    def settled(self) -> bool:
        """Whether everything is old enough for a later change to show in its time stamp."""
        return self._newest < time.time_ns() - _TICK_NS


def state(path: str) -> str:
    """Text that differs when a file, folder or link has changed; empty where there is nothing."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            target = os.readlink(path)  # noqa: PTH115 - this runs once for each vendor at every start
            return f"{target} {state(os.path.join(os.path.dirname(path), target))}"  # noqa: PTH118, PTH120
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns}"


def all_sources(install_path: Path | None) -> tuple[Source, ...]:
    """Every place, best first."""
    found = [Source(_kind(path), f"ASCEND_CUSTOM_OPP_PATH {path}", str(path)) for path in custom_paths()]
    found += [Source("root", f"install root {path}", str(path)) for path in install_roots(install_path)]
    found += [Source("packages", f"plugin {source.name}", str(source.path)) for source in static_op_packages()]
    for distribution, source in collect("opkg_op_sources"):
        label = f"{source.name} (plugin {distribution})" if source.name else f"plugin {distribution}"
        found.append(Source("packages", label, str(Path(source.path).absolute())))
    with contextlib.suppress(OpkgError):
        found.append(Source("root", "opkg's own operators", str(data_dir("registry"))))
    return tuple(found)


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
            if (folder / MANIFEST_NAME).is_file():
                watch.add(folder / MANIFEST_NAME)
                yield Found(folder, "")


def ops_info_files(package: Path) -> list[Path]:
    """The op infos of a package in CANN's layout, one file for each SoC."""
    return sorted(package.glob("op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"))


def _kind(custom_path: Path) -> str:
    """What an entry of ASCEND_CUSTOM_OPP_PATH is: CANN wants folders of vendors, people also give it install roots."""
    return "root" if (custom_path / "vendors").is_dir() else "vendor"


def _of_root(root: Path, watch: Watch) -> Iterator[Found]:
    vendors = root / "vendors"
    watch.add(vendors)
    watch.add(vendors / "config.ini")
    for vendor in list_vendors(root):
        yield from _of_vendor(vendors / vendor, watch)


def _of_vendor(folder: Path, watch: Watch) -> Iterator[Found]:
    watch.add(folder)
    try:
        content = read_vendor(folder)
    except StoreError as error:
        yield Found(folder, folder.name, error.message)
        return
    if content.kind == "view":
        yield from (Found(package, package.parents[1].name) for package in content.packages)
        return
    # Another installer writes into the folder in place, so everything that is read must be watched.
    watch.add(folder / MANIFEST_NAME)
    config = folder / "op_impl" / "ai_core" / "tbe" / "config"
    for place in (config, *_folders(config), *ops_info_files(folder)):
        watch.add(place)
    if content.kind == "bare" or (folder / "op_impl").is_dir():
        yield Found(folder, folder.name)


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
