import os
from pathlib import Path

from opkg.build.state import State, changes, digest_tree, load_state, save_state, signature, write_if_changed


def test_a_state_comes_back_as_it_was(tmp_path):
    state = State(inputs={"opkg": "1"}, sources={"a": [1, 2]}, watched=["op_host"], headers_id="ab")
    save_state(tmp_path / "state.json", state)
    assert load_state(tmp_path / "state.json") == state
    assert [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_damaged_or_foreign_states_count_as_none(tmp_path):
    file = tmp_path / "state.json"
    assert load_state(file) is None
    for text in ("", "{", "[]", '{"format": 1}', '{"format": 999, "state": {}}', '{"format": 1, "state": {"new": 1}}'):
        file.write_text(text)
        assert load_state(file) is None, text


def test_signature_sees_size_time_names_and_depth(tmp_path):
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/x").write_text("1")
    (tmp_path / "f").write_text("22")
    (tmp_path / "unwatched").write_text("")
    os.utime(tmp_path / "f", ns=(5, 7))
    found = signature(tmp_path, ["d", "f", "missing"])
    assert list(found) == ["d/e/x", "f"]
    assert found["f"] == [2, 7]


def test_signature_skips_compiled_python_and_survives_links(tmp_path):
    (tmp_path / "d/__pycache__").mkdir(parents=True)
    (tmp_path / "d/__pycache__/x").write_text("1")
    (tmp_path / "d/loop").symlink_to(tmp_path / "d")
    (tmp_path / "d/nowhere").symlink_to(tmp_path / "gone")
    assert list(signature(tmp_path, ["d"])) == ["d/loop"]


def test_write_if_changed_keeps_the_time_of_an_equal_file(tmp_path):
    file = tmp_path / "deep/x"
    assert write_if_changed(file, "a")
    os.utime(file, ns=(5, 7))
    assert not write_if_changed(file, "a")
    assert file.stat().st_mtime_ns == 7
    assert write_if_changed(file, "b")
    assert file.read_text() == "b"


def test_changes_tell_what_happened():
    assert changes({"a": 1, "b": 1, "c": 1}, {"b": 2, "c": 1, "d": 1}) == [
        ("a", "removed"),
        ("b", "changed"),
        ("d", "added"),
    ]


def test_digest_of_a_tree_is_of_names_and_contents(tmp_path):
    def tree(name: str, **files: str) -> Path:
        for file, text in files.items():
            (tmp_path / name / "sub").mkdir(parents=True, exist_ok=True)
            (tmp_path / name / "sub" / file).write_text(text)
        return tmp_path / name

    one = digest_tree(tree("one", a="1", b="2"))
    assert digest_tree(tree("two", b="2", a="1")) == one
    assert digest_tree(tree("three", a="1", b="3")) != one
    assert digest_tree(tree("four", a="1", c="2")) != one
    assert len(one) == 16
