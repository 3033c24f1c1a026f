"""`opkg.lock`, and roots that are made equal to it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from made_bundles import UnsyncedDisk, make_bundle, write_tree

from opkg.errors import ConflictError, NotFoundError, StoreError
from opkg.registry import layout
from opkg.store import Lock, Locked, Root, read_lock
from opkg.store.choice import kept_choices, offered, opened
from opkg.store.lockfile import with_required

DIGEST = "ab" * 32


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root", disk=UnsyncedDisk())


@pytest.fixture
def other(tmp_path: Path) -> Root:
    return Root(tmp_path / "other", disk=UnsyncedDisk())


def make(folder: Path, name: str, version: str, **more: object) -> Path:
    folder.mkdir(exist_ok=True)
    op = name.capitalize()
    return make_bundle(folder / f"{name}-{version}.run", name, op, version=version, files={name: version}, **more)


def keys(root: Root) -> list[str]:
    return [f"{p.manifest.key} {p.manifest.version}" for p in root.packages()]


def test_a_lock_is_written_and_read_back_and_always_the_same_bytes(tmp_path: Path) -> None:
    lock = Lock((Locked("acme", "x", "1.0+a", DIGEST, "cd" * 32), Locked("b.c", "y-z", "odd", DIGEST)), ("b.c", "acme"))
    text = lock.to_toml()
    assert text == (
        "# Exactly these packages, by the sha256 of their manifests; 'opkg sync' makes an install root equal to it.\n"
        'format = 1\npriority = ["b.c", "acme"]\n\n'
        f'[[package]]\nvendor = "acme"\nname = "x"\nversion = "1.0+a"\ndigest = "{DIGEST}"\nbundle = "{"cd" * 32}"\n\n'
        f'[[package]]\nvendor = "b.c"\nname = "y-z"\nversion = "odd"\ndigest = "{DIGEST}"\n'
    )
    (tmp_path / "opkg.lock").write_text(text)
    assert read_lock(tmp_path / "opkg.lock") == lock


GOOD = Lock((Locked("acme", "x", "1.0", DIGEST),), ("acme",)).to_toml()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "format = 1\n[[package",
        GOOD.replace("format = 1", "format = 2"),
        GOOD.replace("format = 1", 'format = "1"'),
        GOOD.replace('"acme"', '"../acme"'),
        GOOD.replace('name = "x"', 'name = "a/b"'),
        GOOD.replace('name = "x"', "name = 1"),
        GOOD.replace('version = "1.0"', 'version = "*"'),
        GOOD.replace(DIGEST, "*" * 64),
        GOOD.replace("digest", "hash"),
        GOOD + GOOD[GOOD.index("[[") :],
        GOOD.replace('["acme"]', '["a,b"]'),
        GOOD.replace('["acme"]', "7"),
        "\xff",
    ],
)
def test_what_is_no_lock_is_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "opkg.lock"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(StoreError, match="is not a lock: "):
        read_lock(file)
    with pytest.raises(StoreError, match="cannot read"):
        read_lock(tmp_path / "none")


def test_another_root_is_made_equal_in_one_change(tmp_path: Path, root: Root, other: Root) -> None:
    files = [make(tmp_path / "b", name, "1.0") for name in ("square", "cube")]
    files.append(make(tmp_path / "b", "tri", "1.0", vendor="elsewhere"))
    for file in files:
        root.install(file)
    lock = root.lock(source=tmp_path / "b")
    assert {one.bundle for one in lock.packages} == {hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    other.install(make(tmp_path, "square", "0.9"))
    other.install(make(tmp_path, "gone", "1.0", vendor="abroad"))
    entry = other.sync(lock, source=tmp_path / "b")
    assert entry
    assert entry.command == "sync"
    assert keys(other) == keys(root) == ["elsewhere/tri 1.0", "customize/cube 1.0", "customize/square 1.0"]
    assert layout.load_priority(other.path) == layout.load_priority(root.path)
    assert other.verify() == []
    assert other.lock(source=tmp_path / "b").to_toml() == lock.to_toml()
    assert other.sync(lock) is None
    assert len(other.history()) == 3
    other.rollback()
    assert sorted(keys(other)) == ["abroad/gone 1.0", "customize/square 0.9"]


def test_kept_versions_need_no_bundle_and_others_can_stay(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    lock = root.lock()
    root.install(make(tmp_path, "square", "2.0"))
    root.install(make(tmp_path, "cube", "1.0"))
    root.install(make(tmp_path, "tri", "1.0", vendor="elsewhere"))
    assert root.sync(lock, keep_others=True)
    assert sorted(keys(root)) == ["customize/cube 1.0", "customize/square 1.0", "elsewhere/tri 1.0"]
    assert root.sync(lock, keep_others=True) is None
    assert root.sync(lock)
    assert keys(root) == ["customize/square 1.0"]


def test_what_is_missing_is_named_altogether_and_nothing_changes(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    here = root.lock().packages
    lock = Lock((*here, Locked("acme", "x", "1.0", DIGEST), Locked("acme", "y", "2.0", DIGEST)))
    with pytest.raises(
        NotFoundError, match=rf"acme/x 1\.0 \({DIGEST[:12]}\), acme/y 2\.0 \({DIGEST[:12]}\) are not in"
    ):
        root.sync(lock, source=tmp_path)
    assert keys(root) == ["customize/square 1.0"]
    assert not list(root.path.glob(".opkg/staging*"))


def test_the_same_version_with_other_content_is_another_package(tmp_path: Path, root: Root, other: Root) -> None:
    root.install(make(tmp_path / "a", "square", "1.0"))
    (tmp_path / "b").mkdir()
    other.install(make_bundle(tmp_path / "b" / "x.run", "square", "Square", version="1.0", files={"square": "else"}))
    with pytest.raises(NotFoundError, match="is not in"):
        other.sync(root.lock(), source=tmp_path / "b")
    assert other.sync(root.lock(), source=tmp_path / "a")
    assert other.packages()[0].digest == root.packages()[0].digest
    assert (other.path / "vendors/customize/square").read_text() == "1.0"


def test_a_damaged_version_comes_from_its_bundle(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path / "b", "square", "1.0"))
    lock = root.lock()
    (root.packages()[0].path / "square").write_text("else")
    root.install(make(tmp_path, "square", "2.0"))
    with pytest.raises(StoreError, match="is damaged"):
        root.sync(lock)
    assert root.sync(lock, source=tmp_path / "b")
    assert root.verify() == []


def test_only_the_order_of_vendors_differs(tmp_path: Path, root: Root) -> None:
    for name, vendor in (("square", "customize"), ("tri", "elsewhere")):
        root.install(make(tmp_path, name, "1.0", vendor=vendor))
    lock = root.lock()
    assert lock.priority == ("elsewhere", "customize")
    root.uninstall("elsewhere")
    root.install(make(tmp_path, "tri", "1.0", vendor="elsewhere"))
    root.install(make(tmp_path, "square", "2.0"))
    root.activate("customize/square==1.0")
    assert layout.load_priority(root.path) == ("customize", "elsewhere")
    assert root.sync(lock)
    assert layout.load_priority(root.path) == ("elsewhere", "customize")
    assert root.sync(lock) is None


def test_what_another_installer_left_stays_and_is_not_replaced(tmp_path: Path, root: Root) -> None:
    write_tree(root.path / "vendors" / "theirs", {"data": "precious"})
    root.install(make(tmp_path, "square", "1.0"))
    assert root.sync(Lock(()))
    assert (root.path / "vendors" / "theirs" / "data").read_text() == "precious"
    bundle = make(tmp_path / "b", "x", "1.0", vendor="theirs")
    lock = Root(tmp_path / "r", disk=UnsyncedDisk())
    lock.install(bundle)
    with pytest.raises(ConflictError, match="was made by another installer"):
        root.sync(lock.lock(), source=tmp_path / "b")


def test_a_lock_of_some_packages_has_what_they_require(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "cube", "1.0", requires=("customize/square", "opkg>=0")))
    root.install(make(tmp_path, "tri", "1.0"))
    lock = root.lock([("customize", "cube", "")])
    assert [one.name for one in lock.packages] == ["cube", "square"]
    old = root.packages()[0].digest
    root.install(make(tmp_path, "tri", "2.0"))
    assert [one.version for one in root.lock([("customize", "tri", old)]).packages] == ["1.0"]
    with pytest.raises(NotFoundError, match="acme/x with digest abababababab is not in"):
        root.lock([("acme", "x", DIGEST)])


def test_requirements_hold_for_a_lock_too(tmp_path: Path, root: Root) -> None:
    root.install(make(tmp_path, "square", "1.0"))
    root.install(make(tmp_path, "cube", "1.0", requires=("customize/square",)))
    lock = Lock(tuple(one for one in root.lock().packages if one.name == "cube"))
    with pytest.raises(StoreError, match="requires customize/square, which would not be there"):
        root.sync(lock)
    assert root.sync(lock, force=True)
    assert keys(root) == ["customize/cube 1.0"]


def test_a_digest_finds_its_own_version_among_those_that_are_kept(root: Root, tmp_path: Path) -> None:
    for version in ("1.0", "2.0", "3.0"):
        root.install(make(tmp_path / "b", "cube", version))
    kept = {choice.manifest.version: choice.digest for choice in kept_choices(root.path, "customize", "cube")}
    assert sorted(kept) == ["1.0", "2.0", "3.0"]
    for version, digest in kept.items():
        [(manifest, found)] = with_required(root.path, [("customize", "cube", digest)], {})
        assert (manifest.version, found) == (version, digest)
    with pytest.raises(NotFoundError, match=f"customize/cube with digest {DIGEST[:12]} is not in "):
        with_required(root.path, [("customize", "cube", DIGEST)], {})


def test_a_bundle_that_changed_since_it_was_looked_at_is_not_read(tmp_path: Path) -> None:
    file = make(tmp_path / "b", "cube", "1.0")
    [choice] = offered(tmp_path / "b")
    with opened(choice) as bundle:
        assert bundle.digest == choice.digest
    file.write_bytes(make(tmp_path / "c", "cube", "1.1").read_bytes())
    with pytest.raises(StoreError, match="changed while it was read"), opened(choice):
        pass
