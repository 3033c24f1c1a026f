"""A folder of `sys.path` for plugins, and a process that has seen none yet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from opkg.plugins import manager, scan, trouble


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for variable in (
        *(
            "OPKG_NO_PLUGINS",
            "OPKG_DISABLE_PLUGINS",
            "OPKG_ENABLE_PLUGINS",
            "OPKG_STRICT_PLUGINS",
            "OPKG_PLUGIN_SECONDS",
        ),
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    # What is really installed on this machine must not be seen: only the standard library stays reachable.
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(scan, "_entry_points", _only_of(folder, scan._entry_points))
    known = set(sys.modules)
    forget()
    yield folder
    forget()
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


def _only_of(folder: Path, real):  # type: ignore[no-untyped-def]
    def entry_points() -> tuple[scan.Plugin, ...]:
        from importlib.metadata import distributions

        names = {found.name for found in distributions(path=[str(folder)])}
        return tuple(plugin for plugin in real() if plugin.distribution in names)

    return entry_points


def forget() -> None:
    """As in a new process."""
    manager._loaded.cache_clear()
    trouble._said.clear()


@pytest.fixture
def new_process() -> object:
    return forget
