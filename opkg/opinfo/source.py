"""Where a value of a source text stands, so that every complaint can name file, line and key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from opkg.errors import OpInfoError


@dataclass(frozen=True)
class Field:
    """A value and its place: `file`, `line` (from 1) and the `key` it was given under."""

    value: Any
    key: str
    line: int
    file: str = ""

    def error(self, message: str, hint: str = "") -> OpInfoError:
        """The error that says `message` about this value."""
        return OpInfoError(message, hint, file=self.file, line=self.line, key=self.key)

    def at(self, key: str, value: Any = None) -> Field:
        """A field at the same place under another key."""
        return Field(value, key, self.line, self.file)


def decode(data: bytes, file: str = "") -> str:
    """The text of a file: UTF-8 with or without a byte-order mark.

    Raises:
        OpInfoError: the bytes are not UTF-8; names the line of the first one that is not.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OpInfoError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 text", "save the file as UTF-8", file=file, line=line
        ) from None


def nearest(word: str, known: Iterable[str]) -> str:
    """The name among `known` that `word` most likely means, or an empty string."""
    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest name, or an empty string."""
    found = nearest(word, known)
    return f"; did you mean '{found}'?" if found else ""
