"""Packages as one self-extracting file: the manifest, the writer, the reader and the stub."""

from opkg.bundle.manifest import MANIFEST_NAME, ColumnEntry, FileEntry, Manifest, OperatorEntry

__all__ = ["MANIFEST_NAME", "ColumnEntry", "FileEntry", "Manifest", "OperatorEntry"]
