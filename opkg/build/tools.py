"""Finding cmake and ninja: the packages from PyPI first, then whatever PATH has."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from opkg.errors import BuildError


def find_tool(name: str) -> Path:
    """The program `cmake` or `ninja`.

    The binary inside the PyPI package is taken rather than the package's script, whose start costs an interpreter.

    Raises:
        BuildError: there is none.
    """
    for candidate in _candidates(name):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise BuildError(f"{name} is not installed", f"pip install {name}", code="OPKG-4010")


def _candidates(name: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(name)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(folder, "data", "bin", name)
        yield Path(folder).parents[3] / "bin" / name  # <prefix>/lib/pythonX.Y/site-packages/<name>
    yield Path(sys.prefix, "bin", name)
    found = shutil.which(name)
    if found:
        yield Path(found)
