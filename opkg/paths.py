"""Where opkg's own files are: headers, libraries, templates. The same in a source tree and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from opkg.errors import OpkgError

_PACKAGE = Path(__file__).resolve().parent


def native_dir() -> Path:
    """The folder with `include/`, `lib/`, `bin/` and `cmake/` of the native half."""
    return _PACKAGE / "_native"


def cmake_dir() -> Path:
    """The folder in which CMake's `find_package(opkg)` finds opkg: the value of `opkg_DIR`."""
    return native_dir() / "cmake"


def in_source() -> bool:
    """Whether this is opkg's source tree rather than an installation."""
    return (_PACKAGE.parent / "pyproject.toml").is_file()


def repair_hint() -> str:
    """What to do where a part of opkg is missing."""
    if not in_source():
        return "install opkg again"
    source = _PACKAGE.parent
    return (
        f"{source} is opkg's source, not built: use the installed opkg from another folder, or 'pip install {source}'"
    )


def data_dir(name: str) -> Path:
    """The folder `templates` or `registry`: the source tree's own where there is one, else the installed copy."""
    for candidate in (_PACKAGE.parent / name, _PACKAGE / "_data" / name):
        if candidate.is_dir() and (candidate.parent.name == "_data" or in_source()):
            return candidate
    raise OpkgError(f"this installation of opkg lacks its folder '{name}'", repair_hint())
