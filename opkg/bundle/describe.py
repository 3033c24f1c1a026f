"""What a .run file or an installed vendor's folder is, as plain values: for `opkg inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opkg.bundle import makeself
from opkg.bundle.header import ANY_VERSION, HEADER_SIZE
from opkg.bundle.layout import read_manifest, read_vendor
from opkg.bundle.manifest import MANIFEST_NAME, Manifest
from opkg.bundle.reader import open_bundle
from opkg.errors import BundleError


def can_describe(path: Path) -> bool:
    """Whether `describe_bundle` knows what `path` is: a .run file, a package's folder or an installed vendor's."""
    if path.is_dir():
        return (path / MANIFEST_NAME).is_file() or bool(read_vendor(path).packages) or (path / "op_impl").is_dir()
    try:
        with path.open("rb") as stream:
            start = stream.read(HEADER_SIZE)
    except OSError:
        return False
    return start.startswith(ANY_VERSION) or makeself.is_makeself(start)


def describe_bundle(path: str | Path) -> dict[str, Any]:
    """What is in a .run file, a package's folder or an installed vendor's folder; nothing is executed.

    Returns:
        `kind` is `bundle` (with `manifest`, `digest`, `bytes`, `packed`, `unpacked`, `signed`), `makeself`
        (with `maker`, `variables`, `files`) or `vendor` (with `packages`, each with `path`, `digest`, `manifest`;
        `foreign` is true where another installer made it).

    Raises:
        BundleError: it is none of these, or damaged.
    """
    path = Path(path)
    if path.is_dir():
        return _describe_folder(path)
    try:
        with path.open("rb") as stream:
            start = stream.read(HEADER_SIZE)
    except OSError as error:
        raise BundleError(f"cannot read {path}: {error.strerror}") from error
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
            "signed": bundle.header.signature > 0,
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


def _describe_folder(path: Path) -> dict[str, Any]:
    vendor = read_vendor(path)
    packages = [(folder, *read_manifest(folder)) for folder in vendor.packages]
    if not packages and not (path / "op_impl").is_dir():
        raise BundleError(f"{path} is neither a package nor an installed vendor")
    return {
        "kind": "vendor",
        "path": str(path),
        "foreign": vendor.kind == "foreign",
        "packages": [_describe_package(*package) for package in packages],
    }


def _describe_package(folder: Path, manifest: Manifest, digest: str) -> dict[str, Any]:
    return {"path": str(folder), "digest": digest, "manifest": manifest.to_dict()}
