"""Progress is one line on a terminal, gone when the work is done, and nothing anywhere else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from made_bundles import UnsyncedDisk, make_bundle, write_tree

import opkg
from opkg import progress
from opkg.cli.progress import StatusLine
from opkg.store import Root

_CLEAR = "\r\x1b[K"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def line(clock: Clock) -> StatusLine:
    return StatusLine(io.StringIO(), clock)


def written(line: StatusLine) -> str:
    stream = line._stream
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_what_is_done_at_once_shows_nothing(line: StatusLine, clock: Clock) -> None:
    line("compiling")
    clock.now += 0.1
    line("linking")
    line("")
    assert written(line) == ""


def test_long_work_shows_one_line_and_takes_it_away(line: StatusLine, clock: Clock) -> None:
    line("compiling")
    clock.now += 0.5
    line("linking")
    line("too soon after the last")
    clock.now += 0.1
    line("packing")
    line("")
    line("")
    assert written(line) == f"{_CLEAR}linking{_CLEAR}packing{_CLEAR}"


def test_a_new_task_waits_again(line: StatusLine, clock: Clock) -> None:
    line("one")
    clock.now += 10
    line("")
    line("two")
    assert written(line) == ""


def test_a_text_that_is_too_long_or_has_lines_fits(line: StatusLine, clock: Clock) -> None:
    line("x")
    clock.now += 1
    line("[1/2] Building\n" + "a" * 100 + "/end.cpp")
    text = written(line).removeprefix(_CLEAR)
    assert len(text) < 80
    assert text.startswith("[1/2] Building aaa")
    assert text.endswith("aaa/end.cpp")


def test_nobody_listens_unless_asked() -> None:
    heard: list[str] = []
    progress.report("nobody")
    with progress.listening(heard.append):
        assert list(progress.counted("file", iter("ab"), 2)) == ["a", "b"]
    progress.report("nobody again")
    assert heard == ["file: 1 of 2", "file: 2 of 2", ""]


def test_an_installation_reports_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    bundle = make_bundle(tmp_path / "x.run")
    with progress.listening(heard.append):
        Root(tmp_path / "root", disk=UnsyncedDisk()).install(bundle)
    assert heard[0] == "installing customize/square, file: 1 of 6"
    assert heard[-2:] == ["installing customize/square, file: 6 of 6", ""]


def test_a_line_of_ninja_becomes_a_report() -> None:
    from opkg.build import cpu, ninja

    heard: list[str] = []
    assert ninja.STATUS.startswith(ninja.PROGRESS)
    with progress.listening(heard.append):
        cpu._report("@@ 3/7 Building square.cpp")
        cpu._report("warning: something")
    assert heard == ["[3/7] Building square.cpp"]


_PROGRAM = """
import sys, time
from opkg import cli, progress
class Command:
    def add_arguments(parser): parser.add_argument("--quiet", action="store_true")
    def run(args):
        progress.report("beginning"); time.sleep(0.5); progress.report("working"); time.sleep(0.1)
        return 0
cli._find = lambda name: (Command, "test", "")
sys.exit(cli.main(["work", *sys.argv[1:]]))
"""


def on_terminal(folder: Path, *words: str, term: str = "xterm") -> str:
    """What a command writes to stderr where that is a terminal."""
    program = write_tree(folder, {"program.py": _PROGRAM}) / "program.py"
    ours, theirs = pty.openpty()
    env = os.environ | {"TERM": term, "PYTHONPATH": str(Path(opkg.__file__).parents[1])}
    done = subprocess.run([sys.executable, program, *words], stderr=theirs, env=env, check=True, stdout=subprocess.PIPE)
    os.close(theirs)
    assert done.stdout == b""
    found = b""
    try:
        while chunk := os.read(ours, 4096):
            found += chunk
    except OSError:  # the other end is closed, and all has been read
        pass
    os.close(ours)
    return found.decode()


def test_a_command_shows_its_progress_on_a_terminal(tmp_path: Path) -> None:
    assert re.fullmatch(r"\r\x1b\[Kworking\r\x1b\[K", on_terminal(tmp_path))


def test_quiet_and_dumb_terminals_show_nothing(tmp_path: Path) -> None:
    assert on_terminal(tmp_path, "--quiet") == ""
    assert on_terminal(tmp_path, term="dumb") == ""
