"""Opening packages: what is loaded, and the sentence for each thing that is not."""

from __future__ import annotations

import json
from pathlib import Path

import fake_package
import pytest

from opkg._native import _core
from opkg.errors import RunError


def refusal(library: Path) -> RunError:
    with pytest.raises(RunError) as caught:
        _core.Package(str(library.parent), str(library))
    return caught.value


def test_a_package_tells_what_it_is(package: _core.Package) -> None:
    assert (package.vendor, package.name, package.version) == ("fake", "everything", "1.2.3")
    assert package.soc == "Ascend910B1"
    assert "Square" in package.operators
    assert json.loads(package.describe()) == {"abi": 1}


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    error = refusal(tmp_path / "none.so")
    assert error.code == "OPKG-9101"
    assert "none.so" in error.message
    assert "No such file" in error.message


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.so"
    path.write_text("not a library at all, but long enough")
    assert refusal(path).message == f"'{path}' is not a shared library"


def test_a_library_for_another_machine_is_refused(tmp_path: Path, fake_library: Path) -> None:
    data = bytearray(fake_library.read_bytes())
    other = 183 if data[18] != 183 else 62  # e_machine: aarch64, or x86_64 there
    data[18:20] = other.to_bytes(2, "little")
    path = tmp_path / "other.so"
    path.write_bytes(data)
    error = refusal(path)
    assert error.code == "OPKG-9103"
    assert "aarch64" in error.message and "x86_64" in error.message


def test_a_cut_library_is_refused(tmp_path: Path, fake_library: Path) -> None:
    path = tmp_path / "cut.so"
    path.write_bytes(fake_library.read_bytes()[:4096])
    assert refusal(path).code == "OPKG-9101"


@pytest.fixture(scope="session")
def variants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variants")
    fake_package.build(folder, "newer.so", "FAKE_ABI=2")
    fake_package.build(folder, "symbol.so", "FAKE_OPEN=opkg_package_open_v2")
    fake_package.build(folder, "stranger.so", "FAKE_OPEN=something_else")
    fake_package.build(folder, "null.so", "FAKE_NULL")
    return folder


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("newer.so", "OPKG-9102", "has interface version 2, and this opkg knows 1"),
        ("symbol.so", "OPKG-9102", "speaks package interface 2, and this opkg knows 1"),
        ("stranger.so", "OPKG-9101", "it lacks opkg_package_open_v1"),
        ("null.so", "OPKG-9101", "its table could not be opened"),
    ],
)
def test_other_interfaces_are_refused_with_a_sentence(variants: Path, name: str, code: str, words: str) -> None:
    error = refusal(variants / name)
    assert error.code == code
    assert words in error.message
    assert error.hint


def test_an_operator_that_is_not_there_is_named(package: _core.Package) -> None:
    with pytest.raises(RunError, match="package fake/everything has no operator 'Cube'"):
        _core.Call(package, "Cube")
