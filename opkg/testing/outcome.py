"""How a case ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opkg.testing.case import Case

PASSED = "passed"
MISMATCH = "mismatch"
CRASH = "crash"
TIMEOUT = "timeout"
ERROR = "error"
SKIPPED = "skipped"
NO_GOLDEN = "no golden"

FAILURES = (MISMATCH, CRASH, TIMEOUT, ERROR)
"""Verdicts that make a run fail whatever the options are."""


@dataclass(frozen=True)
class Outcome:
    """The verdict on a case.

    Attributes:
        case: what was called; None for a column or an operator for which nothing could be.
        op, column: what the verdict is about; column -1 for all of an operator.
        verdict: one of the constants of this module.
        seconds: how long it took.
        message: one line for a verdict other than `passed`.
        details: further lines.
        difference: of a mismatch: output, index, both values, how many differ, as JSON takes it.
    """

    op: str
    column: int
    verdict: str
    case: Case | None = None
    seconds: float = 0.0
    message: str = ""
    details: tuple[str, ...] = ()
    difference: Mapping[str, Any] | None = None

    @property
    def failed(self) -> bool:
        """Whether the operator was found wrong."""
        return self.verdict in FAILURES


def outcome_of(case: Case, verdict: str, seconds: float = 0.0, message: str = "", **more: Any) -> Outcome:
    """The outcome of a case."""
    return Outcome(case.op, case.column, verdict, case, seconds, message, **more)
