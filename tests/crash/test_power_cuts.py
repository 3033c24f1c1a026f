"""What a power cut may take: when a step of a change comes, nothing that it relies on is in memory only."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from crash.stopping import SCENARIOS, Bundles, Scenario
from crash.test_trust_stops import CHANGES, Case
from made_bundles import UnsyncedDisk

from opkg.store import Root


class CachingDisk(UnsyncedDisk):
    """Knows which files and which names in folders a power cut would lose, and fails where that would do harm.

    Staged files and what is tidied away matter to nobody: the next command deletes them anyway.
    """

    def __init__(self, root: Path, *, exchanges: bool = True) -> None:
        self.root = root
        self.state = root / ".opkg"
        self.exchanges = exchanges
        self.files: set[Path] = set()
        self.names: set[Path] = set()
        self.steps: list[str] = []

    def lost(self) -> set[Path]:
        """Files without their content, and names that are not there (or are there again), after a power cut."""
        return {path for path in self.files | self.names if "staging" not in path.relative_to(self.root).as_posix()}

    def step(self, name: str, ready: bool = True) -> None:
        self.steps.append(name)
        assert ready, name
        assert self.lost() == set(), name

    def make_dir(self, path: Path) -> None:
        super().make_dir(path)
        self.names.add(path)

    def write_file(self, path: Path, chunks: Iterable[bytes], mode: int = 0o644) -> None:
        super().write_file(path, chunks, mode)
        self.files.add(path)
        self.names.add(path)

    def link(self, source: Path, target: Path) -> None:
        super().link(source, target)
        self.names.add(target)

    def symlink(self, target: Path, path: Path) -> None:
        super().symlink(target, path)
        # On its own it is nothing; it is renamed at once, or is part of a staged folder.

    def rename(self, source: Path, target: Path) -> None:
        below = {path for path in self.files if path == source or source in path.parents}
        assert not below or "staging" in target.name, f"{target} gets content that may be lost"
        if self.is_vendor(target) or self.is_vendor(source):
            self.step("switch", (self.state / "journal").is_file())
        super().rename(source, target)
        self.names = {path for path in self.names if path != source and source not in path.parents}
        if self.is_vendor(source) and target.parent != source.parent:
            self.names.add(source)  # beside it, `recover` finds what made way
        if ".opkg-" not in target.name and not self.is_tidied(target):
            self.names.add(target)

    def exchange(self, one: Path, other: Path) -> bool:
        if not self.exchanges:
            return False
        self.step("switch", (self.state / "journal").is_file())
        self.names.add(other)
        return super().exchange(one, other)

    def remove(self, path: Path) -> None:
        if path == self.state / "journal":
            self.step("end")
        elif self.is_vendor(path):
            self.step("switch", (self.state / "journal").is_file())
        there = path.is_symlink() or path.exists()
        super().remove(path)
        self.files.discard(path)
        self.names.discard(path)
        if there and ".opkg-" not in path.name and path.suffix != ".new":
            self.names.add(path)

    def remove_tree(self, path: Path) -> None:
        super().remove_tree(path)
        self.files = {one for one in self.files if path not in one.parents}
        self.names = {one for one in self.names if one != path and path not in one.parents}

    def sync(self, path: Path) -> None:
        self.files.discard(path)
        self.names = {one for one in self.names if one.parent != path}

    def sync_all(self, path: Path) -> None:
        self.files.clear()
        self.names.clear()

    def is_vendor(self, path: Path) -> bool:
        """Whether it is the name under which programs see a vendor."""
        return path.parent == self.root / "vendors" and not path.name.startswith((".", "config.ini"))

    def is_tidied(self, path: Path) -> bool:
        return self.state / "staging" in path.parents


@pytest.fixture(scope="module")
def bundles() -> Iterator[Bundles]:
    with tempfile.TemporaryDirectory() as name:
        yield Bundles(Path(name))


@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_step_of_a_change_finds_what_it_relies_on_on_the_disk(
    scenario: Scenario, exchanges: bool, bundles: Bundles, tmp_path: Path, cases: list[str]
) -> None:
    path = tmp_path / "root"
    scenario.before(Root(path, disk=UnsyncedDisk()), bundles)
    disk = CachingDisk(path, exchanges=exchanges)
    scenario.change(Root(path, disk=disk), bundles)
    assert disk.lost() == set()
    assert disk.steps[0] == "switch"
    assert "end" in disk.steps
    cases += disk.steps


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_root_trusts_is_on_the_disk_before_anybody_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    case = Case(tmp_path, name)
    case.stopped(0, "before")  # makes the root
    disk = CachingDisk(case.path)
    change: Callable[[Root], object] = case.change
    change(Root(case.path, disk=disk))
    assert disk.lost() == set()
