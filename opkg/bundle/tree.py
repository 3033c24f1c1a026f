"""A folder on disk as the list of files that a bundle carries."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from opkg.bundle.manifest import MANIFEST_NAME, FileEntry
from opkg.bundle.names import check_paths
from opkg.errors import BundleError

CHUNK = 1 << 18


def hash_tree(tree: Path) -> tuple[FileEntry, ...]:
    """The files below `tree`, sorted by path, with sizes and checksums; the manifest at its top is left out.

    A symbolic link that stays inside the tree counts as a copy of what it leads to.

    Raises:
        BundleError: a link that leaves the tree or leads nowhere, a device or socket, a name that may not travel.
    """
    found = sorted(_walk(tree, tree.resolve(), "", ()), key=lambda item: item[0].encode(errors="surrogateescape"))
    check_paths(path for path, _ in found)
    return tuple(_entry(path, file) for path, file in found)


def hash_file(file: Path) -> str:
    """The sha256 of a file's bytes, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _entry(path: str, file: Path) -> FileEntry:
    status = file.stat()
    return FileEntry(path, status.st_size, hash_file(file), bool(status.st_mode & stat.S_IXUSR))


def _walk(folder: Path, root: Path, prefix: str, above: tuple[Path, ...]) -> Iterator[tuple[str, Path]]:
    real = folder.resolve()
    if real in above:
        raise BundleError(f"the link {prefix.rstrip('/')!r} leads into itself", "remove it")
    with os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.is_symlink():
                _check_link(path, Path(entry.path), root)
            if entry.is_dir():
                yield from _walk(Path(entry.path), root, path + "/", (*above, real))
            elif not entry.is_file():
                raise BundleError(f"{path!r} is neither a file nor a folder", "only files and folders can be packed")
            elif path != MANIFEST_NAME:
                yield path, Path(entry.path)


def _check_link(path: str, link: Path, root: Path) -> None:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise BundleError(f"the link {path!r} leads nowhere", "remove it, or put the file there") from error
    if not target.is_relative_to(root):
        raise BundleError(f"the link {path!r} leads out of the package to {target}", "copy the file into the package")
