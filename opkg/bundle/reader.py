"""Reading a bundle as data: nothing in it is ever executed."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from opkg.bundle import makeself
from opkg.bundle.header import HEADER_SIZE, Header, seal_of
from opkg.bundle.manifest import FORMAT, MANIFEST_NAME, FileEntry, Manifest
from opkg.bundle.names import check_fields, check_files, check_identity
from opkg.bundle.payload import check_ratio, mode_of, read_payload
from opkg.bundle.shape import check_shape, parse_json
from opkg.bundle.signature import Signature
from opkg.errors import BundleError, hint_of

MAX_FILES = 65_535
"""The most files a package may have."""


class Bundle:
    """An open bundle whose script and manifest have been checked; the files are checked while they are read.

    Attributes:
        path: the file.
        header: sizes and checksums of its parts.
        manifest: what the package is.
        manifest_bytes: the manifest as it lies in the file.
        digest: sha256 of the manifest, which pins every file of the package.
        signature: as it lies at the end of the file, not yet compared with anything; None where there is none.
    """

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self._stream = stream
        self.header = _read_header(path, stream)
        self.manifest_bytes = stream.read(self.header.manifest)
        self.digest = hashlib.sha256(self.manifest_bytes).hexdigest()
        # Before it is parsed: the parser gets nothing that the sealed header does not vouch for.
        if self.digest != self.header.manifest_sha256:
            raise BundleError(f"{path} is damaged: the manifest's checksum does not match", "copy or download it again")
        self.manifest = parse_manifest(self.manifest_bytes)
        # Both numbers are sealed or hashed by now, so a bomb is refused without unpacking a byte.
        check_ratio(self.manifest.files, self.header.payload)
        self.signature = self._read_signature()

    def __enter__(self) -> Bundle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def list(self) -> tuple[FileEntry, ...]:
        """The files, as the manifest gives them."""
        return self.manifest.files

    def entries(self) -> Iterator[tuple[FileEntry, Iterator[bytes]]]:
        """Each file with its bytes in chunks; see `opkg.bundle.payload.read_payload`."""
        self._stream.seek(self.header.stub + self.header.manifest)
        yield from read_payload(self._stream, self.header.payload, self.header.payload_sha256, self.manifest.files)

    def verify(self) -> None:
        """Read everything and compare every size and checksum.

        Raises:
            BundleError: something differs; says what.
        """
        for _ in self.entries():
            pass

    def extract(self, dest: Path) -> None:
        """Write the files and the manifest below `dest`, which must be empty or not exist.

        Raises:
            BundleError: `dest` has something in it, or the bundle is damaged (what was written so far stays).
        """
        dest.mkdir(parents=True, exist_ok=True)
        if any(dest.iterdir()):
            raise BundleError(f"{dest} is not empty", "name a new folder")
        for entry, chunks in self.entries():
            target = dest / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            # `x`: on a file system that takes two names for one, the second must not replace the first.
            with target.open("xb") as out:
                out.writelines(chunks)
            target.chmod(mode_of(entry))
        (dest / MANIFEST_NAME).write_bytes(self.manifest_bytes)

    def _read_signature(self) -> Signature | None:
        if not self.header.signature:
            return None
        self._stream.seek(self.header.total - self.header.signature)
        return Signature.decode(self._stream.read(self.header.signature))


def unreadable(path: Path, error: OSError) -> BundleError:
    """The error of a bundle that cannot be opened: mostly a folder, or what has not been packed yet."""
    if path.is_dir():
        return BundleError(f"{path} is a folder, not a bundle", "'opkg build --pkg' packs a project as one .run file")
    missing = error.errno == errno.ENOENT
    hint = "check the path; 'opkg build --pkg' packs a project" if missing else hint_of(error)
    return BundleError(f"cannot read {path}: {error.strerror}", hint)


def open_bundle(path: str | Path) -> Bundle:
    """Open a bundle and check its script and manifest.

    Raises:
        BundleError: it cannot be read, is damaged or hostile, or was made by another tool.
    """
    path = Path(path)
    try:
        stream = path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return Bundle(path, stream)
    except BaseException:
        stream.close()
        raise


def parse_manifest(data: bytes) -> Manifest:
    """The manifest, after its names, paths and sizes have been checked.

    Raises:
        BundleError: it is malformed or asks for something that no package may have.
    """
    raw = parse_json(data)
    files = raw.get("files") if isinstance(raw, dict) else None
    # Counted before each is looked at, which would take its time for millions.
    if isinstance(files, list) and len(files) > MAX_FILES:
        raise BundleError(f"the package has {len(files)} files; {MAX_FILES} are allowed", "split it")
    newer = isinstance(raw, dict) and isinstance(raw.get("format"), int) and raw["format"] > FORMAT
    if not newer:  # a newer one says so by itself, whatever its shape
        check_shape(raw)
    manifest = Manifest.from_dict(raw)
    check_identity(manifest)
    check_files(manifest)
    check_fields(manifest)
    return manifest


def _read_header(path: Path, stream: BinaryIO) -> Header:
    start = stream.read(HEADER_SIZE)
    # Told apart first: the header of another tool's file would only be called damaged.
    if makeself.is_makeself(start):
        raise BundleError(
            f"{path} was made by another tool ({makeself.maker(start)})",
            f"'opkg inspect {path.name}' shows what it says; run the file itself to install it",
        )
    try:
        header = Header.decode(start)
    except BundleError as error:
        raise BundleError(f"{path}: {error.message}", error.hint) from error
    size = os.fstat(stream.fileno()).st_size
    # A download that stopped is the usual damage, and is told as what it is before any checksum fails.
    if size != header.total:
        raise BundleError(f"{path} has {size} bytes instead of {header.total}", "copy or download it again")
    if seal_of(start + stream.read(header.stub - HEADER_SIZE)) != header.seal:
        raise BundleError(f"{path} is damaged: the script at its start was changed", "copy or download it again")
    return header
