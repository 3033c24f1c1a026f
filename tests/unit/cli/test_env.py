"""The printed environment."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from made_roots import MadeRoot, package

from opkg.cli import main


@pytest.fixture
def filled(tmp_path: Path) -> MadeRoot:
    (tmp_path / "it's a root").mkdir()
    root = MadeRoot(tmp_path / "it's a root")
    for vendor in ("acme", "customize"):
        root.show(vendor, package("ops", f"Square{vendor}", vendor=vendor))
    (root.path / "vendors" / "config.ini").write_text("load_priority=customize\n", "utf-8")
    return root


def test_a_shell_that_evaluates_it_finds_the_vendors_in_order(
    filled: MadeRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["env", "--install-path", str(filled.path)]) == 0
    script = capsys.readouterr().out + 'printf %s "$ASCEND_CUSTOM_OPP_PATH"'
    vendors = [str(filled.path / "vendors" / name) for name in ("customize", "acme")]
    for before, after in (({}, vendors), ({"ASCEND_CUSTOM_OPP_PATH": "/old"}, [*vendors, "/old"])):
        env = {"PATH": os.environ["PATH"]} | before
        done = subprocess.run(["sh", "-eu" if before else "-e", "-c", script], env=env, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (":".join(after), "")


def test_one_vendor_and_other_forms(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--install-path", str(filled.path)]
    place = str(filled.path / "vendors" / "acme")
    assert main(["env", "acme", "--json", *at]) == 0
    assert json.loads(capsys.readouterr().out) == {"ASCEND_CUSTOM_OPP_PATH": place}
    assert main(["env", "acme", "--shell", "fish", *at]) == 0
    quoted = place.replace("'", "\\'")
    expected = f"set -gx --path ASCEND_CUSTOM_OPP_PATH '{quoted}' $ASCEND_CUSTOM_OPP_PATH\n"
    assert capsys.readouterr().out == expected
    assert main(["env", "nobody", *at]) == 1
    assert "nobody is not installed" in capsys.readouterr().err


def test_an_empty_root_gives_a_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "--install-path", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"# nothing is installed in {tmp_path}\n"
    assert main(["env", "--json", "--install-path", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == {}
