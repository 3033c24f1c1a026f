"""Which install roots are looked into, by the command line, the environment and the user."""

from __future__ import annotations

import os
from pathlib import Path


def install_roots(install_path: Path | None = None) -> tuple[Path, ...]:
    """The install roots, best first.

    `install_path` alone if it is given; else the one that is installed into by default, `$ASCEND_OPP_PATH`, the user's
    own, and the one where the superuser installs for everybody.
    """
    if install_path is not None:
        return (absolute(install_path),)
    from opkg.bundle import layout

    named = os.environ.get("ASCEND_OPP_PATH", "")
    found = [layout.default_root(), *([absolute(named)] if named else []), layout.user_root(), layout.SYSTEM_ROOT]
    return tuple(dict.fromkeys(found))


def custom_paths() -> tuple[Path, ...]:
    """The entries of `$ASCEND_CUSTOM_OPP_PATH` in order: folders of vendors, or install roots."""
    words = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":")
    return tuple(dict.fromkeys(absolute(word) for word in words if word))


def absolute(path: str | Path) -> Path:
    """`path` with `~` expanded and made absolute; symbolic links stay as they are."""
    return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - resolve() would follow links
