"""The small parts of the store: config.ini, the journal, forwarders, the environment."""

from __future__ import annotations

import ctypes
import math
import subprocess
from pathlib import Path

import pytest
from made_bundles import UnsyncedDisk, make_bundle

from opkg.errors import StoreError
from opkg.store import Disk, Root, can_describe, describe, export_line, journal, priority
from opkg.store.disk import Disk as RealDisk
from opkg.store.forwarder import can_forward, make_forwarder


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


# ---- config.ini


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "load_priority=customize\n"),
        ("load_priority=\n", "load_priority=customize\n"),
        ("load_priority=customize", "load_priority=customize\n"),
        ("load_priority=customize_v2,ops_math\n", "load_priority=customize,customize_v2,ops_math\n"),
        ("load_priority=a-customize, my.customize ,customize\n", "load_priority=customize,a-customize,my.customize\n"),
        (
            "# customize\n[x]\nload_priority = b\nother=customize\n",
            "# customize\n[x]\nload_priority=customize,b\nother=customize\n",
        ),
        ("load_priority=a\nx=1\nload_priority=b,a\n", "load_priority=customize,a,b\nx=1\n"),
        ("other=1", "load_priority=customize\nother=1"),
        ("load_priority_of_mine=x\n", "load_priority=customize\nload_priority_of_mine=x\n"),
    ],
)
def test_a_vendor_is_put_first_and_nothing_else_changes(before: str, after: str) -> None:
    assert priority.put_first(before, "customize") == after
    assert priority.put_first(after, "customize") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("load_priority=customize_v2,customize,ops\n", "load_priority=customize_v2,ops\n"),
        ("load_priority=customize\nx=1\n", "x=1\n"),
        ("load_priority=customize\n", ""),
        ("x=customize\r\n", "x=customize\r\n"),
        ("", ""),
    ],
)
def test_a_vendor_is_taken_out_and_nothing_else_changes(before: str, after: str) -> None:
    assert priority.take_out(before, "customize") == after


# ---- the journal


@pytest.mark.parametrize(
    ("before", "kept", "last"),
    [
        ("", "load_priority=customize\n", "load_priority=b,customize\n"),
        ("load_priority=c\n", "load_priority=customize,c\n", "load_priority=c,b,customize\n"),
        ("x=1\nload_priority=c,customize,b\n", None, "x=1\nload_priority=c,b,customize\n"),
    ],
)
def test_a_vendor_stays_or_goes_behind_everyone(before: str, kept: str | None, last: str) -> None:
    assert priority.keep(before, "customize") == (before if kept is None else kept)
    looked_at = ["c", "b", "customize"] if "c" in before else ["b", "customize"]
    assert priority.put_last(before, "customize", looked_at) == last
    assert priority.put_last(last, "customize", looked_at) == last


def test_a_record_is_read_back_and_any_cut_of_it_is_none(tmp_path: Path) -> None:
    views = (journal.NewView("customize", 7, "keep"), journal.NewView("acme", 0))
    moves = (("staging/package0", "packages/customize/x/1.0-abc"), ("a", "b"))
    record = journal.Record(views, moves, ("staging/history", "history/1.json"), ("acme",))
    file = tmp_path / "journal"
    journal.write(UnsyncedDisk(), file, record)
    assert journal.read(file) == record
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert journal.read(file) is None
    for place in range(0, len(whole), 3):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x80]) + whole[place + 1 :])
        assert journal.read(file) is None
    file.unlink()
    assert journal.read(file) is None


# ---- forwarders


@pytest.fixture(scope="module")
def like() -> bytes:
    start = Path("/proc/self/exe").read_bytes()[:64]
    if not can_forward(start):
        pytest.skip("not a 64-bit little-endian machine")
    return start


def test_a_forwarder_brings_in_the_libraries_beside_it(tmp_path: Path, like: bytes) -> None:
    inner = make_forwarder("libtwo.so", ["libm.so.6"], like)
    (tmp_path / "libx.one.so").write_bytes(make_forwarder("libx.so", [], like))
    (tmp_path / "libx.two.so").write_bytes(inner)
    (tmp_path / "libx.so").write_bytes(make_forwarder("libx.so", ["libx.one.so", "libx.two.so"], like))
    library = ctypes.CDLL(str(tmp_path / "libx.so"))
    library.cos.restype, library.cos.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.cos(0.5) == math.cos(0.5)
    maps = Path("/proc/self/maps").read_text()
    assert all(str(tmp_path / name) in maps for name in ("libx.so", "libx.one.so", "libx.two.so"))


def test_what_is_no_library_is_not_forwarded(like: bytes) -> None:
    assert can_forward(like)
    assert not can_forward(like[:20])
    assert not can_forward(b"INPUT(libx.so)" + bytes(64))
    assert not can_forward(b"\x7fELF\x01\x01" + bytes(64))


def test_libraries_of_two_packages_are_both_loaded_through_the_view(tmp_path: Path, like: bytes) -> None:
    root = Root(tmp_path / "root", disk=UnsyncedDisk())
    name = "op_api/lib/libcust_opapi.so"
    for package, op, needed in (("square", "Square", "libm.so.6"), ("cube", "Cube", "libc.so.6")):
        files = {name: make_forwarder("libcust_opapi.so", [needed], like)}
        root.install(make_bundle(tmp_path / f"{package}.run", package, op, files=files))
    view = root.path / "vendors" / "customize"
    library = ctypes.CDLL(str(view / name))
    library.sqrt.restype, library.sqrt.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.sqrt(2.25) == 1.5
    maps = Path("/proc/self/maps").read_text()
    assert all(f"libcust_opapi.{package}.so" in maps for package in ("square", "cube"))
    assert root.environment()["LD_LIBRARY_PATH"] == str(view / "op_api/lib")
    assert root.verify() == []


# ---- the disk


def test_linking_falls_back_to_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0o755)

    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    RealDisk().link(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x"
    assert (tmp_path / "b").stat().st_mode == (tmp_path / "a").stat().st_mode


def test_names_are_exchanged_in_one_step(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    if not Disk().exchange(tmp_path / "folder", tmp_path / "link"):
        pytest.skip("this file system cannot exchange names")
    assert (tmp_path / "folder").readlink() == Path("elsewhere")
    assert (tmp_path / "link").is_dir()
    with pytest.raises(FileNotFoundError):
        Disk().exchange(tmp_path / "folder", tmp_path / "none")


def test_a_tree_with_read_only_folders_is_removed(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    inner.chmod(0o555)
    inner.parent.chmod(0o555)
    Disk().remove_tree(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    Disk().remove_tree(tmp_path / "a")


def test_syncing_a_folder_and_a_file_works(tmp_path: Path) -> None:
    Disk().write_file(tmp_path / "x", [b"1", b"2"], 0o600)
    Disk().sync(tmp_path / "x")
    Disk().sync_all(tmp_path)
    assert (tmp_path / "x").read_bytes() == b"12"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


# ---- the environment


@pytest.mark.parametrize("value", ["/plain", "/with space", "/it's", '/"q" $HOME `x` \\n'])
def test_an_export_line_means_the_same_to_a_shell(value: str) -> None:
    line = export_line("X", value)
    assert line.startswith("export X='")
    for before, after in ((None, value), ("/old", f"{value}:/old")):
        env = {} if before is None else {"X": before}
        done = subprocess.run(["/bin/sh", "-c", line + 'printf %s "$X"'], env=env, capture_output=True, check=True)
        assert done.stdout.decode() == after


# ---- describing


def test_an_installed_vendor_is_described(tmp_path: Path) -> None:
    root = Root(tmp_path / "root", disk=UnsyncedDisk())
    root.install(make_bundle(tmp_path / "x.run"))
    view = root.path / "vendors" / "customize"
    found = describe(view)
    (package,) = found["packages"]
    assert (found["kind"], found["foreign"]) == ("vendor", False)
    assert package["path"] == str(root.packages()[0].path)
    assert package["manifest"]["name"] == "square"
    assert describe(root.packages()[0].path)["packages"][0]["digest"] == package["digest"]
    assert describe(tmp_path / "x.run")["kind"] == "bundle"
    (tmp_path / "foreign" / "op_impl").mkdir(parents=True)
    assert describe(tmp_path / "foreign") == {
        "kind": "vendor",
        "path": str(tmp_path / "foreign"),
        "foreign": True,
        "packages": [],
    }
    assert not can_describe(tmp_path)
    with pytest.raises(StoreError, match="neither a package nor an installed vendor"):
        describe(tmp_path)
