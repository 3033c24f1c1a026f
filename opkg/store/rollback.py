"""What going back means: the packages that each vendor shows after a change has been taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opkg.errors import NotFoundError
from opkg.registry import layout
from opkg.store.change import find_kept
from opkg.store.history import Entry, Kept, Step, undoable
from opkg.store.state import read_state
from opkg.store.view import Shown


@dataclass(frozen=True)
class Way:
    """A way back.

    Attributes:
        undoes: number of the change that is taken back.
        packages: what each vendor shows then.
        order: the vendors by `load_priority` then; empty where that stays as it is.
    """

    undoes: int
    packages: dict[str, list[Shown]]
    order: tuple[str, ...]


def way_back(root: Path, entries: Sequence[Entry], vendor: str, name: str) -> Way:
    """The way to before the newest change that has not been taken back, of everything, a vendor or a package.

    Raises:
        NotFoundError: there is none, or the versions that were in use then are gone.
    """
    stacks = {
        package: stack
        for package, stack in undoable(entries).items()
        if vendor in ("", package[0]) and name in ("", package[1])
    }
    if not stacks:
        what = f"{vendor}{'/' + name if name else ''}" if vendor else "the packages"
        raise NotFoundError(f"nothing changed {what} in {root} that can be taken back", "see 'opkg history'")
    number = max(stack[-1][0] for stack in stacks.values())
    steps = [stack[-1][1] for stack in stacks.values() if stack[-1][0] == number]
    entry = next(entry for entry in entries if entry.number == number)
    vendors = {step.vendor for step in steps}
    packages = {one: _before(root, entry, one, [s for s in steps if s.vendor == one]) for one in sorted(vendors)}
    # The order among vendors is everybody's: it goes back with the newest change of all, not with one package's own.
    whole = not vendor and number == max(e.number for e in entries if not e.undoes)
    return Way(number, packages, entry.priority if whole else ())


def _before(root: Path, entry: Entry, vendor: str, steps: Sequence[Step]) -> list[Shown]:
    """The packages of a vendor without what a change did to some of them."""
    now = list(read_state(root, vendor).shown)
    names = {step.name for step in steps}
    back = [_kept(root, vendor, step.before) for step in steps if step.before]
    order = {kept.name: place for place, kept in enumerate(entry.vendors[vendor].before)}
    after = [shown for shown in now if shown.manifest.name not in names]
    for shown in sorted(back, key=lambda one: order[one.manifest.name]):
        # Where it was then, as far as those that were before it are still before it.
        ahead = [i for i, other in enumerate(after) if order.get(other.manifest.name, -1) < order[shown.manifest.name]]
        after.insert(ahead[-1] + 1 if ahead else 0, shown)
    return after


def _kept(root: Path, vendor: str, kept: Kept) -> Shown:
    found = find_kept(root, vendor, kept)
    if found is None:
        place = layout.packages_dir(root, vendor) / kept.name
        raise NotFoundError(
            f"{vendor}/{kept.name} {kept.version} is no longer in {place}", "install it again from its bundle"
        )
    return found
