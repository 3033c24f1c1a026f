"""What opkg says about itself when it goes wrong."""

from __future__ import annotations

import errno
import sys
import traceback
from pathlib import Path

import pytest

from opkg import _native, paths
from opkg.errors import OpkgError, RunError, hint_of


def test_tracebacks_show_the_hint() -> None:
    error = RunError("Clip has no input 'z'", "Clip(x: float32) -> (y: float32)")
    assert "".join(traceback.format_exception_only(error)).splitlines() == [
        "opkg.errors.RunError: Clip has no input 'z'",
        "  Clip(x: float32) -> (y: float32)",
    ]
    assert str(error) == "Clip has no input 'z'"
    assert not hasattr(OpkgError("no hint"), "__notes__")


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EACCES, "name another place with --out, or change the permissions of this one"),
        (errno.EROFS, "name another place with --out, or change the permissions of this one"),
        (errno.ENOSPC, "make room on that disk, or name another place with --out"),
        (errno.ENOENT, "check the path, or name another place with --out"),
        (errno.EIO, ""),
    ],
)
def test_hints_of_the_system_s_errors(number: int, hint: str) -> None:
    assert hint_of(OSError(number, "refused"), " with --out") == hint


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An opkg whose native half is not there."""
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "opkg")
    monkeypatch.setattr(_native, "__path__", [])
    for name in ("_core", "_openvino"):
        monkeypatch.delitem(sys.modules, f"opkg._native.{name}", raising=False)
    return tmp_path


def test_a_source_tree_that_is_not_built_says_so(half: Path) -> None:
    (half / "pyproject.toml").touch()
    for load in (_native.load_core, _native.load_openvino):
        with pytest.raises(OpkgError, match="cannot be loaded") as caught:
            load()
        assert caught.value.hint == (
            f"{half} is opkg's source, not built: use the installed opkg from another folder, or 'pip install {half}'"
        )


def test_an_installation_with_a_part_missing_says_so(half: Path) -> None:
    with pytest.raises(OpkgError, match="native core of opkg cannot be loaded") as caught:
        _native.load_core()
    assert caught.value.hint == "install opkg again"
    with pytest.raises(OpkgError, match="lacks its folder 'templates'") as caught:
        paths.data_dir("templates")
    assert caught.value.hint == "install opkg again"
    with pytest.raises(OpkgError, match="OpenVINO engine cannot be loaded") as caught:
        _native.load_openvino()
    assert caught.value.hint.startswith("pip install 'openvino==")
