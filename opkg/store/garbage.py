"""What a root holds that nothing refers to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store.change import find_kept
from opkg.store.history import read_history, undoable
from opkg.store.state import kept_packages, kept_vendors, read_manifest, read_state


@dataclass(frozen=True)
class Unused:
    """A folder that may be deleted.

    Attributes:
        kind: `package` or `generation`.
        name: `vendor/name version`, or `vendor number`.
        path: the folder.
        size: bytes that deleting it frees, as far as nothing else has the same file.
    """

    kind: str
    name: str
    path: Path
    size: int

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {"kind": self.kind, "name": self.name, "path": str(self.path), "size": self.size}


def unused(root: Path, keep: int, digests: Collection[str] = ()) -> list[Unused]:
    """The generations, then the packages, that are not in use.

    Args:
        root: the install root.
        keep: as many rollbacks of each package stay possible.
        digests: packages that stay whatever happens.
    """
    wanted = _for_rollbacks(root, keep)
    found: list[Unused] = []
    packages: list[Unused] = []
    for vendor in kept_vendors(root):
        state = read_state(root, vendor)
        stay = wanted | {shown.folder.resolve() for shown in state.shown}
        for folder in kept_packages(root, vendor):
            manifest, digest = read_manifest(folder)
            if folder.resolve() not in stay and digest not in digests:
                packages.append(Unused("package", f"{manifest.key} {manifest.version}", folder, _size(folder)))
        gone = {package.path.resolve() for package in packages}
        found += _generations(root, vendor, state.generation, keep, gone)
    # Generations first: cut short in between this leaves packages without a view, never a view without its packages.
    return found + packages


def _for_rollbacks(root: Path, keep: int) -> set[Path]:
    """The folders of packages to which the next rollbacks lead."""
    stacks = undoable(read_history(root)) if keep else {}
    wanted = set()
    for (vendor, _), stack in stacks.items():
        for _, step in stack[-keep:]:
            shown = find_kept(root, vendor, step.before) if step.before else None
            if shown:
                wanted.add(shown.folder.resolve())
    return wanted


def _generations(root: Path, vendor: str, current: int, keep: int, gone: set[Path]) -> Iterator[Unused]:
    folder = layout.generations_dir(root, vendor)
    others = sorted((int(one.name) for one in folder.glob("*") if one.name.isdigit()), reverse=True)
    # One that lacks a package cannot be shown again, and so is not among those that a rollback needs.
    whole = [n for n in others if n != current and not gone.intersection(_shown_by(folder / str(n)))]
    for number in others:
        if number != current and number not in whole[:keep]:
            place = folder / str(number)
            yield Unused("generation", f"{vendor} {number}", place, _size(place))


def _shown_by(generation: Path) -> tuple[Path, ...]:
    try:
        return layout.active_packages(generation) or ()
    except StoreError:
        return ()


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.stat().st_nlink == 1)
