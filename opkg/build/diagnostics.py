"""Errors of compilers and linkers: found in their output, laid to the user's own lines, sorted, each shown once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

_MESSAGE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>fatal error|error): (?P<text>.*)$"
)
_CALLER = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?\s+(?:recursively )?required (?:from|by)"
)
_CHAIN = re.compile(r"[^\s:][^:]*: In \w+")
_INSTANCE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): note: in instantiation of .* requested here"
)
_UNDEFINED = re.compile(
    r"(?:(?P<file>[^\s:]+\.\w+):)?(?:\(\.\w[^)]*\): |.*?)undefined (?:reference to|symbol:) [`']?(?P<name>[^'`]+)'?"
)
_LINKER = re.compile(r"(?:collect2|\S*ld(?:\.\w+)?|\S*clang\S*): (?:fatal )?(?:error: )?(?P<text>.*)$")


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One error.

    Attributes:
        foreign: whether it is not in the user's own files; those come last.
        file: where it is, as it is shown; empty for a linker's.
        line: line number from 1, 0 where there is none.
        column: column from 1, 0 where there is none.
        text: the message.
        where: the place in opkg's headers that the user's line led to; empty where there is none.
    """

    foreign: bool
    file: str
    line: int
    column: int
    text: str
    where: str = ""

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])
        start = f"{place}: " if self.file else ""
        return f"{start}error: {self.text}" + (f"  [in {self.where}]" if self.where else "")


def diagnostics(text: str, show: Callable[[str], str], own: Callable[[str], bool]) -> tuple[Diagnostic, ...]:
    """The errors in a command's output, sorted and without repetitions.

    Args:
        text: the output.
        show: turns a path into what is shown of it.
        own: tells whether a path is one of the user's files.
    """
    # A linker's complaint after a compiler's error only repeats that something is missing.
    found = list(_compiler(text.splitlines(), show, own)) or list(_linker(text.splitlines(), show))
    return tuple(sorted(set(found)))


def _compiler(lines: list[str], show: Callable[[str], str], own: Callable[[str], bool]) -> Iterator[Diagnostic]:
    caller: re.Match[str] | None = None
    for index, line in enumerate(lines):
        if _CHAIN.match(line):
            caller = None  # what came before led to a warning
        if (required := _CALLER.match(line)) and own(required["file"]):
            caller = caller or required  # g++ begins with the innermost line
            continue
        match = _MESSAGE.match(line)
        if match is None:
            continue
        found = _diagnostic(match, show, own)
        blamed = caller or _requested_after(lines[index + 1 :], own)
        if found.foreign and blamed is not None:
            found = _blame(found, blamed, show)
        caller = None
        yield found


def _diagnostic(match: re.Match[str], show: Callable[[str], str], own: Callable[[str], bool]) -> Diagnostic:
    return Diagnostic(
        not own(match["file"]),
        show(match["file"]),
        int(match["line"]),
        int(match["column"] or 0),
        match["text"].strip(),
    )


def _requested_after(lines: Iterable[str], own: Callable[[str], bool]) -> re.Match[str] | None:
    """clang says after the error which line asked for the template."""
    for line in lines:
        if _MESSAGE.match(line):
            return None
        if (found := _INSTANCE.match(line)) and own(found["file"]):
            return found
    return None


def _blame(found: Diagnostic, line: re.Match[str], show: Callable[[str], str]) -> Diagnostic:
    return replace(
        found,
        foreign=False,
        file=show(line["file"]),
        line=int(line["line"]),
        column=int(line["column"] or 0),
        where=f"{found.file}:{found.line}",
    )


def _linker(lines: list[str], show: Callable[[str], str]) -> Iterator[Diagnostic]:
    undefined = [match for line in lines if (match := _UNDEFINED.search(line))]
    for match in undefined:
        file = match["file"] or ""
        yield Diagnostic(False, show(file) if file else "", 0, 0, f"undefined reference to '{match['name'].strip()}'")
    said = [match["text"] for line in lines if (match := _LINKER.match(line))]
    useful = [text for text in said if not text.startswith("ld returned")]
    for text in () if undefined else useful or said:
        yield Diagnostic(True, "", 0, 0, text)
