"""What opkg must know of an ELF file: what it needs of which versions, what it offers, and a named section's bytes.

Layout after the System V ABI and the symbol versioning chapter of the Linux Standard Base (Elf64_Verneed).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opkg.errors import BuildError

_SHT_GNU_VERNEED = 0x6FFFFFFE
_SHT_NOBITS = 8
_SHT_DYNAMIC = 6
_SHT_DYNSYM = 11
_DT_NULL = 0
_DT_NEEDED = 1
_EXPORTED_BINDINGS = (1, 2, 10)  # global, weak, unique


@dataclass(frozen=True)
class Section:
    """One section: its name, its type, where its bytes are, and the index of the section it refers to."""

    name: str
    type: int
    offset: int
    size: int
    link: int


class Elf:
    """A 64-bit little-endian ELF file, read whole.

    Raises:
        BuildError: the file is something else, or is cut short.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = path.read_bytes()
        if self._data[:6] != b"\x7fELF\x02\x01":
            raise BuildError(f"{path} is not a 64-bit little-endian ELF file")
        try:
            self.sections = tuple(self._read_sections())
        except (struct.error, IndexError, ValueError) as error:
            raise BuildError(f"{path} is damaged: its section headers cannot be read") from error

    def section(self, name: str) -> bytes | None:
        """The bytes of the section of that name, or None if there is none."""
        found = next((s for s in self.sections if s.name == name and s.type != _SHT_NOBITS), None)
        return None if found is None else self._data[found.offset : found.offset + found.size]

    def needed_versions(self) -> frozenset[str]:
        """Every symbol version that the file needs from other libraries: `GLIBC_2.34`, `GLIBCXX_3.4.30`, ..."""
        try:
            return frozenset(v for s in self.sections if s.type == _SHT_GNU_VERNEED for v in self._verneed(s))
        except (struct.error, IndexError, ValueError) as error:
            raise BuildError(f"{self.path} is damaged: its symbol versions cannot be read") from error

    def needed(self) -> tuple[str, ...]:
        """The libraries that the file asks the loader for (DT_NEEDED), in order."""
        try:
            return tuple(name for s in self.sections if s.type == _SHT_DYNAMIC for name in self._dt_needed(s))
        except (struct.error, IndexError, ValueError) as error:
            raise BuildError(f"{self.path} is damaged: its dynamic section cannot be read") from error

    def exported(self) -> frozenset[str]:
        """The names of the functions and data that the file offers to others."""
        try:
            return frozenset(name for s in self.sections if s.type == _SHT_DYNSYM for name in self._symbols(s))
        except (struct.error, IndexError, ValueError) as error:
            raise BuildError(f"{self.path} is damaged: its symbols cannot be read") from error

    def _dt_needed(self, section: Section) -> Iterator[str]:
        strings = self.sections[section.link].offset
        for at in range(section.offset, section.offset + section.size, 16):
            tag, value = struct.unpack_from("<QQ", self._data, at)
            if tag == _DT_NULL:
                return
            if tag == _DT_NEEDED:
                yield self._text(strings, value)

    def _symbols(self, section: Section) -> Iterator[str]:
        strings = self.sections[section.link].offset
        for at in range(section.offset, section.offset + section.size, 24):
            name, info, _, home, _, _ = struct.unpack_from("<IBBHQQ", self._data, at)
            if home and info >> 4 in _EXPORTED_BINDINGS:
                yield self._text(strings, name)

    def _read_sections(self) -> Iterator[Section]:
        (table,) = struct.unpack_from("<Q", self._data, 40)
        entry, count, names = struct.unpack_from("<HHH", self._data, 58)
        headers = [struct.unpack_from("<IIQQQQII", self._data, table + i * entry) for i in range(count)]
        for name, kind, _, _, offset, size, link, _ in headers:
            yield Section(self._text(headers[names][4], name), kind, offset, size, link)

    def _verneed(self, section: Section) -> Iterator[str]:
        strings = self.sections[section.link].offset
        at = section.offset
        while True:
            _, count, _, first, following = struct.unpack_from("<HHIII", self._data, at)
            aux = at + first
            for _ in range(count):
                _, _, _, name, step = struct.unpack_from("<IHHII", self._data, aux)
                yield self._text(strings, name)
                aux += step
            if not following:
                return
            at += following

    def _text(self, strings: int, index: int) -> str:
        start = strings + index
        return self._data[start : self._data.index(b"\0", start)].decode("utf-8", "replace")


def highest(versions: frozenset[str], family: str) -> str:
    """The highest version of a family among `versions` (`GLIBC` -> `2.34`); empty if there is none."""
    prefix = family + "_"
    found = [
        v.removeprefix(prefix) for v in versions if v.startswith(prefix) and v[len(prefix) : len(prefix) + 1].isdigit()
    ]
    return max(found, key=lambda v: tuple(int(part) for part in v.split(".")), default="")
