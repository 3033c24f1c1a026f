"""Packages as one self-extracting file: the manifest, the writer, the reader and the stub."""

from opkg.bundle.describe import describe_bundle, is_run_file
from opkg.bundle.manifest import MANIFEST_NAME, ColumnEntry, FileEntry, Manifest, OperatorEntry
from opkg.bundle.reader import Bundle, open_bundle
from opkg.bundle.tree import hash_tree
from opkg.bundle.writer import write_bundle

__all__ = [
    "MANIFEST_NAME",
    "Bundle",
    "ColumnEntry",
    "FileEntry",
    "Manifest",
    "OperatorEntry",
    "describe_bundle",
    "hash_tree",
    "is_run_file",
    "open_bundle",
    "write_bundle",
]
