"""Trying a package's libraries before it is installed: each is loaded, with every symbol, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg.bundle import Manifest
from opkg.paths import native_dir

_SECONDS = 60.0  # the libraries of 100 operators load in a tenth of a second
_ELF = b"\x7fELF"


@dataclass
class _Report:
    """What `opkg_probe` said."""

    last: str = ""
    bad: list[tuple[str, str]] = field(default_factory=list)
    kernels: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    description: Any = None


def faults(manifest: Manifest, folder: Path, *, seconds: float = _SECONDS) -> list[str]:
    """Why a package's libraries cannot be used here, one clause a reason; empty when they can or there are none.

    Args:
        manifest: what the package says of itself.
        folder: where its files are.
        seconds: how long loading them may take.
    """
    kernels = tuple(column.library for entry in manifest.operators for column in entry.columns)
    libraries = tuple(dict.fromkeys((manifest.host_library, *kernels)))
    tool = native_dir() / "bin" / "opkg_probe"
    if manifest.target != "cpu" or not manifest.host_library:
        return []
    if not any(_is_library(folder / library) for library in libraries):
        return []
    if not tool.is_file():
        return [f"opkg cannot try its libraries ('opkg doctor' says more): {tool} is missing"]
    # Its own folder as working directory: a library that writes where it is started must not litter the user's.
    command = (tool, folder, f"./{libraries[0]}")
    names = "".join(f"./{library}\n" for library in libraries[1:])
    try:
        found = subprocess.run(
            command, input=names.encode(), cwd=folder, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        # Lines are written as libraries are tried, so the last of them names the one that hangs.
        report = _parse(late.stdout or b"", folder)
        return [f"{report.last or manifest.host_library} was not loaded within {seconds:g} seconds"]
    report = _parse(found.stdout, folder)
    if not report.last:  # it is not the package's fault
        reason = (found.stderr.decode("utf-8", "replace").strip().splitlines() or [_ended(found.returncode)])[-1]
        return [f"opkg cannot try its libraries ('opkg doctor' says more): {reason}"]
    if found.returncode:
        return [f"loading {report.last or manifest.host_library} {_ended(found.returncode)}"]
    return [f"{library}: {reason}" for library, reason in report.bad] or list(_contradictions(manifest, report))


def _is_library(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _parse(output: bytes, folder: Path) -> _Report:
    facts, _, description = output.decode("utf-8", "replace").partition("\ndescribe\n")
    report = _Report()
    for line in facts.splitlines():
        kind, *words = line.split("\t")
        library = words[0].removeprefix("./") if words else ""
        if kind == "try" and len(words) == 1:
            report.last = library
        elif kind == "bad" and len(words) == 2:
            reason = words[1].removeprefix(f"{words[0]}: ").replace(f"{folder}{os.sep}", "").replace(words[0], library)
            report.bad.append((library, reason))
        elif kind == "kernel" and len(words) == 4:
            report.kernels[library] = (words[1], words[2], words[3])
    try:
        report.description = json.loads(description)
    except ValueError:
        report.description = {}
    return report


def _ended(code: int) -> str:
    return f"ended the process with signal {-code}" if code < 0 else f"ended the process with exit status {code}"


def _contradictions(manifest: Manifest, report: _Report) -> Iterator[str]:
    """Where manifest, host library and kernel libraries do not mean the same package."""
    host = manifest.host_library
    if not isinstance(report.description, dict) or "operators" not in report.description:
        yield f"{host}: it does not describe its operators"
        return
    described = {operator.get("op") for operator in report.description["operators"]}
    structs: dict[str, list[Any]] = {}
    for struct in report.description.get("tiling_structs", ()):
        structs.setdefault(struct["op_type"], []).append(struct)
    for entry in manifest.operators:
        op = entry.op_info.op
        own = structs.get(op, [])
        if op not in described:
            yield f"{host}: it has no operator {op}"
        elif entry.tiling_hash not in ([struct["hash"] for struct in own] or [""]):
            yield f"{host}: its tiling struct of {op} is not the one that the package was built with"
        size = str(own[0]["size"]) if len(own) == 1 else "0"
        for number, column in enumerate(entry.columns):
            if column.library in report.kernels:
                yield from _wrong_kernel(op, number, column.library, report.kernels[column.library], size)


def _wrong_kernel(op: str, column: int, library: str, kernel: tuple[str, str, str], size: str) -> Iterator[str]:
    if kernel[:2] != (op, str(column)):
        yield f"{library}: it is column {kernel[1]} of {kernel[0]}, not column {column} of {op}"
    # Zero stands for a struct of unknown size, such as a plain one that the kernel names itself.
    elif "0" not in (size, kernel[2]) and kernel[2] != size:
        yield f"{library}: its tiling struct has {kernel[2]} bytes, that of the host library {size}"
