"""Measuring as a ratio: both sides in one run, on the same machine, alternating."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report.

    Attributes:
        name: what was measured, and how large.
        against: what it is compared with.
        ours, theirs: medians in milliseconds.
        bound: the most that the figure may be: a ratio, or with `added` milliseconds on top of theirs.
        added: the figure is ours - theirs in milliseconds, not ours / theirs.
        note: a figure or fact that belongs to the row.
    """

    name: str
    against: str
    ours: float
    theirs: float
    bound: float
    added: bool = False
    note: str = ""

    @property
    def figure(self) -> float:
        """The measured ratio, or the milliseconds added."""
        return self.ours - self.theirs if self.added else self.ours / self.theirs

    @property
    def within(self) -> bool:
        """Whether the bound holds."""
        return self.figure <= self.bound


def alternate(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 7, calls: int = 1
) -> tuple[float, float]:
    """Median milliseconds of one call of each, A B A B, after one unmeasured round."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 1):
        for side, taken in zip((ours, theirs), times, strict=True):
            start = time.perf_counter()
            for _ in range(calls):
                side()
            if turn:
                taken.append((time.perf_counter() - start) * 1e3 / calls)
    return statistics.median(times[0]), statistics.median(times[1])


def command(argv: list[str], **options: object) -> Callable[[], object]:
    """A side that runs a whole program and insists that it succeeds."""

    def run() -> None:
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, **options)  # type: ignore[call-overload]

    return run


def report_in_child(argv: list[str]) -> float:
    """Run a program that prints one number, its own median in milliseconds."""
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1])


def alternate_children(ours: list[str], theirs: list[str], rounds: int = 5) -> tuple[float, float]:
    """Medians of what two programs report of themselves, each round in a fresh process, A B A B."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for argv, taken in zip((ours, theirs), times, strict=True):
            taken.append(report_in_child(argv))
    return statistics.median(times[0]), statistics.median(times[1])
