"""A change that stops at any call leaves the root as it was or as it will be, and the next command goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crash.stopping import (
    SCENARIOS,
    Bundles,
    FullDisk,
    NoExchangeDisk,
    Scenario,
    Stopped,
    StoppingDisk,
    copy_root,
    leftovers,
    records,
    seen,
)
from made_bundles import UnsyncedDisk

from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store import Root

NAMES = [scenario.name for scenario in SCENARIOS]


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Bundles:
    return Bundles(tmp_path_factory.mktemp("bundles"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of roots are made and removed."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield Path(name)


class Trial:
    """A scenario with its root before and after, and how many calls the change makes."""

    def __init__(self, scenario: Scenario, bundles: Bundles, folder: Path, disk: type[StoppingDisk]) -> None:
        self.scenario = scenario
        self.bundles = bundles
        self.template = folder / "template"
        self.path = folder / "root"
        self.disk = disk
        scenario.before(Root(self.template, disk=UnsyncedDisk()), bundles)
        self.old = seen(self.template)
        self.records = {"old": records(self.template)}
        counting = disk()
        copy_root(self.template, self.path)
        scenario.change(Root(self.path, disk=counting), bundles)
        self.calls = counting.calls
        self.new = seen(self.path)
        self.records["new"] = records(self.path)
        assert self.new != self.old
        files = (self.old["files"], self.new["files"])
        self.several = sum(files[0].get(vendor) != files[1].get(vendor) for vendor in files[0] | files[1]) > 1
        assert self.new["damage"] == []
        assert leftovers(self.path) == []

    def places(self) -> Iterator[tuple[int, str]]:
        """Every point at which the change can stop."""
        for number, name in enumerate(self.calls):
            yield number, "before"
            if name in ("write_file", "remove_tree", "make_dir"):
                yield number, "amid"
        yield len(self.calls) - 1, "after"

    def stop(self, number: int, when: str) -> str:
        """Stop the change there; which state is seen then."""
        copy_root(self.template, self.path)
        disk = self.disk(number, when)
        with pytest.raises(Stopped):
            self.scenario.change(Root(self.path, disk=disk), self.bundles)
        return self.which(number, when)

    def which(self, number: int, when: str) -> str:
        """`old` or `new`, and nothing else."""
        found = seen(self.path)
        if found not in (self.old, self.new) and self.several:
            # One vendor has changed and the other will: the next command sees to that before anything else.
            Root(self.path, disk=UnsyncedDisk()).recover()
            found = seen(self.path)
            assert found == self.new
        assert found in (self.old, self.new), f"{when} call {number} ({self.calls[number]}): {found}"
        assert records(self.path)["config"] in [known["config"] for known in self.records.values()]
        return "new" if found == self.new else "old"

    def go_on(self, state: str) -> None:
        """The next command works, changes only what it says, and leaves nothing of the one that stopped."""
        root = Root(self.path, disk=UnsyncedDisk())
        if self.scenario.latest and state == "old":
            root.recover()
            assert (seen(self.path), leftovers(self.path)) == (self.old, [])
            self.scenario.change(root, self.bundles)
            state = "new"
        expected = self.new if state == "new" else self.old
        root.install(self.bundles.other_1)
        assert with_other(seen(self.path)) == with_other(expected)
        assert leftovers(self.path) == []
        now, then = (records_without(found, "elsewhere") for found in (records(self.path), self.records[state]))
        if self.scenario.name == "remove and purge" and state == "new":
            # Deleting what is kept is a second change, of things that nobody sees; the next purge goes on with it.
            now["kept"] = then["kept"]
        assert now == then
        if state == "old":
            self.scenario.change(root, self.bundles)
            assert with_other(seen(self.path)) == with_other(self.new)
            assert leftovers(self.path) == []


def records_without(found: dict[str, Any], vendor: str) -> dict[str, Any]:
    """Records as they would be without a vendor."""
    history = [entry for entry in found["history"] if not any(key.startswith(vendor) for key, _, _ in entry[1])]
    kept = [package for package in found["kept"] if not package.startswith(vendor)]
    lines = found["config"].replace(f"{vendor},", "").replace(f"load_priority={vendor}\n", "")
    return {"config": lines, "kept": kept, "history": history}


def with_other(found: dict[str, Any]) -> dict[str, Any]:
    """What is seen, whether or not the other vendor is there."""
    packages = sorted({*found["packages"], "elsewhere/other 1.0.0"})
    files = {vendor: files for vendor, files in found["files"].items() if vendor != "elsewhere"}
    return {"packages": packages, "files": files, "damage": found["damage"]}


@pytest.fixture
def trial(request: pytest.FixtureRequest, bundles: Bundles, folder: Path) -> Trial:
    scenario, disk = request.param
    return Trial(SCENARIOS[NAMES.index(scenario)], bundles, folder, disk)


def each(disk: type[StoppingDisk], *names: str) -> list[Any]:
    return [pytest.param((name, disk), id=name) for name in names or NAMES]


@pytest.mark.parametrize("trial", each(StoppingDisk), indirect=True)
def test_stopped_at_any_call_it_is_old_or_new_and_goes_on(cases: list[str], trial: Trial) -> None:
    states = []
    for number, when in trial.places():
        states.append(trial.stop(number, when))
        trial.go_on(states[-1])
        cases.append("tried")
    assert states == sorted(states, reverse=True), "once it is new it stays new"
    assert states[0] == "old"
    assert states[-1] == "new"


@pytest.mark.parametrize("trial", each(StoppingDisk, "upgrade", "adopt a stranger's", "remove the last"), indirect=True)
def test_stopped_again_while_it_recovers_it_is_what_it_was(cases: list[str], trial: Trial) -> None:
    for number, when in list(trial.places())[::5]:
        state = trial.stop(number, when)
        recovering = StoppingDisk()
        trial.stop(number, when)
        Root(trial.path, disk=recovering).recover()
        for again in range(len(recovering.calls)):
            trial.stop(number, when)
            with pytest.raises(Stopped):
                Root(trial.path, disk=StoppingDisk(again, "after")).recover()
            assert trial.which(number, when) == state
            trial.go_on(state)
            cases.append("tried")


@pytest.mark.parametrize("trial", each(FullDisk), indirect=True)
def test_a_full_disk_at_any_call_is_an_error_and_leaves_nothing_half_done(cases: list[str], trial: Trial) -> None:
    for number, when in trial.places():
        copy_root(trial.template, trial.path)
        with pytest.raises(StoreError, match="No space left on device"):
            trial.scenario.change(Root(trial.path, disk=FullDisk(number, when)), trial.bundles)
        state = trial.which(number, when)
        assert leftovers(trial.path) == []
        trial.go_on(state)
        cases.append("tried")


@pytest.mark.parametrize("trial", each(NoExchangeDisk, "adopt a stranger's", "join a bundle's own"), indirect=True)
def test_without_an_exchange_of_names_the_next_command_puts_the_folder_back(cases: list[str], trial: Trial) -> None:
    missing = 0
    for number, when in trial.places():
        copy_root(trial.template, trial.path)
        with pytest.raises(Stopped):
            trial.scenario.change(Root(trial.path, disk=NoExchangeDisk(number, when)), trial.bundles)
        if not (trial.path / "vendors" / "customize").exists():
            missing += 1
            Root(trial.path, disk=UnsyncedDisk()).recover()
        trial.go_on(trial.which(number, when))
        cases.append("tried")
    assert missing == 1


@pytest.mark.parametrize("trial", each(StoppingDisk, "first install", "remove the last"), indirect=True)
@pytest.mark.parametrize("switched", [False, True])
def test_a_journal_cut_at_any_byte_does_no_harm(cases: list[str], trial: Trial, switched: bool, folder: Path) -> None:
    writing = trial.calls.index("write_file", trial.calls.index("sync_all") if "sync_all" in trial.calls else 0)
    steps = [n for n, name in enumerate(trial.calls) if n > writing and name in ("rename", "remove")]
    stopped = trial.stop(*(steps[-1], "before") if switched else (writing + 1, "after"))
    journal = trial.path / ".opkg" / "journal"
    assert stopped == ("new" if switched else "old")
    whole = journal.read_bytes()
    snapshot = copy_root(trial.path, folder / "snapshot")
    for length in range(len(whole) + 1):
        copy_root(snapshot, trial.path)
        journal.write_bytes(whole[:length])
        assert trial.which(writing, "cut after") == stopped
        trial.go_on(stopped)
        cases.append("tried")


def test_killed_for_real_at_every_call(cases: list[str], bundles: Bundles, folder: Path) -> None:
    trial = Trial(SCENARIOS[NAMES.index("upgrade")], bundles, folder, StoppingDisk)
    command = [sys.executable, str(Path(__file__).with_name("killed.py")), str(bundles.square_2), str(folder)]
    done = subprocess.run([*command, str(len(trial.calls))], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split() == ["-9"] * (2 * len(trial.calls)), done.stderr
    for number in range(2 * len(trial.calls)):
        trial.path = folder / f"killed{number}"
        trial.go_on(trial.which(number // 2, "killed at"))
        cases.append("tried")


def test_collecting_stopped_at_any_call_takes_nothing_that_is_in_use(
    cases: list[str], bundles: Bundles, folder: Path
) -> None:
    template, path = folder / "template", folder / "root"
    root = Root(template, disk=UnsyncedDisk())
    for bundle in (bundles.square_1, bundles.cube_1, bundles.square_2, bundles.far_1, bundles.square_3):
        root.install(bundle)
    before = seen(template)
    counting = StoppingDisk()
    Root(copy_root(template, path), disk=counting).collect(keep=1)
    after = records(path)
    assert after != records(template)
    for number, name in enumerate(counting.calls):
        for when in ("before", "amid", "after") if name == "remove_tree" else ("before", "after"):
            copy_root(template, path)
            with pytest.raises(Stopped):
                Root(path, disk=StoppingDisk(number, when)).collect(keep=1)
            assert seen(path) == before
            assert whole_generations(path)
            Root(path, disk=UnsyncedDisk()).collect(keep=1)
            assert (records(path), leftovers(path), seen(path)) == (after, [], before)
            Root(path, disk=UnsyncedDisk()).rollback()
            assert "customize/square 2.0.0" in seen(path)["packages"]
            cases.append("tried")


def whole_generations(path: Path) -> bool:
    """Whether every package is there that a generation shows."""
    generations = path.glob(".opkg/generations/*/*")
    return all(package.is_dir() for folder in generations for package in layout.active_packages(folder) or ())
