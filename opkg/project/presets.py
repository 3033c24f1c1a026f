"""The cache variables of a project's `CMakePresets.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opkg.errors import ProjectError
from opkg.opinfo.source import decode


def read_presets(path: Path) -> dict[str, str]:
    """The cache variables of the preset `default` (else the first), as text; empty without the file.

    Raises:
        ProjectError: the file is not such a JSON.
    """
    if not path.is_file():
        return {}
    try:
        data = json.loads(decode(path.read_bytes(), str(path)))
        presets = {preset.get("name"): preset for preset in reversed(data.get("configurePresets", []))}
        chosen: dict[str, Any] = presets.get("default") or next(reversed(presets.values()), {})
        return dict(_variables(chosen.get("cacheVariables", {})))
    except (ValueError, AttributeError, TypeError) as error:
        raise ProjectError(f"{path}: not a CMake presets file: {error}") from None


def _variables(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        plain = value.get("value", "") if isinstance(value, dict) else value
        if isinstance(plain, bool):
            plain = "ON" if plain else "OFF"
        if plain is not None:
            yield name, str(plain)
