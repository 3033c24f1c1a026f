import os

import pytest

from opkg.build.compiler import Compiler, find_compiler
from opkg.build.process import Run
from opkg.errors import BuildError


@pytest.fixture
def programs(tmp_path):
    """Makes programs on a PATH of their own that answer as compilers do."""

    def make(name, **macros):
        file = tmp_path / name
        lines = "\n".join(f"echo '#define {k} {v}'" for k, v in macros.items())
        file.write_text(f"#!/bin/sh\n{lines}\n")
        file.chmod(0o755)
        return str(file)

    return make


GCC = {"__cplusplus": "201703L", "__GNUC__": 12, "__GNUC_MINOR__": 2, "__GNUC_PATCHLEVEL__": 0}
OLD = {**GCC, "__GNUC__": 10}
CLANG = {
    "__cplusplus": "201703L",
    "__GNUC__": 4,
    "__clang__": 1,
    "__clang_major__": 14,
    "__clang_minor__": 0,
    "__clang_patchlevel__": 6,
}


def test_the_first_on_path_is_taken(programs, tmp_path):
    path = programs("g++", **GCC)
    programs("clang++", **CLANG)
    assert find_compiler(Run(), {"PATH": str(tmp_path)}) == Compiler(path, "g++", "12.2.0")


def test_one_that_is_too_old_is_passed_over(programs, tmp_path):
    programs("g++", **OLD)
    path = programs("clang++", **CLANG)
    assert find_compiler(Run(), {"PATH": str(tmp_path)}) == Compiler(path, "clang++", "14.0.6")


def test_only_old_ones(programs, tmp_path):
    path = programs("g++", **OLD)
    with pytest.raises(BuildError, match=r"is g\+\+ 10\.2\.0, older than 11") as caught:
        find_compiler(Run(), {"PATH": str(tmp_path)})
    assert path in caught.value.message
    assert caught.value.code == "OPKG-4011"


def test_none_at_all(tmp_path):
    with pytest.raises(BuildError, match="no C\\+\\+ compiler on PATH"):
        find_compiler(Run(), {"PATH": str(tmp_path)})


def test_cxx_is_honoured_with_its_launcher_and_flags(programs):
    path = programs("mine", **GCC)
    found = find_compiler(Run(), {"CXX": f"ccache {path} -m64"})
    assert found == Compiler(path, "g++", "12.2.0", ("ccache",), ("-m64",))


@pytest.mark.parametrize(
    ("macros", "message"), [(OLD, "older than 11"), ({}, "neither g\\+\\+ nor clang\\+\\+")], ids=["old", "other"]
)
def test_cxx_that_does_not_do_is_an_error(programs, macros, message):
    with pytest.raises(BuildError, match=message):
        find_compiler(Run(), {"CXX": programs("mine", **macros)})


def test_cxx_that_is_not_there():
    with pytest.raises(BuildError, match="CXX names 'no-such-compiler', which is not on PATH"):
        find_compiler(Run(), {"CXX": "no-such-compiler"})


def test_identity_changes_with_the_program(programs):
    path = programs("g++", **GCC)
    compiler = Compiler(path, "g++", "12.2.0")
    before = compiler.identity()
    assert compiler.identity() == before
    os.utime(path, ns=(1, 1))
    assert compiler.identity() != before
    os.unlink(path)  # noqa: PTH108
    assert compiler.identity() == {"path": ""}


def test_a_compiler_comes_back_from_the_state():
    compiler = Compiler("/usr/bin/g++", "g++", "12.2.0", ("ccache",), ("-m64",))
    assert Compiler.from_dict(compiler.to_dict()) == compiler
