"""How commands print: JSON for programs, aligned columns for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def print_json(value: Any) -> None:
    """Print a JSON value; paths and other objects as their text."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    # Bytes of a file name that are no UTF-8 are lone surrogates to Python, and to JSON only where they are escaped.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def print_table(rows: Iterable[Sequence[object]], header: Sequence[str] = ()) -> None:
    """Print rows as columns that are two blanks apart; the last one is not padded."""
    cells = [[str(cell) for cell in row] for row in ([header, *rows] if header else rows)]
    if not cells:
        return
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    widths[-1] = 0
    lines = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    sys.stdout.write("\n".join(lines) + "\n")


def print_fields(fields: Iterable[tuple[str, object]]) -> None:
    """Print `name: value` lines with the values below each other; fields without a value are left out."""
    shown = [(name, str(value)) for name, value in fields if value not in ("", None, ())]
    width = max((len(name) for name, _ in shown), default=0) + 1
    for name, value in shown:
        print(f"{name + ':':<{width}} {value}")
