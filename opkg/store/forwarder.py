"""A shared library that does nothing but bring in others: what a view has where several packages have one library name.

CANN's programs open `libcust_opapi.so` or `libcust_opmaster_rt2.0.so` of a vendor by name and take what is in it. When
two packages of a vendor each have one, the view keeps both under names of their own and puts this in their place: an
ELF file with a DT_NEEDED entry for each and `$ORIGIN` as its run path, so opening it runs the initialisers of both and
`dlsym` on it finds the symbols of both. No compiler is needed to make one.

Format: System V ABI, chapters 4 and 5 (ELF header, program header, dynamic section), 64-bit little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

_EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
_PHDR = struct.Struct("<IIQQQQQQ")
_DYN = struct.Struct("<qQ")
_SYMBOL_SIZE = 24
_PAGE = 0x10000  # the largest page of the processors in question
_PT_LOAD, _PT_DYNAMIC, _PT_GNU_STACK = 1, 2, 0x6474E551
_READ_WRITE = 6
_DT_NULL, _DT_NEEDED, _DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_STRSZ, _DT_SYMENT, _DT_SONAME, _DT_RUNPATH = (
    0, 1, 4, 5, 6, 10, 11, 14, 29,
)  # fmt: skip


def can_forward(library: bytes) -> bool:
    """Whether the first bytes of a file are those of a library that `make_forwarder` can stand in for."""
    return library[:6] == b"\x7fELF\x02\x01" and len(library) >= _EHDR.size


def make_forwarder(soname: str, needed: Sequence[str], like: bytes) -> bytes:
    """The bytes of a shared library that loads `needed` from its own folder.

    Args:
        soname: its own name.
        needed: file names of the libraries, in the order in which they are searched.
        like: the first bytes of one of them, whose processor and ABI are taken over.
    """
    strings = bytearray(b"\0")
    at = {text: _add(strings, text) for text in (*needed, soname, "$ORIGIN")}
    dynamic = _EHDR.size + 3 * _PHDR.size
    symbols = dynamic + _DYN.size * (len(needed) + 8)
    hashes = symbols + _SYMBOL_SIZE
    names = hashes + 16
    entries = [(_DT_NEEDED, at[name]) for name in needed] + [
        (_DT_SONAME, at[soname]),
        (_DT_RUNPATH, at["$ORIGIN"]),
        (_DT_HASH, hashes),
        (_DT_STRTAB, names),
        (_DT_SYMTAB, symbols),
        (_DT_STRSZ, len(strings)),
        (_DT_SYMENT, _SYMBOL_SIZE),
        (_DT_NULL, 0),
    ]
    tables = b"".join(_DYN.pack(*entry) for entry in entries)
    size = names + len(strings)
    return b"".join(
        (
            _EHDR.pack(like[:16], 3, struct.unpack_from("<H", like, 18)[0], 1, 0, _EHDR.size, 0,
                       struct.unpack_from("<I", like, 48)[0], _EHDR.size, _PHDR.size, 3, 0, 0, 0),
            _PHDR.pack(_PT_LOAD, _READ_WRITE, 0, 0, 0, size, size, _PAGE),
            _PHDR.pack(_PT_DYNAMIC, _READ_WRITE, dynamic, dynamic, dynamic, len(tables), len(tables), 8),
            _PHDR.pack(_PT_GNU_STACK, _READ_WRITE, 0, 0, 0, 0, 0, 16),
            tables,
            bytes(_SYMBOL_SIZE),  # the one symbol that every table begins with
            struct.pack("<4I", 1, 1, 0, 0),  # hash table: one bucket, one symbol, an empty chain
            strings,
        )
    )  # fmt: skip


def _add(strings: bytearray, text: str) -> int:
    place = len(strings)
    strings += text.encode() + b"\0"
    return place
