"""Distributions with plugins, as pip would leave them in a folder of `sys.path`."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent


def distribution(
    site: Path, name: str, entry_points: dict[str, dict[str, str]], modules: dict[str, str] | None = None
) -> None:
    """Install a distribution.

    Args:
        site: the folder to install into.
        name: name of the distribution.
        entry_points: group -> name -> value.
        modules: file name -> source.
    """
    info = site / f"{name.replace('-', '_')}-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n", "utf-8")
    sections = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in found.items()) for group, found in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(sections), "utf-8")
    for file, source in (modules or {}).items():
        path = site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source), "utf-8")


def tool(site: Path, name: str, source: str) -> None:
    """Install a distribution with one dynamic plugin; its module is this source below the imports that all need."""
    module = name.replace("-", "_")
    heading = "from pathlib import Path\nfrom opkg import hookimpl\nfrom opkg.plugins.types import *\n"
    distribution(site, name, {"opkg": {module: module}}, {f"{module}.py": heading + dedent(source)})
