"""Which plugins the user has turned off for good: a small file in the user's configuration.

The environment outweighs it: `OPKG_DISABLE_PLUGINS` turns off more, `OPKG_ENABLE_PLUGINS` turns on again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

DISABLE, ENABLE, NONE = "OPKG_DISABLE_PLUGINS", "OPKG_ENABLE_PLUGINS", "OPKG_NO_PLUGINS"


def normalized(name: str) -> str:
    """A distribution's name as the package index compares it."""
    return name.strip().lower().replace("_", "-").replace(".", "-")


def disabled() -> frozenset[str]:
    """The normalized names that are turned off, by the file or by the environment."""
    return (stored() - named_in(ENABLE)) | named_in(DISABLE)


def named_in(variable: str) -> frozenset[str]:
    """The normalized names in a variable, which separates them by commas."""
    return frozenset(normalized(word) for word in os.environ.get(variable, "").split(",") if word.strip())


def stored() -> frozenset[str]:
    """The normalized names in the file; none where it is missing or damaged."""
    try:
        with open(state_file(), encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs 10 ms of --help
            return frozenset(normalized(name) for name in json.load(file)["disabled"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()


def store(names: Iterable[str]) -> None:
    """Write the file anew.

    Raises:
        OSError: it cannot be written.
    """
    path = state_file()
    draft = f"{path}.{os.getpid()}"
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    with open(draft, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({"disabled": sorted(names)}, file)
        file.write("\n")
    os.replace(draft, path)  # noqa: PTH105


def state_file() -> str:
    """`$XDG_CONFIG_HOME/opkg/plugins.json`, else below `~/.config`."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117 - the XDG specification: relative paths are ignored
        base = os.path.join(os.path.expanduser("~"), ".config")  # noqa: PTH111, PTH118
    return os.path.join(base, "opkg", "plugins.json")  # noqa: PTH118
