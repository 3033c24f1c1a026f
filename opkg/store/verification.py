"""Comparing what is on disk with what manifests say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from opkg.bundle import MANIFEST_NAME, Manifest
from opkg.bundle.tree import hash_file
from opkg.store.environment import ENVIRONMENT_FILE
from opkg.store.model import Problem
from opkg.store.state import VendorState
from opkg.store.view import Shown, ViewFile, plan_view, view_names

MISSING, CHANGED, EXTRA, UNREADABLE = "missing", "changed", "extra", "unreadable"


def damage(folder: Path, manifest: Manifest, ignore: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Every difference between a package's folder and its manifest, as (kind, path below the folder)."""
    expected = {entry.path for entry in manifest.files} | {MANIFEST_NAME, *ignore}
    for entry in manifest.files:
        kind = _compare(folder / entry.path, entry.size, entry.sha256)
        if kind:
            yield kind, entry.path
    if not (folder / MANIFEST_NAME).is_file():
        yield MISSING, MANIFEST_NAME
    for path in sorted(_files(folder) - expected):
        yield EXTRA, path


def check_vendor(state: VendorState, vendor: str, name: str, place: Path) -> list[Problem]:
    """The problems of a vendor's packages (or of one of them), and of its view."""
    shown = [package for package in state.shown if name in ("", package.manifest.name)]
    found = [problem for package in shown for problem in _check_package(package)]
    if state.kind == "view" and not name:
        found += _check_view(state, vendor, place, [problem.path for problem in found])
    return found


def _check_package(shown: Shown) -> Iterator[Problem]:
    manifest = shown.manifest
    ignore = () if shown.entry else (ENVIRONMENT_FILE,)
    for kind, path in damage(shown.folder, manifest, ignore):
        yield Problem(manifest.vendor, manifest.name, kind, shown.folder / path)
    # The folder's name ends in the digest of the manifest that was installed.
    if shown.entry and f"-{shown.digest[:12]}" not in shown.entry:
        yield Problem(manifest.vendor, manifest.name, CHANGED, shown.folder / MANIFEST_NAME)


def _check_view(state: VendorState, vendor: str, place: Path, damaged: Iterable[Path]) -> Iterator[Problem]:
    """The problems of a vendor's view; files that are damaged in a package's own folder are told there and left out."""
    paths = {str(d.relative_to(s.folder)) for d in damaged for s in state.shown if d.is_relative_to(s.folder)}
    planned = plan_view(state.shown, place, without=paths)
    for path, file in planned.items():
        # That file says where the root was when it was written, and a root may be seen under several names.
        kind = _compare_view(state.folder / path, file, content=path != ENVIRONMENT_FILE)
        if kind:
            yield Problem(vendor, "", kind, place / path)
    known = planned.keys() | {name for path in paths for name in view_names(path, state.shown)}
    for path in sorted(_files(state.folder) - known):
        yield Problem(vendor, "", EXTRA, place / path)


def _compare(file: Path, size: int, sha256: str) -> str:
    try:
        if file.is_symlink() or not file.is_file():
            return CHANGED if os.path.lexists(file) else MISSING
        return "" if file.stat().st_size == size and hash_file(file) == sha256 else CHANGED
    except OSError:
        return UNREADABLE


def _compare_view(file: Path, planned: ViewFile, *, content: bool) -> str:
    try:
        if not file.exists():
            return MISSING
        if not content:
            return ""
        if planned.source is None:
            return "" if file.read_bytes() == planned.content else CHANGED
        # The same file cannot differ, and hashing it twice is most of the work.
        if not planned.source.exists() or file.samefile(planned.source):
            return ""  # the package's own problem, told there
        return "" if hash_file(file) == hash_file(planned.source) else CHANGED
    except OSError:
        return UNREADABLE


def _files(folder: Path) -> set[str]:
    """The files and links below a folder, as paths relative to it."""
    found: set[str] = set()
    for parent, folders, files in os.walk(folder):
        base = Path(parent).relative_to(folder)
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        found.update(str(base / name) for name in (*files, *links))
    return found
