"""Which candidate serves an operator, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from made_roots import MadeRoot, foreign, operator, package, write

from opkg.errors import NotFoundError, UsageError
from opkg.registry import Resolution, machine, open_registry, resolve
from opkg.registry.model import parse_key


def reasons(found: Resolution) -> dict[str, str]:
    return {candidate.package.label: reason for candidate, reason in found.rejected}


def test_an_installed_operator_is_found_with_all_that_a_caller_needs(root: MadeRoot) -> None:
    [folder] = root.show("customize", package("square", "Square"))
    found = open_registry(root.path).require("Square")
    assert (found.vendor, found.name, found.version, found.domain) == ("customize", "square", "1.0.0", "customize")
    assert found.package_root == folder
    assert found.host_library == folder / "host.so"
    assert found.columns == ("kernel/Square_0.so",)
    assert found.op_info.inputs[0].dtypes == ("float32",)
    assert found.source == f"install root {root.path}"
    assert len(found.digest) == 64


def test_vendors_are_asked_by_load_priority_and_then_by_name(root: MadeRoot) -> None:
    for vendor in ("alpha", "beta", "gamma"):
        root.show(vendor, package("ops", "Square", vendor=vendor))
    assert open_registry(root.path).require("Square").vendor == "alpha"
    (root.path / "vendors" / "config.ini").write_text("load_priority=gamma,beta\n", "utf-8")
    found = open_registry(root.path).resolve("Square")
    assert found.chosen is not None
    assert found.chosen.vendor == "gamma"
    because = f"comes after gamma/ops 1.0.0 (install root {root.path}): load_priority in vendors/config.ini"
    assert reasons(found) == {"beta/ops 1.0.0": because, "alpha/ops 1.0.0": because}


def test_custom_paths_come_before_install_roots(
    make_root: Callable[[str], MadeRoot], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, named = make_root("installed"), make_root("named")
    installed.show("customize", package("old", "Square"))
    named.show("customize", package("new", "Square"))
    assert open_registry(installed.path).require("Square").name == "old"
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(named.path / "vendors" / "customize"))
    found = open_registry(installed.path).resolve("Square")
    place = f"ASCEND_CUSTOM_OPP_PATH {named.path}/vendors/customize"
    assert reasons(found) == {
        "customize/old 1.0.0": f"comes after customize/new 1.0.0 ({place}): the order of the places below"
    }


def test_a_package_that_two_sources_show_is_listed_once(root: MadeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    root.show("customize", package("square", "Square"))
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"{root.path}/vendors/customize:{root.path}")
    found = open_registry(root.path)
    assert [p.label for p in found.packages()] == ["customize/square 1.0.0"]
    assert found.resolve("Square").rejected == ()


def test_the_domain_of_a_model_selects_the_package(root: MadeRoot) -> None:
    root.show("customize", package("square", "Square"))
    root.show("acme", package("maths", "Square", vendor="acme", domain="com.acme"))
    registry = open_registry(root.path)
    assert registry.require("Square", "com.acme").vendor == "acme"
    assert reasons(registry.resolve("Square", "customize")) == {
        "acme/maths 1.0.0": "its domain is com.acme, not customize"
    }
    assert registry.resolve("Square", "").chosen is None


def test_an_alias_stands_for_an_operator_of_onnx_from_its_opset_on(root: MadeRoot) -> None:
    leaky = package("leaky", operators=(operator("Leaky", "ai.onnx::11::LeakyRelu", "com.acme::Slope"),))
    root.show("customize", leaky)
    registry = open_registry(root.path)
    found = registry.require("LeakyRelu", "", 16)
    assert (found.op_info.op, found.key) == ("Leaky", "ai.onnx::11::LeakyRelu")
    assert registry.require("LeakyRelu", "ai.onnx", 11).op_info.op == "Leaky"
    assert registry.require("Slope", "com.acme", 1).op_info.op == "Leaky"
    assert reasons(registry.resolve("LeakyRelu", "ai.onnx", 6)) == {
        "customize/leaky 1.0.0": "stands for ai.onnx::11::LeakyRelu, from opset 11 on; the model has 6"
    }
    assert [candidate.op_type for candidate in registry.operators()] == ["Leaky"]


class OldMachine(machine.Machine):
    os = "linux"
    arch = "x86_64"
    flags = machine.ISA_FLAGS["x86-64-v2"]
    glibc = "2.31"


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"target": "ascend910b"}, "it has no kernel for target cpu, only for ascend910b"),
        ({"arch": "riscv64"}, "it was built for riscv64 and this machine is x86_64"),
        ({"os": "plan9"}, "it was built for plan9 and this system is linux"),
        ({"abi": 7}, "it was built for version 7 of opkg's package interface and this opkg reads 1"),
        ({"glibc": "2.34"}, "it needs glibc 2.34 and this machine has 2.31"),
        (
            {"isa": "x86-64-v3"},
            "its kernels need x86-64-v3 and this processor lacks abm, avx, avx2, bmi1, bmi2, f16c, fma, movbe",
        ),
        ({"abi": 7, "glibc": "2.34"}, "2.31"),
    ],
)
def test_what_cannot_run_here_is_refused_with_the_reason(
    root: MadeRoot, monkeypatch: pytest.MonkeyPatch, needs: dict[str, object], reason: str
) -> None:
    monkeypatch.setattr(resolve, "_THIS_MACHINE", OldMachine())
    fits = package("cube", "Cube", isa="x86-64-v2", glibc="2.17", arch="x86_64")
    root.show("customize", package("square", "Square", **({"arch": "x86_64"} | needs)), fits)
    registry = open_registry(root.path)
    found = registry.resolve("Square")
    assert found.chosen is None
    assert reasons(found)["customize/square 1.0.0"].endswith(reason)
    assert registry.require("Cube").name == "cube"


def test_a_candidate_that_cannot_run_leaves_the_way_to_the_next(root: MadeRoot) -> None:
    root.show("alpha", package("ops", "Square", vendor="alpha", arch="riscv64"))
    root.show("beta", package("ops", "Square", vendor="beta"))
    found = open_registry(root.path).resolve("Square")
    assert found.chosen is not None
    assert found.chosen.vendor == "beta"
    assert "riscv64" in reasons(found)["alpha/ops 1.0.0"]


def test_a_host_library_that_has_gone_is_seen_although_the_index_is_not_rebuilt(root: MadeRoot) -> None:
    [folder] = root.show("customize", package("square", "Square"))
    open_registry(root.path).require("Square")
    (folder / "host.so").unlink()
    found = open_registry(root.path).resolve("Square")
    assert reasons(found) == {"customize/square 1.0.0": f"its host library is missing: {folder / 'host.so'}"}


def test_a_pin_wins_over_every_order(root: MadeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("alpha", "beta"):
        root.show(vendor, package("ops", "Square", vendor=vendor))
    assert open_registry(root.path, pins={"Square": "beta"}).require("Square").vendor == "beta"
    monkeypatch.setenv("OPKG_PIN", "Relu=alpha, Square=beta/ops@1.0.0")
    found = open_registry(root.path).resolve("Square")
    assert found.chosen is not None
    assert found.chosen.vendor == "beta"
    assert reasons(found) == {"alpha/ops 1.0.0": "Square is pinned to beta/ops@1.0.0 (OPKG_PIN)"}
    monkeypatch.setenv("OPKG_PIN", "Square=alpha")
    assert open_registry(root.path).require("Square").vendor == "alpha"
    assert open_registry(root.path, pins={"Square": "beta"}).require("Square").vendor == "beta"
    monkeypatch.setenv("OPKG_PIN", "Square=beta/ops@2.0.0")
    with pytest.raises(NotFoundError) as caught:
        open_registry(root.path).require("Square")
    assert caught.value.hint == "take the pin of Square away, or install the package that it names"


def test_only_the_operators_of_one_vendor(root: MadeRoot) -> None:
    alpha = package("ops", vendor="alpha", operators=(operator("Relu", "ai.onnx::11::Square"),))
    root.show("alpha", alpha)
    root.show("beta", package("ops", "Square", vendor="beta", domain="other"))
    registry = open_registry(root.path)
    found = registry.resolve("Square", vendor="beta")
    assert (found.chosen and found.chosen.vendor, found.rejected) == ("beta", ())
    assert registry.resolve("Square", vendor="alpha").chosen is None
    pinned = open_registry(root.path, pins={"Square": "alpha"})
    assert pinned.resolve("Square", vendor="beta").chosen is None
    assert "Square is pinned to alpha" in pinned.explain("Square", vendor="beta")


@pytest.mark.parametrize(
    "pin", ["=beta", "customize::Square=beta", "Square=", "Square", "Square=@1.0", "Square=beta@1.0"]
)
def test_a_pin_that_cannot_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch, pin: str) -> None:
    monkeypatch.setenv("OPKG_PIN", pin)
    with pytest.raises(UsageError, match="cannot be read"):
        open_registry()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Square", ("Square", None, None)),
        ("::Square", ("Square", "", None)),
        ("acme::Square", ("Square", "acme", None)),
        ("ai.onnx::11::LeakyRelu", ("LeakyRelu", "ai.onnx", 11)),
        ("11::Square", ("Square", "11", None)),
        ("com::acme::3::Square", ("Square", "com::acme", 3)),
    ],
)
def test_an_operator_can_be_named_with_domain_and_opset(text: str, key: tuple[str, str | None, int | None]) -> None:
    assert parse_key(text) == key


def test_what_another_installer_left_is_listed_with_what_it_lacks(root: MadeRoot) -> None:
    foreign(root.path / "vendors" / "huawei")
    registry = open_registry(root.path)
    [found] = registry.packages()
    assert (found.label, found.operators, found.soc) == ("huawei/huawei", 1, ("ascend310b",))
    assert found.lacks == "has no manifest and no kernel for target cpu"
    assert registry.operators()[0].op_info.inputs[0].dtypes == ("float16", "float32")
    assert reasons(registry.resolve("FastGeluGrad")) == {"huawei/huawei": found.lacks}


def test_a_package_that_a_bundle_installed_by_itself_is_used(root: MadeRoot) -> None:
    folder = write(root.path / "vendors" / "customize", package("square", "Square"))
    assert open_registry(root.path).require("Square").package_root == folder


def test_damage_is_listed_and_hides_nothing_else(root: MadeRoot) -> None:
    [broken, _] = root.show("customize", package("broken", "Cube"), package("square", "Square"))
    (broken / "opkg-package.json").write_text("{", "utf-8")
    registry = open_registry(root.path)
    assert registry.require("Square").name == "square"
    [first, _] = registry.packages()
    assert (first.vendor, first.name, first.operators) == ("customize", "broken", 0)
    assert first.lacks.startswith("is damaged: the package's manifest cannot be read")


def test_a_damaged_list_of_a_vendor_is_listed_too(root: MadeRoot) -> None:
    root.show("customize", package("square", "Square"))
    root.show("other", package("cube", "Cube", vendor="other"))
    view = (root.path / "vendors" / "customize").resolve() / ".opkg-generation.json"
    view.write_text("[]", "utf-8")
    registry = open_registry(root.path)
    assert registry.require("Cube").name == "cube"
    [package_] = [p for p in registry.packages() if p.vendor == "customize"]
    assert "cannot be read" in package_.lacks


def test_nothing_found_says_everything_that_was_looked_at(root: MadeRoot, tmp_path: Path) -> None:
    root.show("customize", package("square", "Square", "Sqrt"))
    with pytest.raises(NotFoundError) as caught:
        open_registry(root.path).require("Sqare")
    assert caught.value.message.splitlines() == [
        "nothing provides operator Sqare",
        "  similar names: Square",
        "  looked at:",
        "    ASCEND_CUSTOM_OPP_PATH: not set",
        f"    install root {root.path}: 2 operators",
        "    plugins: none that brings operators",
        "    opkg's own operators: no such folder",
    ]
    assert caught.value.hint == "did you mean Square?"
    assert caught.value.code == "OPKG-7000"
    text = open_registry(tmp_path / "nowhere").explain("Sqare")
    assert f"install root {tmp_path / 'nowhere'}: no such folder" in text


def test_a_refusal_is_in_the_error(root: MadeRoot) -> None:
    root.show("customize", package("square", "Square", arch="riscv64"))
    with pytest.raises(NotFoundError) as caught:
        open_registry(root.path).require("Square", "customize")
    assert caught.value.message.startswith(
        "nothing provides operator customize::Square\n  refused:\n    customize/square"
    )
    assert "it was built for riscv64" in caught.value.message


def test_the_interface_version_is_that_of_the_header() -> None:
    from opkg.paths import native_dir

    header = native_dir() / "include" / "opkg" / "package_abi.h"
    if not header.is_file():
        pytest.skip("the native half is not built")
    assert f"#define OPKG_ABI_VERSION {machine.ABI}u" in header.read_text("utf-8")
