"""`load_priority` in `vendors/config.ini`: changed by parsing, every other line stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

KEY = "load_priority"

Place = Literal["first", "last", "keep"]
"""Where a vendor goes that shows a package: to the front, behind all others, or where it is (new ones to the front)."""


def put_first(text: str, vendor: str) -> str:
    """The text of a `config.ini` with `vendor` at the front of `load_priority`, once."""
    return _changed(text, lambda vendors: [vendor, *(other for other in vendors if other != vendor)])


def put_last(text: str, vendor: str, vendors: Sequence[str]) -> str:
    """The text of a `config.ini` with `vendor` at the end of `load_priority`.

    Args:
        text: the text before.
        vendor: who goes behind all others.
        vendors: everyone, in the order in which they are looked at; those that are not listed would come last.
    """
    return _changed(text, lambda listed: [*(v for v in dict.fromkeys((*listed, *vendors)) if v != vendor), vendor])


def keep(text: str, vendor: str) -> str:
    """The text of a `config.ini` with `vendor` where it is, at the front where it is not listed."""
    return _changed(text, lambda vendors: vendors if vendor in vendors else [vendor, *vendors])


def take_out(text: str, vendor: str) -> str:
    """The text of a `config.ini` without `vendor` in `load_priority`; the line goes when nothing is left in it."""
    return _changed(text, lambda vendors: [other for other in vendors if other != vendor])


def _changed(text: str, change: Callable[[list[str]], list[str]]) -> str:
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if _key(line) == KEY]
    vendors = [word.strip() for i in places for word in lines[i].partition("=")[2].split(",")]
    after = change(list(dict.fromkeys(word for word in vendors if word)))
    line = [f"{KEY}={','.join(after)}\n"] if after else []
    if not places:
        return "".join(line + lines)
    kept = [other for i, other in enumerate(lines) if i > places[0] and i not in places]
    return "".join(lines[: places[0]] + line + kept)


def _key(line: str) -> str:
    key, equals, _ = line.partition("=")
    return key.strip() if equals else ""
