"""The note that a change leaves before it touches anything that others see, so that the next command can finish it.

One record, written and synced before the first move and removed after the last: what the view of each vendor will be,
and which staged folders go where. Whether the change happened is not in it; that is decided by what the first vendor's
`vendors/<vendor>` is. A record that is cut short was never relied upon, since nothing moves before it is synced, and
counts as none.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from opkg.store.disk import Disk
from opkg.store.priority import Place


@dataclass(frozen=True)
class NewView:
    """A vendor whose view changes.

    Attributes:
        vendor: its name.
        after: number of the generation that it shows afterwards; 0 where the vendor is gone.
        place: where the vendor then is in `load_priority`.
    """

    vendor: str
    after: int
    place: Place = "first"


@dataclass(frozen=True)
class Record:
    """A change that has begun.

    Attributes:
        views: what changes; once the first of them has changed, the others follow whatever happens.
        moves: (from, to) of folders, relative to the root's private folder, before the first view changes.
        history: (from, to) of the entry in the history, which is moved after the last.
        order: the vendors that are then in front in `load_priority`, where the change sets that as well.
    """

    views: tuple[NewView, ...]
    moves: tuple[tuple[str, str], ...] = ()
    history: tuple[str, str] = ("", "")
    order: tuple[str, ...] = ()


def write(disk: Disk, path: Path, record: Record) -> None:
    """Write the record and make it durable."""
    # The digest stands in front, so that a record that was cut at any byte is told from a whole one.
    body = json.dumps(asdict(record), sort_keys=True)
    disk.write_file(path, [f"{hashlib.sha256(body.encode()).hexdigest()} {body}\n".encode()])
    disk.sync(path)
    # The name as well: a file that no folder knows is lost with the power.
    disk.sync(path.parent)


def read(path: Path) -> Record | None:
    """The record at `path`, None where there is none that is whole."""
    try:
        digest, _, body = path.read_text(encoding="utf-8").partition(" ")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    if not body.endswith("\n") or hashlib.sha256(body[:-1].encode()).hexdigest() != digest:
        return None
    data = json.loads(body)
    return Record(
        views=tuple(NewView(**view) for view in data["views"]),
        moves=tuple((source, target) for source, target in data["moves"]),
        history=(data["history"][0], data["history"][1]),
        order=tuple(data["order"]),
    )
