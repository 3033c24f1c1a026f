"""`opkg update`: what a newer template changed is merged into what the user changed, as a whole or not at all."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from opkg.cli import main
from opkg.errors import ProjectError
from opkg.project import new_project, parse_signature, update
from opkg.project.origin import ORIGIN_NAME, read_origin
from opkg.project.update import apply_update, finish_update, plan_update

SQUARE = parse_signature("Square", ["x:float16,float32"], [], ["k:float=nan"])
KERNEL = "op_kernel/square.cpp"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of an older template: other ignored files, a comment more in the kernel, a file that is gone since."""
    root = tmp_path / "Square"
    new_project(root, [SQUARE], vendor="acme", shapes={"Square": {"y": "x[:-1]"}})
    origin = read_origin(root)
    files = dict(origin.files)
    files[".gitignore"] = files[".gitignore"].replace("/build_out/\n", "/old/\n")
    files[KERNEL] = files[KERNEL].replace("private:\n", "private: // of the class\n")
    files["gone.txt"] = "gone\n"
    del files["build.sh"]
    (root / "build.sh").unlink()
    for name in (".gitignore", KERNEL, "gone.txt"):
        (root / name).write_text(files[name])
    (root / ORIGIN_NAME).write_text(replace(origin, version="0.0.1", files=files).to_text())
    return root


@pytest.fixture
def newest(tmp_path: Path) -> dict[str, bytes]:
    """The files of the project as the template of today makes it."""
    root = tmp_path / "newest" / "Square"
    new_project(root, [SQUARE], vendor="acme", shapes={"Square": {"y": "x[:-1]"}})
    return _files(root)


def _files(root: Path) -> dict[str, bytes]:
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in root.rglob("*") if f.is_file()}


def _actions(root: Path) -> dict[str, str]:
    return {change.path: change.action for change in plan_update(root).changes}


def test_a_project_that_nobody_changed_becomes_what_the_template_makes(project: Path, newest: dict[str, bytes]) -> None:
    assert _actions(project) == {".gitignore": "update", "build.sh": "add", "gone.txt": "remove", KERNEL: "update"}
    apply_update(plan_update(project))
    assert _files(project) == newest
    assert (project / "build.sh").stat().st_mode & 0o111
    assert plan_update(project).empty


def test_a_new_project_is_as_new_as_its_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new_project(tmp_path / "P", [SQUARE], template="plugin", domain="some.domain")
    before = _files(tmp_path / "P")
    assert main(["update", str(tmp_path / "P")]) == 0
    assert "is as new as its template (plugin " in capsys.readouterr().out
    assert _files(tmp_path / "P") == before


def test_what_the_user_changed_stays(project: Path, newest: dict[str, bytes]) -> None:
    kernel = (project / KERNEL).read_text()
    (project / KERNEL).write_text(kernel.replace("BUFFERS = 2", "BUFFERS = 1"))
    (project / "gone.txt").write_text("mine\n")
    (project / "mine.txt").write_text("mine\n")
    (project / "README.md").unlink()
    assert _actions(project) == {".gitignore": "update", "build.sh": "add", "gone.txt": "keep", KERNEL: "merge"}
    apply_update(plan_update(project))
    merged = (project / KERNEL).read_text()
    assert merged == newest[KERNEL].decode().replace("BUFFERS = 2", "BUFFERS = 1")
    assert (project / "gone.txt").read_text() == (project / "mine.txt").read_text() == "mine\n"
    assert not (project / "README.md").exists()


def test_what_the_user_removed_stays_away_and_is_said(project: Path) -> None:
    (project / KERNEL).unlink()
    (change,) = [change for change in plan_update(project).changes if change.path == KERNEL]
    assert (change.action, change.reason) == ("keep", "you removed it")


@pytest.fixture
def conflict(project: Path) -> Path:
    """A project whose user changed a line that the template changed too."""
    (project / KERNEL).write_text((project / KERNEL).read_text().replace("private: // of the class", "protected:"))
    return project


def test_conflicts_stop_an_update_and_nothing_is_written(conflict: Path) -> None:
    before = _files(conflict)
    with pytest.raises(ProjectError, match=r"changed the same lines of op_kernel/square\.cpp; nothing was written"):
        apply_update(plan_update(conflict))
    assert main(["update", str(conflict)]) == 1
    assert _files(conflict) == before


def test_conflicts_become_markers_with_consent(conflict: Path) -> None:
    assert main(["update", str(conflict), "--conflicts", "markers"]) == 0
    text = (conflict / KERNEL).read_text()
    assert "<<<<<<< yours\nprotected:\n=======\nprivate:\n>>>>>>> template\n" in text
    assert plan_update(conflict).empty


def test_conflicts_become_rej_files_with_consent(conflict: Path) -> None:
    mine = (conflict / KERNEL).read_text()
    assert main(["update", str(conflict), "--conflicts", "rej"]) == 0
    assert (conflict / KERNEL).read_text() == mine
    rejected = (conflict / f"{KERNEL}.rej").read_text()
    assert "-private: // of the class\n+private:\n" in rejected


def test_line_ends_of_windows_stay(project: Path) -> None:
    path = project / ".gitignore"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert _actions(project)[".gitignore"] == "update"
    apply_update(plan_update(project))
    assert b"/build_out/\r\n" in path.read_bytes()


def test_what_is_no_text_is_kept(project: Path) -> None:
    (project / KERNEL).write_bytes(b"\xff\xfe")
    assert _actions(project)[KERNEL] == "keep"


@pytest.mark.parametrize("steps", range(6))
def test_an_update_that_is_cut_short_is_finished_by_the_next(
    project: Path, newest: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    done, do = [0], update._do

    def cut(root: Path, staged: Path, name: str, new: str) -> None:
        if done[0] == steps:
            raise KeyboardInterrupt
        done[0] += 1
        do(root, staged, name, new)

    plan = plan_update(project)
    with monkeypatch.context() as patched:
        patched.setattr(update, "_do", cut)
        if steps == 5:
            apply_update(plan)
        else:
            with pytest.raises(KeyboardInterrupt):
                apply_update(plan)
            with pytest.raises(ProjectError, match="cut short"):
                plan_update(project)
    assert finish_update(project) == (steps < 5)
    assert _files(project) == newest


def test_killed_for_real_at_every_step(project: Path, newest: dict[str, bytes], tmp_path: Path) -> None:
    """SIGKILL before each renaming and removal: the next command finishes it, or nothing had begun."""
    script = """
import os, pathlib, signal, sys
from opkg.project import update
left, project = int(sys.argv[1]), pathlib.Path(sys.argv[2])
plan = update.plan_update(project)
def killing(call):
    def counted(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return counted
for name in ("rename", "replace", "unlink", "write_bytes", "write_text", "rmdir", "mkdir"):
    setattr(pathlib.Path, name, killing(getattr(pathlib.Path, name)))
os.replace, os.rename, os.fsync = killing(os.replace), killing(os.rename), killing(os.fsync)
update.apply_update(plan)
"""
    before, kills = _files(project), 0
    for steps in range(200):
        copy = tmp_path / f"copy{steps}"
        shutil.copytree(project, copy)
        child = subprocess.run([sys.executable, "-c", script, str(steps), str(copy)], check=False, capture_output=True)
        assert child.returncode in (0, -signal.SIGKILL), child.stderr
        if child.returncode == 0:
            break
        kills += 1
        finish_update(copy)
        after = _files(copy)
        assert after in (before, newest), sorted(set(after) ^ set(newest))
        if after == before:
            apply_update(plan_update(copy))
            assert _files(copy) == newest
    assert kills > 5


def test_a_file_that_was_changed_in_between_is_not_overwritten(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(update, "_do", cut)
        apply_update(plan_update(project))
    (project / KERNEL).write_text("mine\n")
    with pytest.raises(ProjectError, match="was changed after an update was cut short"):
        finish_update(project)
    assert (project / KERNEL).read_text() == "mine\n"


def test_a_full_disk_leaves_the_project_as_it_was(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = _files(project)
    monkeypatch.setattr(update, "_write", full)
    with pytest.raises(ProjectError, match="No space left on device; nothing was changed"):
        apply_update(plan_update(project))
    assert _files(project) == before


def test_check_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _files(project)
    assert main(["update", str(project), "--check", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["from"], found["written"]) == ("0.0.1", [])
    assert {"path": "build.sh", "action": "add", "reason": ""} in found["changes"]
    assert _files(project) == before
    assert main(["update", str(project), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == [".gitignore", "build.sh", "gone.txt", KERNEL]
    assert main(["update", str(project), "--check"]) == 0


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda text: text.replace('"format": 1', '"format": 2'), "has format 2"),
        (lambda text: text[:-40], "is damaged"),
        (lambda text: text.replace('"gone.txt"', '"../gone.txt"'), "leads out of the project"),
        (lambda text: text.replace('"socs"', '"sox"'), "is damaged"),
    ],
)
def test_a_damaged_record_is_named(project: Path, damage: object, word: str) -> None:
    file = project / ORIGIN_NAME
    file.write_text(damage(file.read_text()))  # type: ignore[operator]
    with pytest.raises(ProjectError, match=word):
        plan_update(project)


def test_the_operator_inside_a_plugin_is_updated_with_the_plugin(tmp_path: Path) -> None:
    new_project(tmp_path / "P", [SQUARE], template="plugin")
    with pytest.raises(ProjectError, match="is part of the project") as caught:
        plan_update(tmp_path / "P" / "operator")
    assert caught.value.hint == f"type 'opkg update {tmp_path / 'P'}'"


def test_a_project_without_a_record_cannot_be_updated(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"has no \.opkg/template\.json"):
        plan_update(tmp_path)
