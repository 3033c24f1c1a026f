"""What `opkg ci` hears in a line that a program prints."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from opkg.testing.programs.said import first_bad, says_good, without_build


@pytest.mark.parametrize(
    "line",
    [
        "test pass!",
        "Accuracy verification passed.",
        "[Success] Case accuracy verification passed.",
        "CompareResult golden.bin success!",
        "8/8 tests passed",
        "passed: 8 of 8",
        "core 0: pass",
        "compile and run: all tests passed",
        "0 of 185 elements are wrong, test pass",
        "error ratio: 0.0000 pass",
        "success rate: 100.0 %",
        "passed with 3 warnings",
        "test 3 pass",
        "test pass 3",
        "pass 100%",
        "passed: 8 failed: 0",
    ],
)
def test_a_right_result(line: str) -> None:
    assert says_good([line])
    assert first_bad([line]) == ""


@pytest.mark.parametrize(
    "line",
    [
        "test not passed",
        "the test did not pass",
        "the check doesn't succeed",
        "pass: False",
        "success=0",
        "pass rate: 0%",
        "0 tests passed",
        "none of it passed",
        "7/8 tests passed",
        "passed: 7 of 8",
        "unsuccessful",
        "ReadFile golden.bin success!",
        "INFO: compile op on CPU succeed!",
        "Successfully installed numpy-1.26",
        "acl init success",
        "ret == ACL_SUCCESS",
        "this test will pass if every value is 0",
        "the kernel has to pass",
        "test passed? no",
        "not all tests passed",
        "success rate: 99.2%",
        "passed with 3 errors",
        "pass 1 done",
        "second pass finished",
    ],
)
def test_nothing_right(line: str) -> None:
    assert not says_good([line])


@pytest.mark.parametrize(
    "line",
    [
        "10 of 185 elements are wrong",
        "core 0 is wrong",
        "case 0 failed",
        "index 0 mismatch",
        "[0] mismatch",
        "mismatch at index: 0",
        "wrong: 0, expected 1",
        "wrong value: 0.5",
        "block 0: 5 wrong",
        "0 failed, 3 mismatches",
        "failed: 10",
        "passed=0 failed=3",
        "passed: 0 failed: 3",
        "mismatched elements: 3",
        "max difference 0.0 failed",
        "[ERROR] result error",
        "Traceback (most recent call last):",
        "run.sh: line 9:  4711 Segmentation fault      (core dumped) ./main",
        "Aborted",
    ],
)
def test_a_wrong_result(line: str) -> None:
    assert first_bad(["test pass", line]) == line


@pytest.mark.parametrize(
    "line",
    [
        "0 of 185 elements are wrong",
        "no mismatches",
        "3 passed, 0 failed",
        "Result: 0 failed",
        "failed: 0",
        "passed 8 failed 0",
        "mismatch count = 0",
        "wrong elements: 0 of 185",
        "mismatch ratio: 0.0%",
        "failed: 0 passed: 8",
        "failures: none",
    ],
)
def test_none_wrong(line: str) -> None:
    assert first_bad([line]) == ""


def test_megabytes_without_an_end_of_a_line_are_heard_through() -> None:
    line = "7" * 1_000_000
    with time_limit(60):
        assert says_good([f"{line} test pass"])
        assert not says_good([f"{line}/8 passed"])
        assert first_bad([f"{line} 0 wrong"]) == ""
        assert first_bad([f"{line} 3 wrong"]) != ""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """What takes quadratic time would take hours: a search that is stopped is a failure and no hang."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_what_a_build_prints_is_not_about_the_result() -> None:
    build = [
        "-- Performing Test CMAKE_HAVE_LIBC_PTHREAD - Success",
        "-- Performing Test HAVE_FLAG - Failed",
        "[ 50%] Building CXX object pass.cpp.o",
        "main.cpp:3:1: warning: this may be wrong",
    ]
    assert without_build("\n".join([*build, "done"])) == ["done"]
