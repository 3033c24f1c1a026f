"""Packages as one self-extracting file: the manifest, the writer, the reader and the stub."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.bundle.describe import describe_bundle, is_run_file
    from opkg.bundle.manifest import MANIFEST_NAME, ColumnEntry, FileEntry, Manifest, OperatorEntry
    from opkg.bundle.reader import Bundle, open_bundle
    from opkg.bundle.signature import check_signature, sign_bundle
    from opkg.bundle.tree import hash_tree
    from opkg.bundle.writer import write_bundle

__all__ = [
    "MANIFEST_NAME",
    "Bundle",
    "ColumnEntry",
    "FileEntry",
    "Manifest",
    "OperatorEntry",
    "check_signature",
    "describe_bundle",
    "hash_tree",
    "is_run_file",
    "open_bundle",
    "sign_bundle",
    "write_bundle",
]

_LAZY = {
    "Bundle": "reader",
    "ColumnEntry": "manifest",
    "FileEntry": "manifest",
    "MANIFEST_NAME": "manifest",
    "Manifest": "manifest",
    "OperatorEntry": "manifest",
    "check_signature": "signature",
    "describe_bundle": "describe",
    "hash_tree": "tree",
    "is_run_file": "describe",
    "open_bundle": "reader",
    "sign_bundle": "signature",
    "write_bundle": "writer",
}


def __getattr__(name: str) -> object:
    """Load the part that has `name` on first use: most commands need few of them."""
    if name not in _LAZY:
        raise AttributeError(f"module 'opkg.bundle' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"opkg.bundle.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
