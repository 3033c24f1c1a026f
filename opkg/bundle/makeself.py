"""Other people's self-extracting files made by makeself (as CANN's own packages are): read, never executed."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from opkg.errors import BundleError

if TYPE_CHECKING:
    from tarfile import TarInfo

_MARK = re.compile(rb"generated using Makeself ([\w.\-]+)")
_VARIABLE = re.compile(r"""^(\w+)=(?:"([^"`$]*)"|'([^']*)'|([^\s"'`$;]*))$""")
_WANTED = frozenset(
    "CRCsum MD5 SHA label script scriptargs cleanup_script helpheader targetdir filesizes totalsize keep nooverwrite "
    "quiet accept skip".split()
)
_HEADER_LIMIT = 1 << 20
_MEMBER_LIMIT = 65_535
_READ_LIMIT = 1 << 20


def is_makeself(start: bytes) -> bool:
    """Whether the first bytes of a file are those of a makeself archive."""
    return start.startswith(b"#!") and _MARK.search(start) is not None


def maker(start: bytes) -> str:
    """The tool and its version, as the file says."""
    match = _MARK.search(start)
    return f"makeself {match[1].decode()}" if match else "an unknown tool"


def read_variables(path: Path) -> dict[str, str]:
    """What the script at the start of the file says about it: label, checksums, sizes, the script it would run."""
    with path.open("rb") as stream:
        text = stream.read(_HEADER_LIMIT).decode("utf-8", errors="replace")
    found: dict[str, str] = {}
    for line in text.split("\n")[:400]:
        match = _VARIABLE.match(line)
        if match and match[1] in _WANTED:
            found.setdefault(match[1], next(group for group in (*match.groups()[1:], "") if group is not None))
    return found


def list_files(path: Path) -> list[str]:
    """The names in a gzip-packed makeself archive, in order; links as `name -> target`.

    Raises:
        BundleError: packed with something else than gzip, damaged, or too large to list.
    """
    import tarfile

    skip = read_variables(path).get("skip", "")
    with path.open("rb") as stream:
        lines = int(skip) if skip.isdigit() else 0
        for _ in range(lines):
            if not stream.readline(_HEADER_LIMIT).endswith(b"\n"):
                raise BundleError(f"{path} ends inside of its script", "copy or download it again")
        try:
            with tarfile.open(fileobj=_Gunzip(stream), mode="r:") as tar:  # type: ignore[call-overload]
                return [_shown(member) for member, _ in zip(tar, range(_MEMBER_LIMIT), strict=False)]
        except (tarfile.TarError, zlib.error, ValueError) as error:
            raise BundleError(f"the files in {path} cannot be listed: {error}", "only gzip archives can be") from error


def _shown(member: TarInfo) -> str:
    return f"{member.name} -> {member.linkname}" if member.linkname else member.name


class _Gunzip:
    """A forward-only view of a gzip stream; refuses to hand out a large piece, which only a hostile header asks for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._inflate = zlib.decompressobj(wbits=31)
        self._buffer = bytearray()
        self._position = 0

    def tell(self) -> int:
        """Bytes handed out so far."""
        return self._position

    def seek(self, position: int) -> None:
        """Skip forward."""
        while self._position < position and self.read(min(position - self._position, _READ_LIMIT)):
            pass

    def read(self, count: int) -> bytes:
        """Up to `count` bytes, fewer only at the end."""
        if count > _READ_LIMIT:
            raise ValueError("a header of the archive is too large")
        while len(self._buffer) < count and not self._inflate.eof:
            packed = self._inflate.unconsumed_tail or self._stream.read(1 << 16)
            if not packed:
                break
            self._buffer += self._inflate.decompress(packed, 1 << 18)
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        self._position += len(taken)
        return taken
