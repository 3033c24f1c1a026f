"""The text of an op-info `.ini`: sections of `key = value`, where a value may be a JSON object over several lines.

Both dialects become the same thing here, a flat table of dotted keys: `input0.name=x` and
`input0 = {"name": "x"}` both give `input0.name`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opkg.errors import OpInfoError
from opkg.opinfo.json_lines import parse_json
from opkg.opinfo.source import Field

_SECTION = re.compile(r"\[(.*)\]\s*\Z")
_KEY_LINE = re.compile(r"\s*[A-Za-z_][\w.]*\s*=")
_MEMBER = re.compile(r"[A-Za-z_][\w.]*\Z")
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}]')


@dataclass
class Section:
    """One operator's keys. `header` is its name, at the line of its `[name]`."""

    header: Field
    fields: dict[str, Field] = field(default_factory=dict)

    def add(self, new: Field) -> None:
        """Adds a key.

        Raises:
            OpInfoError: the section has it already.
        """
        if new.key in self.fields:
            raise new.error(f"repeated; it stands on line {self.fields[new.key].line} already", "remove one of them")
        self.fields[new.key] = new


def read_sections(text: str, file: str = "") -> list[Section]:
    """The sections of `text`, in order.

    Raises:
        OpInfoError: a line that is neither section, comment nor `key = value`; a key or section that stands twice;
            a brace that is never closed.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    sections: dict[str, Section] = {}
    current: Section | None = None
    index = 0
    while index < len(lines):
        line, number = lines[index].strip(), index + 1
        index += 1
        if not line or line[0] in "#;":
            continue
        if header := _SECTION.match(line):
            current = _open_section(sections, Field(header[1].strip(), header[1].strip(), number, file))
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key:
            raise OpInfoError(f"'{line}' is neither '[Operator]' nor 'key=value'", file=file, line=number)
        if current is None:
            raise OpInfoError("stands before the first '[Operator]'", file=file, line=number, key=key)
        here = Field(value, key, number, file)
        if value.startswith("{") and not key.endswith(".defaultValue"):  # a default may be the vendor's {1,2}
            index = _add_object(current, here, lines, index)
        else:
            current.add(here)
    return list(sections.values())


def _open_section(sections: dict[str, Section], header: Field) -> Section:
    if header.value in sections:
        first = sections[header.value].header.line
        raise header.error(f"the operator stands on line {first} already", "give each operator one section")
    sections[header.value] = Section(header)
    return sections[header.value]


def _add_object(section: Section, here: Field, lines: list[str], index: int) -> int:
    """Adds the members of the JSON object that begins at `here`; returns the index of the line after it."""
    collected = [here.value]
    depth = _depth(here.value)
    while depth > 0:
        if index == len(lines) or _KEY_LINE.match(lines[index]) or _SECTION.match(lines[index].strip()):
            raise here.error(f"its brace is never closed: expected '}}' before line {index + 1}")
        collected.append(lines[index])
        depth += _depth(lines[index])  # no string spans lines, so every line counts by itself
        index += 1
    if depth < 0:
        raise here.error("has more '}' than '{'")
    _flatten(section, here, "\n".join(collected))
    return index


def _depth(text: str) -> int:
    braces = [token for token in _STRING_OR_BRACE.findall(text) if token in "{}"]
    return braces.count("{") - braces.count("}")


def _flatten(section: Section, here: Field, text: str) -> None:
    parsed = parse_json(text, here.file, here.line, here.key)
    for name, value in parsed.value.items():
        if not _MEMBER.match(name):
            line = parsed.line((name,))
            raise OpInfoError("a key is letters, digits, '_' and '.'", file=here.file, line=line, key=name)
        section.add(Field(value, f"{here.key}.{name}", parsed.line((name,)), here.file))
