"""opkg: package manager and build system for custom operators of neural networks.

The names below are loaded when they are first used, so that `import opkg` costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from opkg import convert
    from opkg.errors import OpkgError
    from opkg.plugins import hookimpl
    from opkg.runtime import load, ops

__version__ = "0.1.0"

__all__ = ["OpkgError", "__version__", "convert", "hookimpl", "load", "ops"]

_LAZY = {
    "OpkgError": ("opkg.errors", "OpkgError"),
    "convert": ("opkg.convert", None),
    "hookimpl": ("opkg.plugins", "hookimpl"),
    "load": ("opkg.runtime", "load"),
    "ops": ("opkg.runtime.ops", None),
}


def __getattr__(name: str) -> Any:
    """Load one of the public names on first use (PEP 562)."""
    try:
        module, attribute = _LAZY[name]
    except KeyError:
        raise AttributeError(f"module 'opkg' has no attribute {name!r}") from None
    import importlib

    loaded = importlib.import_module(module)
    value = loaded if attribute is None else getattr(loaded, attribute)
    globals()[name] = value
    return value
