"""Ascend C sources through the built compiler: what it makes of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opkg.paths import native_dir

ASCC = native_dir() / "bin" / "opkg-ascc"
CLANG = next((name for name in ("clang++", *(f"clang++-{n}" for n in range(14, 23))) if shutil.which(name)), None)
_MARKER = re.compile(r'^# (\d+) "([^"]*)"')


@dataclass(frozen=True)
class Compiled:
    """What a run of the compiler left."""

    code: int
    out: str
    err: str


def ascc(*words: object, cwd: Path | None = None) -> Compiled:
    """Run the compiler of Ascend C."""
    done = subprocess.run([str(ASCC), *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=120)
    return Compiled(done.returncode, done.stdout, done.stderr)


def _placed(text: str) -> Iterator[tuple[str, int, str]]:
    """Every line of a preprocessed text that is not blank: the file it comes from, its number there, itself."""
    here, line = "", 0
    for row in text.splitlines():
        marker = _MARKER.match(row)
        if marker:
            line, here = int(marker[1]), marker[2]
            continue
        if row.strip():
            yield here, line, row
        line += 1


def own_lines(text: str, file: str) -> list[tuple[int, str]]:
    """The lines of a preprocessed text that come from one file, each with its number there."""
    return [(line, row) for here, line, row in _placed(text) if here == file]


def squeezed(text: str) -> str:
    """Text without what never matters between tokens: one blank at most, none beside punctuation."""
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([^\w\s\"'.]) ?", r"\1", text).strip()


def rewritten(folder: Path, *sources: str, options: tuple[str, ...] = ()) -> list[str]:
    """The C++ that each source becomes, squeezed; what headers bring is left out. One run of the compiler for all."""
    file = folder / "program.asc"
    parts = [f'#line 1 "case{index}"\n{source}\n' for index, source in enumerate(sources)]
    file.write_text("".join(parts), "utf-8")
    done = ascc("--show-rewritten", *options, "-c", file)
    assert done.code == 0, done.err
    found: dict[str, list[str]] = {}
    for name, _, row in _placed(done.out):
        found.setdefault(name, []).append(row)
    return [squeezed("\n".join(found.get(f"case{index}", []))) for index in range(len(sources))]
