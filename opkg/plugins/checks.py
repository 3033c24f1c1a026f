"""What `opkg doctor` looks at for plugins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from opkg.plugins.report import status
from opkg.plugins.types import Finding


def check_plugins(_: Path | None) -> Iterator[Finding]:
    """Every installed plugin: at work, turned off, or broken."""
    found = status()
    for plugin in found:
        name = f"{plugin.distribution} {plugin.version}"
        if plugin.state == "failed":
            advice = f"pip install --upgrade {plugin.distribution}, or opkg plugins disable {plugin.distribution}"
            yield Finding("plugin", "problem", f"{name} ({plugin.name}): {plugin.error}", advice)
        elif plugin.state == "disabled":
            yield Finding("plugin", "note", f"{name} ({plugin.name}) is turned off {plugin.error}")
    working = sum(plugin.state == "ok" for plugin in found)
    yield Finding("plugins", "ok", f"{working} at work" if working else "none")
