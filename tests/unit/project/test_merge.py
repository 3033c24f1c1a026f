"""Three-way merging of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opkg.project.merge import merge_texts

TEXTS = st.lists(st.sampled_from("abcd"), max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(TEXTS, TEXTS)
def test_what_only_one_side_changed_is_that_side(base: str, changed: str) -> None:
    assert merge_texts(base, changed, base).text == changed
    assert merge_texts(base, base, changed).text == changed
    same = merge_texts(base, changed, changed)
    assert (same.text, same.conflicts) == (changed, 0)


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_is_lost(base: str, mine: str, theirs: str) -> None:
    merged = merge_texts(base, mine, theirs)
    assert ("<<<<<<<" in merged.text) == (merged.conflicts > 0)
    added = set(mine.split()) | set(theirs.split())
    assert added - set(base.split()) <= set(merged.text.split())


@pytest.mark.parametrize(
    ("mine", "theirs", "wanted"),
    [
        ("1 2 3 4 5 mine", "theirs 2 3 4 5 6", "theirs 2 3 4 5 mine"),
        ("1 3 4 5 6", "1 2 3 4 new 5 6", "1 3 4 new 5 6"),
        ("1 2 x 3 4 5 6", "1 2 x 3 4 5 6", "1 2 x 3 4 5 6"),
        ("", "1 2 3 4 5 6", ""),
    ],
)
def test_changes_of_different_places_are_both_made(mine: str, theirs: str, wanted: str) -> None:
    lines = ["\n".join(text.split()) + "\n" if text else "" for text in ("1 2 3 4 5 6", mine, theirs, wanted)]
    merged = merge_texts(*lines[:3])
    assert (merged.text, merged.conflicts) == (lines[3], 0)


def test_changes_of_one_place_are_a_conflict_with_both_sides() -> None:
    merged = merge_texts("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")
    assert merged.conflicts == 1
    assert merged.text == "a\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> template\nc\n"


def test_a_last_line_without_an_end_keeps_markers_apart() -> None:
    assert merge_texts("a", "b", "c").text == "<<<<<<< yours\nb\n=======\nc\n>>>>>>> template\n"
