"""Commands as a README documents them: read out of its fences, and taken only where they build or run the program.

A README is prose, so nothing of it is given to a shell: its commands are split here, and only a few programs are
started (`cmake`, `make`, Python, the program itself, and scripts of the project).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(\w*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^(?: {4}|\t)[^\n]*\S[^\n]*\n?)+", re.MULTILINE)
_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)=(.*)$", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_SHELL: frozenset[str | None] = frozenset({None, "", "bash", "sh", "shell", "console", "zsh"})
_STARTED = frozenset({"mkdir", "cd", "cmake", "make", "ninja", "python", "python3", "bash", "sh"})


@dataclass(frozen=True)
class Command:
    """One command: its words, with variables put in."""

    words: tuple[str, ...]

    @property
    def head(self) -> str:
        """The program that it starts."""
        return self.words[0]


@dataclass(frozen=True)
class Document:
    """What a README says: the commands in their order, and the last line of each output that it shows."""

    commands: tuple[Command, ...] = ()
    shown: tuple[str, ...] = ()


def read_document(text: str) -> Document:
    """The commands and the shown output of a README."""
    commands: list[Command] = []
    shown: list[str] = []
    variables: dict[str, str] = {}
    for language, body in _blocks(text.replace("\0", "")):  # which no argument of a command can hold
        found = list(_commands(body, variables)) if language in _SHELL else []
        commands += found
        if not found and language is not None:
            # The last line: titles and steps before it are printed by a program that is wrong as well.
            shown += [line.strip() for line in body.splitlines() if line.strip()][-1:]
    return Document(tuple(commands), tuple(shown))


def _blocks(text: str) -> list[tuple[str | None, str]]:
    """The code blocks of a page in their order, with the language of a fence; None for one that is only indented."""
    fences = list(_FENCE.finditer(text))
    rest = _FENCE.sub(lambda match: re.sub(r"[^\n]", "-", match.group()), text)
    found = [(match.start(), match.group(2).lower(), match.group(3)) for match in fences]
    indented = [(match.start(), None, match.group()) for match in _INDENTED.finditer(rest)]
    return [block[1:] for block in sorted([*found, *indented], key=lambda block: block[0])]


def _commands(body: str, variables: dict[str, str]) -> Iterator[Command]:
    for line in body.replace("\\\n", " ").splitlines():
        for part in _parts(line):
            words = _words(_expand(part, variables))
            assignments = [_ASSIGNMENT.match(word) for word in words if word != "export"]
            if all(assignments):
                variables.update((match[1], match[2]) for match in assignments if match is not None)
            elif words and _is_started(words[0]):
                yield Command(words)


def _parts(line: str) -> list[str]:
    """The simple commands of a line; none where it needs a shell (pipes, redirections, substitutions)."""
    line = re.sub(r"(^|\s)#.*$", "", line).strip().removeprefix("$ ")
    parts = [part.strip() for part in re.split(r";|&&", line)]
    return [part for part in parts if part and not re.search(r"[|<>`]|\$\(", part)]


def _expand(text: str, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return variables.get(match.group(1) or match.group(2), match.group(0))

    return _VARIABLE.sub(value, text)


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:  # an unbalanced quote: prose, not a command
        return ()


def _is_started(word: str) -> bool:
    return word in _STARTED or (word.startswith("./") and len(word) > 2)


def find_readme(root: Path) -> Path | None:
    """The README of a folder, or of the one above it."""
    for folder in (root, root.parent):
        for name in ("README.md", "README_en.md", "Readme.md", "readme.md"):
            if (folder / name).is_file():
                return folder / name
    return None
