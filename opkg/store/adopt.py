"""Turning the folder of a vendor that another installer made into a package, with every file it has."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from opkg.bundle import MANIFEST_NAME, FileEntry, Manifest, OperatorEntry, hash_tree
from opkg.errors import BundleError, OpInfoError, StoreError
from opkg.opinfo import OpInfo, read_ops_info
from opkg.registry.layout import ops_info_files
from opkg.store.environment import ENVIRONMENT_FILE

ADOPTED_NAME = "adopted"
"""Name of the package that a stranger's folder becomes."""


def adopted_manifest(folder: Path) -> Manifest:
    """A manifest for what is in a vendor's folder: its own with the files as they are, or one made from its op infos.

    Raises:
        StoreError: the folder holds something that no package can hold.
    """
    try:
        files = hash_tree(folder)
    except (BundleError, OSError) as error:
        raise StoreError(f"{folder} cannot be taken over: {error}", getattr(error, "hint", "")) from error
    kept = tuple(entry for entry in files if entry.path != ENVIRONMENT_FILE)
    own = own_manifest(folder)
    if own is not None:
        return replace(own, files=kept)
    content = _content_digest(kept)
    return Manifest(
        name=ADOPTED_NAME,
        vendor=folder.name,
        version=f"0.0.0+{content[:12]}",
        operators=tuple(OperatorEntry(op) for op in _operators(folder)),
        target="ascend",
        soc=tuple(sorted({file.parent.name for file in ops_info_files(folder)})),
        files=kept,
    )


def own_manifest(folder: Path) -> Manifest | None:
    """The manifest in a vendor's folder, None where it has none that can be read."""
    try:
        return Manifest.from_json((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, BundleError):
        return None


def is_untouched(folder: Path) -> bool:
    """Whether a folder holds exactly what its own manifest says, so that taking it over loses nothing."""
    own = own_manifest(folder)
    if own is None:
        return False
    try:
        return {e for e in hash_tree(folder) if e.path != ENVIRONMENT_FILE} == set(own.files)
    except (BundleError, OSError):
        return False


def _content_digest(files: tuple[FileEntry, ...]) -> str:
    return hashlib.sha256("".join(f"{e.path}\0{e.sha256}\n" for e in files).encode()).hexdigest()


def _operators(folder: Path) -> list[OpInfo]:
    """The operators of a folder by its ops-info files, each once; only the name of one that cannot be understood."""
    found: dict[str, OpInfo] = {}
    for file in ops_info_files(folder):
        try:
            data = json.loads(file.read_bytes())
        except ValueError:
            continue
        for op_type, sections in data.items() if isinstance(data, dict) else ():
            found.setdefault(op_type, _operator(op_type, sections, str(file)))
    return list(found.values())


def _operator(op_type: str, sections: Any, file: str) -> OpInfo:
    try:
        return read_ops_info(op_type, sections, file)
    except OpInfoError:
        return OpInfo(op_type, (), ())
