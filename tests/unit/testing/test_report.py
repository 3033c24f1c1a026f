"""The table, the explanations, JSON and JUnit's XML of a run; whether it failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from opkg.errors import UsageError
from opkg.opinfo import OpInfo, Param
from opkg.testing import Case, Outcome, Selection, Suite
from opkg.testing.report import Report

SQUARE = OpInfo(
    "Square",
    (Param("x", "required", ("float16", "float32"), ("ND", "ND")),),
    (Param("y", "required", ("float16", "float32"), ("ND", "ND")),),
)
CASE = Case("Square", 1, "length=33", (((33,),),), "one", seed=7)
PASSED = Outcome("Square", 0, "passed", Case("Square", 0, "special", (((9,),),), seed=7), 0.25)
WRONG = Outcome(
    "Square", 1, "mismatch", CASE, 0.5, "output y: 1 of 33 elements differ", ("tolerance: none",), {"index": (32,)}
)
CRASH = Outcome(
    "Square", 1, "crash", replace(CASE, name="own case"), 0.125, "ended by SIGSEGV", ("last \x1b words <&>",)
)
HINT = "with --check all that the kernel reads and writes is looked at, and what is wrong is named by line"
SKIPPED = Outcome("Square", 1, "skipped", message="nobody can call it")


@pytest.fixture
def suite(offer_package: Callable[..., Path], tmp_path: Path) -> Suite:
    made = Suite(tmp_path, offer_package([SQUARE]), Selection(seed=7))
    made.__dict__["without_golden"] = ()
    return made


def test_a_run_fails_by_any_wrong_case_and_by_running_nothing(suite: Suite) -> None:
    assert not Report(suite, (PASSED, SKIPPED)).failed
    assert Report(suite, (PASSED, WRONG)).failed and Report(suite, (CRASH,)).failed
    assert Report(suite, ()).failed and Report(suite, (SKIPPED,)).failed
    suite.__dict__["without_golden"] = ("Square",)
    assert Report(suite, (PASSED,)).failed and not Report(suite, (PASSED,), allow_missing=True).failed


def test_the_table_sums_up_what_passed_and_lists_the_rest(suite: Suite) -> None:
    rows = list(Report(suite, (PASSED, PASSED, WRONG, SKIPPED)).rows(every=False))
    assert rows[0] == ("operator", "column", "case", "verdict", "seconds")
    assert rows[1:] == [
        ("Square", "0 (x float16, y float16)", "2 cases", "passed", "0.50"),
        ("Square", "1 (x float32, y float32)", "length=33, one core", "mismatch", "0.500"),
        ("Square", "1 (x float32, y float32)", "all", "skipped: nobody can call it", ""),
    ]
    every = list(Report(suite, (PASSED,)).rows(every=True))
    assert every[1:] == [("Square", "0 (x float16, y float16)", "special, many cores", "passed", "0.250")]


def test_explanations_say_how_to_repeat(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite.root.parent)
    name = suite.root.name
    assert list(Report(suite, (PASSED, WRONG, CRASH)).explanations(every=False)) == [
        "Square column 1 (x float32, y float32), length=33, one core: mismatch",
        "  output y: 1 of 33 elements differ",
        "  tolerance: none",
        f"  again: opkg test {name} --op Square --column 1 --length 33 --case length=33 --cores one --seed 7",
        "Square column 1 (x float32, y float32), own case, one core: crash",
        "  ended by SIGSEGV",
        "  last \x1b words <&>",
        f"  again: opkg test {name} --op Square --column 1 --case 'own case' --cores one --seed 7",
        HINT,
    ]
    assert list(Report(suite, (WRONG,) * 12).explanations(every=False))[-2:] == [
        "and 2 more; --verbose shows them",
        HINT,
    ]
    assert Report(suite, (PASSED, WRONG, CRASH)).summary() == "1 passed, 1 mismatch, 1 crash; seed 7"


def test_a_check_build_is_repeated_as_one(suite: Suite) -> None:
    checked = Suite(suite.root, suite.package, Selection(seed=7, exact=True), check=True)
    checked.__dict__["without_golden"] = ()
    lines = list(Report(checked, (WRONG,)).explanations(every=False))
    assert lines[-1].endswith("--case length=33 --cores one --seed 7 --exact --check")
    assert HINT not in lines


def test_json(suite: Suite) -> None:
    found = json.loads(json.dumps(Report(suite, (PASSED, WRONG, SKIPPED)).to_dict()))
    assert (found["ok"], found["passed"], found["failed"], found["skipped"], found["seed"]) == (False, 1, 1, 1, 7)
    assert found["cases"][0] == {
        "operator": "Square", "column": 0, "case": "special", "cores": "many", "verdict": "passed", "seconds": 0.25
    }  # fmt: skip
    assert found["cases"][1]["difference"] == {"index": [32]} and "--seed 7" in found["cases"][1]["repeat"]
    assert found["cases"][2]["case"] is None and "repeat" not in found["cases"][2]


def test_junit(suite: Suite) -> None:
    suite.__dict__["without_golden"] = ("Cube",)
    root = ElementTree.fromstring(Report(suite, (PASSED, WRONG, CRASH, SKIPPED)).to_junit())
    suites = {each.get("name"): each for each in root}
    second = suites["Square column 1 (x float32, y float32)"]
    counts = [second.get(key) for key in ("tests", "failures", "errors", "skipped", "time")]
    assert counts == ["3", "1", "1", "1", "0.625"]
    assert second.find("properties/property").attrib == {"name": "seed", "value": "7"}
    assert [case.get("name") for case in second.findall("testcase")] == ["length=33 one", "own case one", "all"]
    assert second.find("testcase/failure").get("type") == "mismatch"
    assert "last ? words <&>" in second.find("testcase/error").text
    assert suites["Cube"].get("errors") == "1"


def test_a_selection_that_names_nothing_is_refused(suite: Suite) -> None:
    for selection, message in (
        (Selection(op="Squar"), "there is no operator Squar; did you mean 'Square'"),
        (Selection(column=2), "there is no column 2"),
        (Selection(column=-1), "there is no column -1"),
    ):
        with pytest.raises(UsageError, match=message):
            Suite(suite.root, suite.package, selection)
