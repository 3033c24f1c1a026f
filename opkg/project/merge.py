"""Three-way merging of texts by lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Merged:
    """A merged text; with conflicts it holds both sides between the usual markers."""

    text: str
    conflicts: int


def merge_texts(base: str, mine: str, theirs: str, labels: tuple[str, str] = ("yours", "template")) -> Merged:
    """What changed from `base` to `mine` and from `base` to `theirs`, both applied to `base`.

    Changes that overlap or touch, unless they are the same, are a conflict: the text then has both between
    `<<<<<<<`, `=======` and `>>>>>>>`.
    """
    sides = [text.splitlines(keepends=True) for text in (base, mine, theirs)]
    lines: list[str] = []
    conflicts = 0
    for old, ours, others in _regions(*sides):
        if ours == others or others == old:
            lines += ours
        elif ours == old:
            lines += others
        else:
            conflicts += 1
            lines += _marked(ours, others, labels)
    return Merged("".join(lines), conflicts)


def _marked(mine: Sequence[str], theirs: Sequence[str], labels: tuple[str, str]) -> list[str]:
    return [
        f"<<<<<<< {labels[0]}\n",
        *_ended(mine),
        "=======\n",
        *_ended(theirs),
        f">>>>>>> {labels[1]}\n",
    ]


def _ended(lines: Sequence[str]) -> list[str]:
    """The lines, the last with its end, so that a marker does not stand behind it."""
    return [*lines[:-1], lines[-1] if lines[-1].endswith("\n") else f"{lines[-1]}\n"] if lines else []


def _regions(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """The three texts in pieces: by turns what all have, and what lies between."""
    b = m = t = 0
    for start, in_mine, in_theirs, length in _common(base, mine, theirs):
        yield base[b:start], mine[m:in_mine], theirs[t:in_theirs]
        b, m, t = start + length, in_mine + length, in_theirs + length
        yield (base[start:b],) * 3


def _common(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Runs of lines that all three have: starts in each, and length; last an empty one at the ends."""
    # Without autojunk, which takes lines that are frequent in a long file (`}`) for noise, and finds other runs.
    a = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    c = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    i = j = 0
    while i < len(a) and j < len(c):
        # What all three have is what both others kept of the base: where a run of one overlaps a run of the other.
        start = max(a[i].a, c[j].a)
        end = min(a[i].a + a[i].size, c[j].a + c[j].size)
        if start < end:
            yield start, a[i].b + start - a[i].a, c[j].b + start - c[j].a, end - start
        if a[i].a + a[i].size < c[j].a + c[j].size:
            i += 1
        else:
            j += 1
    yield len(base), len(mine), len(theirs), 0
