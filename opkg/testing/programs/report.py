"""Rows of programs as a table's cells and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from opkg.testing.programs.execute import Ended
from opkg.testing.programs.recipe import Step
from opkg.testing.programs.verdict import Row, State

HEADER = ("project", "form", "build", "run", "verify", "seconds", "first error line")
_LONGEST_REASON = 160


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row under `HEADER`."""
    states = (row.build.value, row.run.value, row.verify.value)
    return (row.program.name, row.program.form.value, *states, f"{row.seconds:.1f}", row.reason[:_LONGEST_REASON])


def totals(rows: Sequence[Row]) -> str:
    """One line: how many programs there were and what became of them."""
    counts = Counter(_fate(row) for row in rows)
    parts = [
        f"{counts[name]} {name}" for name in ("verified", "built", "unsaid", "failed", "need a package") if counts[name]
    ]
    plural = "" if len(rows) == 1 else "s"
    return f"{len(rows)} program{plural}: {', '.join(parts)}" if rows else "no programs"


def _fate(row: Row) -> str:
    if row.failed:
        return "failed"
    if State.NEEDS in (row.build, row.run, row.verify):
        return "need a package"
    if row.verify is State.NONE:
        return "built"
    return "verified" if row.verified else "unsaid"


def to_dict(row: Row) -> dict[str, Any]:
    """A row for JSON, with its commands and the end of what each printed."""
    return {
        "project": row.program.name,
        "form": row.program.form.value,
        "sources": list(row.program.sources),
        "build": row.build.value,
        "run": row.run.value,
        "verify": row.verify.value,
        "verified": row.verified,
        "seconds": round(row.seconds, 2),
        "reason": row.reason,
        "steps": [_step(step, ended) for step, ended in row.steps],
    }


def _step(step: Step, ended: Ended) -> dict[str, Any]:
    return {
        "part": step.part.value,
        "command": list(step.words),
        "folder": step.folder,
        "code": ended.code,
        "seconds": round(ended.seconds, 2),
        "output": ended.output,
    }
