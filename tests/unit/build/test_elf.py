import shutil
import struct
import subprocess

import pytest

from opkg.build.elf import Elf, highest
from opkg.build.task_type import task_type, task_type_of
from opkg.errors import BuildError

SOURCE = r"""
#include <cstdio>
#include <cmath>
#include <string>
extern "C" double f(double x, char *s) { return std::pow(x, 2) + printf("%s", std::string(s).append("x").c_str()); }
__asm__(".pushsection opkg_kernel_facts,\"a\"\n.balign 8\n"
        ".long 2\n.long 0\n.quad 0\n.quad 16\n"
        ".long 1\n.long 1\n.quad 7\n.quad 4\n"
        ".long 1\n.long 0\n.quad 0\n.quad 5\n.popsection");
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if shutil.which("c++") is None:
        pytest.skip("needs a compiler")
    folder = tmp_path_factory.mktemp("elf")
    (folder / "f.cpp").write_text(SOURCE)
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", "f.cpp", "-o", "libf.so"], cwd=folder, check=True)
    return folder / "libf.so"


def test_needed_versions_are_those_that_the_linker_recorded(library):
    found = Elf(library).needed_versions()
    told = subprocess.run(["readelf", "-V", "--wide", library], capture_output=True, text=True)
    if told.returncode == 0:
        import re

        assert found == frozenset(re.findall(r"Name: (\S+)", told.stdout))
    assert any(v.startswith("GLIBC_2.") for v in found)
    assert any(v.startswith("GLIBCXX_3.4") for v in found)


def test_sections_by_name(library):
    elf = Elf(library)
    assert len(elf.section("opkg_kernel_facts") or b"") == 72
    assert elf.section(".bss") is None, "a section without bytes in the file"
    assert elf.section(".no_such_section") is None


def test_task_type_is_the_one_for_all_keys(library):
    assert task_type(library) == "KERNEL_TYPE_MIX_AIC_1_2"


def test_task_type_of_other_facts():
    tiling = struct.pack("<IIQQ", 2, 0, 0, 8)
    assert task_type_of(b"") == ""
    assert task_type_of(tiling) == ""
    assert task_type_of(tiling + struct.pack("<IIQQ", 1, 0, 0, 0)) == "KERNEL_TYPE_AIV_ONLY"
    assert task_type_of(struct.pack("<IIQQ", 1, 0, 0, 99)) == "", "a kind of cores that this opkg does not know"


def test_not_an_elf_file(tmp_path):
    (tmp_path / "x").write_bytes(b"#!/bin/sh\n" * 20)
    with pytest.raises(BuildError, match="not a 64-bit little-endian ELF file"):
        Elf(tmp_path / "x")


@pytest.mark.parametrize("kept", [6, 63, 64, 0.5, 0.9])
def test_a_file_that_is_cut_short_is_refused(library, tmp_path, kept):
    data = library.read_bytes()
    (tmp_path / "x").write_bytes(data[: kept if kept > 1 else int(len(data) * kept)])
    with pytest.raises(BuildError, match="damaged"):
        Elf(tmp_path / "x").needed_versions()


def test_highest_compares_numbers():
    versions = frozenset({"GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.4", "GLIBC_PRIVATE", "GLIBCXX_3.4.9", "GLIBCXX_3.4.30"})
    assert highest(versions, "GLIBC") == "2.34"
    assert highest(versions, "GLIBCXX") == "3.4.30"
    assert highest(versions, "CXXABI") == ""
