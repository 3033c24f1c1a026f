"""Fixtures of the hostile-bundle suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from made_hostile import Corpus


@pytest.fixture
def corpus(tmp_path, record_property: Callable[[str, object], None]) -> Iterator[Corpus]:
    """Takes hostile files and judges them; how many there were is printed at the end of the run."""
    made = Corpus(tmp_path)
    yield made
    record_property("cases", made.tried)
