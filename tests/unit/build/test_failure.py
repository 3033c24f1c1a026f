"""From ninja's output to the error that the user reads, without any compiler."""

from pathlib import Path

import pytest

from opkg.build.chips import Chip
from opkg.build.description import Description
from opkg.build.failure import compile_error
from opkg.build.plan import make_plan
from opkg.build.workspace import Workspace
from opkg.opinfo import OpInfo, Param
from opkg.project import Project

DTYPES = ("float16", "float32")


@pytest.fixture
def failed(tmp_path):
    """Reads outputs of ninja for a project with one operator of two columns."""
    for name in ("op_host/square.cpp", "op_kernel/square.cpp"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("OP_ADD(Square);\n__global__ void other(int) {}\n")
    params = [Param(name, "required", DTYPES, ("ND", "ND")) for name in "xy"]
    op = OpInfo("Square", (params[0],), (params[1],))
    project = Project(
        tmp_path,
        "p",
        "v",
        "1",
        "v",
        ("ascend910b",),
        host_sources=(tmp_path / "op_host/square.cpp",),
        kernel_sources={"square": tmp_path / "op_kernel/square.cpp"},
    )
    space = Workspace(tmp_path, tmp_path / "build_out")
    plan = make_plan(project, [op], Description(1, (), ()), space, Chip("A", "a", 1, 1), [])

    def read(text: str):
        return compile_error(text.replace("/p/", f"{tmp_path}/"), plan, project, space)

    return read


def block(target: str, *lines: str) -> str:
    return "\n".join([f"FAILED: [code=1] CMakeFiles/{target}.dir/x.cpp.o", "g++ -c x.cpp", *lines, ""])


def test_an_error_in_every_column_is_shown_once(failed):
    line = "/p/op_kernel/square.cpp:3:4: error: 'Foo' was not declared"
    error = failed(block("kernel_Square_1", line) + block("kernel_Square_0", line))
    assert error.message == (
        "Square column 0 (x float16, y float16) and 1 more cannot be built: "
        "op_kernel/square.cpp:3:4: error: 'Foo' was not declared"
    )
    assert error.log.splitlines() == [
        "op_kernel/square.cpp:3:4: error: 'Foo' was not declared",
        "    in Square column 0 (x float16, y float16)",
        "    in Square column 1 (x float32, y float32)",
    ]
    assert error.code == "OPKG-4000"


def test_the_order_of_outputs_does_not_matter(failed):
    one = block("kernel_Square_0", "/p/op_kernel/square.cpp:3:4: error: a")
    two = block("host", "/p/op_host/square.cpp:9:1: error: b")
    assert failed(one + two).log == failed(two + one).log
    assert failed(one + two).log.startswith("op_host/square.cpp:9:1: error: b\n")


def test_the_host_library(failed):
    error = failed(block("host", "/p/op_host/square.cpp:9:1: error: b"))
    assert error.message == "the host library cannot be built: op_host/square.cpp:9:1: error: b"


def test_the_kernel_function_that_the_generated_source_misses(failed, tmp_path):
    line = f"{tmp_path}/build_out/.opkg/src/Square_0.cpp:12:19: error: 'square' was not declared in this scope"
    error = failed(block("kernel_Square_0", line))
    assert error.message == "op_kernel/square.cpp defines no kernel function `square`; it defines `other`"


def test_a_missing_tiling_struct_is_explained(failed):
    line = "/p/op_kernel/square.cpp:5:5: error: 'OpkgDefaultTiling' was not declared in this scope"
    error = failed(block("kernel_Square_0", line))
    assert "op_kernel/square.cpp:5:5: error: GET_TILING_DATA finds no tiling struct" in error.log
    assert "OpkgDefaultTiling" not in error.message


def test_a_kernel_library_that_cannot_be_linked_is_named(failed):
    text = (
        "FAILED: [code=1] kernels/square/Square_1.so\n: && g++ -o kernels/square/Square_1.so\n"
        "/usr/bin/ld: x.o: in function `square':\nsquare.cpp:(.text+0x1): undefined reference to `helper()'\n"
    )
    error = failed(text)
    assert error.message == (
        "Square column 1 (x float32, y float32) cannot be built: square.cpp: error: undefined reference to 'helper()'"
    )


def test_output_that_nobody_understands_is_shown_as_it_ends(failed):
    error = failed(block("host", "g++: internal compiler error: Killed (program cc1plus)"))
    assert error.message.endswith("failed: g++: internal compiler error: Killed (program cc1plus)")
    assert failed("ninja: error: 'a.cpp', needed by 'a.o', missing and no known rule to make it\n").message == (
        "the build failed: ninja: error: 'a.cpp', needed by 'a.o', missing and no known rule to make it"
    )


def test_many_errors_are_cut(failed):
    lines = [f"/p/op_host/square.cpp:{n}:1: error: e{n}" for n in range(1, 31)]
    shown = failed(block("host", *lines)).log.splitlines()
    assert len(shown) == 21
    assert shown[-1] == "and 10 more errors"


def test_the_whole_output_is_named(failed, tmp_path):
    assert str(Path(tmp_path, "build_out/.opkg/build.log")) in failed(block("host", "x")).hint
