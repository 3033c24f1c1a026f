"""What the file that installs opkg itself puts on PATH."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from opkg.build.toolkit import lay_out

SOURCE = Path(__file__).parents[3] / "packaging" / "devkit.py"


@pytest.fixture
def devkit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("devkit", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path, devkit: ModuleType) -> Path:
    """An installed tree with an opkg that says how it was started."""
    tree = tmp_path / "my kit"
    devkit.write_launchers(tree)
    (tree / "lib/opkg").mkdir(parents=True)
    (tree / "lib/opkg/__init__.py").write_text("WHERE = __file__")
    (tree / "lib/opkg/__main__.py").write_text("import sys\nprint('opkg', sys.argv[1:])")
    return tree


def run(shell: str, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "OPKG_PYTHON": sys.executable, **variables}
    return subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, check=False)


def test_bash_finds_both_commands_after_sourcing(tree: Path) -> None:
    done = run(
        "bash",
        f"cd '{tree.parent}' && . 'my kit/set_env.sh' && cd / && opkg new 'a b' && opkg-python -c "
        "'import opkg; print(opkg.WHERE)'",
    )
    assert done.stdout.splitlines() == ["opkg ['new', 'a b']", str(tree / "lib/opkg/__init__.py")]
    assert done.stderr == ""


@pytest.mark.skipif(shutil.which("dash") is None, reason="no dash here")
def test_a_shell_that_does_not_say_where_the_file_is_is_told_what_to_do(tree: Path) -> None:
    done = run("dash", f". '{tree}/set_env.sh'; echo \"$PATH\"")
    assert done.stdout.strip() == os.environ["PATH"]
    assert "set OPKG_TOOLKIT to its folder" in done.stderr
    done = run("dash", f". '{tree}/set_env.sh'; opkg list", OPKG_TOOLKIT=str(tree))
    assert (done.stdout, done.stderr) == ("opkg ['list']\n", "")


def test_another_python_is_refused_with_a_sentence(tree: Path) -> None:
    (tree / "bin/python").symlink_to("/bin/false")
    launcher = (tree / "bin/opkg").read_text().replace(" python3 python;", ";")
    (tree / "bin/opkg").write_text(launcher.replace(f"python{sys.version_info[0]}.{sys.version_info[1]};", "python0;"))
    done = run("bash", f"'{tree}/bin/opkg' list", OPKG_PYTHON="/bin/false")
    assert done.returncode == 1
    assert "needs Python" in done.stderr and "OPKG_PYTHON" in done.stderr


def test_the_toolkit_travels_with_its_links(tree: Path, devkit: ModuleType, tmp_path: Path) -> None:
    lay_out(tree)
    (tree / "version.info").write_text("version=0\n", "utf-8")
    devkit.pack(tree, tmp_path / "payload.tar.gz")
    devkit.write_run(tmp_path / "payload.tar.gz", tmp_path / "kit.run")
    there = tmp_path / "there"
    install = [str(tmp_path / "kit.run"), "--full", f"--install-path={there}"]
    assert "is this folder too" in subprocess.run(install, capture_output=True, text=True, check=True).stdout
    done = run("bash", f". '{there}/cann/set_env.sh' && opkg list && opkg-ascc --version && echo $ASCEND_HOME_PATH")
    first, second, third = done.stdout.splitlines()
    assert (first, third) == ("opkg ['list']", str(there))
    assert second.startswith("opkg-ascc ")
    assert (there / "lib64" / "libascendcl.so").exists() and (there / "lib64").is_symlink()
    # Operators that were installed there stay when the kit is replaced.
    (there / "opp" / "vendors" / "mine").mkdir()
    subprocess.run([*install, "--force", "--quiet"], check=True)
    assert (there / "opp" / "vendors" / "mine").is_dir()
    # The folder is replaced where a link leads to it, and the link stays.
    (tmp_path / "link").symlink_to("there")
    subprocess.run([*install[:2], f"--install-path={tmp_path}/link", "--force", "--quiet"], check=True)
    assert (tmp_path / "link").is_symlink() and (there / "opp" / "vendors" / "mine").is_dir()
    # Whatever fails while the old files make room, they come back.
    (tmp_path / "tools").mkdir()
    for number in (1, 2, 3):
        (tmp_path / "calls").write_text("", "utf-8")
        stub = f"#!/bin/sh\necho >> '{tmp_path}/calls'\n[ $(wc -l < '{tmp_path}/calls') -eq {number} ] && exit 1\n"
        (tmp_path / "tools" / "mv").write_text(f'{stub}exec {shutil.which("mv")} "$@"\n', "utf-8")
        (tmp_path / "tools" / "mv").chmod(0o755)
        path = f"{tmp_path / 'tools'}{os.pathsep}{os.environ['PATH']}"
        failed = subprocess.run([*install, "--force"], env={"PATH": path}, capture_output=True, text=True, check=False)
        assert failed.returncode == 1
        assert ("nothing was changed" if number == 1 else "the old ones are back") in failed.stderr
        assert (there / "opp" / "vendors" / "mine").is_dir() and (there / "bin" / "opkg").is_file()
    assert not list(tmp_path.glob(".opkg-devkit*"))


@pytest.mark.parametrize("fails", ["stage/old/opp", "stage/new"])
def test_an_installation_that_breaks_off_leaves_the_old_one(devkit: ModuleType, tmp_path: Path, fails: str) -> None:
    new = tmp_path / "new"
    for tree, text in ((new, "new"), (tmp_path / "there", "old")):
        (tree / "bin").mkdir(parents=True)
        (tree / "opp" / "vendors" / text).mkdir(parents=True)
        (tree / "bin" / "opkg").write_text(text)
        (tree / "version.info").write_text("version=0\n")
    devkit.pack(new, tmp_path / "payload.tar.gz")
    devkit.write_run(tmp_path / "payload.tar.gz", tmp_path / "kit.run")
    # A mv that is interrupted at one of its calls, as a signal or a full disk does it.
    moves = tmp_path / "tools" / "mv"
    moves.parent.mkdir()
    place = fails.replace("stage", "*/.opkg-devkit.*")
    moves.write_text(f'#!/bin/sh\ncase $1 in {place}) kill -TERM $PPID; exit 1 ;; esac\nexec /bin/mv "$@"\n')
    moves.chmod(0o755)
    install = [str(tmp_path / "kit.run"), "--full", f"--install-path={tmp_path / 'there'}", "--force"]
    done = subprocess.run(install, env={"PATH": f"{moves.parent}:{os.environ['PATH']}"}, capture_output=True, text=True)
    assert done.returncode != 0
    assert (tmp_path / "there" / "bin" / "opkg").read_text() == "old"
    assert [path.name for path in (tmp_path / "there" / "opp" / "vendors").iterdir()] == ["old"]
    assert not list(tmp_path.glob(".opkg-devkit*"))
