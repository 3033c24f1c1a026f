"""Packages of a lock that are not installed by opkg: those that plugins bring, which pip installs and removes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from opkg.errors import NotFoundError
from opkg.plugins import scan
from opkg.registry import open_registry
from opkg.registry.sources import OWN
from opkg.store.choice import kept_choices
from opkg.store.lockfile import Locked

Seed = tuple[str, str, str]


def outside(root: Path, seeds: Iterable[Seed]) -> tuple[Locked, ...]:
    """Those of some packages, given as (vendor, name, digest), that a root does not have but a plugin or opkg brings.

    Args:
        root: the install root.
        seeds: the packages; one without a digest is looked for in the root only.
    """
    wanted = {seed[2] for seed in seeds if seed[2] and not _kept(root, *seed)}
    if not wanted:
        return ()
    found: dict[str, Locked] = {}
    for one in open_registry(root).packages():
        # Another root is a place on this machine: a lock that named it could be met nowhere else.
        if one.digest in wanted and one.digest not in found and (source := _installed_by_pip(one.source)):
            found[one.digest] = Locked(one.vendor, one.name, one.version, one.digest, source=source)
    return tuple(sorted(found.values(), key=str))


def require(root: Path, packages: Collection[Locked]) -> None:
    """Make sure that packages of a lock that come from other sources are there, as they were.

    Raises:
        NotFoundError: some are not; names them all.
    """
    if not packages:
        return
    have = {one.digest for one in open_registry(root).packages()}
    missing = [f"{one} of {one.source}" for one in packages if one.digest not in have]
    if missing:
        hint = "opkg does not install these: bring the plugins to the versions that have them, with pip"
        raise NotFoundError(f"not there, or there with other content: {', '.join(missing)}", hint)


def _installed_by_pip(source: str) -> str:
    """The name of a source that pip installs, a plugin's with the version of its distribution; empty for others."""
    if source == OWN:
        return source
    for plugin in scan.installed().plugins:
        version = f"=={plugin.version}" if plugin.version else ""
        if source == f"plugin {plugin.distribution}":
            return source + version
        if source.endswith(f"(plugin {plugin.distribution})"):
            return f"{source.removesuffix(')')}{version})"
    return ""


def _kept(root: Path, vendor: str, name: str, digest: str) -> bool:
    return any(choice.digest == digest for choice in kept_choices(root, vendor, name))
