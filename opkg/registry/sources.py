"""Where packages are looked for: an ordered list of places."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from opkg.errors import OpkgError
from opkg.paths import data_dir
from opkg.plugins import collect, static_op_packages
from opkg.registry.roots import custom_paths, install_roots

OWN = "opkg's own operators"
"""Label of what opkg brings."""


class Source(NamedTuple):
    """One place: `vendor` (a vendor's folder), `root` (an install root) or `packages` (one package or several)."""

    kind: str
    label: str
    path: str


def all_sources(install_path: Path | str | None) -> tuple[Source, ...]:
    """Every place, best first."""
    found = [Source(_kind(path), f"ASCEND_CUSTOM_OPP_PATH {path}", str(path)) for path in custom_paths()]
    found += [Source("root", f"install root {path}", str(path)) for path in install_roots(install_path)]
    found += [Source("packages", f"plugin {source.name}", str(source.path)) for source in static_op_packages()]
    for distribution, source in collect("opkg_op_sources"):
        label = f"{source.name} (plugin {distribution})" if source.name else f"plugin {distribution}"
        found.append(Source("packages", label, str(Path(source.path).absolute())))
    # An installation that lost its own operators still serves everybody else's.
    with contextlib.suppress(OpkgError):
        found.append(Source("root", OWN, str(data_dir("registry"))))
    return tuple(found)


def _kind(custom_path: Path) -> str:
    """What an entry of ASCEND_CUSTOM_OPP_PATH is: CANN wants folders of vendors, people also give it install roots."""
    return "root" if (custom_path / "vendors").is_dir() else "vendor"
