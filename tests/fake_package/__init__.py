"""A package written by hand against the plain-C interface, compiled where a test needs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from opkg.paths import native_dir

SOURCE = Path(__file__).parent / "fake_package.cpp"


def build(directory: Path, name: str = "libfake.so", *defines: str) -> Path:
    """Compile the package to `directory/name`; `defines` choose a variant (`FAKE_ABI=2`, ...)."""
    out = directory / name
    flags = ["-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{native_dir() / 'include'}"]
    subprocess.run(["c++", *flags, *(f"-D{d}" for d in defines), "-o", str(out), str(SOURCE)], check=True)
    return out
