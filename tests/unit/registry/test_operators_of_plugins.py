"""Operators that come through plugins, and the plugins' say in the choice."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_plugins import distribution, tool
from made_roots import MadeRoot, package, write

from opkg.plugins import manager, trouble
from opkg.registry import open_registry


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv("OPKG_NO_PLUGINS")
    monkeypatch.syspath_prepend(tmp_path / "site")
    manager._loaded.cache_clear()
    trouble._said.clear()
    yield tmp_path / "site"
    manager._loaded.cache_clear()
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


def test_a_package_in_a_distribution_comes_after_install_roots(site: Path, root: MadeRoot) -> None:
    distribution(site, "some-ops", {"opkg.ops": {"x": "some_ops:package"}}, {"some_ops/__init__.py": "1 / 0"})
    folder = write(site / "some_ops" / "package", package("maths", "Square", "Cube", vendor="some"))
    root.show("customize", package("square", "Square"))
    registry = open_registry(root.path)
    assert registry.require("Square").vendor == "customize"
    found = registry.require("Cube")
    assert (found.package_root, found.source) == (folder, "plugin some-ops")
    assert "plugin some-ops: 2 operators" in registry.looked_at()


def test_a_new_version_of_a_distribution_is_seen(site: Path, root: MadeRoot) -> None:
    distribution(site, "some-ops", {"opkg.ops": {"x": "some_ops:package"}}, {"some_ops/__init__.py": ""})
    folder = write(site / "some_ops" / "package", package("maths", "Square", vendor="some"))
    assert open_registry(root.path).resolve("Cube").chosen is None
    (folder / "opkg-package.json").write_text(package("maths", "Cube", vendor="some").to_json(), "utf-8")
    assert open_registry(root.path).require("Cube").vendor == "some"


def test_a_folder_of_packages_that_a_plugin_names(site: Path, root: MadeRoot, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / "shared" / name, package(name, f"Op{name}", vendor="shared"))
    source = f"""
    @hookimpl
    def opkg_op_sources():
        return [OpSource(Path({str(tmp_path / "shared")!r}), "shared disk")]
    """
    tool(site, "shares", source)
    registry = open_registry(root.path)
    assert [registry.require(f"Op{name}").source for name in "ab"] == ["shared disk (plugin shares)"] * 2
    write(tmp_path / "shared" / "c", package("c", "Opc", vendor="shared"))
    assert open_registry(root.path).require("Opc").name == "c"


def test_an_operator_that_a_plugin_makes_when_nothing_else_has_it(site: Path, root: MadeRoot, tmp_path: Path) -> None:
    write(tmp_path / "made" / "cube", package("cube", "Cube", "Other", vendor="made"))
    source = f"""
    asked = []

    @hookimpl
    def opkg_find_op(query):
        asked.append((query.op_type, query.domain, query.version))
        return OpSource(Path({str(tmp_path / "made" / "cube")!r})) if query.op_type != "Sphere" else None
    """
    tool(site, "makes", source)
    root.show("customize", package("square", "Square"))
    registry = open_registry(root.path)
    assert registry.require("Square").name == "square"
    found = registry.require("Cube", "made", 3)
    assert (found.op_type, found.source, found.columns) == ("Cube", "plugin makes", ("kernel/Cube_0.so",))
    assert registry.resolve("Sphere").chosen is None
    assert registry.require("Other").op_type == "Other"
    assert registry.resolve("Third").chosen is None
    asked = [("Cube", "made", 3), ("Sphere", None, None), ("Other", None, None), ("Third", None, None)]
    assert sys.modules["makes"].asked == asked


def test_a_plugin_may_prefer_another_of_the_usable_packages(site: Path, root: MadeRoot) -> None:
    source = """
    @hookimpl
    def opkg_select_kernel(query, options):
        return next((option for option in options if option.vendor == "beta"), None)
    """
    tool(site, "prefers", source)
    for vendor in ("alpha", "beta"):
        root.show(vendor, package("ops", "Square", f"Only{vendor}", vendor=vendor))
    found = open_registry(root.path).resolve("Square")
    assert found.chosen is not None
    assert found.chosen.vendor == "beta"
    assert [reason for _, reason in found.rejected] == ["plugin prefers prefers beta/ops 1.0.0"]
    assert open_registry(root.path).require("Onlyalpha").vendor == "alpha"


def test_what_a_plugin_prefers_must_be_among_the_usable_packages(site: Path, root: MadeRoot) -> None:
    source = """
    import dataclasses

    @hookimpl
    def opkg_select_kernel(query, options):
        return dataclasses.replace(options[1], version="9.9.9")
    """
    tool(site, "dreams", source)
    for vendor in ("alpha", "beta"):
        root.show(vendor, package("ops", "Square", vendor=vendor))
    found = open_registry(root.path).resolve("Square")
    assert found.chosen is not None
    assert found.chosen.vendor == "alpha"
    assert "load_priority" in found.rejected[0][1]
