"""The static door: packages of operators inside installed distributions, found without importing them.

An entry point `square = my_ops:package` of group `opkg.ops` names the folder `package` inside the Python package
`my_ops`; dots on either side lead further down. The folder is a built package, or holds several.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.errors import PluginError
from opkg.plugins import scan
from opkg.plugins.trouble import complain

if TYPE_CHECKING:
    from opkg.plugins.types import OpSource


def static_op_packages() -> list[OpSource]:
    """The packages that installed distributions bring, in the order in which plugins are asked.

    Raises:
        PluginError: an entry point leads nowhere and `OPKG_STRICT_PLUGINS` is set.
    """
    plugins = [plugin for plugin in scan.scan().plugins if plugin.group == scan.STATIC_GROUP]
    if not plugins:
        return []
    from opkg.plugins.types import OpSource

    found: list[OpSource] = []
    for plugin in plugins:
        try:
            found += [OpSource(path, plugin.distribution) for path in packages_of(plugin)]
        except PluginError as error:
            complain(plugin.distribution, scan.STATIC_GROUP, error.message, error)
    return found


def packages_of(plugin: scan.Plugin) -> list[Path]:
    """The folders of the packages that an entry point names.

    Raises:
        PluginError: there is none.
    """
    from opkg.bundle.manifest import MANIFEST_NAME

    module, _, resource = plugin.value.partition(":")
    top, *rest = module.strip().split(".")
    below = [*rest, *filter(None, resource.split("[")[0].strip().split("."))]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    for location in (spec.submodule_search_locations if spec else None) or ():
        packages = _packages_in(Path(location).joinpath(*below), MANIFEST_NAME)
        if packages:
            return packages
    missing = (
        f"has no Python package '{top}'" if spec is None else f"has no '{MANIFEST_NAME}' in {'/'.join([top, *below])}"
    )
    raise PluginError(f"entry point {plugin.name}: the distribution {missing}")


def _packages_in(folder: Path, manifest: str) -> list[Path]:
    return [folder] if (folder / manifest).is_file() else sorted(found.parent for found in folder.glob(f"*/{manifest}"))
