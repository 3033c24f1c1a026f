"""The parent's side of a worker, against a golden that does to its process what kernels do."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from opkg.errors import OpkgError
from opkg.opinfo import OpInfo, Param
from opkg.testing import Case, Selection, Suite

X, Y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
SQUARE = OpInfo("Square", (X,), (Y,))
CASE = Case("Square", 0, "length=3", (((3,),),), "one")


@pytest.fixture
def suite(offer_package: Callable[..., Path], tmp_path: Path, fake_host_library: Path) -> Iterator[Suite]:
    (tmp_path / "tests").mkdir()
    with Suite(tmp_path, offer_package([SQUARE], host_library=fake_host_library), Selection(), timeout=3) as made:
        yield made


def golden(suite: Suite, body: str) -> None:
    (suite.root / "tests/golden.py").write_text(f"import os, signal, sys, time\ndef square(x):\n    {body}\n")


@pytest.mark.parametrize(
    ("body", "verdict", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crash", "the process was ended by SIGSEGV: Segmentation fault"),
        ("os.abort()", "crash", "the process was ended by SIGABRT: Aborted"),
        ("os._exit(7)", "crash", "the process ended with exit code 7"),
        ("time.sleep(60)", "timeout", "it did not end within 3 s"),
        ("raise ValueError('no')", "error", "the golden of Square raises ValueError: no"),
    ],
)
def test_what_happens_in_a_process_becomes_the_outcome(suite: Suite, body: str, verdict: str, message: str) -> None:
    golden(suite, body)
    for _ in range(2):  # each time in a process that is alive
        found = suite.run(CASE)
        assert (found.verdict, found.message) == (verdict, message)


def test_the_last_words_of_a_process_are_kept(suite: Suite) -> None:
    golden(suite, "[print('line', i) for i in range(100)]; sys.stdout.flush(); os.abort()")
    assert suite.run(CASE).details[-2:] == ("line 98", "line 99")


def test_what_a_wrong_case_printed_is_told_and_what_was_printed_before_is_not(suite: Suite) -> None:
    golden(suite, "print('words', x.size, flush=True); raise ValueError('no')")
    assert suite.run(CASE).details[-1] == "words 3"
    longer = suite.run(replace(CASE, name="length=5", inputs=(((5,),),)))
    assert "words 5" in longer.details and "words 3" not in longer.details


def test_of_reports_of_the_check_build_the_last_is_told_as_a_whole(suite: Suite) -> None:
    lines = [f"k.cpp:{i}: gm-bounds" for i in range(30)]
    text = "\n".join(["before", "check: kernel K: 1 finding", *lines, "check: kernel K: 30 findings", ""])
    golden(suite, f"os.write(2, {text.encode()!r}); raise ValueError('no')")
    assert suite.run(CASE).details[-30:] == tuple(lines)
    assert "before" not in suite.run(CASE).details


def test_what_kernels_print_does_not_disturb_the_answers(suite: Suite) -> None:
    golden(suite, "os.write(1, b'{\"verdict\": \"passed\"}\\n' * 3000); raise ValueError('no')")
    assert suite.run(CASE).verdict == "error"


def test_a_golden_that_cannot_be_imported_is_an_error_of_the_run(suite: Suite) -> None:
    (suite.root / "tests/golden.py").write_text("import os\nos._exit(4)\n")
    with pytest.raises(OpkgError, match="does not start: the process ended with exit code 4"):
        suite.run(CASE)
    (suite.root / "tests/golden.py").write_text("nonsense\n")
    with pytest.raises(OpkgError, match="cannot be imported: NameError") as caught:
        _ = suite.without_golden
    assert caught.value.code == "OPKG-3100"


def test_closing_ends_the_process_and_what_it_started(suite: Suite, tmp_path: Path) -> None:
    (suite.root / "tests/golden.py").write_text(
        "import os, time\n"
        "def square(x):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        time.sleep(60)\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(f'{{os.getpid()}} {{child}}')\n"
        "    raise ValueError\n"
    )
    suite.run(CASE)
    suite.close()
    assert all(_ended(int(pid)) for pid in (tmp_path / "pid").read_text().split())


def test_a_case_that_hangs_ends_with_its_parent(suite: Suite, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    write = f"open({str(pid)!r}, 'w').write(str(os.getpid())); os.replace({str(pid)!r}, {str(pid)!r} + '2')"
    golden(suite, f"{write}; time.sleep(60)")
    program = (
        "from pathlib import Path; from opkg.testing import Case, Suite\n"
        f"suite = Suite(Path({str(suite.root)!r}), Path({str(suite.package)!r}))\n"
        "suite.run(Case('Square', 0, 'a', (((3,),),), 'one'))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program])
    try:
        end = time.monotonic() + 30
        while not (tmp_path / "pid2").exists() and time.monotonic() < end:
            time.sleep(0.01)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert _ended(int((tmp_path / "pid2").read_text()))


def _ended(pid: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False
