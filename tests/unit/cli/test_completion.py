"""Completion scripts, asked by the shells that they are for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_roots import MadeRoot, foreign, package

import opkg
from opkg.cli import COMMANDS, main


def script(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completion", shell]) == 0
    file = folder / f"opkg.{shell}"
    file.write_text(capsys.readouterr().out)
    return file


def ask(shell: str, program: str, folder: Path, *options: str) -> str:
    """What a shell prints for a program, with an `opkg` on its path that is this one."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    tool = folder / "bin" / "opkg"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m opkg "$@"\n')
    tool.chmod(0o755)
    env = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "HOME": str(folder), "TERM": "dumb"}
    env["PYTHONPATH"] = str(Path(opkg.__file__).parents[1])
    done = subprocess.run(
        [shell, *options, "-c", program], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def here(tmp_path: Path, root: MadeRoot, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files in it, and an install root with an operator; a name there is no name."""
    root.show("customize", package("square", "Square"))
    foreign(root.path / "vendors" / "other", "$(touch pwned)")
    monkeypatch.setenv("ASCEND_OPP_PATH", str(root.path))
    folder = tmp_path / "here"
    (folder / "my folder").mkdir(parents=True)
    for name in ("x.run", "x*y.run"):
        (folder / name).touch()
    return folder


def bash(here: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    file = script("bash", here, capsys)
    quoted = " ".join(f"'{word}'" for word in words)
    program = f"source {file}; COMP_WORDS=(opkg {quoted}); COMP_CWORD={len(words)}; _opkg; "
    program += "printf '%s\\n' \"${COMPREPLY[@]}\""
    return sorted(filter(None, ask("bash", program, here).splitlines()))


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ins"], ["inspect", "install"]),
        (["--v"], ["--version"]),
        (["install", "--p"], ["--priority"]),
        (["--debug", "install", "--fo"], ["--force"]),
        (["install", "x"], ["x*y.run", "x.run"]),
        (["install", "--install-path", ""], ["bin", "my folder"]),
        (["build", "m"], ["my folder"]),
        (["sign", "--key", "x."], ["x.run"]),
        (["rollback", "customize/"], ["customize/square"]),
        (["which", ""], ["Square"]),
        (["info", "cust"], ["customize", "customize/square"]),
        (["uninstall", "o"], ["other", "other/other"]),
        (["env", "--shell", ""], ["bash", "fish"]),
        (["plugins", "en"], ["enable"]),
        (["completion", "f"], ["fish"]),
        (["help", "wh"], ["which"]),
        (["nothing", ""], []),
    ],
)
def test_bash(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], offered: list[str]) -> None:
    assert bash(here, capsys, *words) == offered


def test_bash_offers_every_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(COMMANDS) <= set(bash(here, capsys, ""))
    assert not any(word.startswith("__") for word in bash(here, capsys, ""))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("opkg insta", ["install"]),
        ("opkg install --pri", ["--priority"]),
        ("opkg which ", ["Square"]),
        ("opkg env --shell ", ["bash", "fish"]),
        ("opkg install x.", ["x.run"]),
        ("opkg completion z", ["zsh"]),
    ],
)
def test_fish(here: Path, capsys: pytest.CaptureFixture[str], line: str, offered: list[str]) -> None:
    file = script("fish", here, capsys)
    found = ask("fish", f"source {file}; complete -C '{line}'", here, "--no-config").splitlines()
    assert [word.partition("\t")[0] for word in found] == offered


_ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source {file}; echo rea""dy'
zpty -r shell answer '*ready*'
zpty -w -n shell $'{line}\\t'
zpty -w -n shell $'\\C-Aprint -r -- "<\\C-E>"\\n'
zpty -r shell answer '*\n<*>*'
print -r -- "$answer"
zpty -d shell
"""


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("opkg insta", "opkg install"),
        ("opkg install --pri", "opkg install --priority"),
        ("opkg which Sq", "opkg which Square"),
        ("opkg env --shell f", "opkg env --shell fish"),
        ("opkg install x.", "opkg install x.run"),
    ],
)
def test_zsh(here: Path, capsys: pytest.CaptureFixture[str], line: str, completed: str) -> None:
    file = script("zsh", here, capsys)
    assert f"<{completed}>" in ask("zsh", _ZSH.replace("{file}", str(file)).replace("{line}", line), here, "-f")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_name_that_is_none_is_never_offered(here: Path, capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert main(["__complete", "operators"]) == 0
    assert capsys.readouterr().out == "Square\n"
    assert "pwned" not in script(shell, here, capsys).read_text()
