"""What a .run file is, as plain values: for `opkg inspect`. Nothing is executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opkg.bundle import makeself
from opkg.bundle.header import ANY_VERSION, HEADER_SIZE
from opkg.bundle.reader import open_bundle, unreadable


def is_run_file(path: Path) -> bool:
    """Whether `path` is a bundle of opkg or a makeself archive, by its first bytes."""
    try:
        with path.open("rb") as stream:
            start = stream.read(HEADER_SIZE)
    except OSError:
        return False
    return start.startswith(ANY_VERSION) or makeself.is_makeself(start)


def describe_bundle(path: str | Path) -> dict[str, Any]:
    """What is in a .run file.

    Returns:
        `kind` is `bundle` (with `manifest`, `digest`, `bytes`, `packed`, `unpacked`, `signed`, `key`) or `makeself`
        (with `maker`, `variables`, `files`).

    Raises:
        BundleError: it is neither, or damaged.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            start = stream.read(HEADER_SIZE)
    except OSError as error:
        raise unreadable(path, error) from error
    return _describe_makeself(path, start) if makeself.is_makeself(start) else _describe_bundle(path)


def _describe_bundle(path: Path) -> dict[str, Any]:
    with open_bundle(path) as bundle:
        return {
            "kind": "bundle",
            "path": str(path),
            "digest": bundle.digest,
            "bytes": bundle.header.total,
            "packed": bundle.header.payload,
            "unpacked": sum(entry.size for entry in bundle.manifest.files),
            "signed": bundle.signature is not None,
            "key": bundle.signature.key.id if bundle.signature else "",
            "manifest": bundle.manifest.to_dict(),
        }


def _describe_makeself(path: Path, start: bytes) -> dict[str, Any]:
    return {
        "kind": "makeself",
        "path": str(path),
        "maker": makeself.maker(start),
        "variables": makeself.read_variables(path),
        "files": makeself.list_files(path),
    }
