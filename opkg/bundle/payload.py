"""The files of a bundle as a tar.gz that depends on nothing but their names, contents and execute bits.

Members come in the order of the manifest and are regular files only; a name over 100 bytes uses GNU's long-name member,
which GNU tar, bsdtar and busybox all read. The reader accepts exactly what the writer makes: each member must be the
manifest's next file, with its size and checksum, and nothing may follow.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from opkg.bundle.manifest import FileEntry
from opkg.bundle.shape import shown
from opkg.bundle.tree import CHUNK
from opkg.errors import BundleError

BLOCK = 512
RECORD = 20 * BLOCK
LEVEL = 6
MAX_RATIO = 200
FREE_BYTES = 64 << 20
"""So many unpacked bytes are accepted whatever the ratio."""
_LONG_NAME = b"L"
_LONG_LIMIT = 100


def write_payload(tree: Path, files: Sequence[FileEntry], out: BinaryIO) -> None:
    """Write the tar.gz of `files` below `tree` to `out`.

    Raises:
        BundleError: a file changed since it was hashed.
    """
    import gzip
    import tarfile

    mtime = int(os.environ.get("SOURCE_DATE_EPOCH") or 0)
    with (
        # Neither name nor time go into the stream, so that the same files give the same bytes.
        gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=out, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar,
    ):
        for entry in files:
            member = tarfile.TarInfo(entry.path)
            member.size, member.mtime, member.mode = entry.size, mtime, mode_of(entry)
            with (tree / entry.path).open("rb") as stream:
                # Hashed while it is packed: a file that changes after it was listed must not travel under the old
                # checksum.
                source = _Hashing(stream)
                tar.addfile(member, source)
                if source.digest.hexdigest() != entry.sha256 or stream.read(1):
                    raise BundleError(
                        f"{shown(entry.path)} changed while it was packed", "pack again when nothing writes there"
                    )


def check_ratio(files: Sequence[FileEntry], packed: int) -> None:
    """Refuse files that would unpack to far more than any real package does.

    Raises:
        BundleError: they would.
    """
    unpacked = sum(entry.size for entry in files)
    if unpacked > FREE_BYTES + MAX_RATIO * packed:
        raise BundleError(
            f"the package's {packed:,} packed bytes would become {unpacked:,}",
            f"more than {MAX_RATIO} times as many are not accepted",
        )


def mode_of(entry: FileEntry) -> int:
    """The permissions a file of a package has, everywhere."""
    return 0o755 if entry.executable else 0o644


def read_payload(
    stream: BinaryIO, size: int, sha256: str, files: Sequence[FileEntry]
) -> Iterator[tuple[FileEntry, Iterator[bytes]]]:
    """The files of a payload of `size` packed bytes, one by one, each as its chunks; what was not read is skipped.

    Checksums are compared when a file's last chunk has been taken and when the last file has been taken, so whoever
    iterates to the end without an exception has seen exactly what the manifest says. Memory does not grow with sizes.

    Raises:
        BundleError: anything differs from the manifest.
    """
    source = _Unpacked(stream, size)
    for entry in files:
        _read_header(source, entry)
        chunks = _chunks(source, entry)
        yield entry, chunks
        for _ in chunks:
            pass
    source.finish(sha256)


def _read_header(source: _Unpacked, entry: FileEntry) -> None:
    name = entry.path.encode()
    block = source.take(BLOCK)
    if len(name) > _LONG_LIMIT:
        size = _check_block(block, _LONG_NAME)
        padded = -(-size // BLOCK) * BLOCK
        if size != len(name) + 1 or source.take(padded) != name.ljust(padded, b"\0"):
            raise _differs(entry)
        block = source.take(BLOCK)
        name = name[:_LONG_LIMIT]
    if _check_block(block, b"0") != entry.size or block[:_LONG_LIMIT] != name.ljust(_LONG_LIMIT, b"\0"):
        raise _differs(entry)
    # A prefix (ustar) would be a second way to spell a name, which no reader here would have checked.
    if any(block[345:500]) or _octal(block[100:108]) != mode_of(entry):
        raise _differs(entry)


def _check_block(block: bytes, kind: bytes) -> int:
    """The size in a member's header, after its checksum and type were compared."""
    # The checksum counts its own field as blanks.
    total = sum(block) - sum(block[148:156]) + 8 * 0x20
    if _octal(block[148:156]) != total or block[156:157] != kind or block[257:262] != b"ustar":
        raise BundleError("the bundle holds something else than the files of its manifest", "do not use it")
    return _octal(block[124:136])


def _octal(data: bytes) -> int:
    if data[0] & 0x80:  # GNU's base-256 form, for files of 8 GiB and more
        return int.from_bytes(data[1:], "big")
    try:
        return int(data.rstrip(b"\0 ") or b"0", 8)
    except ValueError as error:
        raise BundleError("the bundle's file headers are damaged", "copy or download it again") from error


def _chunks(source: _Unpacked, entry: FileEntry) -> Iterator[bytes]:
    digest = hashlib.sha256()
    left = entry.size
    while left:
        chunk = source.take(min(left, CHUNK))
        digest.update(chunk)
        left -= len(chunk)
        yield chunk
    if any(source.take(-entry.size % BLOCK)):
        raise _differs(entry)
    if digest.hexdigest() != entry.sha256:
        raise BundleError(
            f"the checksum of {shown(entry.path)} does not match the manifest", "copy or download the bundle again"
        )


def _differs(entry: FileEntry) -> BundleError:
    return BundleError(
        f"the bundle's files do not match its manifest at {shown(entry.path)}",
        "the file is damaged or hostile; do not use it",
    )


class _Unpacked:
    """The unpacked bytes of a gzip stream of known length, taken in pieces of a size that the reader chooses."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size
        self._packed = hashlib.sha256()
        self._inflate = zlib.decompressobj(wbits=31)
        self._buffer = bytearray()

    def take(self, count: int) -> bytes:
        """Exactly `count` bytes."""
        while len(self._buffer) < count:
            if not self._more():
                raise BundleError("the bundle's files end too early", "copy or download it again")
        taken = bytes(memoryview(self._buffer)[:count])
        del self._buffer[:count]
        return taken

    def finish(self, sha256: str) -> None:
        """Check that only the archive's padding was left, and that the packed bytes have this checksum."""
        trailing = 0
        while self._buffer or self._more():
            trailing += len(self._buffer)
            # tar pads with zeros to a whole record; anything else may be more members, which other readers would
            # unpack.
            if self._buffer.count(0) != len(self._buffer) or trailing > RECORD + BLOCK:
                raise BundleError("the bundle holds more than the files of its manifest", "do not use it")
            self._buffer.clear()
        over = self._inflate.eof and not self._left and not self._inflate.unused_data
        if trailing < 2 * BLOCK or not over or self._packed.hexdigest() != sha256:
            raise BundleError(
                "the bundle's files are damaged: the checksum does not match", "copy or download it again"
            )

    def _more(self) -> bool:
        if self._inflate.eof:
            return False
        packed = self._inflate.unconsumed_tail
        if not packed:
            packed = self._stream.read(min(self._left, CHUNK))
            self._left -= len(packed)
            self._packed.update(packed)
            if not packed:
                return False
        try:
            # Never more than a chunk of output at once, however little input it takes: memory is not a bomb's to fill.
            self._buffer += self._inflate.decompress(packed, CHUNK)
        except zlib.error as error:
            raise BundleError(f"the bundle's files are damaged: {error}", "copy or download it again") from error
        return True


class _Hashing:
    """A file that hashes what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Bytes of the file below."""
        data = self._stream.read(size)
        self.digest.update(data)
        return data
