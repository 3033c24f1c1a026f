"""pytest fixtures over a project's tests: a test that takes `opkg_case` is run with every case of `opkg test`.

    pytest_plugins = ["opkg.testing.fixtures"]

    def test_agrees_with_its_golden(opkg_case):
        opkg_case.check()

Nothing of this is loaded unless a test file or the top `conftest.py` asks for it with `pytest_plugins`. The project is
the folder above the test file that is one; `OPKG_PROJECT = "../operators"` in the file names another, relative to it.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from opkg.errors import OpkgError
from opkg.testing.case import Case
from opkg.testing.outcome import PASSED
from opkg.testing.projects import BuiltProject, load_project
from opkg.testing.suite import Selection, Suite, load_suite

_SUITES = pytest.StashKey[dict[Path, Suite]]()
_SEED = pytest.StashKey[int]()
_MARKS = ("opkg.toml", "op_host", "op_kernel")


@dataclass(frozen=True)
class OpkgCase:
    """A case of a suite; `case` is None for an operator that has no golden."""

    suite: Suite
    op: str
    case: Case | None

    def check(self) -> None:
        """Run it in a child process; a failed assertion says what is wrong and which command repeats it."""
        __tracebackhide__ = True
        assert self.case is not None, f"tests/golden.py has nothing for {self.op}"
        found = self.suite.run(self.case)
        if found.verdict != PASSED:
            lines = [f"{found.verdict}: {found.message}", *found.details]
            pytest.fail("\n".join([*lines, f"again: {self.suite.repeat_command(self.case)}"]), pytrace=False)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed: `OPKG_TEST_SEED`, else another each time."""
    text = os.environ.get("OPKG_TEST_SEED", "")
    config.stash[_SEED] = int(text) if text.isdecimal() else secrets.randbelow(1 << 32)
    config.stash[_SUITES] = {}


def pytest_report_header(config: pytest.Config) -> str:
    """Print the seed."""
    return f"opkg: OPKG_TEST_SEED={config.stash[_SEED]}"


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the child processes."""
    for suite in config.stash[_SUITES].values():
        suite.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `opkg_case` every case of the project."""
    if "opkg_case" not in metafunc.fixturenames:
        return
    suite = _suite(metafunc.config, _project_of(Path(metafunc.module.__file__ or ""), metafunc.module))
    cases = [OpkgCase(suite, case.op, case) for case in suite.cases]
    cases += [OpkgCase(suite, op, None) for op in suite.without_golden]
    labels = [each.case.label if each.case else f"{each.op}-no-golden" for each in cases]
    metafunc.parametrize("opkg_case", cases, ids=labels)


@pytest.fixture(scope="module")
def opkg_project(request: pytest.FixtureRequest) -> Iterator[BuiltProject]:
    """The project, built; `opkg_project.operator("Square")` is a function, called in this process."""
    yield load_project(_project_of(request.path, request.module))


def _suite(config: pytest.Config, root: Path) -> Suite:
    suites = config.stash[_SUITES]
    if root not in suites:
        try:
            suites[root] = load_suite(root, Selection(seed=config.stash[_SEED]), log=_to_stderr)
        except OpkgError as error:
            raise pytest.UsageError(f"{error.message}\n{error.hint}\n{getattr(error, 'log', '')}".rstrip()) from None
    return suites[root]


def _project_of(file: Path, module: object) -> Path:
    """The project that a test file belongs to."""
    named = getattr(module, "OPKG_PROJECT", None)
    if named is not None:
        return (file.parent / str(named)).resolve()
    found = next((p for p in file.resolve().parents if any((p / mark).exists() for mark in _MARKS)), None)
    if found is None:
        raise pytest.UsageError(f"{file} is in no project; name one with OPKG_PROJECT = '...' in the file")
    return found


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr)
