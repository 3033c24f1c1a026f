"""Plugins: two doors through which other distributions add to opkg.

The static door is the entry-point group `opkg.ops`: it names a folder with a built package, and nothing of the plugin
is imported. The dynamic door is the group `opkg`: modules with functions marked `hookimpl`, one for each hook of
`opkg.plugins.hookspecs` that they serve.
"""

from __future__ import annotations

from opkg.plugins.scan import DYNAMIC_GROUP, STATIC_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.plugins.manager import collect, command_summaries, first, hookimpl
    from opkg.plugins.report import status
    from opkg.plugins.static import static_op_packages

__all__ = [
    "DYNAMIC_GROUP",
    "STATIC_GROUP",
    "collect",
    "command_summaries",
    "first",
    "hookimpl",
    "static_op_packages",
    "status",
]

_LAZY = {"static_op_packages": "opkg.plugins.static", "status": "opkg.plugins.report"}


def __getattr__(name: str) -> object:
    """Load the part that has `name` on first use, so that `opkg --help` does not pay for the others."""
    if name not in __all__:
        raise AttributeError(f"module 'opkg.plugins' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LAZY.get(name, "opkg.plugins.manager")), name)
