"""The native half: extension modules, and the headers and libraries that packages are built against."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from opkg.errors import OpkgError
from opkg.paths import in_source, repair_hint

if TYPE_CHECKING:
    from types import ModuleType


def load_core() -> ModuleType:
    """The module `_core`: packages and their operators, called in this process."""
    try:
        return importlib.import_module("opkg._native._core")
    except ImportError as error:
        raise OpkgError(f"the native core of opkg cannot be loaded: {error}", repair_hint()) from error


def load_openvino() -> ModuleType:
    """The module `_openvino`: the engine that runs standard operators.

    It needs OpenVINO's libraries. Those of the wheel are found wherever the wheel is installed, without importing its
    Python package.
    """
    try:
        _preload_openvino()
        return importlib.import_module("opkg._native._openvino")
    except (ImportError, OSError) as error:
        hint = "pip install 'openvino==2026.4.1', and install opkg again if it was built without it"
        hint = repair_hint() if isinstance(error, ModuleNotFoundError) and in_source() else hint
        raise OpkgError(f"the OpenVINO engine cannot be loaded: {error}", hint) from error


def _preload_openvino() -> None:
    """Load OpenVINO's libraries by path: the dynamic linker then finds them by name."""
    import ctypes
    import importlib.util
    from pathlib import Path

    spec = importlib.util.find_spec("openvino")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        libs = Path(folder) / "libs"
        for pattern in ("libtbb.so.*", "libopenvino.so.*", "libopenvino_onnx_frontend.so.*"):
            for library in sorted(libs.glob(pattern)):
                ctypes.CDLL(str(library))
