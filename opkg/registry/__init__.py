"""The index of every operator that this process can use, and the choice between those that fit.

Sources in order: explicit pins, the entries of `ASCEND_CUSTOM_OPP_PATH`, install roots with their vendors by
`load_priority`, plugins, and what opkg ships.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.registry.model import Candidate, Package, Resolution
    from opkg.registry.registry import Registry, open_registry
    from opkg.registry.roots import default_root, install_roots

__all__ = ["Candidate", "Package", "Registry", "Resolution", "default_root", "install_roots", "open_registry"]

_LAZY = {"Registry": "registry", "open_registry": "registry", "default_root": "roots", "install_roots": "roots"}


def __getattr__(name: str) -> object:
    """Load the part that has `name` on first use: a listing needs no resolution."""
    if name not in __all__:
        raise AttributeError(f"module 'opkg.registry' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"opkg.registry.{_LAZY.get(name, 'model')}"), name)
