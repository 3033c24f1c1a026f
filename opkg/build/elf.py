"""What the build must know of an ELF file: the symbol versions it needs, and the bytes of a named section.

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
