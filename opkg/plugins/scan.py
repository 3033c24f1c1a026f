"""Which plugins are installed: the entry points of both groups, from a cache on disk.

A scan of all installed distributions takes about 50 ms. Its result is kept in the user's cache and holds for as long as
no folder of `sys.path` has changed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from opkg.plugins import choice
from opkg.plugins.choice import normalized

if TYPE_CHECKING:
    from importlib.metadata import Distribution

STATIC_GROUP = "opkg.ops"
DYNAMIC_GROUP = "opkg"

_FORMAT = 2
_TICK_NS = 20_000_000  # a folder changed less than this before a scan may change again without a new time stamp


class Plugin(NamedTuple):
    """One entry point: its group, name and value, and the distribution that has it."""

    group: str
    name: str
    value: str
    distribution: str
    version: str


class CommandSummary(NamedTuple):
    """A command that a plugin adds, as `opkg --help` shows it."""

    name: str
    help: str
    distribution: str


class Scan(NamedTuple):
    """What is installed; `commands` is None until the dynamic plugins have been asked for them."""

    plugins: tuple[Plugin, ...]
    commands: tuple[CommandSummary, ...] | None


def scan() -> Scan:
    """The installed plugins in the order in which they are asked, without those that are turned off.

    `OPKG_NO_PLUGINS` turns off all of them, `OPKG_DISABLE_PLUGINS=a,b` those distributions or entry points, and
    `opkg plugins disable` those that are named in the user's configuration.
    """
    if os.environ.get(choice.NONE):
        return Scan((), ())
    found = installed()
    off = choice.disabled()
    if not off:
        return found
    return Scan(tuple(plugin for plugin in found.plugins if off.isdisjoint(names_of(plugin))), found.commands)


def why_disabled(plugin: Plugin) -> str:
    """What turns this plugin off; empty where nothing does."""
    names = names_of(plugin)
    if os.environ.get(choice.NONE):
        return choice.NONE
    if not names.isdisjoint(choice.named_in(choice.DISABLE)):
        return choice.DISABLE
    return "" if names.isdisjoint(choice.disabled()) else f"opkg plugins disable ({choice.state_file()})"


def names_of(plugin: Plugin) -> frozenset[str]:
    """The normalized names by which a plugin can be turned off: its distribution's and its own."""
    return frozenset({normalized(plugin.distribution), normalized(plugin.name)})


def installed() -> Scan:
    """Every installed plugin, turned off or not."""
    stamps = _stamps()
    cached = _read(stamps)
    if cached is not None:
        return cached
    found = Scan(_entry_points(), None)
    remember(found, stamps)
    return found


def remember(found: Scan, stamps: list[list[object]] | None = None) -> None:
    """Keep a scan for the next process; quietly not, where the cache cannot be written."""
    record = {
        "format": _FORMAT,
        "time": time.time_ns(),
        "stamps": _stamps() if stamps is None else stamps,
        "off": sorted(choice.disabled()),
        "plugins": found.plugins,
        "commands": found.commands,
    }
    path = _cache_file()
    draft = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - pathlib costs 10 ms of --help
        with open(draft, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump(record, file)
        os.replace(draft, path)  # noqa: PTH105
    except OSError:
        return


def forget() -> None:
    """Drop the cached scan, so that the next question looks at the installed distributions again."""
    try:
        os.unlink(_cache_file())  # noqa: PTH108
    except OSError:
        return


def cache_dir() -> str:
    """The folder for what opkg can compute again: `$XDG_CACHE_HOME/opkg`, else `~/.cache/opkg`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117 - the XDG specification: relative paths are ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")  # noqa: PTH111, PTH118
    return os.path.join(base, "opkg")  # noqa: PTH118


def _read(stamps: list[list[object]]) -> Scan | None:
    try:
        with open(_cache_file(), encoding="utf-8") as file:  # noqa: PTH123
            record = json.load(file)
        # A folder that changed just before the scan may have changed again under the same time stamp.
        settled = all(int(stamp[1]) < record["time"] - _TICK_NS for stamp in record["stamps"])
        if record["format"] != _FORMAT or record["stamps"] != stamps or not settled:
            return None
        # The commands are those of the plugins that were at work when they were asked.
        commands = record["commands"] if record["off"] == sorted(choice.disabled()) else None
        return Scan(
            tuple(Plugin(*row) for row in record["plugins"]),
            None if commands is None else tuple(CommandSummary(*row) for row in commands),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _stamps() -> list[list[object]]:
    found: list[list[object]] = []
    for entry in dict.fromkeys(sys.path):
        try:
            found.append([entry, os.stat(entry or ".").st_mtime_ns])  # noqa: PTH116
        except OSError:
            continue
    return found


def _cache_file() -> str:
    import zlib

    # Each environment has a cache of its own; with one for all, two would push each other out by turns.
    key = zlib.crc32("\0".join([sys.prefix, *sys.path]).encode("utf-8", "surrogateescape"))
    return os.path.join(cache_dir(), f"plugins-{key:08x}.json")  # noqa: PTH118


def _entry_points() -> tuple[Plugin, ...]:
    from importlib.metadata import entry_points

    found = [
        Plugin(group, entry.name, entry.value, *_identity(entry.dist, entry.name))
        for group in (STATIC_GROUP, DYNAMIC_GROUP)
        for entry in entry_points(group=group)
        if entry.dist is not None
    ]
    return tuple(sorted(found, key=lambda p: (p.group != STATIC_GROUP, normalized(p.distribution), p.name)))


def _identity(distribution: Distribution, otherwise: str) -> tuple[str, str]:
    """Name and version; what a removal broke off left behind has no metadata, and goes by its entry point's name."""
    try:
        name, version = distribution.name, distribution.version
    except (KeyError, TypeError, AttributeError):
        return otherwise, ""
    return name or otherwise, version or ""
