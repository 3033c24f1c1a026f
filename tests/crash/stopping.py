"""Disks that stop, roots to change, and what a root looks like from outside."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_bundles import OPS_INFO, UnsyncedDisk, make_bundle, write_tree

from opkg.bundle import open_bundle
from opkg.store import Lock, Locked, Root

WRITES = (
    "make_dir", "write_file", "link", "symlink", "rename", "exchange", "set_mode", "remove", "remove_tree", "sync",
    "sync_all",
)  # fmt: skip
"""Every method of a disk that changes something or waits for it."""


class Stopped(BaseException):
    """The process is dead from here on; not an error that anything may handle."""


class StoppingDisk(UnsyncedDisk):
    """Dies at one call: before it, after it, or in the middle of writing or removing.

    Args:
        at: number of the call, from 0; -1 never.
        when: `before`, `amid` or `after`.
        die: what dying is.
    """

    def __init__(self, at: int = -1, when: str = "before", die: Callable[[], None] | None = None) -> None:
        self.at = at
        self.when = when
        self.calls: list[str] = []
        self.dead = False
        self._die = die

    def stop(self) -> None:
        """Die: nothing is written any more, whatever the program still tries."""
        self.dead = True
        if self._die:
            self._die()
        raise Stopped

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """One call of the real disk, or the end."""
        if self.dead:
            raise Stopped
        here = len(self.calls) == self.at
        self.calls.append(name)
        if here and self.when == "before":
            self.stop()
        if here and self.when == "amid":
            self._half(name, arguments)
            self.stop()
        result = getattr(super(), name)(*arguments)
        if here:
            self.stop()
        return result

    def _half(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Half of what a call does, for those that are not done in one step."""
        if name == "write_file":
            data = b"".join(arguments[1])
            super().write_file(arguments[0], [data[: len(data) // 2]])
        elif name == "remove_tree" and arguments[0].is_dir():
            for path in [p for p in sorted(arguments[0].rglob("*")) if not p.is_dir() or p.is_symlink()][::2]:
                path.unlink()
        elif name == "make_dir":
            arguments[0].mkdir(mode=0o700)


def _stopping(name: str) -> Callable[..., Any]:
    return lambda self, *arguments: self.call(name, arguments)


for _name in WRITES:
    setattr(StoppingDisk, _name, _stopping(_name))


class FullDisk(StoppingDisk):
    """Fails at one call as a full disk does, and works again afterwards."""

    def stop(self) -> None:
        """Raise what the system raises."""
        self.at = -1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")


class NoExchangeDisk(StoppingDisk):
    """A file system that cannot swap two names."""

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """As above, but an exchange is refused."""
        return False if name == "exchange" else super().call(name, arguments)


def kill() -> None:
    """A real kill -9 of this process."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Bundles:
    """Small bundles that scenarios use."""

    folder: Path

    def __getattr__(self, name: str) -> Path:
        """`square_1`: package square, version 1.0.0, made once."""
        package, _, version = name.partition("_")
        out = self.folder / f"{name}.run"
        if not out.exists():
            op = package.capitalize()
            vendor = {"other": "elsewhere", "far": "abroad"}.get(package, "customize")
            files = {"index.json": f'{{"{op}": {{}}}}', f"{package}.so": name * 9, "version.info": version}
            make_bundle(out, package, op, version=f"{version}.0.0", vendor=vendor, files=files)
        return out


@dataclass(frozen=True)
class Scenario:
    """A root before a change, and the change."""

    name: str
    before: Callable[[Root, Bundles], object]
    change: Callable[[Root, Bundles], object]
    latest: bool = False
    """Whether it is about what was changed last, whatever that is."""


def _nothing(root: Root, b: Bundles) -> None: ...


def _foreign(root: Root, b: Bundles) -> None:
    write_tree(root.path / "vendors" / "customize", {OPS_INFO: '{"Gelu": {}}', "data": "precious"})
    (root.path / "vendors" / "config.ini").write_text("load_priority=customize,mine\n# kept\n")


def _bare(root: Root, b: Bundles) -> None:
    with open_bundle(b.square_1) as bundle:
        bundle.extract(root.path / "vendors" / "customize")


def _one(root: Root, b: Bundles) -> None:
    root.install(b.square_1)


def _two(root: Root, b: Bundles) -> None:
    root.install(b.square_1)
    root.install(b.cube_1)


def _damaged(root: Root, b: Bundles) -> None:
    root.install(b.square_1)
    (root.packages()[0].path / "version.info").unlink()


def _upgraded(root: Root, b: Bundles) -> None:
    _two(root, b)
    root.install(b.square_2)


def _gone(root: Root, b: Bundles) -> None:
    _one(root, b)
    root.uninstall("customize")


def _back(root: Root, b: Bundles) -> None:
    _upgraded(root, b)
    root.rollback()


def _more_than_one_vendor(root: Root, b: Bundles) -> None:
    _two(root, b)
    root.install(b.far_1)


def _folder_of(*names: str) -> Callable[[Bundles], Path]:
    def make(b: Bundles) -> Path:
        folder = b.folder / "-".join(names)
        folder.mkdir(exist_ok=True)
        for name in names:
            if not (folder / f"{name}.run").exists():
                shutil.copy(getattr(b, name), folder / f"{name}.run")
        return folder

    return make


_newer = _folder_of("square_2", "cube_3", "far_2")


def _all_upgraded(root: Root, b: Bundles) -> None:
    _more_than_one_vendor(root, b)
    root.upgrade(source=_newer(b))


_older = _folder_of("tri_1", "other_1", "square_1")


def _pinned(b: Bundles, *names: str) -> Lock:
    manifests = []
    for name in names:
        with open_bundle(getattr(b, name)) as bundle:
            manifests.append((bundle.manifest, bundle.digest))
    return Lock(tuple(Locked(m.vendor, m.name, m.version, digest) for m, digest in manifests))


def _lock(b: Bundles) -> Lock:
    return _pinned(b, "far_2", "square_2")


def _less(b: Bundles) -> Lock:
    return _pinned(b, "tri_1", "square_1")


SCENARIOS = [
    Scenario("first install", _nothing, lambda r, b: r.install(b.square_1)),
    Scenario("join", _one, lambda r, b: r.install(b.cube_1)),
    Scenario("upgrade", _two, lambda r, b: r.install(b.square_2)),
    Scenario("second vendor", _one, lambda r, b: r.install(b.other_1)),
    Scenario("repair", _damaged, lambda r, b: r.install(b.square_1)),
    Scenario("adopt a stranger's", _foreign, lambda r, b: r.install(b.square_1, adopt=True)),
    Scenario("join a bundle's own", _bare, lambda r, b: r.install(b.cube_1)),
    Scenario("replace a bundle's own", _bare, lambda r, b: r.install(b.square_2)),
    Scenario("remove one of two", _two, lambda r, b: r.uninstall("customize", "cube")),
    Scenario("remove the last", _one, lambda r, b: r.uninstall("customize")),
    Scenario("remove a bundle's own", _bare, lambda r, b: r.uninstall("customize")),
    Scenario("remove and purge", _two, lambda r, b: r.uninstall("customize", purge=True)),
    Scenario("roll back an upgrade", _upgraded, lambda r, b: r.rollback("customize")),
    Scenario("roll back one package", _upgraded, lambda r, b: r.rollback("customize", "cube")),
    Scenario("roll back the first", _one, lambda r, b: r.rollback("customize", "square")),
    Scenario("roll back a removal", _gone, lambda r, b: r.rollback("customize")),
    Scenario("activate a kept version", _back, lambda r, b: r.activate("customize/square==2.0")),
    Scenario("upgrade from a folder", _two, lambda r, b: r.upgrade(source=_newer(b))),
    Scenario("upgrade several vendors", _more_than_one_vendor, lambda r, b: r.upgrade(source=_newer(b))),
    Scenario("sync", _more_than_one_vendor, lambda r, b: r.sync(_lock(b), source=_newer(b), keep_others=True)),
    Scenario("sync to less", _all_upgraded, lambda r, b: r.sync(_less(b), source=_older(b)), latest=True),
    Scenario("roll back several vendors", _all_upgraded, lambda r, b: r.rollback(), latest=True),
]


def seen(path: Path) -> dict[str, object]:
    """What a root holds for those who use it: packages, every file that a program can see, damage."""
    root = Root(path)
    vendors = path / "vendors"
    shown = {}
    for folder in vendors.iterdir() if vendors.is_dir() else ():
        if folder.is_dir() and not folder.name.startswith("."):
            shown[folder.name] = _files(folder.resolve())
    packages = sorted(f"{p.manifest.key} {p.manifest.version}" for p in root.packages())
    return {"packages": packages, "files": shown, "damage": sorted(str(p.kind) for p in root.verify())}


def _files(folder: Path) -> dict[str, bytes]:
    ours = (".opkg-generation.json", "set_env.bash", "opkg-package.json")
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in ours)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def records(path: Path) -> dict[str, Any]:
    """What a root holds for the next commands: `config.ini`, and the packages that are there, in use or not."""
    config = path / "vendors" / "config.ini"
    kept = sorted(f"{p.manifest.key} {p.manifest.version} {p.path.name}" for p in Root(path).packages(kept=True))
    history = [(entry.command, [(s.key, s.before, s.after) for s in entry.steps()]) for entry in Root(path).history()]
    return {"config": config.read_text() if config.exists() else "", "kept": kept, "history": history}


def leftovers(path: Path) -> list[str]:
    """What a finished change may not leave."""
    found = [*path.glob(".opkg/journal"), *path.glob(".opkg/staging*"), *path.glob("vendors/.*")]
    return sorted(str(p.relative_to(path)) for p in found)


def copy_root(template: Path, to: Path) -> Path:
    """A fresh copy of a root."""
    with suppress(FileNotFoundError):
        shutil.rmtree(to)
    if template.is_dir():
        shutil.copytree(template, to, symlinks=True)
    return to
