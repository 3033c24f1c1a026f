"""The commit in a manifest."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from opkg.build.provenance import source_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a folder of a repository."""
    folder = tmp_path / "repository" / "Square"
    (folder / "op_host").mkdir(parents=True)
    (folder / "op_host" / "square.cpp").write_text("// 1\n")
    git(tmp_path, "init", "-q", "repository")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def test_a_clean_project_names_its_commit(project: Path) -> None:
    assert source_of(project, project / "build_out") == {"commit": git(project, "rev-parse", "HEAD"), "dirty": False}


def test_what_is_built_does_not_make_it_dirty_but_everything_else_does(project: Path) -> None:
    out = project / "build_out"
    out.mkdir()
    (out / "x").write_text("x")
    assert source_of(project, out)["dirty"] is False
    assert source_of(project, project / "elsewhere")["dirty"] is True
    (project / "op_host" / "new.cpp").write_text("")
    assert source_of(project, out)["dirty"] is True
    (project / "op_host" / "new.cpp").unlink()
    (project / "op_host" / "square.cpp").write_text("// 2\n")
    assert source_of(project, out)["dirty"] is True


def test_changes_beside_the_project_do_not_count(project: Path) -> None:
    (project.parent / "other").write_text("x")
    assert source_of(project, project / "build_out")["dirty"] is False


def test_a_project_that_is_not_in_the_commit_has_no_source(project: Path, tmp_path: Path) -> None:
    assert source_of(tmp_path, tmp_path / "out") == {}
    ignored = project.parent / "ignored"
    ignored.mkdir()
    (ignored / "x").write_text("x")
    (project.parent / ".gitignore").write_text("ignored\n")
    assert source_of(ignored, ignored / "build_out") == {}


def test_a_repository_without_a_commit_gives_no_source(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "x").write_text("x")
    assert source_of(tmp_path, tmp_path / "build_out") == {}


def test_variables_of_git_do_not_lead_elsewhere(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = source_of(project, project / "build_out")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert source_of(project, project / "build_out") == expected


def test_without_git_there_is_no_source(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert source_of(project, project / "build_out") == {}
