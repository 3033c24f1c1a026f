"""Whether a package can run on a machine: versions are numbers, and what is not known of it is no objection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from opkg.registry import machine
from opkg.registry.machine import ABI, ISA_FLAGS, Machine, shortcomings


@dataclass
class Needs:
    os: str = ""
    arch: str = ""
    isa: str = ""
    abi: int = 0
    glibc: str = ""
    glibcxx: str = ""


class Known(Machine):
    def __init__(self, **parts: object) -> None:
        self.__dict__ |= {"os": "linux", "arch": "x86_64", "glibc": "", "glibcxx": "", "flags": frozenset(), **parts}


@pytest.mark.parametrize(
    ("have", "need", "fits"),
    [
        ("2.9", "2.17", False),
        ("2.36", "2.4", True),
        ("2.36", "GLIBC_2.36", True),
        ("2.36", "2.36.1", False),
        ("2.36", "2.2.5", True),
        ("", "2.999", True),
    ],
)
def test_versions_of_the_c_library_are_numbers(have: str, need: str, fits: bool) -> None:
    said = shortcomings(Needs(glibc=need), Known(glibc=have))
    version = need.removeprefix("GLIBC_")
    assert said == ([] if fits else [f"it needs glibc {version} and this machine has {have}"])


def test_an_older_interface_is_read_and_a_newer_one_is_not() -> None:
    assert [bool(shortcomings(Needs(abi=abi), Known())) for abi in (0, ABI, ABI + 1)] == [False, False, True]


def test_a_processor_that_says_nothing_of_itself_is_no_objection() -> None:
    v2, v3 = ISA_FLAGS["x86-64-v2"], ISA_FLAGS["x86-64-v3"]
    assert shortcomings(Needs(isa="x86-64-v3"), Known()) == []
    assert shortcomings(Needs(isa="x86-64-v3"), Known(flags=v3 | {"more"})) == []
    assert shortcomings(Needs(isa="no level that is known"), Known(flags=v2)) == []
    assert len(shortcomings(Needs(isa="x86-64-v3"), Known(flags=v2))) == 1
    # Of another machine's instructions nothing need be said.
    assert shortcomings(Needs(arch="riscv64", isa="x86-64-v3"), Known(flags=v2)) == [
        "it was built for riscv64 and this machine is x86_64"
    ]


def test_the_newest_symbols_of_the_systems_library_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_LIBRARY_FOLDERS", (str(tmp_path / "none"), str(tmp_path / "{arch}")))
    assert Machine().glibcxx == ""
    (tmp_path / Machine().arch).mkdir()
    library = tmp_path / Machine().arch / "libstdc++.so.6"
    library.write_bytes(b"\0GLIBCXX_3.4.9\0GLIBCXX_3.4.30\0GLIBCXX_3.4\0GLIBCXX_DEBUG_MESSAGE\0GLIBCXX_9.9")
    assert Machine().glibcxx == "3.4.30"
    found = shortcomings(Needs(glibcxx="GLIBCXX_3.4.31"), Machine())
    assert found == ["it needs libstdc++ 3.4.31 and this machine has 3.4.30"]
    library.write_bytes(b"no library")
    assert Machine().glibcxx == ""
