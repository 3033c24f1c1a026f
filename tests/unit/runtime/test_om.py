"""The container of offline models: what is written is read back, and nothing damaged is accepted."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

from opkg.errors import ModelError
from opkg.runtime.om import ALIGNMENT, FORMAT, MAGIC, is_om, read_om, write_om

SECTIONS = {
    "graph": b"the graph",
    "weights": bytes(range(256)) * 8,
    "signature": b"{}",
    "operators": b"[]",
    "someday:later": b"a section of a later version",
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_om(tmp_path / "model.om", SECTIONS)


def resealed(image: bytes) -> bytes:
    """The same file with a header checksum that is right again."""
    count = struct.unpack_from("<I", image, 12)[0]
    digest = hashlib.sha256(image[:32] + image[64 : 64 + 128 * count]).digest()
    return image[:32] + digest + image[64:]


def entry_edited(image: bytes, index: int, *, offset: int | None = None, size: int | None = None) -> bytes:
    edited = bytearray(image)
    at = 64 + 128 * index + 64
    if offset is not None:
        struct.pack_into("<Q", edited, at, offset)
    if size is not None:
        struct.pack_into("<Q", edited, at + 8, size)
    return resealed(bytes(edited))


def test_reads_back_what_was_written(model: Path) -> None:
    with read_om(model) as om:
        assert {name: bytes(om.section(name)) for name in om.sections} == SECTIONS
        assert om.damaged() == []


def test_sections_are_aligned(model: Path) -> None:
    with read_om(model) as om:
        assert [section.offset % ALIGNMENT for section in om.sections.values()] == [0] * len(SECTIONS)


def test_several_buffers_are_one_section(tmp_path: Path) -> None:
    parts = [b"one", memoryview(b"two"), bytearray(b"three")]
    path = write_om(tmp_path / "model.om", SECTIONS | {"weights": parts})
    with read_om(path) as om:
        assert bytes(om.section("weights", check=True)) == b"onetwothree"


def test_the_same_sections_give_the_same_bytes(tmp_path: Path, model: Path) -> None:
    assert write_om(tmp_path / "again.om", SECTIONS).read_bytes() == model.read_bytes()


def test_layout_is_what_the_format_says(model: Path) -> None:
    image = model.read_bytes()
    assert image[:8] == MAGIC == b"\x89OM\r\n\x1a\n\x00"
    assert struct.unpack_from("<IIQQ", image, 8) == (FORMAT, len(SECTIONS), len(image), 0)
    name, offset, size = struct.unpack_from("<64sQQ", image, 64)
    assert (name.rstrip(b"\0"), image[offset : offset + size]) == (b"graph", b"the graph")
    assert image[64 + 96 : 64 + 128] == hashlib.sha256(b"the graph").digest()


def test_digest_identifies_the_content(tmp_path: Path, model: Path) -> None:
    other = write_om(tmp_path / "other.om", SECTIONS | {"weights": b"\1"})
    with read_om(model) as a, read_om(other) as b:
        assert a.digest != b.digest


def test_every_bit_of_header_and_table_counts(tmp_path: Path, model: Path) -> None:
    image = model.read_bytes()
    path = tmp_path / "flipped.om"
    for at in range(64 + 128 * len(SECTIONS)):
        for bit in (at % 8,):
            flipped = bytearray(image)
            flipped[at] ^= 1 << bit
            path.write_bytes(flipped)
            with pytest.raises(ModelError):
                read_om(path)


def test_every_truncation_is_refused(tmp_path: Path, model: Path) -> None:
    image = model.read_bytes()
    path = tmp_path / "short.om"
    for size in [*range(0, 64 + 128 * len(SECTIONS), 7), len(image) - 1]:
        path.write_bytes(image[:size])
        with pytest.raises(ModelError):
            read_om(path)


def test_a_longer_file_is_refused(tmp_path: Path, model: Path) -> None:
    path = tmp_path / "long.om"
    path.write_bytes(model.read_bytes() + b"\0")
    with pytest.raises(ModelError, match="bytes where its header says"):
        read_om(path)


@pytest.mark.parametrize(
    ("index", "offset", "size", "says"),
    [
        (1, 1 << 40, None, "outside of the file"),
        (1, None, 1 << 62, "outside of the file"),
        (1, (1 << 64) - 64, 128, "outside of the file"),
        (1, 65 * 64 + 1, None, "unaligned"),
        (0, 0, None, "overlaps"),
        (0, None, 65, "overlaps"),
    ],
)
def test_tables_that_lie_are_refused(
    tmp_path: Path, model: Path, index: int, offset: int | None, size: int | None, says: str
) -> None:
    path = tmp_path / "lying.om"
    path.write_bytes(entry_edited(model.read_bytes(), index, offset=offset, size=size))
    with pytest.raises(ModelError, match=says):
        read_om(path)


def test_repeated_and_unreadable_names_are_refused(tmp_path: Path, model: Path) -> None:
    path = tmp_path / "names.om"
    for raw, says in ((b"weights", "repeated"), (b"\xff\xfe", "UTF-8"), (b"", "empty")):
        image = bytearray(model.read_bytes())
        image[64:128] = raw.ljust(64, b"\0")
        path.write_bytes(resealed(bytes(image)))
        with pytest.raises(ModelError, match=says):
            read_om(path)


def test_a_huge_section_count_is_refused(tmp_path: Path, model: Path) -> None:
    image = bytearray(model.read_bytes())
    struct.pack_into("<I", image, 12, 0xFFFFFFFF)
    path = tmp_path / "many.om"
    path.write_bytes(image)
    with pytest.raises(ModelError, match="4294967295 sections"):
        read_om(path)


def test_a_newer_format_is_refused_with_a_sentence(tmp_path: Path, model: Path) -> None:
    image = bytearray(model.read_bytes())
    struct.pack_into("<I", image, 8, FORMAT + 1)
    path = tmp_path / "newer.om"
    path.write_bytes(image)
    with pytest.raises(ModelError, match="format 2 of offline models; this opkg reads up to 1"):
        read_om(path)


def test_a_missing_required_section_is_named(tmp_path: Path) -> None:
    path = write_om(tmp_path / "model.om", {k: v for k, v in SECTIONS.items() if k != "signature"})
    with pytest.raises(ModelError, match="'signature' is missing"):
        read_om(path)


def test_damage_in_a_small_section_is_found_when_it_is_used(tmp_path: Path, model: Path) -> None:
    image = model.read_bytes()
    path = tmp_path / "damaged.om"
    path.write_bytes(image.replace(b"the graph", b"the grapH"))
    with read_om(path) as om:
        assert bytes(om.section("signature")) == b"{}"
        with pytest.raises(ModelError, match="checksum of its section 'graph'"):
            om.section("graph")
        assert om.damaged() == ["graph"]


def test_large_sections_are_checked_only_on_demand(tmp_path: Path) -> None:
    large = bytes(2 << 20)
    path = write_om(tmp_path / "model.om", SECTIONS | {"weights": large})
    image = bytearray(path.read_bytes())
    with read_om(path) as om:
        image[om.sections["weights"].offset + 5] = 1
    path.write_bytes(image)
    with read_om(path) as om:
        assert om.section("weights")[5] == 1
        with pytest.raises(ModelError, match="'weights'"):
            om.section("weights", check=True)
        assert om.damaged() == ["weights"]


def test_other_files_are_not_models(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("hello " * 100)
    assert not is_om(path)
    with pytest.raises(ModelError, match="is not an offline model"):
        read_om(path)
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        read_om(tmp_path / "missing.om")
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        read_om(tmp_path)


def test_the_longest_name_that_a_file_can_have(tmp_path: Path) -> None:
    path = write_om(tmp_path / f"{'模' * 84}.om", SECTIONS)
    assert len(path.name.encode()) == 255
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be written"):
        write_om(tmp_path / "no" / "model.om", SECTIONS)
    (tmp_path / "model.om").mkdir()
    with pytest.raises(ModelError, match="cannot be written"):
        write_om(tmp_path / "model.om", SECTIONS)
    assert [p.name for p in tmp_path.iterdir()] == ["model.om"]


@pytest.mark.parametrize("name", ["", "x" * 65, "nul\0"])
def test_names_that_do_not_fit_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match="cannot be named"):
        write_om(tmp_path / "model.om", SECTIONS | {name: b""})


def test_a_view_outlives_the_file_object(model: Path) -> None:
    om = read_om(model)
    view = om.section("graph")
    om.close()
    assert bytes(view) == b"the graph"
