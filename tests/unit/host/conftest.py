"""Compiles the packages of these tests, once a session."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_abi import Package

from opkg.paths import native_dir

SOURCES = Path(__file__).parent / "sources"
CASES = Path(__file__).parents[2] / "data" / "cases" / "tiling" / "classic_layout.json"
KERNEL_DIR = "op_impl/ai_core/tbe/kernel/cpu"


def compile_library(output: Path, *sources: Path, flags: tuple[str, ...] = ()) -> Path:
    """A shared library with the flags that opkg build gives a host library."""
    include = native_dir() / "include"
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{include / 'host'}", f"-I{include}", *flags, *map(str, sources), "-o", str(output)]
    command += [f"-L{native_dir() / 'lib'}", "-lopkg_host"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def struct_source(number: int, fields: list[list[str]]) -> str:
    """A struct of classic_layout.json as C++ with the BEGIN_TILING_DATA_DEF macros."""
    before, lines = "", []
    for kind, name in fields:
        if kind.startswith("struct{"):
            inner = [part.split() for part in kind[len("struct{") : -1].split(";") if part.strip()]
            before = struct_source(1000 + number, inner)
            lines.append(f"TILING_DATA_FIELD_DEF_STRUCT(Case{1000 + number}, {name});")
        elif "[" in kind:
            element, count = kind.rstrip("]").split("[")
            lines.append(f"TILING_DATA_FIELD_DEF_ARR({element}, {count}, {name});")
        else:
            lines.append(f"TILING_DATA_FIELD_DEF({kind}, {name});")
    body = "\n".join(lines)
    register = f"REGISTER_TILING_DATA_CLASS(Case{number}Op, Case{number})"
    return f"{before}BEGIN_TILING_DATA_DEF(Case{number})\n{body}\nEND_TILING_DATA_DEF;\n{register}\n"


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `libfirst.so` and `libsecond.so`."""
    folder = tmp_path_factory.mktemp("host")
    cases = json.loads(CASES.read_text("utf-8"))["structs"]
    structs = "".join(struct_source(i, case["fields"]) for i, case in enumerate(cases))
    table = folder / "table.cpp"
    table.write_text(
        '#include "opkg/package_table.h"\n#include "register/tilingdata_base.h"\n'
        f"namespace optiling {{\n{structs}}}\n"
        'OPKG_PACKAGE("customize", "first", "1.0.0", "Ascend910B1")\n'
        'OPKG_PACKAGE_OPERATOR("Square", "kernels/square_%u.so")\n'
    )
    ctypes.CDLL(str(native_dir() / "lib" / "libopkg_host.so.1"))
    compile_library(folder / "libfirst.so", SOURCES / "operators.cpp", table)
    compile_library(folder / "libsecond.so", SOURCES / "second.cpp")
    return folder


@pytest.fixture(scope="session")
def package(libraries: Path) -> Package:
    return Package(libraries / "libfirst.so", libraries)


@pytest.fixture(scope="session")
def description(libraries: Path) -> dict[str, Any]:
    """What opkg_describe prints of the first library."""
    tool = native_dir() / "bin" / "opkg_describe"
    done = subprocess.run([tool, libraries / "libfirst.so"], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


MakeKernel = Callable[..., Path]


@pytest.fixture(scope="session")
def make_kernel(libraries: Path) -> MakeKernel:
    """Compiles a kernel library to where the first package looks for it."""

    def make(
        op: str, path: str, n_args: int, *, action: str = "", column: int = 0, tiling_size: int = 0, abi: int = 1
    ) -> Path:
        output = libraries / path
        output.parent.mkdir(parents=True, exist_ok=True)
        defines = [f'-DOP="{op}"', f"-DCOLUMN={column}", f"-DN_ARGS={n_args}", f"-DTILING_SIZE={tiling_size}"]
        defines += [f"-DABI={abi}u", f"-DACTION={action}"]
        command = ["gcc", "-O1", "-fPIC", "-shared", f"-I{native_dir() / 'include'}", *defines]
        subprocess.run([*command, str(SOURCES / "kernel.c"), "-o", str(output)], check=True)
        return output

    return make


@pytest.fixture(scope="session")
def matmul_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Answers with tilings of matrix products."""
    ctypes.CDLL(str(native_dir() / "lib" / "libopkg_host.so.1"))
    output = tmp_path_factory.mktemp("matmul") / "libmatmul_tiling.so"
    return ctypes.CDLL(str(compile_library(output, SOURCES / "matmul_tiling.cpp")))
