"""The index of every operator that this process can use, and the choice between those that fit.

Sources in order: explicit pins, the entries of `ASCEND_CUSTOM_OPP_PATH`, install roots with their vendors by
`load_priority`, plugins, and what opkg ships.
"""

from __future__ import annotations

from opkg.registry.model import Candidate, Package, Resolution
from opkg.registry.registry import Registry, open_registry
from opkg.registry.roots import install_roots

__all__ = ["Candidate", "Package", "Registry", "Resolution", "install_roots", "open_registry"]
