"""Several versions of a package: putting one to use, upgrading, going back, history, requirements, collecting."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from made_bundles import UnsyncedDisk, make_bundle, write_tree

import opkg
from opkg.bundle import MANIFEST_NAME
from opkg.bundle.requirement import Requirement, parse_requirement, version_order
from opkg.errors import BundleError, ConflictError, NotFoundError, StoreError
from opkg.registry import layout
from opkg.store import Root
from opkg.store.history import entry_path
from opkg.store.lock import exclusive


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root", disk=UnsyncedDisk())


def make(folder: Path, name: str, version: str, **other: object) -> Path:
    folder.mkdir(exist_ok=True)
    op = name.capitalize()
    return make_bundle(folder / f"{name}-{version}.run", name, op, version=version, files={name: version}, **other)


def keys(root: Root, vendor: str = "") -> list[str]:
    return [f"{p.manifest.key} {p.manifest.version}" for p in root.packages(vendor)]


def steps(root: Root) -> list[str]:
    """The history as short words: command, and what it did to which package."""
    return [
        f"{entry.command} {step.key} {' '.join(kept.version if kept else '-' for kept in (step.before, step.after))}"
        for entry in root.history()
        for step in entry.steps()
    ]


def link(root: Root, vendor: str = "customize") -> str:
    return (root.path / "vendors" / vendor).readlink().name


# ---- versions and requirements as text


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("customize/square", Requirement("customize", "square")),
        (" my.vendor/a-b >= 1.0 , <2 ", Requirement("my.vendor", "a-b", ">=1.0,<2")),
        ("opkg>=0.1", Requirement("", "opkg", ">=0.1")),
        ("a/b==1.*", Requirement("a", "b", "==1.*")),
    ],
)
def test_a_requirement_is_parsed_and_printed(text: str, parsed: Requirement) -> None:
    assert parse_requirement(text) == parsed
    assert parse_requirement(str(parsed)) == parsed


@pytest.mark.parametrize(
    "text", ["", "square>=1", "a/b/c", "a/b>=", "a/b=1", "a/b>=x y", "/b", "a/", "a/b 1.0", "../b"]
)
def test_what_is_no_requirement_is_a_sentence(text: str) -> None:
    with pytest.raises(BundleError, match="is no requirement"):
        parse_requirement(text)


def test_which_versions_a_requirement_accepts() -> None:
    wanted = Requirement("a", "b", ">=1.0,<2")
    assert [v for v in ("0.9", "1.0", "1.10", "1.5rc1", "2.0", "odd") if wanted.accepts(v)] == ["1.0", "1.10", "1.5rc1"]
    assert Requirement("a", "b").accepts("odd-one")
    assert Requirement("a", "b", "===odd-one").accepts("odd-one")


def test_versions_are_sorted_as_those_of_python_packages_and_others_before_them() -> None:
    versions = ["1.10", "odd-10", "1.9", "2.0", "2.0rc1", "odd-9"]
    assert sorted(versions, key=version_order) == ["odd-9", "odd-10", "1.9", "1.10", "2.0rc1", "2.0"]


# ---- putting a version to use


def test_a_kept_version_is_put_to_use_again(tmp_path: Path, root: Root) -> None:
    for version in ("1.0", "1.2", "2.0"):
        root.install(make(tmp_path, "square", version))
    result = root.activate("customize/square<2")
    assert (result.package.manifest.version, result.replaced, result.changed) == ("1.2", "2.0", True)
    assert keys(root) == ["customize/square 1.2"]
    assert (root.path / "vendors" / "customize" / "square").read_text() == "1.2"
    assert not root.activate("customize/square==1.2").changed
    with pytest.raises(NotFoundError, match=r"customize/square==3 is not in") as caught:
        root.activate("customize/square==3")
    assert caught.value.hint == "there are 1.0, 1.2, 2.0; name a folder with bundles: --from DIR"
    with pytest.raises(NotFoundError):
        root.activate("customize/cube")


def test_a_version_comes_from_a_folder_with_bundles(tmp_path: Path, root: Root) -> None:
    for version in ("1.0", "2.0"):
        make(tmp_path / "store", "square", version)
    (tmp_path / "store" / "broken.run").write_text("not one")
    root.activate("customize/square<2", source=tmp_path / "store")
    assert keys(root) == ["customize/square 1.0"]
    with pytest.raises(NotFoundError, match="is not a folder"):
        root.activate("customize/square", source=tmp_path / "nowhere")


def test_a_damaged_version_is_not_put_to_use(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    (root.packages()[0].path / "square").unlink()
    root.install(make(tmp_path, "square", "2.0"))
    with pytest.raises(StoreError, match="is damaged"):
        root.activate("customize/square==1.0")
    assert keys(root) == ["customize/square 2.0"]


# ---- upgrading


def test_upgrade_takes_the_newest_of_kept_and_offered(tmp_path: Path, root: Root) -> None:
    for name, version in (("square", "1.0"), ("cube", "1.0"), ("cube", "3.0")):
        root.install(make(tmp_path, name, version))
    root.activate("customize/cube==1.0")
    make(tmp_path / "new", "square", "1.1")
    make(tmp_path / "new", "square", "2.0rc1")
    make(tmp_path / "new", "tri", "1.0")
    entry = root.upgrade(source=tmp_path / "new")
    assert entry
    assert [step.to_dict()["package"] for step in entry.steps()] == ["customize/cube", "customize/square"]
    assert sorted(keys(root)) == ["customize/cube 3.0", "customize/square 1.1"]
    before = link(root)
    assert root.upgrade(source=tmp_path / "new") is None
    assert link(root) == before
    assert not list(root.path.glob(".opkg/staging*"))


def test_upgrade_keeps_the_order_of_packages_and_vendors(tmp_path: Path, root: Root) -> None:
    for name, vendor in (("square", "customize"), ("cube", "customize"), ("other", "elsewhere")):
        root.install(make(tmp_path, name, "1.0", vendor=vendor))
    make(tmp_path / "new", "square", "2.0")
    root.upgrade([("customize", "square")], source=tmp_path / "new")
    assert sorted(keys(root)) == ["customize/cube 1.0", "customize/square 2.0", "elsewhere/other 1.0"]
    assert layout.load_priority(root.path) == ("elsewhere", "customize")
    with pytest.raises(NotFoundError, match="customize/tri is not installed"):
        root.upgrade([("customize", "tri")])


def test_upgrade_passes_over_bundles_for_other_machines(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    make(tmp_path / "new", "square", "2.0", arch="riscv128")
    assert root.upgrade(source=tmp_path / "new") is None
    assert root.upgrade(source=tmp_path / "new", force=True)
    assert keys(root) == ["customize/square 2.0"]


def test_upgrade_is_of_all_or_none(tmp_path: Path, root: Root) -> None:
    for name, vendor in (("square", "customize"), ("other", "elsewhere")):
        root.install(make(tmp_path, name, "1.0", vendor=vendor))
    make(tmp_path / "new", "square", "2.0")
    make(tmp_path / "new", "other", "2.0", vendor="elsewhere", requires=("acme/x>=1",))
    with pytest.raises(StoreError, match=r"elsewhere/other 2\.0 requires acme/x>=1, which would not be there"):
        root.upgrade(source=tmp_path / "new")
    assert sorted(keys(root)) == ["customize/square 1.0", "elsewhere/other 1.0"]
    assert len(root.history()) == 2
    assert not list(root.path.glob(".opkg/staging*"))


def test_upgrade_does_not_take_an_operator_of_another_package_unasked(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "cube", "1.0"))
    (tmp_path / "new").mkdir()
    make_bundle(tmp_path / "new" / "x.run", "square", "Square", "Cube", version="2.0", files={"square": "2.0"})
    with pytest.raises(ConflictError, match="already has Cube"):
        root.upgrade(source=tmp_path / "new")


# ---- going back


def test_rollback_shows_the_generation_before_again(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "square", "2.0"))
    assert link(root) == "2"
    entry = root.rollback()
    assert (entry.command, entry.undoes) == ("rollback", 2)
    assert (link(root), keys(root)) == ("1", ["customize/square 1.0"])
    assert sorted(p.name for p in (root.path / ".opkg/generations/customize").iterdir()) == ["1", "2"]
    root.install(make(tmp_path, "square", "3.0"))
    assert link(root) == "3"
    root.rollback()
    assert link(root) == "1"


def test_rollback_again_goes_back_further_until_nothing_is_left(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "cube", "1.0"))
    root.install(make(tmp_path, "square", "2.0"))
    root.uninstall("customize")
    seen = []
    for _ in range(4):
        root.rollback()
        seen.append(sorted(keys(root)))
    assert seen == [
        ["customize/cube 1.0", "customize/square 2.0"],
        ["customize/cube 1.0", "customize/square 1.0"],
        ["customize/square 1.0"],
        [],
    ]
    with pytest.raises(NotFoundError, match="can be taken back"):
        root.rollback()
    assert root.verify() == []


def test_rollback_of_one_package_leaves_the_others(tmp_path: Path, root: Root) -> None:
    for name, version in (("square", "1.0"), ("cube", "1.0"), ("square", "2.0"), ("cube", "2.0")):
        root.install(make(tmp_path, name, version))
    root.rollback("customize", "square")
    assert sorted(keys(root)) == ["customize/cube 2.0", "customize/square 1.0"]
    root.rollback("customize")
    assert sorted(keys(root)) == ["customize/cube 1.0", "customize/square 1.0"]
    root.rollback()
    assert keys(root) == ["customize/square 1.0"]


def test_rollback_restores_the_order_of_vendors_and_of_packages(tmp_path: Path, root: Root) -> None:
    for name, vendor in (("square", "customize"), ("cube", "customize"), ("other", "elsewhere")):
        root.install(make(tmp_path, name, "1.0", vendor=vendor))
    before = keys(root), layout.load_priority(root.path)
    root.install(make(tmp_path, "square", "2.0"))
    assert layout.load_priority(root.path) == ("customize", "elsewhere")
    root.rollback()
    assert (keys(root), layout.load_priority(root.path)) == before


def test_rollback_after_an_upgrade_of_several_vendors_is_one_change(tmp_path: Path, root: Root) -> None:
    for name, vendor in (("square", "customize"), ("other", "elsewhere")):
        root.install(make(tmp_path, name, "1.0", vendor=vendor))
        make(tmp_path / "new", name, "2.0", vendor=vendor)
    root.upgrade(source=tmp_path / "new")
    assert sorted(keys(root)) == ["customize/square 2.0", "elsewhere/other 2.0"]
    root.rollback()
    assert sorted(keys(root)) == ["customize/square 1.0", "elsewhere/other 1.0"]
    assert len(root.history()) == 4


def test_rollback_says_when_the_version_is_gone(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "square", "2.0"))
    root.collect()
    with pytest.raises(NotFoundError, match=r"customize/square 1\.0 is no longer in"):
        root.rollback()
    assert keys(root) == ["customize/square 2.0"]
    with pytest.raises(NotFoundError, match="nothing was ever installed"):
        Root(tmp_path / "none").rollback()


def test_rollback_does_not_take_what_another_package_requires(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "square", "2.0"))
    root.install(make(tmp_path, "cube", "1.0", requires=("customize/square>=2",)))
    with pytest.raises(
        StoreError, match=r"customize/cube 1\.0 requires customize/square>=2, and customize/square is 1\.0"
    ):
        root.rollback("customize", "square")


# ---- history


def test_history_tells_every_change(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "square", "2.0"))
    root.rollback()
    root.uninstall("customize")
    assert steps(root) == [
        "install customize/square - 1.0",
        "install customize/square 1.0 2.0",
        "rollback customize/square 2.0 1.0",
        "uninstall customize/square 1.0 -",
    ]
    entries = root.history()
    assert [entry.number for entry in entries] == [1, 2, 3, 4]
    assert {entry.opkg for entry in entries} == {opkg.__version__}
    assert all(entry.time.endswith("Z") and entry.user for entry in entries)
    assert entries[2].to_dict()["changes"][0]["from"]["version"] == "2.0"


def test_a_change_that_is_refused_is_not_in_the_history(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    with pytest.raises(ConflictError):
        root.install(make_bundle(tmp_path / "x.run", "mine", "Square", files={"x": ""}))
    root.install(make(tmp_path, "square", "1.0"))
    assert steps(root) == ["install customize/square - 1.0"]


def test_a_damaged_entry_is_named(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    entry_path(root.path, 1).write_text("{")
    with pytest.raises(StoreError, match=r"1\.json cannot be read"):
        root.history()
    entry_path(root.path, 1).write_text(json.dumps({"format": 9}))
    with pytest.raises(StoreError, match="newer opkg"):
        root.history()


# ---- requirements


def test_what_is_required_must_be_there_first_and_stay(tmp_path: Path, root: Root) -> None:
    needy = make(tmp_path, "cube", "1.0", requires=("customize/square>=1.1", "opkg>=0.0.1"))
    with pytest.raises(StoreError, match=r"requires customize/square>=1\.1, which would not be there") as caught:
        root.install(needy)
    assert caught.value.code == "OPKG-6320"
    assert keys(root) == []
    root.install(make(tmp_path, "square", "1.0"))
    with pytest.raises(StoreError, match=r"and customize/square is 1\.0"):
        root.install(needy)
    root.install(make(tmp_path, "square", "1.1"))
    root.install(needy)
    for change in (
        lambda: root.uninstall("customize", "square"),
        lambda: root.activate("customize/square==1.0"),
    ):
        with pytest.raises(StoreError, match=r"customize/cube 1\.0 requires customize/square>=1\.1"):
            change()
    root.uninstall("customize")
    assert keys(root) == []


def test_force_does_without_and_later_changes_are_not_held_up(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "cube", "1.0", requires=("acme/x", "no requirement")), force=True)
    root.install(make(tmp_path, "square", "1.0"))
    root.uninstall("customize", "square")
    assert keys(root) == ["customize/cube 1.0"]
    with pytest.raises(BundleError, match="'no requirement' is no requirement"):
        root.install(make(tmp_path, "tri", "1.0", requires=("no requirement",)))


def test_a_newer_opkg_is_a_requirement_too(tmp_path: Path, root: Root) -> None:
    with pytest.raises(StoreError, match=rf"requires opkg>=99, and opkg is {opkg.__version__}"):
        root.install(make(tmp_path, "square", "1.0", requires=("opkg>=99",)))


def test_a_package_of_another_vendor_meets_a_requirement(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "other", "1.0", vendor="else-where"))
    root.install(make(tmp_path, "square", "1.0", requires=("else-where/other~=1.0",)))
    with pytest.raises(StoreError, match=r"customize/square 1\.0 requires else-where/other~=1\.0"):
        root.uninstall("else-where")
    root.uninstall("else-where", force=True)
    assert keys(root) == ["customize/square 1.0"]


# ---- collecting


def test_collecting_keeps_what_the_next_rollbacks_need(tmp_path: Path, root: Root) -> None:
    for version in ("1.0", "2.0", "3.0"):
        root.install(make(tmp_path, "square", version))
    names = [one.name for one in root.unused(keep=1)]
    assert names == ["customize 1", "customize/square 1.0"]
    assert [one.name for one in root.unused(keep=2)] == []
    assert [one.name for one in root.collect(keep=1)] == names
    root.rollback()
    assert (keys(root), link(root)) == (["customize/square 2.0"], "2")
    digest = root.packages()[0].digest
    root.install(make(tmp_path, "square", "4.0"))
    kept = root.collect(digests=[digest])
    assert "customize/square 2.0" not in [one.name for one in kept]
    assert {p.manifest.version for p in root.packages(kept=True)} == {"2.0", "4.0"}
    assert Root(tmp_path / "none").collect() == []


# ---- waiting


def test_who_waits_is_told_which_process_it_is_and_since_when(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    lock = root.path / ".opkg" / "lock"
    other = Root(root.path, disk=UnsyncedDisk(), wait=0.0)
    with exclusive(lock, 0, "opkg upgrade"):
        with pytest.raises(StoreError, match=rf"^process {os.getpid()} \(opkg upgrade\), since 20.*, is changing "):
            other.uninstall("customize")
        told = json.loads(lock.read_text())
        lock.write_text(json.dumps(told | {"host": "far-away"}))
        with pytest.raises(StoreError, match=r"\(opkg upgrade\) on far-away, since "):
            other.uninstall("customize")
        gone = subprocess.Popen(["true"])
        gone.wait()
        for text in ("", "77\n", "[]", json.dumps(told | {"pid": gone.pid, "host": socket.gethostname()})):
            lock.write_text(text)
            with pytest.raises(StoreError, match=r"^another process is changing "):
                other.uninstall("customize")
    other.uninstall("customize")


def test_a_dead_holder_blocks_nobody(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    child = os.fork()
    if child == 0:
        with exclusive(root.path / ".opkg" / "lock", 0, "opkg install"):
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    Root(root.path, disk=UnsyncedDisk(), wait=0.0).uninstall("customize")
    assert keys(root) == []


# ---- other installers


def test_what_a_bundles_own_installer_put_there_can_be_gone_back_to(tmp_path: Path, root: Root) -> None:
    from opkg.bundle import open_bundle

    with open_bundle(make(tmp_path, "square", "1.0")) as bundle:
        bundle.extract(root.path / "vendors" / "customize")
    assert (root.path / "vendors" / "customize" / MANIFEST_NAME).is_file()
    root.install(make(tmp_path, "square", "2.0"))
    root.rollback()
    assert keys(root) == ["customize/square 1.0"]
    assert root.verify() == []


def test_a_strangers_folder_that_was_adopted_stays_when_the_package_goes_back(tmp_path: Path, root: Root) -> None:
    write_tree(root.path / "vendors" / "customize", {"data": "precious"})
    root.install(make(tmp_path, "square", "1.0"), adopt=True)
    root.install(make(tmp_path, "square", "2.0"))
    root.rollback()
    assert (root.path / "vendors" / "customize" / "data").read_text() == "precious"
    assert [key for key in keys(root) if "square" in key] == ["customize/square 1.0"]
