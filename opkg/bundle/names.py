"""Which names may travel in a bundle: names of packages, and paths below a package's directory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from opkg.bundle.manifest import MANIFEST_NAME, Manifest
from opkg.bundle.shape import has_control, shown
from opkg.errors import BundleError

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,63}\Z")
"""What a vendor, a package or a key may be called: the name of a folder, and an entry of `load_priority`."""

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!\-]{0,63}\Z")
SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_OPERATOR = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


def check_identity(manifest: Manifest) -> None:
    """Refuse vendor, name or version that could not be a folder's name or an entry of `load_priority`.

    Raises:
        BundleError: one of them is malformed.
    """
    for what, text, pattern in (
        ("vendor", manifest.vendor, NAME),
        ("name", manifest.name, NAME),
        ("version", manifest.version, VERSION),
    ):
        if not isinstance(text, str) or not pattern.match(text):
            raise BundleError(
                f"the {what} of a package may not be {shown(text)}",
                "letters, digits, '_', '-' and '.' are allowed, at most 64, and no leading '.' or '-'",
            )


def check_fields(manifest: Manifest) -> None:
    """Refuse fields of the wrong kind, and libraries that the package names but does not carry.

    Raises:
        BundleError: says which.
    """
    m = manifest
    texts = {
        "domain": (m.domain,), "target": (m.target,), "soc": m.soc, "os": (m.os,), "arch": (m.arch,), "isa": (m.isa,),
        "glibc": (m.glibc,), "glibcxx": (m.glibcxx,), "requires": m.requires, "host_library": (m.host_library,),
    }  # fmt: skip
    for name, values in texts.items():
        if not all(isinstance(value, str) for value in values):
            raise BundleError(f"the manifest's {name} is not text")
    for entry in m.operators:
        if not isinstance(entry.op_info.op, str) or not _OPERATOR.match(entry.op_info.op):
            raise BundleError(f"an operator may not be named {shown(entry.op_info.op)}", "it must be a C++ identifier")
    carried = {entry.path for entry in m.files}
    named = [m.host_library] if m.host_library else []
    named += [column.library for entry in m.operators for column in entry.columns]
    for library in named:
        if not isinstance(library, str) or library not in carried:
            raise BundleError(f"the manifest names the library {shown(library)}, which the package does not carry")


def check_path(path: str) -> None:
    """Refuse a path that does not name one file below a package's directory.

    Raises:
        BundleError: absolute, empty, `.` or `..` components, a backslash, control characters, not UTF-8, or too long.
    """
    reason = _path_fault(path)
    if reason:
        raise BundleError(f"the file name {shown(path)} {reason}", "the file is damaged or hostile; do not use it")


def check_files(manifest: Manifest) -> None:
    """Refuse a file list that no file system could hold faithfully.

    Raises:
        BundleError: a bad path, one path twice, two that differ only in case, a file where a folder must be, an
            impossible size or a malformed checksum.
    """
    check_paths(entry.path for entry in manifest.files)
    for entry in manifest.files:
        if entry.size < 0 or not SHA256.match(entry.sha256):
            raise BundleError(f"the manifest's entry for {shown(entry.path)} has an impossible size or checksum")


def check_paths(paths: Iterable[str]) -> None:
    """Refuse paths that are bad by themselves (`check_path`) or get into each other's way."""
    files: set[str] = set()
    folders: set[str] = set()
    spelled: dict[str, str] = {}
    for path in paths:
        check_path(path)
        if path in files:
            raise BundleError(f"the file name {shown(path)} comes twice")
        files.add(path)
        for part in _with_parents(path):
            # Folders too: `A/x` and `a/y` fall together where a file system folds case.
            before = spelled.setdefault(_folded(part), part)
            if before != part:
                raise BundleError(f"the file names {shown(before)} and {shown(part)} differ only in case")
            if part in folders:  # and so are those above it
                break
            if part != path:
                folders.add(part)
    both = next((path for path in files if path in folders), None)
    if both is not None:
        raise BundleError(f"{shown(both)} is a file and a folder at once")


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _path_fault(path: str) -> str:
    if not isinstance(path, str) or not path:
        return "is empty"
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not UTF-8"
    parts = path.split("/")
    if path.startswith("/"):
        return "is absolute"
    if any(part in ("", ".", "..") for part in parts):
        return "leads out of the package's folder or is not in its simplest form"
    if "\\" in path or has_control(path):
        return "has a backslash or a control character"
    if len(encoded) > MAX_PATH_BYTES or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        return "is too long"
    # At the top of a package stand opkg's own records.
    if path == MANIFEST_NAME or path.startswith(".opkg"):
        return "is reserved"
    return ""
