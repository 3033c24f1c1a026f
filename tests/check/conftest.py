"""Fixtures of the tests of the check build."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "conformance"))

from check_harness import Checked


@pytest.fixture(scope="session")
def check_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("check")


@pytest.fixture
def checked(
    check_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Checked]:
    """Compiles kernels with checks, runs them, and says what was found."""
    monkeypatch.setenv("OPKG_CHECK_JSON", str(tmp_path / "check.json"))
    runs = Checked(check_folder, tmp_path / "check.json")
    yield runs
    planted = {mark.args[0] for mark in request.node.iter_markers("plants")}
    assert planted <= runs.found, f"said to be planted, but not found: {planted - runs.found}"
