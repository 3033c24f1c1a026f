"""The commands of a CMakeLists.txt, as far as operator projects use the language: `set`, `if`, and calls.

Nothing is executed. A condition that is not a comparison of texts counts as false, a variable that is not set as empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_TOKEN = re.compile(r'#\[\[.*?\]\]|#[^\n]*|"(?:[^"\\]|\\.)*"|\(|\)|[^\s()#"]+(?:"(?:[^"\\]|\\.)*"[^\s()#"]*)*', re.S)
_VARIABLE = re.compile(r"\$\{([A-Za-z0-9_]+)\}")

Command = tuple[str, list[str]]


def commands(text: str, variables: Mapping[str, str]) -> Iterator[Command]:
    """The calls that apply, as (lower-cased name, arguments), with `variables` and those of `set` filled in."""
    known = dict(variables)
    branches: list[list[bool]] = []  # of each open `if`: whether this branch applies, whether one has already
    for name, raw in _calls(text):
        if name in ("if", "elseif", "else", "endif"):
            _branch(branches, name, raw, known)
        elif all(applies for applies, _ in branches):
            arguments = _expand(raw, known)
            if name == "set" and arguments:
                known[arguments[0]] = ";".join(_before(arguments[1:], ("CACHE", "PARENT_SCOPE")))
            yield name, arguments


def _calls(text: str) -> Iterator[Command]:
    name, depth, arguments = "", 0, list[str]()
    for token in _TOKEN.findall(text):
        if token.startswith("#"):
            continue
        if token == "(":
            depth += 1
            if depth == 1:
                arguments = []
                continue
        elif token == ")":
            depth -= 1
            if depth == 0:
                yield name.lower(), arguments
                continue
        if depth == 0:
            name = token
        else:
            arguments.append(token)


def _branch(branches: list[list[bool]], name: str, raw: list[str], known: Mapping[str, str]) -> None:
    if name == "if":
        true = _true(raw, known)
        branches.append([true, true])
    elif branches and name == "endif":
        branches.pop()
    elif branches:
        done = branches[-1][1]
        applies = not done and (name == "else" or _true(raw, known))
        branches[-1] = [applies, done or applies]


def _true(raw: list[str], known: Mapping[str, str]) -> bool:
    words = _expand(raw, known)
    if len(words) == 3 and words[1] in ("STREQUAL", "EQUAL"):
        return known.get(words[0], words[0]) == known.get(words[2], words[2])
    return False


def _expand(raw: list[str], known: Mapping[str, str]) -> list[str]:
    """Arguments with variables filled in; an unquoted one falls apart at its semicolons, as in CMake."""
    found: list[str] = []
    for word in raw:
        quoted = word.startswith('"')
        text = word[1:-1].replace('\\"', '"') if quoted else word
        text = _VARIABLE.sub(lambda match: known.get(match[1], ""), text)
        found += [text] if quoted else [part for part in text.split(";") if part]
    return found


def _before(words: list[str], ends: tuple[str, ...]) -> list[str]:
    for index, word in enumerate(words):
        if word in ends:
            return words[:index]
    return words
