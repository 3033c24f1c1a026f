"""What ninja prints, read: which outputs it would make and why, what failed, and the errors in compilers' output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

PROGRESS = "@@ "
STATUS = f"{PROGRESS}%f/%t "
"""NINJA_STATUS for every run: tells ninja's own lines from a compiler's."""

NOTHING = "ninja: no work to do."

_EXPLAIN = "ninja explain: "
_OLDER = re.compile(r"(?:restat of )?output (.+?) older than most recent input (.+?)(?: \(.*\))?$")
_COMMAND = re.compile(r"command line changed for (.+)$")
_MISSING = re.compile(r"(?:deps for '(.+)' are missing|output (.+?) (?:doesn't exist|of phony edge.*))$")
_STALE_DEPS = re.compile(r"stored deps info out of date for '?(.+?)'?(?: \(.*\))?$")
_FAILED = re.compile(r"FAILED: (?:\[code=-?\d+\] )?(.+)$")
_OBJECT = re.compile(r"CMakeFiles/([^/]+)\.dir/")


@dataclass(frozen=True)
class Reason:
    """Why ninja makes an output: `input` changed, or (empty input) `kind`: command, missing."""

    output: str
    kind: str
    input: str = ""


@dataclass(frozen=True)
class Failure:
    """A command that failed: what it should have made, and what it printed."""

    outputs: str
    text: str

    @property
    def target(self) -> str:
        """The CMake target that the command belongs to; empty where the output does not tell."""
        return target_of(self.outputs)


@dataclass(frozen=True)
class Plan:
    """What ninja would do: the targets it would touch, in its order, and the first reasons it gives."""

    targets: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = field(default=())


def target_of(output: str) -> str:
    """The CMake target of an output (`CMakeFiles/<target>.dir/...`, or the library's own file name)."""
    found = _OBJECT.search(output)
    return found[1] if found else ""


def parse_plan(text: str) -> Plan:
    """Read the output of `ninja -n -v -d explain`."""
    targets: dict[str, None] = {}
    reasons: list[Reason] = []
    for line in text.splitlines():
        if line.startswith(_EXPLAIN):
            reasons += _reason(line.removeprefix(_EXPLAIN))
        elif line.startswith("@@"):
            targets.update(dict.fromkeys(t for t in _OBJECT.findall(line)))
    return Plan(tuple(targets), tuple(reasons))


def _reason(text: str) -> Iterator[Reason]:
    if found := _OLDER.match(text):
        yield Reason(found[1], "input", found[2])
    elif found := _COMMAND.match(text):
        yield Reason(found[1], "command")
    elif found := _MISSING.match(text):
        yield Reason(found[1] or found[2], "missing")
    elif found := _STALE_DEPS.match(text):
        yield Reason(found[1], "missing")


def failures(text: str) -> tuple[Failure, ...]:
    """The commands that failed in a run of ninja, each with its own output."""
    found: list[Failure] = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        match = _FAILED.match(lines[index])
        index += 1
        if match is None:
            continue
        start = index + 1  # the command line itself comes first
        while index < len(lines) and not lines[index].startswith(("@@", "FAILED: ", "ninja: ")):
            index += 1
        found.append(Failure(match[1].strip(), "\n".join(lines[start:index])))
    # Commands end in any order; the same errors are told in the same order each time.
    return tuple(sorted(found, key=lambda f: f.outputs))


def shown(line: str) -> str:
    """A line of ninja's output as people read it: `[3/7] ...` for its progress."""
    if not line.startswith("@@ "):
        return line
    _, count, text = (line + " ").split(" ", 2)
    return f"[{count}] {text.rstrip()}"
