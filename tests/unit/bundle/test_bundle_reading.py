"""The reader accepts exactly what the writer makes, and says what is wrong with anything else."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_bundles import make_bundle

from opkg.bundle import describe_bundle, is_run_file, open_bundle
from opkg.bundle.header import HEADER_SIZE, Header, seal_of
from opkg.errors import BundleError

Edit = Callable[[dict[str, Any]], object]
FILES = {"a": "first", "b/c": "second", "z": "last"}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make_bundle(tmp_path_factory.mktemp("good") / "x.run", files=FILES).read_bytes()


def parts(data: bytes) -> tuple[Header, bytes, bytes, bytes]:
    header = Header.decode(data[:HEADER_SIZE])
    manifest_end = header.stub + header.manifest
    return header, data[HEADER_SIZE : header.stub], data[header.stub : manifest_end], data[manifest_end:]


def assemble(body: bytes, manifest: bytes, payload: bytes) -> bytes:
    """A bundle whose checksums are right, whatever is in it: what an attacker would make."""
    header = Header(
        HEADER_SIZE + len(body),
        len(manifest),
        hashlib.sha256(manifest).hexdigest(),
        len(payload),
        hashlib.sha256(payload).hexdigest(),
    )
    return replace(header, seal=seal_of(header.encode() + body)).encode() + body + manifest + payload


def refused(tmp_path: Path, data: bytes) -> str:
    """What is said about a file; nothing may be written outside of the folder it is unpacked to."""
    file = tmp_path / "evil.run"
    file.write_bytes(data)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    with pytest.raises(BundleError) as caught, open_bundle(file) as bundle:
        bundle.extract(tmp_path / "out")
    assert {p.name for p in tmp_path.iterdir()} <= {"evil.run", "out"}
    return caught.value.message


def with_manifest(good: bytes, edit: Edit) -> bytes:
    _, body, manifest, payload = parts(good)
    data = json.loads(manifest)
    edit(data)
    return assemble(body, json.dumps(data).encode(), payload)


def with_members(good: bytes, members: list[tuple[tarfile.TarInfo, bytes]], tail: bytes = b"") -> bytes:
    _, body, manifest, _ = parts(good)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for member, content in members:
            tar.addfile(member, io.BytesIO(content))
    return assemble(body, manifest, gzip.compress(buffer.getvalue(), mtime=0) + tail)


def member(name: str, content: bytes = b"", **other: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    for key, value in other.items():
        setattr(info, key, value)
    return info, content


def good_members() -> list[tuple[tarfile.TarInfo, bytes]]:
    return [member(name, content.encode()) for name, content in FILES.items()]


def test_the_attack_kit_itself_makes_good_bundles(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "x.run").write_bytes(with_members(good, good_members()))
    with open_bundle(tmp_path / "x.run") as bundle:
        bundle.verify()


def test_one_changed_byte_anywhere_is_noticed(tmp_path: Path, good: bytes) -> None:
    for place in range(0, len(good), max(1, len(good) // 400)):
        damaged = bytearray(good)
        damaged[place] ^= 1
        file = tmp_path / "x.run"
        file.write_bytes(damaged)
        with pytest.raises(BundleError), open_bundle(file) as bundle:
            bundle.verify()


def test_a_cut_or_longer_file_is_noticed_by_its_size(tmp_path: Path, good: bytes) -> None:
    for data in [good[:n] for n in range(0, len(good), 499)] + [good[:-1], good + b"x"]:
        said = refused(tmp_path, data)
        assert "bytes instead of" in said or "not a bundle" in said


def test_a_newer_format_is_said_to_be_one(tmp_path: Path, good: bytes) -> None:
    assert "a format that this opkg does not know" in refused(tmp_path, good.replace(b"bundle 1\n", b"bundle 2\n", 1))


def test_an_unreadable_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"cannot read .*: No such file") as caught:
        open_bundle(tmp_path / "none.run")
    assert caught.value.hint == "check the path; 'opkg build --pkg' packs a project"
    for read in (open_bundle, describe_bundle):
        with pytest.raises(BundleError, match=r"is a folder, not a bundle") as caught:
            read(tmp_path)
        assert caught.value.hint == "'opkg build --pkg' packs a project as one .run file"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/etc/passwd", "is absolute"),
        ("../x", "leads out"),
        ("a/../../x", "leads out"),
        ("./a", "leads out"),
        ("a//b", "leads out"),
        ("a/", "leads out"),
        ("a\\b", "backslash"),
        ("a\0b", "control"),
        ("a\u2028b", "control"),
        ("\ud800", "not UTF-8"),
        ("", "is empty"),
        ("x" * 256, "too long"),
        ("x/" * 600 + "x", "too long"),
        ("opkg-package.json", "reserved"),
        (".opkg-generation.json", "reserved"),
        ("A", "differ only in case"),
        ("B/x", "differ only in case"),
        ("a/x", "a file and a folder"),
        ("a", "comes twice"),
        ("\u00c7", "differ only in case"),
    ],
)
def test_a_manifest_with_a_hostile_path_is_refused(tmp_path: Path, good: bytes, path: str, said: str) -> None:
    def edit(data: dict[str, Any]) -> None:
        data["files"] += [data["files"][0] | {"path": "c\u0327"}, data["files"][0] | {"path": path}]

    message = refused(tmp_path, with_manifest(good, edit))
    assert said in message


@pytest.mark.parametrize(
    ("key", "value"),
    [("size", -1), ("size", "x"), ("size", None), ("sha256", "0"), ("sha256", "Z" * 64), ("path", 5), ("path", None)],
)
def test_a_manifest_with_a_malformed_file_entry_is_refused(
    tmp_path: Path, good: bytes, key: str, value: object
) -> None:
    assert refused(tmp_path, with_manifest(good, lambda data: data["files"][0].update({key: value})))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"format": 1}', '{"format": "x"}', "[" * 100_000, '{"format": 99}']
)
def test_a_malformed_manifest_is_refused(tmp_path: Path, good: bytes, text: str) -> None:
    _, body, _, payload = parts(good)
    assert "manifest" in refused(tmp_path, assemble(body, text.encode(), payload))


@pytest.mark.parametrize(
    ("key", "value"),
    [("isa", []), ("glibc", 2), ("host_library", "lib/none.so"), ("soc", [1]), ("requires", [None]), ("abi", "x")],
)
def test_a_manifest_with_fields_of_the_wrong_kind_is_refused(
    tmp_path: Path, good: bytes, key: str, value: object
) -> None:
    assert refused(tmp_path, with_manifest(good, lambda data: data.update({key: value})))


def test_a_manifest_that_names_a_kernel_library_it_does_not_carry_is_refused(tmp_path: Path, good: bytes) -> None:
    columns = [{"library": "../../other.so", "task_type": ""}]
    message = refused(tmp_path, with_manifest(good, lambda data: data["operators"][0].update(columns=columns)))
    assert "'../../other.so'" in message


def test_more_files_than_allowed_are_refused(tmp_path: Path, good: bytes) -> None:
    entry = {"path": "", "size": 0, "sha256": "0" * 64}
    many = [entry | {"path": f"f{i}"} for i in range(100_000)]
    assert "65535 are allowed" in refused(tmp_path, with_manifest(good, lambda data: data.update(files=many)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.pop(), "end too early|do not match|something else"),
        (lambda m: m.append(member("extra", b"x")), "holds more than"),
        (lambda m: m.insert(0, member("a", b"first")), "do not match"),
        (lambda m: m.reverse(), "do not match"),
        (lambda m: m.__setitem__(0, member("a", b"FIRST")), "checksum of 'a'"),
        (lambda m: m.__setitem__(0, member("a", b"longer than it says")), "do not match"),
        (lambda m: m.__setitem__(0, member("../a", b"first")), "do not match"),
        (lambda m: m.__setitem__(0, member("/a", b"first")), "do not match"),
        (lambda m: m.__setitem__(0, member("a", type=tarfile.SYMTYPE, linkname="/etc/passwd")), "something else"),
        (lambda m: m.__setitem__(0, member("a", type=tarfile.LNKTYPE, linkname="b/c")), "something else"),
        (lambda m: m.__setitem__(0, member("a", type=tarfile.CHRTYPE)), "something else"),
        (lambda m: m.__setitem__(0, member("a", type=tarfile.FIFOTYPE)), "something else"),
        (lambda m: m.__setitem__(0, member("a", type=tarfile.DIRTYPE)), "something else"),
        (lambda m: m.__setitem__(0, member("a", b"first", mode=0o4755)), "do not match"),
        (lambda m: m.__setitem__(0, member("a", b"first", mode=0o666)), "do not match"),
        (lambda m: m.insert(0, member("x" * 5000, b"")), "do not match|something else"),
    ],
)
def test_files_that_are_not_the_manifests_are_refused(
    tmp_path: Path, good: bytes, change: Callable[[list[Any]], object], said: str
) -> None:
    members = good_members()
    change(members)
    message = refused(tmp_path, with_members(good, members))
    assert any(part in message for part in said.split("|")), message
    assert not (tmp_path / "out" / "extra").exists()


def test_data_after_the_archive_is_refused(tmp_path: Path, good: bytes) -> None:
    assert "damaged" in refused(tmp_path, with_members(good, good_members(), tail=b"more"))
    assert "damaged" in refused(tmp_path, with_members(good, good_members(), tail=gzip.compress(b"more")))


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path, good: bytes) -> None:
    _, body, manifest, payload = parts(good)
    plain = gzip.decompress(payload)
    bomb = gzip.compress(plain + bytes(50 << 20), mtime=0)
    assert "holds more than" in refused(tmp_path, assemble(body, manifest, bomb))


def test_a_stub_of_impossible_size_is_refused(tmp_path: Path, good: bytes) -> None:
    for size in (b"1           ", b"999999999999"):
        assert "impossible" in refused(
            tmp_path, good[: good.index(b"opkg_stub=") + 10] + size + good[good.index(b"opkg_stub=") + 22 :]
        )


def test_extracting_needs_an_empty_folder(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "x.run").write_bytes(good)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with open_bundle(tmp_path / "x.run") as bundle, pytest.raises(BundleError, match="is not empty"):
        bundle.extract(tmp_path / "out")


def test_a_bundle_is_described(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "x.run").write_bytes(good)
    found = describe_bundle(tmp_path / "x.run")
    assert (found["kind"], found["bytes"], found["unpacked"], found["signed"]) == ("bundle", len(good), 15, False)
    assert found["manifest"]["vendor"] == "customize"
    assert found["digest"] == hashlib.sha256(parts(good)[2]).hexdigest()
    assert is_run_file(tmp_path / "x.run")
    assert not is_run_file(Path(__file__))
    assert not is_run_file(tmp_path)
