"""What the writer puts into a bundle, and that it depends on nothing else."""

import os
import stat
import tarfile
import time
from pathlib import Path

import pytest
from made_bundles import HOST_LIBRARY, make_bundle, make_manifest, package_files, write_tree

from opkg.bundle import FileEntry, hash_tree, open_bundle, write_bundle
from opkg.bundle.header import HEADER_SIZE, Header
from opkg.errors import BundleError


def payload_members(bundle: Path) -> list[tarfile.TarInfo]:
    header = Header.decode(bundle.read_bytes()[:HEADER_SIZE])
    with bundle.open("rb") as stream:
        stream.seek(header.stub + header.manifest)
        with tarfile.open(fileobj=stream, mode="r|gz") as tar:
            return list(tar)


def test_a_bundle_holds_every_file_with_its_size_checksum_and_execute_bit(tmp_path: Path) -> None:
    with open_bundle(make_bundle(tmp_path / "x.run", files={"a/b": "hello", "lib.so": b"\0" * 3})) as bundle:
        assert bundle.list() == (
            FileEntry("a/b", 5, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"),
            FileEntry("lib.so", 3, "709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c", executable=True),
        )


def test_what_comes_out_is_what_went_in(tmp_path: Path) -> None:
    files = package_files("Square") | {f"{'d' * 90}/{'e' * 90}/ä b.so": b"\x7fELF" + bytes(300_000), "empty": ""}
    with open_bundle(make_bundle(tmp_path / "x.run", files=files)) as bundle:
        bundle.verify()
        bundle.extract(tmp_path / "out")
    found = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert found == {*files, "opkg-package.json"}
    for name, content in files.items():
        assert (tmp_path / "out" / name).read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert stat.S_IMODE((tmp_path / "out" / HOST_LIBRARY).stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "out" / "version.info").stat().st_mode) == 0o644


def test_the_same_files_give_the_same_bytes_whatever_the_folder_umask_and_time(tmp_path: Path) -> None:
    first = make_bundle(tmp_path / "one" / "x.run")
    mask = os.umask(0o077)
    try:
        tree = write_tree(tmp_path / "other", dict(reversed(package_files("Square", marker="square 1.0.0").items())))
        for path in tree.rglob("*"):
            os.utime(path, (time.time(), 12345))
        second = write_bundle(tree, make_manifest("square", "Square"), tmp_path / "two" / "y.run")
    finally:
        os.umask(mask)
    assert first.read_bytes() == second.read_bytes()
    assert stat.S_IMODE(second.stat().st_mode) == 0o755


def test_members_are_sorted_regular_files_of_root_with_the_epoch_as_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    members = payload_members(make_bundle(tmp_path / "x.run"))
    assert [m.name for m in members] == sorted(package_files("Square"))
    assert {(m.uid, m.gid, m.uname, m.gname, m.mtime, m.isreg()) for m in members} == {(0, 0, "", "", 1700000000, True)}
    assert {m.mode for m in members} == {0o644, 0o755}


def test_a_link_inside_the_tree_becomes_a_copy(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree", {"lib/real.so": "code", "other/x": "1"})
    (tree / "alias.so").symlink_to("lib/real.so")
    (tree / "folder").symlink_to("lib")
    assert [entry.path for entry in hash_tree(tree)] == ["alias.so", "folder/real.so", "lib/real.so", "other/x"]
    write_bundle(tree, make_manifest("square", host_library=""), tmp_path / "x.run")
    assert all(member.isreg() for member in payload_members(tmp_path / "x.run"))


@pytest.mark.parametrize(
    ("target", "said"),
    [("../outside", "leads out of the package"), ("nothing", "leads nowhere"), (".", "leads into itself")],
)
def test_any_other_link_is_refused(tmp_path: Path, target: str, said: str) -> None:
    (tmp_path / "outside").write_text("secret")
    tree = write_tree(tmp_path / "tree", {"x": "1"})
    (tree / "link").symlink_to(target)
    with pytest.raises(BundleError, match=said):
        write_bundle(tree, make_manifest("square", host_library=""), tmp_path / "x.run")
    assert not list(tmp_path.glob("*.run*"))


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree", {"x": "1"})
    os.mkfifo(tree / "pipe")
    with pytest.raises(BundleError, match="'pipe' is neither a file nor a folder"):
        hash_tree(tree)


@pytest.mark.parametrize(
    ("name", "said"), [("a\\b", "backslash"), ("a\nb", "control"), (b"\xff".decode(errors="surrogateescape"), "UTF-8")]
)
def test_names_that_cannot_travel_are_refused(tmp_path: Path, name: str, said: str) -> None:
    tree = write_tree(tmp_path / "tree", {"x": "1"})
    (tree / name).write_text("1")
    with pytest.raises(BundleError, match=said):
        hash_tree(tree)


def test_long_names_travel(tmp_path: Path) -> None:
    files = {f"{'folder' * 40}/{'operator' * 30}/{'x' * 252}.so": "deep", "y" * 255: "long"}
    bundle = make_bundle(tmp_path / "x.run", files=files)
    with open_bundle(bundle) as opened:
        opened.extract(tmp_path / "out")
    for name, text in files.items():
        assert (tmp_path / "out" / name).read_text() == text


def test_names_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"'Lib' and 'lib' differ only in case"):
        hash_tree(write_tree(tmp_path / "tree", {"Lib/x": "1", "lib/y": "2"}))


@pytest.mark.parametrize("wrong", ["", "..", "-x", "a b", "a/b", "x" * 65, "a,b", "a=b"])
@pytest.mark.parametrize("field", ["vendor", "name", "version"])
def test_identities_that_could_not_be_a_folder_or_a_priority_are_refused(
    tmp_path: Path, field: str, wrong: str
) -> None:
    tree = write_tree(tmp_path / "tree", {"x": "1"})
    manifest = make_manifest(**{"name": "square", "host_library": "", field: wrong})
    with pytest.raises(BundleError, match=f"the {field} of a package"):
        write_bundle(tree, manifest, tmp_path / "x.run")


def test_a_failed_write_leaves_the_old_bundle(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    before = bundle.read_bytes()
    (tmp_path / "nothing here").mkdir()
    with pytest.raises(BundleError, match="no files"):
        write_bundle(tmp_path / "nothing here", make_manifest("square"), bundle)
    assert bundle.read_bytes() == before
    assert sorted(p.name for p in tmp_path.glob("*x.run*")) == ["x.run", "x.run.tree"]
