"""What a run of tests looks like: a table and the failures for people, JSON, and JUnit's XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from opkg.build.columns import columns_of
from opkg.testing import outcome as verdicts
from opkg.testing.case import CORES
from opkg.testing.outcome import Outcome
from opkg.testing.suite import Suite

_SHOWN = 10
_HEADER = ("operator", "column", "case", "verdict", "seconds")


@dataclass(frozen=True)
class Report:
    """All outcomes of a suite."""

    suite: Suite
    outcomes: tuple[Outcome, ...]
    allow_missing: bool = False

    @property
    def failed(self) -> bool:
        """Whether the command ends with 1: a failure, a golden that is missing, or no case that ran at all."""
        missing = bool(self.suite.without_golden) and not self.allow_missing
        ran = any(each.case is not None for each in self.outcomes)
        return missing or any(each.failed for each in self.outcomes) or not (ran or self.suite.without_golden)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The outcomes of wrong cases."""
        return tuple(each for each in self.outcomes if each.failed)

    def rows(self, every: bool) -> Iterator[tuple[object, ...]]:
        """The table: a line for each column and what is wrong in it, or with `every` for each case."""
        yield _HEADER
        for op, column in dict.fromkeys((each.op, each.column) for each in self.outcomes):
            of_column = [each for each in self.outcomes if (each.op, each.column) == (op, column)]
            where = (op, self._column(op, column))
            passed = [each for each in of_column if each.verdict == verdicts.PASSED]
            if passed and not every:
                yield (*where, _cases(len(passed)), verdicts.PASSED, f"{sum(each.seconds for each in passed):.2f}")
            yield from ((*where, *_row(each)) for each in of_column if every or each.verdict != verdicts.PASSED)
        for op in self.suite.without_golden:
            yield (op, "all", "all", verdicts.NO_GOLDEN, "")

    def _column(self, op: str, column: int) -> str:
        info = next(info for info in self.suite.op_infos if info.op == op)
        return f"{column} ({columns_of(info)[column].label})"

    def explanations(self, every: bool) -> Iterator[str]:
        """Lines about the failures: what, the tolerance, and the command that repeats it."""
        shown = self.failures if every else self.failures[:_SHOWN]
        for each in shown:
            assert each.case is not None
            column = self._column(each.op, each.column)
            yield f"{each.op} column {column}, {each.case.name}, {_cores(each)}: {each.verdict}"
            yield from (f"  {line}" for line in (each.message, *each.details))
            yield f"  again: {self.suite.repeat_command(each.case)}"
        if len(shown) < len(self.failures):
            yield f"and {len(self.failures) - len(shown)} more; --verbose shows them"
        if not self.suite.check and any(each.verdict in (verdicts.MISMATCH, verdicts.CRASH) for each in self.failures):
            yield "with --check all that the kernel reads and writes is looked at, and what is wrong is named by line"
        if self.suite.without_golden:
            names = " and ".join(f"{op}: def {self._function(op)}(...)" for op in self.suite.without_golden)
            yield f"no golden in {self.suite.root / 'tests/golden.py'} for {names}"

    def _function(self, op: str) -> str:
        return next(info.snake for info in self.suite.op_infos if info.op == op)

    def summary(self) -> str:
        """The last line."""
        counts = [(sum(e.verdict == v for e in self.outcomes), v) for v in _VERDICTS]
        parts = [f"{count} {verdict}" for count, verdict in counts if count]
        return f"{', '.join(parts) or 'nothing to run'}; seed {self.suite.selection.seed}"

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON has it."""
        return {
            "project": str(self.suite.root),
            "seed": self.suite.selection.seed,
            "ok": not self.failed,
            "passed": sum(each.verdict == verdicts.PASSED for each in self.outcomes),
            "failed": len(self.failures),
            "skipped": sum(each.verdict == verdicts.SKIPPED for each in self.outcomes),
            "without_golden": list(self.suite.without_golden),
            "cases": [self._case(each) for each in self.outcomes],
        }

    def _case(self, each: Outcome) -> dict[str, Any]:
        found: dict[str, Any] = {
            "operator": each.op,
            "column": each.column,
            "case": each.case.name if each.case else None,
            "cores": each.case.cores if each.case else None,
            "verdict": each.verdict,
            "seconds": round(each.seconds, 6),
        }
        if each.message:
            found |= {"message": each.message, "details": list(each.details), "difference": each.difference}
        if each.failed and each.case:
            found["repeat"] = self.suite.repeat_command(each.case)
        return found

    def to_junit(self) -> str:
        """The run as JUnit's XML: a suite for each column."""
        root = ElementTree.Element("testsuites", name=str(self.suite.root.name))
        for op, column in dict.fromkeys((each.op, each.column) for each in self.outcomes):
            of_column = [each for each in self.outcomes if (each.op, each.column) == (op, column)]
            self._junit_suite(root, f"{op} column {self._column(op, column)}", of_column)
        for op in self.suite.without_golden:
            verdict = verdicts.SKIPPED if self.allow_missing else verdicts.NO_GOLDEN
            self._junit_suite(root, op, [Outcome(op, -1, verdict, message="no golden")])
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"

    def _junit_suite(self, root: ElementTree.Element, name: str, outcomes: Sequence[Outcome]) -> None:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_printable(name),
            tests=str(len(outcomes)),
            failures=str(sum(_junit_kind(each) == "failure" for each in outcomes)),
            errors=str(sum(_junit_kind(each) == "error" for each in outcomes)),
            skipped=str(sum(_junit_kind(each) == "skipped" for each in outcomes)),
            time=f"{sum(each.seconds for each in outcomes):.3f}",
        )
        properties = ElementTree.SubElement(suite, "properties")
        ElementTree.SubElement(properties, "property", name="seed", value=str(self.suite.selection.seed))
        for each in outcomes:
            self._junit_case(suite, each)

    def _junit_case(self, suite: ElementTree.Element, each: Outcome) -> None:
        name = f"{each.case.name} {each.case.cores}" if each.case else "all"
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"{each.op}.{max(each.column, 0)}",
            name=_printable(name),
            time=f"{each.seconds:.3f}",
        )
        kind = _junit_kind(each)
        if kind:
            found = ElementTree.SubElement(case, kind, message=_printable(each.message), type=each.verdict)
            again = [f"again: {self.suite.repeat_command(each.case)}"] if each.case and each.failed else []
            found.text = _printable("\n".join([each.message, *each.details, *again]))


_VERDICTS = (verdicts.PASSED, *verdicts.FAILURES, verdicts.SKIPPED)


def _cases(count: int) -> str:
    return f"{count} case" + ("" if count == 1 else "s")


def _row(each: Outcome) -> tuple[object, ...]:
    if each.case is None:
        return "all", f"{each.verdict}: {each.message}", ""
    return f"{each.case.name}, {_cores(each)}", each.verdict, f"{each.seconds:.3f}"


def _cores(each: Outcome) -> str:
    names = dict(zip(CORES, ("one core", "many cores", "many cores backwards"), strict=True))
    return names[each.case.cores] if each.case else ""


def _junit_kind(each: Outcome) -> str:
    if each.verdict == verdicts.PASSED:
        return ""
    if each.verdict == verdicts.SKIPPED:
        return "skipped"
    return "failure" if each.verdict == verdicts.MISMATCH else "error"


def _printable(text: str) -> str:
    """The text without what XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
