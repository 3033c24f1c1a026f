import signal
import subprocess
import sys
import time

import pytest

from opkg.build.process import Run
from opkg.errors import BuildError


def test_output_status_and_log(tmp_path):
    lines = []
    run = Run(tmp_path / "log", {"GREETING": "hello"})
    finished = run(["sh", "-c", 'echo "$GREETING"; echo wrong >&2; exit 3'], on_line=lines.append)
    assert (finished.code, finished.output) == (3, "hello\nwrong\n")
    assert lines == ["hello", "wrong"]
    assert (tmp_path / "log").read_text().endswith("exit 3\nhello\nwrong\n")


def test_pwd_is_the_folder_as_it_was_given(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Run()(["sh", "-c", "echo $PWD"], cwd=tmp_path / "link").output == f"{tmp_path}/link\n"


def test_a_program_that_is_not_there():
    with pytest.raises(BuildError, match="cannot start /no/such/program: No such file or directory"):
        Run()(["/no/such/program"])


def test_messages_are_in_english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert Run()(["sh", "-c", "echo $LC_ALL"]).output == "C\n"


def test_an_interrupt_ends_the_program_before_it_is_raised(tmp_path):
    """As Ctrl-C at a terminal does, but only to this process: the program must be told by us."""
    loop = "trap 'echo told > told; exit 1' INT; echo > started; for i in $(seq 400); do sleep 0.05; done"
    script = "import sys; from pathlib import Path; from opkg.build.process import Run\n"
    script += f'Run()(["sh", "-c", "{loop}"], cwd=Path(sys.argv[1]))\n'
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    assert (tmp_path / "told").read_text() == "told\n"
