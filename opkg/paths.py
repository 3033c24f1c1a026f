"""Where opkg's own files are: headers, libraries, templates. The same in a source tree and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from opkg.errors import OpkgError

_PACKAGE = Path(__file__).resolve().parent


def native_dir() -> Path:
    """The folder with `include/`, `lib/`, `bin/` and `cmake/` of the native half."""
    return _PACKAGE / "_native"


def data_dir(name: str) -> Path:
    """The folder `templates` or `registry`: the source tree's own where there is one, else the installed copy."""
    for candidate in (_PACKAGE.parent / name, _PACKAGE / "_data" / name):
        if candidate.is_dir() and (candidate.parent.name == "_data" or (_PACKAGE.parent / "pyproject.toml").is_file()):
            return candidate
    raise OpkgError(f"this installation of opkg lacks its folder '{name}'", "install opkg again")
