"""What printed lines say of a program's result: that it is right, that it is wrong, or nothing.

Programs print prose. Each rule here stands for a way of speaking: counts (`0 of 185 elements are wrong`, `failed: 0`),
denials (`not passed`, `pass: False`), shares (`7/8 passed`), and steps that succeed before anything is compared
(`ReadFile golden.bin success`). In doubt a line says nothing: that shows as `unsaid`, where a wrong guess would hide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_GOOD = re.compile(r"\b(pass(ed)?|success(ful(ly)?)?|succeed(ed|s)?)\b", re.IGNORECASE)
_BAD = re.compile(r"\b(fail(ed|ures?|s)?|mismatch(ed|es)?|incorrect|wrong)\b|\[ERROR\]", re.IGNORECASE)
_DIED = re.compile(
    r"^Traceback \(most recent call last\)|\b(Segmentation fault|Bus error|Aborted)\b.*(\(core dumped\)|$)"
)
_BUILD = re.compile(r"^(-- |\[ *\d+%\] |Scanning dependencies of |Consolidate compiler )|: (warning|note): ")
_STEP = re.compile(
    r"\b(\w*compil\w*|build|built|configur\w*|install\w*|init\w*|\w*alloc\w*|creat\w*|generat\w*|cop(y|ied)|"
    r"read\w*|write\w*|load\w*|open\w*|launch\w*)\b",
    re.IGNORECASE,
)
_CHECK = re.compile(r"\b(tests?|verif\w*|check\w*|compar\w*|accura\w*|precision|results?)\b", re.IGNORECASE)
_NOT = re.compile(
    r"(\b(not|never|cannot)|n't)(\s+\w+){0,2}\s*$|(?:^|[,;:(])\s*(0|no|none)(\s+\w+){0,2}\s*$|"
    r"\b(will|would|should|must|could|to)\s+$",  # what is to come is no result
    re.IGNORECASE,
)
_UNTRUE = re.compile(
    r"( rate| count)?\s*[:=?]?\s*(false|no|none|0(\.0*)?%?)(?![\w./])|"
    r" rate\s*[:=]?\s*(?!100(\.0*)?\s*%)\d+(\.\d*)?\s*%|"
    r"\s+with\s+[1-9]\d*\s+(errors?|failures?|mismatch(es)?|differences?)\b",
    re.IGNORECASE,
)
# A pass over data is none of a test.
_NOUN_BEFORE = re.compile(
    r"\b(first|second|third|next|last|final|each|every|per|this|\d+(st|nd|rd|th))\s+$", re.IGNORECASE
)
_NOUN_AFTER = re.compile(r"\s+#?\d+\b(?!\s*(%|/|of\b))")
_SHARE_BEFORE = re.compile(r"(\d+)\s*(?:/|of|out of)\s*(\d+)(?:\s+\w+){0,2}\s*$")
_SHARE_AFTER = re.compile(r"\s*[:=]?\s*(\d+)\s*(?:/|of|out of)\s*(\d+)")
# `0 failed` counts; in `core 0 failed` and `[0] failed` the number names something.
_NONE_BEFORE = re.compile(
    r"(?P<named>\b(?:core|block|case|index|idx|test|row|col|column|batch|item|element|loop|device|rank|tile|"
    r"output|input|tensor)[ #=]{1,2})?(?<![\w.(\[-])"
    r"(?P<anothers>(?<=[\w)]=)|(?<=[\w)]: ))?(?:0|no|none)(?: ?(?:/|of) ?\d+)?(?: +[a-z]+){0,3} +$",
    re.IGNORECASE,
)
# In `passed: 0 failed: 3` the number after the word is its own.
_SOME_AFTER = re.compile(r"\s*[:=]\s*[1-9]")
_NONE_AFTER = re.compile(
    r"(?: (?:count|number|num|elements?|values?|points?|cases?|tests?|ratio|rate))*(?:\s*[:=]\s*|\s+(?=0\s*$))"
    r"(?:0(?:\.0*)?%?|none|no|false)(?:[,;.)|]?\s*$|\s*[,;|/](?!\s*(?:expect|golden|want|got))|\s+of\b|\s+[a-z]+\s*[:=])",
    re.IGNORECASE,
)
_NEAR = 200
"""How far before a word its denial or count is looked for: a program may print megabytes without a line's end."""


def without_build(text: str) -> list[str]:
    """The lines besides those of CMake, make and the compiler: their tests and warnings are about no result."""
    return [line for line in text.splitlines() if not _BUILD.search(line)]


def first_bad(lines: Iterable[str]) -> str:
    """The first line that says that a result is wrong, or that something died although its script went on; or empty."""
    return next((line.strip() for line in lines if _DIED.search(line) or any(_wrong(line))), "")


def says_good(lines: Iterable[str]) -> bool:
    """Whether a line says that the result is right."""
    return any(any(_right(line)) for line in lines)


def _wrong(line: str) -> Iterator[bool]:
    for found in _BAD.finditer(line):
        none = _before(_NONE_BEFORE, line, found.start())
        counts = none is not None and none["named"] is None
        if none is not None and none["anothers"] is not None and _SOME_AFTER.match(line, found.end()):
            counts = False
        yield not counts and _NONE_AFTER.match(line, found.end()) is None


def _right(line: str) -> Iterator[bool]:
    if _STEP.search(line) and not _CHECK.search(line):
        return
    for found in _GOOD.finditer(line):
        share = _before(_SHARE_BEFORE, line, found.start()) or _SHARE_AFTER.match(line, found.end())
        denied = _before(_NOT, line, found.start()) or (share is None and _UNTRUE.match(line, found.end()))
        yield not denied and (share is None or share[1] == share[2]) and not _is_noun(line, found)


def _is_noun(line: str, found: re.Match[str]) -> bool:
    """Whether `pass` is a round of work: `second pass done`, `pass 2 done`."""
    if found.group().lower() != "pass" or _CHECK.search(line):
        return False
    return bool(_before(_NOUN_BEFORE, line, found.start()) or _NOUN_AFTER.match(line, found.end()))


def _before(pattern: re.Pattern[str], line: str, end: int) -> re.Match[str] | None:
    return pattern.search(line, max(0, end - _NEAR), end)
