from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from made_programs import rewritten


@pytest.fixture
def rewrite(tmp_path: Path) -> Callable[..., str]:
    """What one source becomes."""
    return lambda source, *options: rewritten(tmp_path, source, options=options)[0]
