"""In what two packages differ."""

from __future__ import annotations

from dataclasses import replace

from made_bundles import make_manifest

from opkg.bundle import FileEntry
from opkg.bundle.difference import differences

A = make_manifest("square", "Square", "Cube")


def said(**changed: object) -> list[tuple[str, str, str]]:
    return [(d.kind, d.change, d.what) for d in differences(A, replace(A, **changed))]


def test_a_package_does_not_differ_from_itself() -> None:
    assert differences(A, A) == []
    assert said() == []


def test_fields_are_named_down_to_the_key() -> None:
    assert said(version="9") == [("field", "changed", "version")]
    assert said(tools={"g++": "1"}) == [("field", "added", "tools.g++")]
    assert said(soc=("ascend310p",)) == [("field", "changed", "soc")]
    assert said(source={"commit": "ab", "dirty": False}) == [
        ("field", "added", "source.commit"),
        ("field", "added", "source.dirty"),
    ]


def test_operators_are_added_removed_and_changed() -> None:
    square, cube = A.operators
    assert said(operators=(square,)) == [("operator", "removed", "Cube")]
    renamed = replace(cube, op_info=replace(cube.op_info, inputs=(replace(cube.op_info.inputs[0], name="q"),)))
    (found,) = differences(A, replace(A, operators=(square, renamed)))
    assert (found.what, found.change) == ("Cube", "changed")
    assert any("q" in sentence for sentence in found.details)


def test_what_belongs_to_an_operator_is_told_apart() -> None:
    square, cube = A.operators
    other = replace(cube, columns=(), aliases=("ai.onnx::11::Cube",), tiling_hash="ab")
    (found,) = differences(A, replace(A, operators=(square, other)))
    assert found.details == (
        "1 columns, then 0",
        "aliases none, then ai.onnx::11::Cube",
        "the layout of its tiling struct",
    )


def test_files_are_compared_by_content_size_and_mode() -> None:
    one = replace(A, files=(FileEntry("a", 1, "0" * 64), FileEntry("b", 1, "0" * 64), FileEntry("c", 1, "0" * 64)))
    files = (FileEntry("a", 1, "1" * 64), FileEntry("c", 1, "0" * 64, True), FileEntry("d", 2, "0" * 64))
    found = differences(one, replace(one, files=files))
    assert [(d.change, d.what) for d in found] == [
        ("changed", "a"), ("removed", "b"), ("changed", "c"), ("added", "d"),
    ]  # fmt: skip
    assert found[2].after == {"size": 1, "sha256": "0" * 64, "executable": True}
