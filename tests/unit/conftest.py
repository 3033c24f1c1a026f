"""Fixtures for all unit tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import fake_package
import pytest

from opkg.bundle.manifest import Manifest, OperatorEntry
from opkg.opinfo import OpInfo

OfferPackage = Callable[..., Path]


@pytest.fixture
def offer_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OfferPackage:
    """Makes packages that this process's registry finds, and nothing else; without a host library they cannot run."""
    for variable in ("ASCEND_OPP_PATH", "OPKG_PIN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", "")
    offered: list[str] = []

    def offer(
        op_infos: Iterable[OpInfo],
        *,
        vendor: str = "customize",
        name: str = "pack",
        version: str = "1.0.0",
        domain: str = "",
        aliases: Sequence[str] = (),
        host_library: Path | None = None,
    ) -> Path:
        root = tmp_path / "packages" / f"{vendor}-{name}-{version}"
        root.mkdir(parents=True)
        entries = tuple(OperatorEntry(info, aliases=tuple(aliases)) for info in op_infos)
        manifest = Manifest(name, vendor, version, entries, domain=domain, host_library="host.so")
        (root / "host.so").write_bytes(host_library.read_bytes() if host_library else b"")
        (root / "opkg-package.json").write_text(manifest.to_json())
        offered.append(str(root))
        monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", ":".join(offered))
        return root

    return offer


@pytest.fixture(scope="session")
def fake_host_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that is written by hand, compiled once."""
    return fake_package.build(tmp_path_factory.mktemp("fake"), "libfake_for_python.so")
