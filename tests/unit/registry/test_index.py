"""The index on disk: stale, damaged, unwritable, shared."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from made_roots import MadeRoot, foreign, package, write

from opkg.registry import open_registry, reader
from opkg.registry.watch import Watch


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everything had been written long ago, which a test has no time for."""
    monkeypatch.setattr(Watch, "settled", True)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The packages that are read from their manifests rather than taken from an index."""
    seen: list[str] = []
    real = reader.read_package

    def counting(found: reader.Found, source: str) -> reader.Read:
        read = real(found, source)
        seen.append(read.package.name)
        return read

    monkeypatch.setattr(reader, "read_package", counting)
    return seen


def cache_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "opkg").glob("registry-*.sqlite*"))


def test_a_second_opening_reads_nothing_but_the_index(root: MadeRoot, reads: list[str]) -> None:
    root.show("customize", package("square", "Square"))
    for _ in range(3):
        assert open_registry(root.path).require("Square").name == "square"
    assert reads == ["square"]


def test_a_new_package_is_seen_and_the_old_ones_are_not_read_again(root: MadeRoot, reads: list[str]) -> None:
    square, cube = package("square", "Square"), package("cube", "Cube")
    root.show("customize", square)
    assert open_registry(root.path).resolve("Cube").chosen is None
    root.show("customize", square, cube)
    registry = open_registry(root.path)
    assert registry.require("Cube").columns == ("kernel/Cube_0.so",)
    assert registry.require("Square").op_info.op == "Square"
    assert reads == ["square", "cube"]


def test_a_removed_package_is_gone(root: MadeRoot) -> None:
    square, cube = package("square", "Square"), package("cube", "Cube")
    root.show("customize", square, cube)
    assert open_registry(root.path).require("Cube")
    root.show("customize", square)
    assert open_registry(root.path).resolve("Cube").chosen is None


def test_files_that_another_installer_writes_in_place_are_seen(root: MadeRoot) -> None:
    vendor = foreign(root.path / "vendors" / "huawei", "First")
    assert [c.op_type for c in open_registry(root.path).operators()] == ["First"]
    foreign(vendor, "Second", "ascend910b")
    assert [c.op_type for c in open_registry(root.path).operators()] == ["First", "Second"]
    foreign(vendor, "Third", "ascend910b")
    assert [c.op_type for c in open_registry(root.path).operators()] == ["First", "Third"]


def test_a_root_that_appears_later_is_seen(tmp_path: Path) -> None:
    assert open_registry(tmp_path / "later").packages() == []
    write(tmp_path / "later" / "vendors" / "customize", package("square", "Square"))
    assert open_registry(tmp_path / "later").require("Square").name == "square"


@pytest.mark.parametrize("custom_path", [False, True])
def test_a_root_that_was_deleted_and_made_again_is_seen(
    root: MadeRoot, monkeypatch: pytest.MonkeyPatch, custom_path: bool
) -> None:
    """Its first generation has the number that the first one before had."""
    if custom_path:
        monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(root.path / "vendors" / "customize"))
    for version in ("1.0.0", "2.0.0"):
        shutil.rmtree(root.path, ignore_errors=True)
        MadeRoot(root.path).show("customize", package("square", "Square", version=version))
        found = open_registry(None if custom_path else root.path).require("Square")
        assert (found.version, found.package_root.is_dir()) == (version, True)


def test_a_change_of_priority_alone_is_seen(root: MadeRoot) -> None:
    for vendor in ("alpha", "beta"):
        root.show(vendor, package("ops", "Square", vendor=vendor))
    assert open_registry(root.path).require("Square").vendor == "alpha"
    (root.path / "vendors" / "config.ini").write_text("load_priority=beta\n", "utf-8")
    assert open_registry(root.path).require("Square").vendor == "beta"


def test_a_new_generation_behind_a_custom_path_is_seen(root: MadeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(root.path / "vendors" / "customize"))
    for number in range(3):
        root.show("customize", package("counter", "Square", version=f"{number}.0"))
        assert open_registry(root.path / "elsewhere").require("Square").version == f"{number}.0"


def test_an_index_that_may_have_missed_a_change_is_made_again(
    root: MadeRoot, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign(root.path / "vendors" / "huawei")
    monkeypatch.setattr(Watch, "settled", False)
    for _ in range(2):
        open_registry(root.path)
    monkeypatch.setattr(Watch, "settled", True)
    for _ in range(2):
        open_registry(root.path)
    assert reads == ["huawei"] * 3


def test_what_changed_in_the_same_tick_is_not_trusted(
    root: MadeRoot, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    [folder] = root.show("customize", package("square", "Square"))
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    for age, settled in ((-1, False), (10_000_000, False), (10**9, True)):
        os.utime(folder, ns=(now, now - age))
        watch = Watch()
        watch.add(folder)
        assert watch.settled is settled


@pytest.mark.parametrize("keep", [0, 10, 100, 1000, 5000])
def test_a_cut_index_is_made_again(root: MadeRoot, tmp_path: Path, keep: int) -> None:
    root.show("customize", package("square", *(f"Op{i}" for i in range(100))))
    open_registry(root.path)
    [file] = cache_files(tmp_path)
    file.write_bytes(file.read_bytes()[:keep])
    assert open_registry(root.path).require("Op7").name == "square"
    assert len(open_registry(root.path).operators()) == 100


def test_every_damaged_page_is_survived(root: MadeRoot, tmp_path: Path) -> None:
    root.show("customize", package("square", *(f"Op{i}" for i in range(100))))
    open_registry(root.path)
    [file] = cache_files(tmp_path)
    whole = file.read_bytes()
    for start in range(4096, len(whole), 4096):
        file.write_bytes(whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :])
        registry = open_registry(root.path)
        assert sorted(c.op_type for c in registry.operators()) == sorted(f"Op{i}" for i in range(100)), start
        assert registry.require("Op99").columns == ("kernel/Op99_0.so",)


def test_an_index_of_another_format_is_made_again(root: MadeRoot, tmp_path: Path, reads: list[str]) -> None:
    root.show("customize", package("square", "Square"))
    open_registry(root.path)
    [file] = cache_files(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET format=999")
    connection.close()
    assert open_registry(root.path).require("Square").name == "square"
    assert reads == ["square", "square"]


def test_without_a_cache_that_can_be_written_the_index_lives_in_memory(
    root: MadeRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    root.show("customize", package("square", "Square"))
    assert open_registry(root.path).require("Square").name == "square"
    root.show("customize", package("cube", "Cube"))
    assert open_registry(root.path).require("Cube").name == "cube"


def test_no_draft_is_left_and_old_indexes_go(tmp_path: Path) -> None:
    for number in range(40):
        open_registry(tmp_path / f"root{number}")
    files = cache_files(tmp_path)
    assert len(files) == 32
    assert {file.suffix for file in files} == {".sqlite"}


def test_what_a_killed_process_left_goes_after_a_while(root: MadeRoot, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "opkg"
    folder.mkdir(parents=True)
    for name, age in (("registry-0.sqlite.12-3", 7200), ("registry-0.sqlite.12-4", 60)):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (time.time() - age,) * 2)
    open_registry(root.path)
    assert [file.name for file in cache_files(tmp_path) if file.suffix != ".sqlite"] == ["registry-0.sqlite.12-4"]


def test_a_slower_process_with_an_older_state_does_no_harm(
    root: MadeRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.show("customize", package("square", "Square"))
    open_registry(root.path)
    [file] = cache_files(tmp_path)
    older = file.read_bytes()
    root.show("customize", package("cube", "Cube"))
    real = Path.replace

    def replaced_at_once(self: Path, target: Path) -> Path:
        moved = real(self, target)
        other = Path(target).with_name("other")
        other.write_bytes(older)
        return real(other, target) or moved

    monkeypatch.setattr(Path, "replace", replaced_at_once)
    assert open_registry(root.path).require("Cube").name == "cube"
    monkeypatch.setattr(Path, "replace", real)
    assert open_registry(root.path).require("Cube").name == "cube"


def test_threads_may_share_a_registry_and_open_their_own(root: MadeRoot) -> None:
    root.show("customize", package("square", *(f"Op{i}" for i in range(50))))
    shared = open_registry(root.path)
    found: list[str] = []

    def ask(number: int) -> None:
        found.append(shared.require(f"Op{number}").op_type)
        found.append(open_registry(root.path).require(f"Op{number}").op_type)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(f"Op{n}" for n in range(8) for _ in "ab")
