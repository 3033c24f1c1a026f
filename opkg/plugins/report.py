"""The state of every installed plugin, for `opkg plugins`."""

from __future__ import annotations

from opkg.bundle.manifest import MANIFEST_NAME, Manifest
from opkg.errors import OpkgError
from opkg.plugins import manager, scan
from opkg.plugins.static import packages_of
from opkg.plugins.trouble import one_line
from opkg.plugins.types import PluginStatus


def status() -> list[PluginStatus]:
    """Every installed plugin: at work, turned off, or broken and why. Loads the dynamic ones."""
    return [_status(plugin) for plugin in scan.installed().plugins]


def _status(plugin: scan.Plugin) -> PluginStatus:
    static = plugin.group == scan.STATIC_GROUP
    base = (plugin.distribution, plugin.version, plugin.name, "static" if static else "dynamic", plugin.value)
    off = scan.why_disabled(plugin)
    if off:
        return PluginStatus(*base, "disabled", f"by {off}")
    error, provides = _static(plugin) if static else manager.loading_result(plugin)
    return PluginStatus(*base, "failed" if error else "ok", error, provides)


def _static(plugin: scan.Plugin) -> tuple[str, tuple[str, ...]]:
    try:
        manifests = [Manifest.from_json((folder / MANIFEST_NAME).read_text("utf-8")) for folder in packages_of(plugin)]
    except (OpkgError, OSError, UnicodeDecodeError) as error:
        return one_line(error), ()
    return "", tuple(sorted(entry.op_info.op for manifest in manifests for entry in manifest.operators))
