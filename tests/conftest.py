"""What all suites share."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Suites that try many cases in one test record how many; print the sum for each file."""
    tried: dict[str, int] = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        for name, value in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "teardown" else ():
            if name == "cases":
                file = report.nodeid.partition("::")[0]
                tried[file] = tried.get(file, 0) + int(value)
    for file, number in sorted(tried.items()):
        terminalreporter.write_line(f"{file}: {number:,} cases tried")
