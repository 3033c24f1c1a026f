"""The command `opkg ci`, without a compiler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import opkg
from opkg.cli import main
from opkg.testing import programs
from opkg.testing.programs import Settings

LISTING = "find_package(ASC REQUIRED)\nproject(x LANGUAGES ASC)\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        scripts = tmp_path / "top" / name / "scripts"
        scripts.mkdir(parents=True)
        (scripts.parent / "CMakeLists.txt").write_text(LISTING)
        (scripts / "verify_result.py").write_text("import sys; print('test pass' if sys.argv[1:] else 'no arguments')")
    return tmp_path / "top"


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    """Its `cmake` puts a program that does nothing where a compiler would."""
    cmake = tmp_path / "kit" / "bin" / "cmake"
    cmake.parent.mkdir(parents=True)
    cmake.write_text("#!/bin/sh\n[ $1 != --build ] || cp /bin/true .\n")
    cmake.chmod(0o755)
    (tmp_path / "kit" / "set_env.sh").touch()
    return tmp_path / "kit"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


def test_a_table_a_line_each_and_the_number(top: Path, toolkit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "ci", top, "--toolkit", toolkit, "--jobs", 1)
    assert code == 0
    assert err.splitlines() == ["[1/2] one: verified", "[2/2] two: verified"]
    header, first, second, total = out.splitlines()
    assert header.split() == ["project", "form", "build", "run", "verify", "seconds", "first", "error", "line"]
    assert [line.split()[:5] for line in (first, second)] == [[n, "asc", "ok", "ok", "ok"] for n in ("one", "two")]
    assert total == "2 programs: 2 verified"


def test_some_of_them(top: Path, toolkit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "names").write_text("two\nthree\n")
    code, out, err = run(capsys, "ci", top, "--toolkit", toolkit, "--from", tmp_path / "names", "--json")
    assert (code, [row["project"] for row in json.loads(out)["programs"]]) == (0, ["two"])
    assert err.splitlines()[0] == "opkg: no program is named three"
    (tmp_path / "names").write_text("\n")
    code, out, err = run(capsys, "ci", top, "--from", tmp_path / "names", "--list")
    assert (code, out) == (1, "")
    assert err.startswith("opkg: no program or operator project of these names in ")
    code, out, _ = run(capsys, "ci", top, "--only", "o*", "--list", "--json")
    assert (code, json.loads(out)) == (0, [{"project": "one", "form": "asc", "sources": []}])


def test_names_of_folders_in_no_encoding(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/top/b\xff"))
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(LISTING)
    command = [sys.executable, "-m", "opkg", "ci", str(tmp_path / "top"), "--list"]
    root = str(Path(opkg.__file__).resolve().parents[1])
    env = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": root}
    assert subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout.splitlines()[1:] == [
        b"b\xff       asc"
    ]
    as_json = subprocess.run([*command, "--json"], env=env, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(as_json.decode("utf-8", "strict"))[0]["project"] == "b\udcff"


def test_another_interpreter_runs_the_scripts(
    top: Path, toolkit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\necho spoken by another >&2\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    code, out, _ = run(capsys, "ci", top, "--toolkit", toolkit, "--python", other, "--only", "one", "--json")
    assert (code, "spoken by another" in json.loads(out)["programs"][0]["steps"][-1]["output"]) == (0, True)


def test_a_failure_is_the_exit_status(top: Path, toolkit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (top / "one" / "scripts" / "verify_result.py").write_text("raise SystemExit('[ERROR] it differs')")
    code, out, _ = run(capsys, "ci", top, "--toolkit", toolkit)
    assert code == 1
    assert out.splitlines()[1].endswith("[ERROR] it differs")
    assert out.splitlines()[-1] == "2 programs: 1 verified, 1 failed"


def test_a_signal_to_end_ends_what_runs(top: Path, toolkit: Path, tmp_path: Path) -> None:
    (top / "one" / "scripts" / "verify_result.py").write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    places = tmp_path / "tmp"
    places.mkdir()
    command = [sys.executable, "-m", "opkg", "ci", str(top), "--toolkit", str(toolkit), "--only", "one"]
    root = str(Path(opkg.__file__).resolve().parents[1])
    env = {**os.environ, "TMPDIR": str(places), "PYTHONPATH": root}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as child:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        assert child.communicate()[1] == "opkg: interrupted\n"
    assert child.returncode == 130
    assert list(places.iterdir()) == []
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}/cwd").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--timeout", "0"], 2, "--timeout 0: expected more than 0"),
        (["--jobs", "0"], 2, "--jobs 0: expected at least 1"),
        (["--only", "nothing"], 1, "no program or operator project of these names in"),
        (["--toolkit", "/nowhere"], 1, "/nowhere is no toolkit: it has no set_env.sh"),
        (["--python", "/nowhere/python"], 1, "--python /nowhere/python: it cannot be run"),
    ],
)
def test_what_cannot_be_is_said(
    top: Path, toolkit: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, message: str
) -> None:
    got, _, err = run(capsys, "ci", top, "--toolkit", toolkit, *words)
    assert (got, message in err) == (code, True)


def test_options_reach_what_runs_the_programs(
    top: Path, toolkit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Settings] = []
    monkeypatch.setattr(programs, "run_programs", lambda top, found, settings, progress: asked.append(settings) or ())

    def settings(*words: object) -> Settings:
        assert run(capsys, "ci", top, "--toolkit", toolkit, *words)[0] == 0
        return asked.pop()

    plain = settings()
    assert (plain.toolkit, plain.python, plain.options) == (toolkit, Path(sys.executable), ())
    assert plain.jobs == len(os.sched_getaffinity(0))
    for words, changed in (
        (["--check"], {"options": ("-DCMAKE_ASC_CHECK=ON",)}),
        (["-D", "A=1", "-D", "B", "--check"], {"options": ("-DA=1", "-DB", "-DCMAKE_ASC_CHECK=ON")}),
        (["--soc", "Ascend310P3"], {"soc": "Ascend310P3"}),
        (["--timeout", 7], {"limit": 7.0}),
        (["-j", 3], {"jobs": 3}),
        (["--jobs", 3], {"jobs": 3}),
        (["--logs", tmp_path / "logs"], {"logs": tmp_path / "logs"}),
    ):
        assert settings(*words) == replace(plain, **changed), words
