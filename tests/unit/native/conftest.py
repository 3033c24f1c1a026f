from __future__ import annotations

from pathlib import Path

import fake_package
import pytest

from opkg._native import _core


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_package.build(tmp_path_factory.mktemp("fake"))


@pytest.fixture(scope="session")
def package(fake_library: Path) -> _core.Package:
    return _core.Package(str(fake_library.parent), str(fake_library))
