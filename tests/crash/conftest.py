"""Fixtures of the crash suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest


@pytest.fixture
def cases(record_property: Callable[[str, object], None]) -> Iterator[list[str]]:
    """Grows by one a case; the number is printed at the end of the run."""
    tried: list[str] = []
    yield tried
    record_property("cases", len(tried))
