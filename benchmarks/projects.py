"""Operator packages that the benchmarks build and install, by the commands a user types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OPKG = [sys.executable, "-m", "opkg"]
SOURCES = Path(__file__).resolve().parent / "projects"


def opkg(*argv: str | Path, cwd: Path) -> None:
    """One opkg command, which must succeed."""
    subprocess.run([*OPKG, *map(str, argv)], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def scaffold(name: str, folder: Path, *options: str) -> Path:
    """A new project as `opkg new` writes it."""
    opkg("new", name, *options, cwd=folder)
    return folder / name


def install(project: Path, root: Path) -> None:
    """Build, pack and install a project."""
    opkg("build", "--pkg", cwd=project)
    bundle = next((project / "build_out").glob("*.run"))
    opkg("install", bundle, "--install-path", root, cwd=project)


def use(root: Path) -> None:
    """Make operators of this root visible to this process and its children."""
    os.environ["ASCEND_OPP_PATH"] = str(root)
    os.environ["XDG_CACHE_HOME"] = str(root.parent / "cache")
