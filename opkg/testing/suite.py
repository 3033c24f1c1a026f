"""A project's tests: builds it, knows its cases, runs them in child processes."""

from __future__ import annotations

import queue
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from opkg.errors import UsageError
from opkg.opinfo import OpInfo
from opkg.opinfo.source import meant
from opkg.testing import outcome as verdicts
from opkg.testing.case import CORES, Case
from opkg.testing.child import Worker
from opkg.testing.declared import CASES_NAME, Declared, read_declared
from opkg.testing.outcome import Outcome, outcome_of
from opkg.testing.plan import Skipped, cases_of

DEFAULT_TIMEOUT = 60.0
_MOST_DEATHS = 5
"""After so many crashes and hangs of one column, and so many of one kind of cores, the rest of it is not run."""


@dataclass(frozen=True)
class Selection:
    """Which cases are wanted; None: all.

    Attributes:
        op: operator type.
        column: number of a column.
        case: a case's name; `*` and `?` stand for any characters.
        lengths: instead of those of the project or of opkg.
        cores: keys of `CORES`.
        seed: of the random values.
        exact: whether results must equal the golden.
    """

    op: str | None = None
    column: int | None = None
    case: str | None = None
    lengths: tuple[int, ...] | None = None
    cores: tuple[str, ...] = tuple(CORES)
    seed: int = 0
    exact: bool = False


class Suite:
    """The tests of a project that has been built.

    Args:
        root: the project's folder.
        package: the package that was built of it.
        selection: which cases.
        timeout: seconds that a case may take.
        check: whether its kernels were built with the twin's checks.

    Raises:
        ProjectError: `tests/cases.toml` is wrong.
        UsageError: the selection names an operator or a column that there is not.
    """

    def __init__(
        self,
        root: Path,
        package: Path,
        selection: Selection | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        check: bool = False,
    ) -> None:
        self.root, self.package, self.check = root, package, check
        self.selection = selection or Selection()
        self._timeout = timeout
        every = _op_infos(package)
        self._declared = read_declared(root / "tests" / CASES_NAME, every)
        self.op_infos = _wanted(every, self.selection)
        self._workers: dict[str, Worker] = {}

    def __enter__(self) -> Suite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that `run` started."""
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

    @cached_property
    def without_golden(self) -> tuple[str, ...]:
        """The operators that nothing can be compared with. Raises `OpkgError` for a golden that cannot be imported."""
        with self.worker("many") as worker:
            found = worker.golden()
        return tuple(info.op for info in self.op_infos if info.op not in found)

    @cached_property
    def plan(self) -> tuple[Case | Skipped, ...]:
        """The cases of the operators that have a golden, and the columns that no call can choose."""
        return tuple(self._planned())

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of `plan`."""
        return tuple(each for each in self.plan if isinstance(each, Case))

    def _planned(self) -> Iterator[Case | Skipped]:
        wanted = self.selection
        for info in self.op_infos:
            if info.op in self.without_golden:
                continue
            declared = self._declared.get(info.op, Declared())
            for each in cases_of(info, declared, seed=wanted.seed, cores=wanted.cores, lengths=wanted.lengths):
                named = isinstance(each, Skipped) or wanted.case is None or fnmatchcase(each.name, wanted.case)
                if named and wanted.column in (None, each.column):
                    yield each

    def worker(self, cores: str) -> Worker:
        """A new worker for cases of that kind."""
        return Worker(self._about, cores, self._timeout)

    def run(self, case: Case) -> Outcome:
        """Run one case in a process that is kept for the next one."""
        if case.cores not in self._workers:
            self._workers[case.cores] = self.worker(case.cores)
        return self._workers[case.cores].run(case)

    def run_all(self, jobs: int, on_outcome: Callable[[Outcome], None] = lambda _: None) -> list[Outcome]:
        """Run all cases, `jobs` at once: outcomes in the order of the plan; `on_outcome` gets each when it is there."""
        return _Runner(self, on_outcome).run(jobs)

    def repeat_command(self, case: Case) -> str:
        """The command line that runs this case and no other."""
        words = ["opkg", "test", _shown(self.root), "--op", case.op, "--column", str(case.column)]
        if case.name.startswith("length="):
            words += ["--length", case.name.removeprefix("length=")]
        words += ["--case", case.name, "--cores", case.cores, "--seed", str(case.seed)]
        return shlex.join(words + ["--exact"] * self.selection.exact + ["--check"] * self.check)

    @property
    def _about(self) -> Mapping[str, Any]:
        return {
            "package": str(self.package),
            "golden": str(self.root / "tests" / "golden.py"),
            "operators": [info.to_dict() for info in self.op_infos],
            "tolerances": {info.op: self._tolerances(info) for info in self.op_infos},
        }

    def _tolerances(self, info: OpInfo) -> dict[str, Any]:
        if self.selection.exact:
            from opkg.testing.tolerance import EXACT

            return {dtype: asdict(EXACT) for param in info.outputs for dtype in param.dtypes}
        declared = self._declared.get(info.op, Declared())
        return {dtype: asdict(tolerance) for dtype, tolerance in declared.tolerances.items()}


def load_suite(
    path: Path | str,
    selection: Selection | None = None,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    jobs: int | None = None,
    check: bool = False,
    log: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
) -> Suite:
    """Builds the project in the folder `path`, where anything changed, and reads what its tests are.

    With `check` its kernels have the twin's checks.

    Raises:
        ProjectError, OpInfoError: the project cannot be read.
        BuildError: it cannot be built.
        UsageError: the selection names what there is not.
    """
    from opkg.build import build_project

    root = Path(path).expanduser().resolve()
    return Suite(root, build_project(root, jobs=jobs, check=check, log=log).package, selection, timeout, check)


class _Runner:
    """Hands the cases of a plan to workers, one kind of cores after the other."""

    def __init__(self, suite: Suite, on_outcome: Callable[[Outcome], None]) -> None:
        self._suite, self._on_outcome = suite, on_outcome
        self._lock = threading.Lock()
        self._deaths: Counter[tuple[str, int, str]] = Counter()
        self._found: dict[int, Outcome] = {}
        self._stop = threading.Event()
        self._active: list[Worker] = []
        self._errors: list[BaseException] = []

    def run(self, jobs: int) -> list[Outcome]:
        plan = self._suite.plan
        for number, each in enumerate(plan):
            if isinstance(each, Skipped):
                self._keep(number, Outcome(each.op, each.column, verdicts.SKIPPED, message=each.why))
        for cores in self._suite.selection.cores:
            waiting: queue.SimpleQueue[tuple[int, Case]] = queue.SimpleQueue()
            for number, each in enumerate(plan):
                if isinstance(each, Case) and each.cores == cores:
                    waiting.put((number, each))
            self._run_cores(cores, waiting, min(jobs, waiting.qsize()))
        return [self._found[number] for number in sorted(self._found)]

    def _run_cores(self, cores: str, waiting: queue.SimpleQueue[tuple[int, Case]], jobs: int) -> None:
        # Threads only wait for child processes, in which all the work is done.
        threads = [threading.Thread(target=self._serve, args=(cores, waiting)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:
            self._stop.set()
            for worker in list(self._active):
                worker.abort()
            for thread in threads:
                thread.join()
            raise
        if self._errors:
            raise self._errors[0]

    def _serve(self, cores: str, waiting: queue.SimpleQueue[tuple[int, Case]]) -> None:
        try:
            with self._suite.worker(cores) as worker:
                self._active.append(worker)
                while not self._stop.is_set():
                    number, case = waiting.get_nowait()
                    self._keep(number, self._outcome(worker, case))
        except queue.Empty:
            return
        except BaseException as error:  # raised again by the thread that waits for this one
            self._errors.append(error)
            self._stop.set()

    def _outcome(self, worker: Worker, case: Case) -> Outcome:
        key = (case.op, case.column, case.cores)
        if self._deaths[key] >= _MOST_DEATHS:
            why = f"not run: {_MOST_DEATHS} cases of this column crashed or hung"
            return outcome_of(case, verdicts.SKIPPED, message=why)
        found = worker.run(case)
        if found.verdict in (verdicts.CRASH, verdicts.TIMEOUT):
            with self._lock:
                self._deaths[key] += 1
            return self._alone(case, found)
        return found

    def _alone(self, case: Case, found: Outcome) -> Outcome:
        """The outcome in a fresh process, so that a case does not answer for what one before it did to the memory."""
        if found.verdict == verdicts.TIMEOUT or self._stop.is_set():
            return found
        with self._suite.worker(case.cores) as worker:
            again = worker.run(case)
        if again.failed:
            return again
        note = "alone it passes: it depends on the order of cores, or a case before it damaged the memory"
        return outcome_of(case, verdicts.CRASH, found.seconds, found.message, details=(*found.details, note))

    def _keep(self, number: int, outcome: Outcome) -> None:
        with self._lock:
            self._found[number] = outcome
            self._on_outcome(outcome)


def _op_infos(package: Path) -> tuple[OpInfo, ...]:
    from opkg.bundle.manifest import MANIFEST_NAME, Manifest

    manifest = Manifest.from_json((package / MANIFEST_NAME).read_text("utf-8"))
    return tuple(entry.op_info for entry in manifest.operators)


def _wanted(infos: tuple[OpInfo, ...], selection: Selection) -> tuple[OpInfo, ...]:
    names = [info.op for info in infos]
    if selection.op is not None and selection.op not in names:
        near = meant(selection.op, names)
        raise UsageError(f"there is no operator {selection.op}{near}", f"there are: {', '.join(names)}")
    found = tuple(info for info in infos if selection.op in (None, info.op))
    most = max((info.columns for info in found), default=0)
    if selection.column is not None and not 0 <= selection.column < most:
        raise UsageError(f"there is no column {selection.column}", f"the last one is {most - 1}")
    return found


def _shown(path: Path) -> str:
    """A path relative to where the user is, where it is below that."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
