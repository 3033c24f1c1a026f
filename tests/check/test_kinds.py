"""The kinds of findings that there are, those that are documented, and those that tests plant are the same."""

from __future__ import annotations

import re
from collections import Counter
from math import prod
from pathlib import Path
from types import ModuleType

import pytest
import test_allocations
import test_defects
from check_harness import Checked

PAGE = Path(__file__).parents[2] / "docs" / "debugging.md"


@pytest.fixture
def kinds(checked: Checked, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """All kinds in the order of their codes, from the sentence about one that there is not."""
    monkeypatch.setenv("OPKG_CHECK_ALLOW", "overflow,aligment@scale.asc:3")
    body = "    Adds(c[1], a, 1.0f, 8);\n    PipeBarrier<PIPE_ALL>();\n"
    source = test_defects.kernel(test_defects.GLOBALS, test_defects.BUFFERS, test_defects.LOAD, body)
    assert checked.run(source).only("alignment")["suppressed"] is False
    told = re.findall(
        r"^opkg: check: OPKG_CHECK_ALLOW names (.*), which is none of (.*)$", capfd.readouterr().err, re.M
    )
    assert [name for name, _ in told] == ["aligment"]
    return str(told[0][1]).split(", ")


def planted(module: ModuleType) -> Counter[str]:
    """How many kernels with a defect of each kind the tests of a module have."""
    ways: Counter[str] = Counter()
    for test in vars(module).values():
        marks = getattr(test, "pytestmark", [])
        cases = prod(len(mark.args[1]) for mark in marks if mark.name == "parametrize")
        ways.update({mark.args[0]: cases for mark in marks if mark.name == "plants"})
    return ways


def test_every_kind_is_planted_in_several_ways(kinds: list[str]) -> None:
    ways = planted(test_defects) + planted(test_allocations)
    assert set(ways) == set(kinds)
    assert min(ways.values()) >= 2, ways


def test_every_kind_is_documented_with_its_code(kinds: list[str]) -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (OPKG-C\d+) \|", PAGE.read_text(), re.M)
    assert rows == [(kind, f"OPKG-C{number:03}") for number, kind in enumerate(kinds, 1)]
