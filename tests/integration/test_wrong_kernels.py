"""`opkg test` finds each kind of wrong kernel, in the cases that show it, and the command that it prints repeats it."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import made_projects
import pytest

from opkg.cli import main

pytestmark = pytest.mark.slow

MUL = "AscendC::Mul(yLocal, xLocal, xLocal, count);"
END = "// end of Process"
STORE = "yLocal, AscendC::DataCopyExtParams{1, bytes,"
BEFORE_OTHERS = """
        if (first > 0 && length > 0) {
            const T *from = reinterpret_cast<const T *>(x) + first;
            T *to = reinterpret_cast<T *>(y) + first;
            if (!(static_cast<float>(to[-1]) == static_cast<float>(static_cast<T>(from[-1] * from[-1])))) {
                to[0] = static_cast<T>(77);
            }
        }
"""
SHARED_PLACE = """
        volatile uint16_t *shared = reinterpret_cast<volatile uint16_t *>(y);
        const uint16_t before = *shared;
        bool disturbed = false;
        for (uint32_t i = 0; i < 4000000 && tiling_.total == 200003 && AscendC::GetBlockIdx() % 4 == 0; ++i) {
            *shared = AscendC::GetBlockIdx();
            disturbed = disturbed || *shared != AscendC::GetBlockIdx();
        }
        *shared = before;
        if (disturbed) {
            yGm_.SetValue(1, static_cast<T>(77));
        }
"""
AT_LENGTHS = """
            if (tiling_.total == 33) { *reinterpret_cast<volatile int *>(tiling_.total - 33) = 1; }
            if (tiling_.total == 7) { __builtin_trap(); }
            if (tiling_.total == 63) { _exit(3); }
            if (tiling_.total == 2) { for (volatile int wait = 1; wait == 1;) {} }
            if (tiling_.total == 31) { xGm_.SetValue(3, static_cast<T>(0)); }
            ASSERT(tiling_.total != 16);
"""
HOW = ("--timeout", "2", "--column", "1", "--cores", "many", "--case", "length=*")
FOUND = {
    33: ("crash", "the process was ended by SIGSEGV: Segmentation fault"),
    7: ("crash", "the process was ended by SIGILL: Illegal instruction"),
    63: ("crash", "the process ended with exit code 3"),
    2: ("timeout", "it did not end within 2 s"),
    31: ("mismatch", "the kernel changed its input x"),
    16: ("error", "the assertion tiling_.total != 16 does not hold"),
}
"""Lengths at which that kernel does something wrong, the verdict and what is said."""


@dataclass(frozen=True)
class Bug:
    """An edit of the kernel of Square, the verdict, a text of the message, and which cases must and must not fail."""

    edits: tuple[tuple[str, str], ...]
    verdict: str
    message: str
    fails: Callable[[dict[str, Any]], bool]
    passes: Callable[[dict[str, Any]], bool]


def at(*lengths: int) -> Callable[[dict[str, Any]], bool]:
    return lambda case: case["case"] in [f"length={n}" for n in lengths]


BUGS = {
    "the last part of a block is not computed": Bug(
        ((MUL, MUL.replace("count)", "count / 16 * 16)")),),
        "mismatch",
        "1 of 33 elements differ, first at [32]: ",
        at(33),
        at(0, 16, 32, 256),
    ),
    "whole blocks are written": Bug(
        ((STORE, STORE.replace("bytes", "(bytes + 31) / 32 * 32")),),
        "mismatch",
        "bytes beyond the end of its output y",
        at(1, 31, 33),
        at(32, 256),
    ),
    "one column computes something else": Bug(
        ((MUL, "if (sizeof(T) == 2) AscendC::Add(yLocal, xLocal, xLocal, count); else " + MUL),),
        "mismatch",
        "elements differ",
        lambda case: case["column"] == 0 and case["case"] == "length=33",
        lambda case: case["column"] == 1,
    ),
    "NaN becomes a number": Bug(
        (
            (
                MUL,
                MUL + " for (uint32_t i = 0; i < count; ++i) { const float v = yLocal.GetValue(i); "
                "if (!(v <= 0) && !(v > 0)) { yLocal.SetValue(i, static_cast<T>(0)); } }",
            ),
        ),
        "mismatch",
        "instead of nan",
        lambda case: case["case"] == "special",
        lambda case: case["case"] != "special",
    ),
    "cores rely on earlier ones": Bug(
        ((END, BEFORE_OTHERS),),
        "mismatch",
        "77.0 instead of",
        lambda case: case["case"] == "length=200003" and case["cores"] == "backwards",
        lambda case: case["cores"] == "one",
    ),
}


@pytest.fixture(scope="module")
def square(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = made_projects.square(tmp_path_factory.mktemp("project") / "Square")
    shutil.copy(made_projects.DATA / "kernels/square.cpp", project / "op_kernel/square.cpp")
    return project


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of `opkg test`."""
    code = main(["test", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def shown(cases: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(c["column"], c["case"], c["cores"], c["verdict"], c.get("message")) for c in cases]


def test_what_one_case_does_to_its_process_is_that_case_only(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = shutil.copytree(square, tmp_path / "Square", ignore=shutil.ignore_patterns("build_out"))
    kernel = project / "op_kernel/square.cpp"
    made_projects.edit(kernel, MUL, MUL + AT_LENGTHS)
    made_projects.edit(kernel, '#include "square_tiling.h"', '#include "square_tiling.h"\nextern "C" void _exit(int);')
    junit = tmp_path / "junit.xml"
    code, found = report(capsys, str(project), *HOW, "--junit", str(junit))
    assert code == 1
    wrong = {case["case"]: case for case in found["cases"] if case["verdict"] != "passed"}
    assert set(wrong) == {f"length={length}" for length in FOUND}, shown(list(wrong.values()))
    for length, (verdict, message) in FOUND.items():
        case = wrong[f"length={length}"]
        assert case["verdict"] == verdict and message in case["message"], shown([case])
        again, repeated = report(capsys, *shlex.split(case["repeat"])[2:], "--timeout", "2")
        assert again == 1 and len(repeated["cases"]) == 1
        assert (repeated["cases"][0]["verdict"], repeated["cases"][0]["message"]) == (verdict, case["message"])
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == (str(len(found["cases"])), "1", "5")
    assert "again: opkg test" in (suite.findtext(".//testcase/error") or "")


@pytest.mark.parametrize("name", BUGS)
def test_a_wrong_kernel_is_found(square: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    bug = BUGS[name]
    project = shutil.copytree(square, tmp_path / "Square", ignore=shutil.ignore_patterns("build_out"))
    for old, new in bug.edits:
        made_projects.edit(project / "op_kernel/square.cpp", old, new)
    code, found = report(capsys, str(project), "--timeout", "2", "--seed", "5")
    wrong = [case for case in found["cases"] if case["verdict"] != "passed"]
    assert code == 1 and found["failed"] == len(wrong) > 0
    expected = [case for case in found["cases"] if bug.fails(case)]
    assert expected and {case["verdict"] for case in expected} == {bug.verdict}, shown(expected)
    assert all(bug.message in case["message"] for case in expected), shown(expected)
    assert not [case for case in wrong if bug.passes(case)], shown(wrong)

    command = shlex.split(expected[0]["repeat"])
    assert command[:2] == ["opkg", "test"]
    again, repeated = report(capsys, *command[2:], "--timeout", "2")
    assert again == 1
    assert shown(repeated["cases"])[0][:4] == shown(expected)[0][:4] and len(repeated["cases"]) == 1
    if "cores" not in name:
        assert repeated["cases"][0]["difference"] == expected[0]["difference"]


def test_cores_that_share_a_place_are_found(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = shutil.copytree(square, tmp_path / "Square", ignore=shutil.ignore_patterns("build_out"))
    made_projects.edit(project / "op_kernel/square.cpp", END, SHARED_PLACE)
    arguments = (str(project), "--length", "200003", "--case", "length=*", "--column", "1", "-j", "1")
    runs = (report(capsys, *arguments) for _ in range(5))  # who disturbs whom depends on how busy the machine is
    found = next(found for code, found in runs if code == 1)
    wrong = [case for case in found["cases"] if case["verdict"] != "passed"]
    assert {case["verdict"] for case in wrong} == {"mismatch"} and "one" not in {case["cores"] for case in wrong}
    monkeypatch.setenv("OPKG_NUM_THREADS", "1")
    code, found = report(capsys, *arguments)
    assert code == 0, shown(found["cases"])


def test_the_right_kernel_passes_and_what_is_written_says_so(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junit = tmp_path / "reports/junit.xml"
    code, found = report(capsys, str(square), "--junit", str(junit), "--seed", "3")
    assert (code, found["ok"], found["failed"], found["seed"]) == (0, True, 0, 3)
    assert {case["verdict"] for case in found["cases"]} == {"passed"}
    assert {(case["column"], case["cores"]) for case in found["cases"]} == {
        (column, cores) for column in (0, 1) for cores in ("one", "many", "backwards")
    }
    suites = ElementTree.parse(junit).getroot()
    assert sum(int(suite.get("tests", "")) for suite in suites) == found["passed"]
    assert not suites.findall(".//failure") and not suites.findall(".//error")
    assert main(["test", str(square), "--exact"]) == 0
    assert "passed; seed " in capsys.readouterr().out


def test_a_golden_that_is_missing_or_broken_is_said(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = shutil.copytree(square, tmp_path / "Square")
    golden = project / "tests/golden.py"
    golden.rename(tmp_path / "golden.py")
    assert main(["test", str(project)]) == 1
    assert "Square: def square(...)" in capsys.readouterr().out
    assert main(["test", str(project), "--allow-missing"]) == 0
    capsys.readouterr()
    golden.write_text("def square(x):\n    return [x, x]\n")
    code, found = report(capsys, str(project), "--length", "3", "--case", "length=3", "--cores", "one")
    assert code == 1 and "returns 2 values; the operator has 1" in found["cases"][0]["message"]
    golden.write_text("def square(x):\n    return x / nothing\n")
    code, found = report(capsys, str(project), "--length", "3", "--case", "length=3", "--cores", "one")
    assert "raises NameError" in found["cases"][0]["message"]
    assert found["cases"][0]["details"] == ["at golden.py:2: return x / nothing"]
    golden.write_text("import nothing_like_it\n")
    assert main(["test", str(project)]) == 1
    assert "cannot be imported: ModuleNotFoundError" in capsys.readouterr().err


def test_a_case_that_crashes_every_time_ends_its_column(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = shutil.copytree(square, tmp_path / "Square", ignore=shutil.ignore_patterns("build_out"))
    made_projects.edit(project / "op_kernel/square.cpp", MUL, "if (sizeof(T) == 4) { __builtin_trap(); } " + MUL)
    code, found = report(capsys, str(project), "--cores", "one", "-j", "1")
    assert code == 1
    of_column = [case["verdict"] for case in found["cases"] if case["column"] == 1]
    assert of_column.count("crash") == 5 and of_column.count("skipped") >= 20
    assert {case["verdict"] for case in found["cases"] if case["column"] == 0} == {"passed"}
