"""What `opkg doctor` looks at for `opkg build`: the compiler, CMake, ninja, and opkg's own native half."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from opkg.build.compiler import find_compiler
from opkg.build.process import Run
from opkg.build.tools import find_tool
from opkg.errors import BuildError
from opkg.paths import native_dir, repair_hint
from opkg.plugins.types import Finding

_CMAKE = (3, 25)  # what the generated CMakeLists.txt asks for
_NATIVE = (
    "bin/opkg_describe",
    "bin/opkg_probe",
    "cmake/OpkgPackage.cmake",
    "include/ascendc/kernel_operator.h",
    "lib/libopkg_core.so.1",
    "lib/libopkg_host.so.1",
    "lib/libopkg_twin.so.1",
)


def check_compiler(_: Path | None) -> Iterator[Finding]:
    """The compiler that builds packages."""
    try:
        found = find_compiler(Run())
    except BuildError as error:
        yield Finding("compiler", "problem", error.message, error.hint)
        return
    launcher = f", through {' '.join(found.launcher)}" if found.launcher else ""
    yield Finding("compiler", "ok", f"{found.family} {found.version}, {found.path}{launcher}")


def check_tools(_: Path | None) -> Iterator[Finding]:
    """CMake and ninja."""
    for name, minimum in (("cmake", _CMAKE), ("ninja", (1, 10))):
        yield _tool(name, minimum)


def check_native(_: Path | None) -> Iterator[Finding]:
    """opkg's own headers, libraries and programs."""
    folder = native_dir()
    missing = [name for name in _NATIVE if not (folder / name).exists()]
    missing += [f"{name}.so" for name in ("_core",) if not any(folder.glob(f"{name}.*so"))]
    if missing:
        lost = f"{', '.join(missing)} missing below {folder}"
        yield Finding("native half", "problem", lost, repair_hint())
        return
    finished = Run()([folder / "bin" / "opkg_probe"])
    if finished.code != 2:  # what it answers to an empty command line
        reason = (finished.output.strip().splitlines() or [f"exit status {finished.code}"])[-1]
        yield Finding("native half", "problem", f"its programs do not run: {reason}", repair_hint())
    else:
        yield Finding("native half", "ok", f"whole, in {folder}")


def _tool(name: str, minimum: tuple[int, int]) -> Finding:
    wanted = ".".join(map(str, minimum))
    advice = f"pip install {name}"
    try:
        path = find_tool(name)
        finished = Run()([path, "--version"])
    except BuildError as error:
        return Finding(name, "problem", error.message, error.hint or advice)
    found = re.search(r"(\d+)\.(\d+)[.\w]*", finished.output)
    if finished.code or found is None:
        return Finding(name, "problem", f"{path} does not say its version", advice)
    if (int(found[1]), int(found[2])) < minimum:
        return Finding(name, "problem", f"{path} is {found[0]}; {wanted} is the oldest that will do", advice)
    return Finding(name, "ok", f"{found[0]}, {path}")
