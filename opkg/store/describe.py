"""What a .run file, a package's folder or an installed vendor is, as plain values: for `opkg inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opkg.bundle import MANIFEST_NAME, describe_bundle, is_run_file
from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store.state import read_manifest

_OPERATORS_FOLDER = "op_impl"


def can_describe(path: Path) -> bool:
    """Whether `describe` knows what `path` is, by a first look."""
    if not path.is_dir():
        return is_run_file(path)
    return any((path / name).exists() for name in (layout.GENERATION_NAME, MANIFEST_NAME, _OPERATORS_FOLDER))


def describe(path: str | Path) -> dict[str, Any]:
    """What is in a .run file (see `opkg.bundle.describe_bundle`) or in the folder of a package or vendor.

    Returns:
        For a folder `kind` is `vendor`, `packages` has a `path`, `digest` and `manifest` for each package, and
        `foreign` is true where another installer made it.

    Raises:
        BundleError: a file that is neither, or damaged.
        StoreError: a folder that is neither, or whose records are damaged.
    """
    path = Path(path)
    return _describe_folder(path) if path.is_dir() else describe_bundle(path)


def _describe_folder(path: Path) -> dict[str, Any]:
    if not can_describe(path):
        raise StoreError(f"{path} is neither a package nor an installed vendor")
    try:
        folders = layout.active_packages(path)
    except ValueError as error:
        raise StoreError(f"the list of packages in {path} cannot be read: {error}", "install them again") from error
    if folders is None:
        folders = (path,) if (path / MANIFEST_NAME).is_file() else ()
    return {
        "kind": "vendor",
        "path": str(path),
        "foreign": not folders,
        "packages": [_describe_package(folder) for folder in folders],
    }


def _describe_package(folder: Path) -> dict[str, Any]:
    manifest, digest = read_manifest(folder)
    return {"path": str(folder), "digest": digest, "manifest": manifest.to_dict()}
