"""`opkg ci` on the examples, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opkg.cli import main

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_programs_of_both_forms_are_found_built_run_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ci", str(EXAMPLES), "--only", "launch_*", "--logs", str(tmp_path / "logs"), "--json"]) == 0
    rows = {row["project"]: row for row in json.loads(capsys.readouterr().out)["programs"]}
    assert {name: (row["form"], row["verified"]) for name, row in rows.items()} == {
        "launch_asc": ("asc", True),
        "launch_library": ("asc", True),
        "launch_mixed": ("asc", True),
        "launch_project": ("launch", True),
    }
    assert [step["part"] for step in rows["launch_asc"]["steps"]][-3:] == ["data", "run", "verify"]
    assert "test pass" in (tmp_path / "logs" / "launch_asc.log").read_text()
    assert not (EXAMPLES / "launch_asc" / "build").exists()
