"""Compiles small kernels with the twin's checks, runs them, and reads what the checker wrote."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from twin_harness import INCLUDE, LIB, Kernel, KernelError

_LINES = ("-g", "-gdwarf-4", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
FLAGS = ("-std=c++17", "-O1", *_LINES, "-DOPKG_TWIN_CHECK=1")

PROLOGUE = """#include "kernel_operator.h"
using namespace AscendC;
"""


class Result:
    """What one launch gave.

    Attributes:
        findings: as the JSON file has them.
        error: the sentence with which the launch failed, or "".
        source: the text of the kernel.
    """

    def __init__(self, findings: list[dict[str, Any]], error: str, source: str) -> None:
        self.findings = findings
        self.error = error
        self.source = source

    def only(self, kind: str) -> dict[str, Any]:
        """The one finding that there is, which must be of this kind."""
        assert [f["kind"] for f in self.findings] == [kind], "\n".join(f["message"] for f in self.findings)
        return self.findings[0]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [f for f in self.findings if f["kind"] == kind]

    def line(self, mark: str) -> int:
        """The line of the source that has `// mark`."""
        lines = [i for i, text in enumerate(self.source.splitlines(), 1) if text.rstrip().endswith(f"// {mark}")]
        assert len(lines) == 1, f"{mark}: {lines}"
        return lines[0]


class Checked:
    """Kernels of one folder; the same source is compiled once a session."""

    def __init__(self, folder: Path, report: Path) -> None:
        self._folder = folder
        self._report = report
        self.found: set[str] = set()  # kinds, by all runs

    def library(self, source: str, function: str = "k", *, prologue: str = PROLOGUE, flags: Sequence[str] = ()) -> Path:
        text = prologue + source
        digest = hashlib.sha256("\0".join([text, function, *flags]).encode()).hexdigest()[:16]
        unit = self._folder / f"{function}_{digest}.cpp"
        library = unit.with_suffix(".so")
        if library.exists():
            return library
        unit.write_text(text)
        entry = unit.with_suffix(".entry.cpp")
        entry.write_text(
            f'#include "{unit}"\n#include "opkg/kernel_entry.h"\nOPKG_KERNEL_ENTRY({function}, "{function}", 0)\n'
        )
        level = ["-march=x86-64-v3"] if platform.machine() == "x86_64" else []
        command = [
            *("g++", *FLAGS, *level, *flags, "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
            *("-I", str(INCLUDE / "ascendc"), "-I", str(INCLUDE)),
            *(str(entry), "-o", str(library), f"-L{LIB}", "-lopkg_twin"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return library

    def run(
        self,
        source: str,
        *args: np.ndarray | bytes | None,
        function: str = "k",
        flags: Sequence[str] = (),
        prologue: str = PROLOGUE,
        **launch: Any,
    ) -> Result:
        """Run a kernel; by default over four arrays of 4096 floats, all ones."""
        arrays = args or tuple(np.ones(4096, np.float32) for _ in range(4))
        kernel = Kernel(self.library(source, function, prologue=prologue, flags=flags))
        error = ""
        try:
            kernel(*arrays, **launch)
        except KernelError as failed:
            error = failed.report
        written = json.loads(self._report.read_text())
        count = written["launches"][-1]["findings"]
        findings = written["findings"][len(written["findings"]) - count :]
        self.found.update(f["kind"] for f in findings)
        assert bool([f for f in findings if not f["suppressed"]]) == bool(error)
        return Result(findings, error, prologue + source)
