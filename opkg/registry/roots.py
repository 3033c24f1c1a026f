"""Which install roots there are, by the command line, the environment and the user."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEM_ROOT = Path("/usr/local/opkg")
"""Where the superuser installs for everybody."""


def user_root() -> Path:
    """Where a user installs who names no place: `$XDG_DATA_HOME/opkg`, for the superuser `/usr/local/opkg`."""
    if os.geteuid() == 0:
        return SYSTEM_ROOT
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The XDG specification wants relative paths ignored.
    return (base if base.is_absolute() else Path.home() / ".local" / "share") / "opkg"


def default_root(install_path: Path | str | None = None) -> Path:
    """The root that is installed into: `install_path`, else `$ASCEND_OPP_PATH`, else the user's own."""
    if install_path is not None:
        return absolute(install_path)
    named = os.environ.get("ASCEND_OPP_PATH", "")
    return absolute(named) if named else user_root()


def install_roots(install_path: Path | str | None = None) -> tuple[Path, ...]:
    """The roots that are looked into: `install_path` alone, or `$ASCEND_OPP_PATH`, the user's own and everybody's."""
    if install_path is not None:
        return (absolute(install_path),)
    return tuple(dict.fromkeys((default_root(), user_root(), SYSTEM_ROOT)))


def custom_paths() -> tuple[Path, ...]:
    """The entries of `$ASCEND_CUSTOM_OPP_PATH` in order: folders of vendors, or install roots."""
    words = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":")
    return tuple(dict.fromkeys(absolute(word) for word in words if word))


def absolute(path: str | Path) -> Path:
    """`path` with `~` expanded and made absolute; symbolic links stay as they are."""
    return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - resolve() would follow links
