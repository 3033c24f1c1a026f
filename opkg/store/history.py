"""What happened to an install root: one small file a change, written in the same transaction as the change.

`<root>/.opkg/history/<number>.json`; the number grows by one a change. Reading needs no lock.
"""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import opkg
from opkg.errors import StoreError
from opkg.registry import layout

FOLDER = "history"

_FORMAT = 1


@dataclass(frozen=True)
class Kept:
    """A version of a package: its name below the vendor, its version, and the sha256 of its manifest."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True)
class VendorChange:
    """The packages of a vendor that were in use before a change and after it, the one that wins first."""

    before: tuple[Kept, ...]
    after: tuple[Kept, ...]


@dataclass(frozen=True)
class Step:
    """What a change did to one package; None where it was or is not in use."""

    vendor: str
    name: str
    before: Kept | None
    after: Kept | None

    @property
    def key(self) -> str:
        """`vendor/name`."""
        return f"{self.vendor}/{self.name}"

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        sides = {"from": self.before, "to": self.after}
        return {"package": self.key} | {
            side: {"version": kept.version, "digest": kept.digest} if kept else None for side, kept in sides.items()
        }


@dataclass(frozen=True)
class Entry:
    """One change of a root.

    Attributes:
        number: counts from 1.
        time: when, in UTC, ISO 8601.
        command: what changed it: `install`, `upgrade`, ...
        opkg: version of opkg that did.
        user: who ran it.
        undoes: number of the change that a rollback took back, else 0.
        vendors: the packages of each vendor that changed.
        priority: the vendors by `load_priority` before.
    """

    number: int
    time: str
    command: str
    opkg: str
    user: str
    undoes: int
    vendors: Mapping[str, VendorChange]
    priority: tuple[str, ...] = ()

    def steps(self) -> Iterator[Step]:
        """What changed, package by package."""
        for vendor, change in sorted(self.vendors.items()):
            before, after = ({kept.name: kept for kept in side} for side in (change.before, change.after))
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    yield Step(vendor, name, before.get(name), after.get(name))

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        facts = {name: getattr(self, name) for name in ("number", "time", "command", "opkg", "user", "undoes")}
        return facts | {"changes": [step.to_dict() for step in self.steps()]}


def new_entry(
    root: Path, command: str, vendors: Mapping[str, VendorChange], priority: Sequence[str], undoes: int = 0
) -> Entry:
    """The entry for a change that is made now."""
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    number = 1 + max(_numbers(root), default=0)
    return Entry(number, now, command, opkg.__version__, _user(), undoes, vendors, tuple(priority))


def entry_path(root: Path, number: int) -> Path:
    """Where an entry is."""
    return root / layout.STATE_DIR / FOLDER / f"{number}.json"


def entry_text(entry: Entry) -> str:
    """An entry as it is written."""
    return json.dumps({"format": _FORMAT, **asdict(entry)}, indent=1, sort_keys=True) + "\n"


def read_history(root: Path) -> list[Entry]:
    """Every change of a root, the oldest first.

    Raises:
        StoreError: an entry cannot be read.
    """
    return [_read(entry_path(root, number)) for number in sorted(_numbers(root))]


def undoable(entries: Iterable[Entry]) -> dict[tuple[str, str], list[tuple[int, Step]]]:
    """For each (vendor, name) the changes that have not been taken back, the newest last, with their numbers."""
    stacks: dict[tuple[str, str], list[tuple[int, Step]]] = {}
    for entry in entries:
        for step in entry.steps():
            stack = stacks.setdefault((step.vendor, step.name), [])
            if not entry.undoes:
                stack.append((entry.number, step))
            elif stack:
                stack.pop()
    return {package: stack for package, stack in stacks.items() if stack}


def _read(file: Path) -> Entry:
    try:
        data = json.loads(file.read_bytes())
        if data.pop("format") > _FORMAT:
            raise StoreError(f"{file} was written by a newer opkg", "use that one")
        vendors = {
            vendor: VendorChange(*(tuple(Kept(**kept) for kept in change[side]) for side in ("before", "after")))
            for vendor, change in data.pop("vendors").items()
        }
        return Entry(vendors=vendors, priority=tuple(data.pop("priority")), **data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} cannot be read: {error!r}", "remove it; only the history loses something") from error


def _numbers(root: Path) -> Iterator[int]:
    try:
        names = [file.name for file in (root / layout.STATE_DIR / FOLDER).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from (int(stem) for stem, _, ending in (name.partition(".") for name in names) if _is_entry(stem, ending))


def _is_entry(stem: str, ending: str) -> bool:
    return ending == "json" and stem.isdecimal()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return str(os.getuid())
