"""JSON whose every value knows the line it stands on, with repeated keys refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from opkg.errors import OpInfoError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|\n')

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class JsonText:
    """Parsed JSON and the line of each value by its path (`(0, "attr", 2, "name")`); a member's is its key's line."""

    value: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of the value at `path`, or of the nearest thing around it that exists."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse_json(text: str, file: str = "", first_line: int = 1, key: str = "") -> JsonText:
    """Parses `text`, whose first line is line `first_line` of `file`.

    Raises:
        OpInfoError: it is not JSON, or an object has one key twice.
    """
    walker = _Walker(text, file, first_line)
    try:
        value = json.loads(text)
        walker.value(())
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise OpInfoError(f"not JSON: {error.msg} (column {error.colno})", file=file, line=line, key=key) from None
    except RecursionError:
        raise OpInfoError("nested too deeply", file=file, line=first_line, key=key) from None
    except ValueError:  # Python refuses to read integers of thousands of digits
        raise OpInfoError("has a number that is too long", file=file, line=first_line, key=key) from None
    return JsonText(value, walker.lines)


class _Walker:
    """Walks the tokens of text that is known to be JSON and notes where each value begins."""

    def __init__(self, text: str, file: str, first_line: int) -> None:
        self.lines: dict[Path, int] = {}
        self._file = file
        self._tokens: list[tuple[str, int]] = []
        line = first_line
        for token in _TOKEN.findall(text):
            if token == "\n":
                line += 1
            else:
                self._tokens.append((token, line))
        self._next = 0

    def _take(self) -> tuple[str, int]:
        self._next += 1
        return self._tokens[self._next - 1]

    def value(self, path: Path) -> None:
        token, line = self._take()
        self.lines.setdefault(path, line)
        if token == "{":
            self._members(path)
        elif token == "[":
            self._elements(path)

    def _members(self, path: Path) -> None:
        while (taken := self._take())[0] != "}":
            if taken[0] == ",":
                continue
            key, line = json.loads(taken[0]), taken[1]
            if (*path, key) in self.lines:
                first = self.lines[(*path, key)]
                raise OpInfoError(f"repeated; it stands on line {first} already", file=self._file, line=line, key=key)
            self.lines[(*path, key)] = line
            self._take()
            self.value((*path, key))

    def _elements(self, path: Path) -> None:
        index = 0
        while self._tokens[self._next][0] != "]":
            if self._tokens[self._next][0] == ",":
                self._next += 1
                continue
            self.value((*path, index))
            index += 1
        self._next += 1
