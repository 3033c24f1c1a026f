"""The shared cases: each good file has its canonical form, each bad one its line, key and words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opkg.errors import OpInfoError
from opkg.opinfo import OpInfo, read_ini, read_ir_json
from opkg.opinfo.names import snake_case

CASES = Path(__file__).resolve().parents[2] / "data" / "cases" / "opinfo"
GOOD = json.loads((CASES / "good" / "expected.json").read_text())
BAD = json.loads((CASES / "bad" / "expected.json").read_text())


def _read(path: Path) -> list[OpInfo]:
    read = read_ir_json if path.suffix == ".json" else read_ini
    return read(path.read_text(encoding="utf-8"), str(path))


@pytest.mark.parametrize("name", sorted(GOOD))
def test_good_file_has_its_canonical_form(name: str) -> None:
    assert [op.to_dict() for op in _read(CASES / "good" / name)] == GOOD[name]


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_file_is_refused_at_its_line_and_key(name: str) -> None:
    with pytest.raises(OpInfoError) as caught:
        _read(CASES / "bad" / name)
    error, expected = caught.value, BAD[name]
    assert (error.line, error.key) == (expected["line"], expected["key"])
    assert error.file.endswith(name)
    for word in expected["contains"]:
        assert word in error.message


def test_every_case_file_is_tested() -> None:
    assert {p.name for p in (CASES / "good").iterdir()} == {*GOOD, "expected.json"}
    assert {p.name for p in (CASES / "bad").iterdir()} == {*BAD, "expected.json"}


@pytest.mark.parametrize(("op_type", "snake"), sorted(json.loads((CASES / "names.json").read_text()).items()))
def test_operator_names_become_file_names(op_type: str, snake: str) -> None:
    assert snake_case(op_type) == snake
