"""An environment in which nothing is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_roots import MadeRoot

from opkg.registry import roots, sources


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH", "OPKG_PIN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sources, "data_dir", lambda _: tmp_path / "shipped")
    monkeypatch.setattr(roots, "SYSTEM_ROOT", tmp_path / "system")


@pytest.fixture
def root(tmp_path: Path) -> MadeRoot:
    (tmp_path / "root").mkdir()
    return MadeRoot(tmp_path / "root")
