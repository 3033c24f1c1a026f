"""The same operator in two packages of one root: refused, or the one that the user says wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_bundles import BINARY_INFO, OPS_INFO, UnsyncedDisk, make_bundle

from opkg.errors import ConflictError
from opkg.registry import open_registry
from opkg.store import Root
from opkg.store.conflicts import Wins


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH", "OPKG_PIN"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root", disk=UnsyncedDisk())


def config(root: Root) -> str:
    return (root.path / "vendors" / "config.ini").read_text()


def files(root: Root) -> dict[str, bytes]:
    found = (p for p in sorted(root.path.rglob("*")) if p.is_file() and p.name != "lock")
    return {str(p.relative_to(root.path)): p.read_bytes() for p in found}


def first(root: Root, op_type: str = "Square") -> str:
    chosen = open_registry(root.path).resolve(op_type).rejected
    served = open_registry(root.path).require(op_type).package
    assert all("comes after" in reason for _, reason in chosen)
    return f"{served.vendor}/{served.name}"


@pytest.fixture
def two(tmp_path: Path, root: Root) -> Path:
    """`acme/maths` is installed; the bundle of `beta/ops`, which has the same operator, is not."""
    root.install(make_bundle(tmp_path / "a.run", "maths", "Square", "Cube", vendor="acme", domain="com.x"))
    return make_bundle(tmp_path / "b.run", "ops", "Square", vendor="beta", domain="com.x")


def test_the_same_operator_of_another_vendor_is_refused_and_nothing_changes(root: Root, two: Path) -> None:
    before = files(root)
    with pytest.raises(ConflictError, match=r"^acme/maths 1\.0\.0 already has Square, as beta/ops does") as caught:
        root.install(two, force=True)
    assert caught.value.code == "OPKG-6100"
    assert "let beta/ops win with --priority, acme/maths with --allow-shadow" in caught.value.hint
    assert files(root) == before


def test_the_same_type_in_another_domain_is_another_operator(tmp_path: Path, root: Root, two: Path) -> None:
    root.install(make_bundle(tmp_path / "c.run", "ops", "Square", vendor="gamma"))
    assert config(root) == "load_priority=gamma,acme\n"


@pytest.mark.parametrize(("wins", "order"), [("new", "beta,acme"), ("present", "acme,beta")])
def test_who_wins_is_what_the_user_says(root: Root, two: Path, wins: Wins, order: str) -> None:
    result = root.install(two, wins=wins)
    assert config(root) == f"load_priority={order}\n"
    assert result.shared == (("com.x::Square", "acme/maths"),)
    names = {"beta": "beta/ops", "acme": "acme/maths"}
    assert first(root) == names[order.partition(",")[0]]


def test_a_shadowed_vendor_goes_behind_those_that_no_list_names(tmp_path: Path, root: Root, two: Path) -> None:
    (root.path / "vendors" / "config.ini").unlink()
    root.install(two, wins="present")
    assert config(root) == "load_priority=acme,beta\n"


@pytest.mark.parametrize(("wins", "order"), [("new", "beta,acme"), ("present", "acme,beta")])
def test_a_decision_holds_for_upgrades_and_for_packages_that_join(
    tmp_path: Path, root: Root, two: Path, wins: Wins, order: str
) -> None:
    root.install(two, wins=wins)
    shared = {"vendor": "beta", "domain": "com.x"}
    root.install(make_bundle(tmp_path / "b2.run", "ops", "Square", version="2.0.0", **shared))
    root.install(make_bundle(tmp_path / "more.run", "more", "Other", **shared))
    root.install(make_bundle(tmp_path / "a2.run", "maths", "Square", version="2.0.0", vendor="acme", domain="com.x"))
    assert config(root) == f"load_priority={order}\n"
    root.uninstall("beta", "more")
    assert config(root) == f"load_priority={order}\n"


def test_an_upgrade_that_brings_another_shared_operator_is_refused(tmp_path: Path, root: Root, two: Path) -> None:
    root.install(two, wins="present")
    bigger = make_bundle(tmp_path / "b2.run", "ops", "Square", "Cube", version="2.0.0", vendor="beta", domain="com.x")
    with pytest.raises(ConflictError, match="already has Cube, as beta/ops does"):
        root.install(bigger)


def test_the_decision_can_be_changed_by_installing_again(root: Root, two: Path) -> None:
    root.install(two, wins="present")
    assert first(root) == "acme/maths"
    assert root.install(two, wins="new").changed
    assert first(root) == "beta/ops"
    assert root.verify() == []


def test_an_alias_is_a_name_like_any_other(tmp_path: Path, root: Root) -> None:
    from dataclasses import replace

    from made_bundles import make_manifest, package_files, write_tree

    from opkg.bundle import write_bundle

    for vendor in ("one", "two"):
        manifest = make_manifest("leaky", "Leaky", vendor=vendor)
        operators = tuple(replace(o, aliases=("ai.onnx::11::LeakyRelu",)) for o in manifest.operators)
        tree = write_tree(tmp_path / vendor, package_files("Leaky", marker=vendor))
        write_bundle(tree, replace(manifest, operators=operators), tmp_path / f"{vendor}.run")
    root.install(tmp_path / "one.run")
    with pytest.raises(ConflictError, match=r"one/leaky 1\.0\.0 already has LeakyRelu, as two/leaky does"):
        root.install(tmp_path / "two.run")


@pytest.mark.parametrize(("wins", "names"), [("new", ["other", "square"]), ("present", ["square", "other"])])
def test_within_a_vendor_the_order_of_its_packages_decides(
    tmp_path: Path, root: Root, wins: Wins, names: list[str]
) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square", "Other"))
    root.install(make_bundle(tmp_path / "y.run", "other", "Square", "Cube"), wins=wins)
    assert [package.manifest.name for package in root.packages()] == names
    assert first(root) == f"customize/{names[0]}"
    assert root.verify() == []
    view = root.path / "vendors" / "customize"
    kernel = view / "op_impl/ai_core/tbe/kernel/cpu/square/Square_0.so"
    assert kernel.read_text() == f"kernel of Square {names[0]} 1.0.0"
    for index in (OPS_INFO, BINARY_INFO):
        assert set(json.loads((view / index).read_text())) == {"Square", "Other", "Cube"}
    header = (view / "op_proto/inc/op_proto.h").read_text()
    assert header.count("#include") == 1
    assert f'#include "op_proto.{names[0]}.h"' in header


def test_within_a_vendor_an_upgrade_keeps_the_order(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    root.install(make_bundle(tmp_path / "y.run", "other", "Square"), wins="present")
    root.install(make_bundle(tmp_path / "y2.run", "other", "Square", version="2.0.0"))
    assert [package.manifest.name for package in root.packages()] == ["square", "other"]


def test_a_package_that_cannot_be_read_is_in_nobodys_way(tmp_path: Path, root: Root, two: Path) -> None:
    [package] = root.packages()
    (package.path / "opkg-package.json").write_text("{")
    assert root.install(two).changed
