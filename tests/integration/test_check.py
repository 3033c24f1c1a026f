"""`opkg build --check` and `opkg test --check` on a project that is as it was made, and with a defect in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def opkg(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return subprocess.run(
        [sys.executable, "-m", "opkg", *words], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_a_project_under_check(tmp_path: Path) -> None:
    assert opkg(tmp_path, "new", "Square").returncode == 0
    project = next(path.parent for path in tmp_path.glob("*/opkg.toml"))
    right = opkg(tmp_path, "test", str(project), "--check", "--length", "100", "--cores", "one")
    assert right.returncode == 0, right.stdout + right.stderr
    assert (project / "build_out" / "check" / "package").is_dir()
    assert not (project / "build_out" / "package").exists()

    source = next((project / "op_kernel").glob("*.cpp"))
    text = source.read_text()
    source.write_text(
        text.replace(
            "        queue.EnQue(local);\n", "        queue.EnQue(local);\n        local.SetValue(count, 0);\n"
        )
    )
    assert source.read_text() != text
    wrong = opkg(
        tmp_path,
        "test",
        str(project),
        "--check",
        "--length",
        "64000",
        "--column",
        "1",
        "--cores",
        "one",
        "--case",
        "length*",
    )
    assert wrong.returncode == 1
    line = 1 + text[: text.index("        queue.EnQue(local);\n")].count("\n") + 1
    assert f"buffer-bounds at {source.name}:{line}: SetValue writes 4 bytes of a tensor that has 0" in wrong.stdout
    # The whole report is there, not only its first sentence, and repeating keeps the checks.
    assert "VECIN xQueue_, offset" in wrong.stdout and "> local.SetValue(count, 0);" in wrong.stdout
    assert "called from" in wrong.stdout and "--check" in wrong.stdout


def test_a_check_build_is_not_packed(tmp_path: Path) -> None:
    assert opkg(tmp_path, "new", "Square").returncode == 0
    project = next(path.parent for path in tmp_path.glob("*/opkg.toml"))
    refused = opkg(tmp_path, "build", str(project), "--check", "--pkg")
    assert refused.returncode == 2
    assert "a check build is neither packed nor built for a chip" in refused.stderr
