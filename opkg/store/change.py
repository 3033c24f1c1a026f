"""One change of one vendor: stage everything, note what will happen, move it in, switch the view, tidy up.

Nothing that others see changes before the switch, which is one rename (or one exchange of names where a real folder has
to make way); everything after it can be done again. `recover` does or undoes what a dead process left.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from opkg.bundle import MANIFEST_NAME, FileEntry, Manifest
from opkg.bundle.payload import mode_of
from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store import journal, priority
from opkg.store.disk import Disk
from opkg.store.state import current_generation, vendor_names
from opkg.store.verification import damage
from opkg.store.view import Shown, make_parents, plan_view, write_view

_LINK = ".opkg-link"
_OLD = ".opkg-old"
_NEW = ".opkg-new"


def private_dir(root: Path) -> Path:
    """The folder of the store's own."""
    return root / layout.STATE_DIR


def lock_path(root: Path) -> Path:
    """The file that a writer locks; the installer inside a bundle locks it too."""
    return private_dir(root) / "lock"


def journal_path(root: Path) -> Path:
    """The record of a change that has begun."""
    return private_dir(root) / "journal"


def _staging(root: Path) -> Path:
    return private_dir(root) / "staging"


def _staged(root: Path) -> list[Path]:
    """What is staged: the store's own folder, and those of installers inside bundles that were killed."""
    return sorted(private_dir(root).glob("staging*"))


class Change:
    """A change in preparation. Make one, stage packages, then `show` or `remove`; the root's lock must be held."""

    def __init__(self, root: Path, disk: Disk, vendor: str) -> None:
        self._root = root
        self._disk = disk
        self._vendor = vendor
        self._moves: list[tuple[str, str]] = []
        disk.make_dir(_staging(root))

    def stage(
        self,
        manifest: Manifest,
        manifest_bytes: bytes,
        digest: str,
        files: Iterable[tuple[FileEntry, Iterable[bytes]]],
    ) -> Shown:
        """Write a package's files beside the root's own and remember to move them in."""
        entry = self._free_entry(manifest, digest)
        folder = _staging(self._root) / f"package{len(self._moves)}"
        self._disk.make_dir(folder)
        made = {folder}
        for file, chunks in files:
            target = folder / file.path
            make_parents(self._disk, target, made)
            self._disk.write_file(target, chunks, mode_of(file))
        self._disk.write_file(folder / MANIFEST_NAME, [manifest_bytes])
        self._plan_move(folder, layout.packages_dir(self._root, self._vendor) / entry)
        return Shown(entry, folder, manifest, digest)

    def show(self, shown: Sequence[Shown], place: priority.Place = "first") -> None:
        """Make the vendor's view show these packages, the first being the one that wins.

        Args:
            shown: the packages.
            place: where the vendor goes among the others.
        """
        for package in shown:
            _refuse_incomplete(package)
        number = 1 + max((*_numbers(layout.generations_dir(self._root, self._vendor)), 0))
        folder = _staging(self._root) / "generation"
        seen_as = layout.vendors_dir(self._root) / self._vendor
        write_view(self._disk, plan_view(shown, seen_as), folder)
        self._plan_move(folder, layout.generations_dir(self._root, self._vendor) / str(number))
        self._disk.sync_all(private_dir(self._root))
        self._execute(number, place)

    def remove(self) -> None:
        """Take the vendor out of the root."""
        self._execute(0)

    def _execute(self, number: int, place: priority.Place = "keep") -> None:
        root, disk = self._root, self._disk
        record = journal.Record(self._vendor, number, tuple(self._moves), place)
        journal.write(disk, journal_path(root), record)
        for source, target in self._moves:
            _make_dirs(disk, private_dir(root) / Path(target).parent)
            disk.rename(private_dir(root) / source, private_dir(root) / target)
            disk.sync((private_dir(root) / target).parent)
        with _writable(disk, layout.vendors_dir(root)):
            if number:
                _switch(root, disk, self._vendor, number)
            else:
                _take_away(root, disk, self._vendor)
            _complete(root, disk, record)
            _tidy(root, disk)

    def _free_entry(self, manifest: Manifest, digest: str) -> str:
        """A name below the vendor's packages that nothing has; a damaged copy of the package may be in the way."""
        entry = f"{manifest.name}/{manifest.version}-{digest[:12]}"
        folder = layout.packages_dir(self._root, self._vendor)
        number = 1
        name = entry
        while (folder / name).exists():
            number += 1
            name = f"{entry}.{number}"
        return name

    def _plan_move(self, source: Path, target: Path) -> None:
        base = private_dir(self._root)
        self._moves.append((str(source.relative_to(base)), str(target.relative_to(base))))


def _refuse_incomplete(package: Shown) -> None:
    for entry in package.manifest.files:
        if not (package.folder / entry.path).is_file():
            key = package.manifest.key
            raise StoreError(
                f"{key} is damaged: {package.folder / entry.path} is missing", f"install {key} again first"
            )


def find_whole(root: Path, manifest: Manifest, digest: str) -> Path | None:
    """The folder of a package with this manifest that the store already has, undamaged."""
    folder = layout.packages_dir(root, manifest.vendor) / manifest.name
    for candidate in sorted(folder.glob(f"{manifest.version}-{digest[:12]}*")):
        if not any(damage(candidate, manifest)):
            return candidate
    return None


def prepare(root: Path, disk: Disk) -> None:
    """Make the folders that every change needs."""
    _make_dirs(disk, layout.vendors_dir(root))
    _make_dirs(disk, private_dir(root))


def recover(root: Path, disk: Disk) -> None:
    """Finish or undo what a process left that died; the root's lock must be held."""
    record = journal.read(journal_path(root))
    with _writable(disk, layout.vendors_dir(root)):
        if record is not None:
            if current_generation(root, record.vendor) == record.after:
                _complete(root, disk, record)
            else:
                _undo(root, disk, record)
        _tidy(root, disk)
        _list_views(root, disk)


def needs_recovery(root: Path) -> bool:
    """Whether a dead process left something for the next command."""
    return os.path.lexists(journal_path(root)) or bool(_staged(root))


def digest_of(manifest: bytes) -> str:
    """The digest under which a package is known: sha256 of its manifest in hex."""
    return hashlib.sha256(manifest).hexdigest()


def discard(root: Path, disk: Disk, folder: Path) -> None:
    """Delete a folder of the store that nothing shows; it is gone at once, and half of it is never seen."""
    staging = _staging(root)
    if not staging.exists():
        disk.make_dir(staging)
    disk.rename(folder, staging / "discarded")
    disk.remove_tree(staging)


def _complete(root: Path, disk: Disk, record: journal.Record) -> None:
    config = layout.config_ini(root)
    text = _read_text(config)
    _write_config(root, disk, text, _prioritised(root, text, record))


def _prioritised(root: Path, text: str, record: journal.Record) -> str:
    """The text of `config.ini` after a change."""
    if not record.after:
        return priority.take_out(text, record.vendor)
    if record.place == "last":
        return priority.put_last(text, record.vendor, vendor_names(root))
    return (priority.keep if record.place == "keep" else priority.put_first)(text, record.vendor)


def _undo(root: Path, disk: Disk, record: journal.Record) -> None:
    """Take back what was moved in; a folder goes to the staging area first, so that half of one is never seen."""
    base = private_dir(root)
    for number, (_, target) in enumerate(record.moves):
        if (base / target).exists():
            if not _staging(root).exists():
                disk.make_dir(_staging(root))
            disk.rename(base / target, _staging(root) / f"undone{number}")


def _tidy(root: Path, disk: Disk) -> None:
    """Remove what is left beside the vendors, then the journal, then the staged files."""
    vendors = layout.vendors_dir(root)
    for path in sorted(vendors.glob(".*.opkg-*")) + sorted(vendors.glob("config.ini.opkg-*")):
        _tidy_one(root, disk, path)
    if os.path.lexists(journal_path(root)):
        disk.remove(journal_path(root))
        disk.sync(private_dir(root))
    for leftover in _staged(root):
        disk.remove_tree(leftover)


def _tidy_one(root: Path, disk: Disk, path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        disk.remove(path)
        return
    # A real folder that made way for a view or for a newer one; without a successor it goes back.
    vendor, _, kind = path.name[1:].rpartition(".opkg-")
    if kind in ("old", "link") and not os.path.lexists(path.with_name(vendor)):
        disk.rename(path, path.with_name(vendor))
        return
    if not _staging(root).exists():
        disk.make_dir(_staging(root))
    disk.rename(path, _staging(root) / f"left{path.name}")


def _switch(root: Path, disk: Disk, vendor: str, number: int) -> None:
    vendors = layout.vendors_dir(root)
    place, link = vendors / vendor, vendors / f".{vendor}{_LINK}"
    target = layout.generations_dir(root, vendor) / str(number)
    disk.remove(link)
    disk.symlink(Path(os.path.relpath(target, vendors.resolve())) if not vendors.is_symlink() else target, link)
    if place.is_symlink() or not place.exists():
        disk.rename(link, place)
    elif not disk.exchange(link, place):
        # Two steps where the file system has no exchange; in between the vendor is missing, and `recover` puts it back.
        disk.rename(place, vendors / f".{vendor}{_OLD}")
        disk.rename(link, place)
    disk.sync(vendors)


def _take_away(root: Path, disk: Disk, vendor: str) -> None:
    place = layout.vendors_dir(root) / vendor
    if place.is_symlink():
        disk.remove(place)
    else:
        disk.rename(place, _staging(root) / "removed")
    disk.sync(layout.vendors_dir(root))


def _list_views(root: Path, disk: Disk) -> None:
    """Put views into `load_priority` that are not in it: the journal that knew of one may have been lost."""
    vendors = layout.vendors_dir(root)
    listed = layout.load_priority(root)
    text = after = _read_text(layout.config_ini(root))
    for path in sorted(vendors.glob("*")) if vendors.is_dir() else ():
        if path.is_symlink() and path.name not in listed and current_generation(root, path.name) > 0:
            after = priority.put_first(after, path.name)
    _write_config(root, disk, text, after)


def _write_config(root: Path, disk: Disk, before: str, after: str) -> None:
    config = layout.config_ini(root)
    if after == before:
        return
    if not after:
        disk.remove(config)
    else:
        temporary = config.with_name(f".{config.name}{_NEW}")
        disk.remove(temporary)
        disk.write_file(temporary, [after.encode(errors="surrogateescape")])
        disk.sync(temporary)
        disk.rename(temporary, config)
    disk.sync(config.parent)


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="surrogateescape")
    except FileNotFoundError:
        return ""


def _make_dirs(disk: Disk, path: Path) -> None:
    """Make a folder and those above it, each durably."""
    if path.is_dir():
        return
    if path.exists():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    _make_dirs(disk, path.parent)
    disk.make_dir(path)
    disk.sync(path.parent)


def _numbers(folder: Path) -> Iterator[int]:
    with os.scandir(folder) if folder.is_dir() else _nothing() as entries:
        yield from (int(entry.name) for entry in entries if entry.name.isdigit())


@contextmanager
def _nothing() -> Iterator[Iterator[os.DirEntry[str]]]:
    yield iter(())


@contextmanager
def _writable(disk: Disk, folder: Path) -> Iterator[None]:
    """CANN's installer takes write permission from `vendors`, even its owner's; give it back for a moment."""
    mode = folder.stat().st_mode & 0o7777 if folder.is_dir() else 0o755
    locked = not os.access(folder, os.W_OK) and folder.is_dir() and folder.stat().st_uid == os.geteuid()
    if locked:
        disk.set_mode(folder, mode | 0o200)
    try:
        yield
    finally:
        if locked:
            disk.set_mode(folder, mode)
