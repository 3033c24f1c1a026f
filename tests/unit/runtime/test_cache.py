"""The local cache of compiled models."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opkg.runtime import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("OPKG_CACHE_MB", raising=False)


def test_what_is_kept_is_found() -> None:
    key = cache.cache_key(["openvino", "1", "cpu"])
    assert cache.find_blob(key) is None
    cache.keep_blob(key, b"compiled")
    blob = cache.find_blob(key)
    assert blob is not None
    assert bytes(blob) == b"compiled"


def test_keys_depend_on_every_part_and_where_it_ends() -> None:
    keys = {cache.cache_key(parts) for parts in (["a", "bc"], ["ab", "c"], ["abc"], ["a", "b", "c"], ["bc", "a"])}
    assert len(keys) == 5


def test_a_damaged_entry_is_forgotten() -> None:
    key = cache.cache_key(["x"])
    cache.keep_blob(key, b"compiled" * 100)
    path = next(cache.blob_dir().iterdir())
    whole = path.read_bytes()
    for at in (0, 20, 64, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        assert cache.find_blob(key) is None
        assert not path.exists()
    for short in (b"", whole[:10], whole[:64], whole[:-1]):
        path.write_bytes(short)
        assert cache.find_blob(key) is None


def test_the_least_recently_used_entries_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_CACHE_MB", "1")
    keys = [cache.cache_key([str(i)]) for i in range(4)]
    for age, key in zip((30, 20, 10), keys, strict=False):
        cache.keep_blob(key, bytes(300_000))
        path = cache.blob_dir() / f"{key}.blob"
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    assert cache.find_blob(keys[0]) is not None  # now the most recently used one
    cache.keep_blob(keys[3], bytes(300_000))
    assert [cache.find_blob(key) is not None for key in keys] == [True, False, True, True]


def test_what_is_larger_than_the_cache_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_CACHE_MB", "0")
    assert not cache.enabled()
    cache.keep_blob("k", b"x")
    assert cache.find_blob("k") is None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "opkg").write_text("in the way")
    cache.keep_blob("k", b"x")
    assert cache.find_blob("k") is None
