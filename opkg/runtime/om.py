"""The offline model as a file: a container of named sections, mapped into memory and never read whole.

```
offset 0   header, 64 bytes, little-endian
             magic         8 bytes   89 'O' 'M' 0d 0a 1a 0a 00
             format        u32       1
             sections      u32       how many entries the table has
             file size     u64
             reserved      u64       0
             checksum     32 bytes   sha256 of the 32 bytes before it and of the table
offset 64  table, 128 bytes an entry
             name         64 bytes   UTF-8, padded with NUL
             offset        u64       from the start of the file, a multiple of 64
             size          u64
             reserved     16 bytes   0
             checksum     32 bytes   sha256 of the section
then       the sections, each at a multiple of 64, padded with zero bytes between
```

Readers skip sections whose name they do not know. The same sections give the same bytes.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from opkg.errors import ModelError, hint_of, short
from opkg.runtime.files import replace_file

FORMAT = 1
"""Version of this format; a reader refuses a higher one."""

MAGIC = b"\x89OM\r\n\x1a\n\0"
ALIGNMENT = 64

GRAPH, WEIGHTS, SIGNATURE, OPERATORS, OPTIONS, LABEL = "graph", "weights", "signature", "operators", "options", "label"
REQUIRED = (GRAPH, WEIGHTS, SIGNATURE, OPERATORS)

_HEADER = struct.Struct("<8sIIQQ")
_ENTRY = struct.Struct("<64sQQ16s32s")
_HEADER_SIZE = _HEADER.size + 32
_MAX_SECTIONS = 4096
_SMALL = 1 << 20

Bytes = bytes | bytearray | memoryview
Content = Bytes | Sequence[Bytes]
"""A section's content: one buffer, or several that are written one after the other."""


@dataclass(frozen=True)
class Section:
    """One entry of the section table; `sha256` is in hex."""

    name: str
    offset: int
    size: int
    sha256: str


def write_om(path: Path, sections: Mapping[str, Content]) -> Path:
    """Write an offline model in one step: a reader sees the old file or the new one.

    Args:
        path: where to.
        sections: content by name, written in this order.

    Returns:
        `path`.

    Raises:
        ModelError: a name that does not fit the table, or the file cannot be written.
    """
    chunks = {name: _chunks(content) for name, content in sections.items()}
    table = _layout(chunks)
    try:
        replace_file(path, _image(chunks, table))
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror}", hint_of(error)) from error
    return path


def _chunks(content: Content) -> tuple[memoryview, ...]:
    parts = (content,) if isinstance(content, bytes | bytearray | memoryview) else content
    return tuple(memoryview(part).cast("B") for part in parts)


def _layout(chunks: Mapping[str, Sequence[memoryview]]) -> tuple[Section, ...]:
    offset = _HEADER_SIZE + len(chunks) * _ENTRY.size
    table: list[Section] = []
    for name, parts in chunks.items():
        if not 0 < len(name.encode()) <= 64 or not name.isprintable():
            raise ModelError(f"a section of an offline model cannot be named {name!r}")
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
        offset = _aligned(offset)
        size = sum(map(len, parts))
        table.append(Section(name, offset, size, digest.hexdigest()))
        offset += size
    return tuple(table)


def _image(chunks: Mapping[str, Sequence[memoryview]], table: Sequence[Section]) -> Iterable[Bytes]:
    end = table[-1].offset + table[-1].size if table else _HEADER_SIZE
    entries = b"".join(
        _ENTRY.pack(s.name.encode(), s.offset, s.size, bytes(16), bytes.fromhex(s.sha256)) for s in table
    )
    head = _HEADER.pack(MAGIC, FORMAT, len(table), end, 0)
    yield head + hashlib.sha256(head + entries).digest() + entries
    position = _HEADER_SIZE + len(entries)
    for section in table:
        yield bytes(section.offset - position)
        yield from chunks[section.name]
        position = section.offset + section.size


def _aligned(offset: int) -> int:
    return (offset + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


class OmFile:
    """An open offline model. Sections are views into the mapped file; small ones are checked when they are asked for.

    Attributes:
        path: the file.
        sections: the table, by name.
        digest: sha256 over the header and the table, and so over every section's checksum: the model's identity.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < _HEADER_SIZE:
                    raise ModelError(f"{path} is not an offline model: it has {size} bytes")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror}", "check the path") from error
        self._view = memoryview(self._map)
        try:
            table = _read_table(path, self._view)
        except ModelError:
            self.close()
            raise
        self.sections: dict[str, Section] = {section.name: section for section in table}
        end = _HEADER_SIZE + len(table) * _ENTRY.size
        self.digest = hashlib.sha256(self._view[:end]).hexdigest()

    def __enter__(self) -> OmFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __contains__(self, name: str) -> bool:
        return name in self.sections

    def close(self) -> None:
        """Unmap the file, unless somebody still holds a view of a section."""
        self._view.release()
        try:
            self._map.close()
        except BufferError:
            return  # the last view's owner unmaps it

    def section(self, name: str, *, check: bool | None = None) -> memoryview:
        """A section's bytes.

        Args:
            name: which one.
            check: whether its checksum is computed; None: only if it is small (1 MiB), so that loading stays quick.

        Raises:
            ModelError: no such section, or its checksum is wrong.
        """
        entry = self.sections.get(name)
        if entry is None:
            raise ModelError(f"{self.path} has no section '{short(name)}'", "convert the model again")
        view = self._view[entry.offset : entry.offset + entry.size]
        if check or (check is None and entry.size <= _SMALL):
            self._check(entry, view)
        return view

    def _check(self, entry: Section, view: memoryview) -> None:
        if hashlib.sha256(view).hexdigest() != entry.sha256:
            raise ModelError(
                f"{self.path} is damaged: the checksum of its section '{short(entry.name)}' is wrong",
                "copy the file again, or convert the model again",
            )

    def damaged(self) -> list[str]:
        """The names of all sections whose checksum is wrong, large ones included."""
        found = []
        for name in self.sections:
            try:
                self.section(name, check=True).release()
            except ModelError:
                found.append(name)
        return found


def read_om(path: Path) -> OmFile:
    """Open an offline model; use it as a context manager or close it.

    Raises:
        ModelError: the file is missing, not an offline model, damaged, or of a newer format.
    """
    return OmFile(path)


def is_om(path: Path) -> bool:
    """Whether the file begins as an offline model does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _read_table(path: Path, view: memoryview) -> list[Section]:
    magic, version, count, size, _ = _HEADER.unpack_from(view)
    if magic != MAGIC:
        raise ModelError(f"{path} is not an offline model", "make one with 'opkg convert model.onnx -o model.om'")
    if version > FORMAT:
        raise ModelError(
            f"{path} has format {version} of offline models; this opkg reads up to {FORMAT}", "install a newer opkg"
        )
    end = _HEADER_SIZE + count * _ENTRY.size
    # A copy that stopped is told as what it is, before any checksum fails.
    if size != len(view):
        raise ModelError(f"{path} is damaged: it has {len(view)} bytes where its header says {size}", "copy it again")
    if count > _MAX_SECTIONS or end > size:
        raise ModelError(f"{path} is damaged: its header says that it has {count} sections")
    checksum = hashlib.sha256(view[: _HEADER.size])
    checksum.update(view[_HEADER_SIZE:end])
    if checksum.digest() != bytes(view[_HEADER.size : _HEADER_SIZE]):
        raise ModelError(f"{path} is damaged: the checksum of its section table is wrong", "copy it again")
    table = [_entry(path, view, _HEADER_SIZE + i * _ENTRY.size) for i in range(count)]
    _check_places(path, table, end, size)
    return table


def _entry(path: Path, view: memoryview, at: int) -> Section:
    name, offset, size, _, digest = _ENTRY.unpack_from(view, at)
    try:
        return Section(name.rstrip(b"\0").decode(), offset, size, digest.hex())
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is damaged: the name of a section is not UTF-8") from error


def _check_places(path: Path, table: Sequence[Section], start: int, end: int) -> None:
    names = {section.name for section in table}
    if len(names) < len(table) or "" in names or not all(map(str.isprintable, names)):
        raise ModelError(f"{path} is damaged: the name of a section is empty, repeated or unprintable")
    free = start
    for section in sorted(table, key=lambda s: (s.offset, s.size)):
        if section.offset % ALIGNMENT or section.offset + section.size > end:
            raise ModelError(
                f"{path} is damaged: section '{short(section.name)}' lies outside of the file or unaligned"
            )
        if section.offset < free:
            raise ModelError(f"{path} is damaged: section '{short(section.name)}' overlaps what stands before it")
        free = section.offset + section.size
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise ModelError(f"{path} is not a complete offline model: section '{missing[0]}' is missing")
