"""One change of a root: stage everything, note what will happen, move it in, switch the views, tidy up.

Nothing that others see changes before the switch, which is one rename a vendor (or one exchange of names where a real
folder has to make way). The first of them decides: everything after it can be done again. `recover` does or undoes what
a dead process left.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from opkg.bundle import MANIFEST_NAME, FileEntry, Manifest
from opkg.bundle.payload import mode_of
from opkg.errors import StoreError
from opkg.registry import layout
from opkg.store import history, journal, priority
from opkg.store.disk import Disk
from opkg.store.state import current_generation, read_manifest, read_state
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
    """A change in preparation: stage packages, say what each vendor then shows, `commit`. The root's lock must be held.

    Args:
        root: the install root.
        disk: what writes.
        command: what the history calls the change.
        undoes: number of the change that this one takes back, else 0.
        order: the vendors that are then in front in `load_priority`, where the change sets that as well.
    """

    def __init__(self, root: Path, disk: Disk, command: str, *, undoes: int = 0, order: Sequence[str] = ()) -> None:
        self._root = root
        self._disk = disk
        self._command = command
        self._undoes = undoes
        self._order = tuple(order)
        self._moves: list[tuple[str, str]] = []
        self._views: list[journal.NewView] = []
        self._packages: dict[str, tuple[Shown, ...]] = {}
        disk.make_dir(_staging(root))

    @property
    def planned(self) -> dict[str, tuple[Shown, ...]]:
        """The packages that each changed vendor will show."""
        return dict(self._packages)

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
        self._plan_move(folder, layout.packages_dir(self._root, manifest.vendor) / entry)
        return Shown(entry, folder, manifest, digest)

    def show(
        self, vendor: str, shown: Sequence[Shown], place: priority.Place = "first", *, again: bool = False
    ) -> None:
        """Let the vendor's view show these packages; no packages take the vendor out of the root.

        Args:
            vendor: whose view.
            shown: the packages, the first being the one that wins.
            place: where the vendor goes among the others.
            again: show a generation that is still there, if one has exactly these packages.
        """
        for package in shown:
            # Linking would find out too, but say it less well, and after half of the view was made.
            _refuse_incomplete(package)
        # A generation never changes once it is made, so one with these very packages is as good as a new one.
        number = find_generation(self._root, vendor, shown) if again and shown else 0
        if shown and not number:
            number = self._stage_view(vendor, shown)
        self._views.append(journal.NewView(vendor, number, place))
        self._packages[vendor] = tuple(shown)

    def commit(self) -> history.Entry:
        """Do it; what the history then says of it."""
        root, disk = self._root, self._disk
        entry = self._entry()
        staged, final = _staging(root) / "history", history.entry_path(root, entry.number)
        disk.write_file(staged, [history.entry_text(entry).encode()])
        # Before the journal: after a power cut a record may only speak of files that are really there.
        disk.sync_all(private_dir(root))
        written = self._relative(staged), self._relative(final)
        record = journal.Record(tuple(self._views), tuple(self._moves), written, self._order)
        # From here on a process that dies leaves a change that `recover` finishes or undoes; before, only leftovers.
        journal.write(disk, journal_path(root), record)
        for source, target in self._moves:
            _move_in(disk, private_dir(root), source, target)
        with _writable(disk, layout.vendors_dir(root)):
            _complete(root, disk, record)
            _tidy(root, disk)
        return entry

    def abandon(self) -> None:
        """Do nothing after all."""
        self._disk.remove_tree(_staging(self._root))

    def _entry(self) -> history.Entry:
        vendors = {}
        for vendor, after in self._packages.items():
            before = read_state(self._root, vendor).shown
            vendors[vendor] = history.VendorChange(_kept(before), _kept(after))
        return history.new_entry(
            self._root, self._command, vendors, layout.load_priority(self._root), undoes=self._undoes
        )

    def _stage_view(self, vendor: str, shown: Sequence[Shown]) -> int:
        # Never a number that is there: somebody may be reading that generation, or want to go back to it.
        number = 1 + max((*_numbers(layout.generations_dir(self._root, vendor)), 0))
        folder = _staging(self._root) / f"generation{len(self._moves)}"
        write_view(self._disk, plan_view(shown, layout.vendors_dir(self._root) / vendor), folder)
        self._plan_move(folder, layout.generations_dir(self._root, vendor) / str(number))
        return number

    def _free_entry(self, manifest: Manifest, digest: str) -> str:
        """A name below the vendor's packages that nothing has; a damaged copy of the package may be in the way."""
        first = folder = layout.package_dir(self._root, manifest.vendor, manifest.name, manifest.version, digest)
        number = 1
        taken = {target for _, target in self._moves}
        while folder.exists() or self._relative(folder) in taken:
            number += 1
            folder = first.with_name(f"{first.name}.{number}")
        return f"{manifest.name}/{folder.name}"

    def _plan_move(self, source: Path, target: Path) -> None:
        self._moves.append((self._relative(source), self._relative(target)))

    def _relative(self, path: Path) -> str:
        return str(path.relative_to(private_dir(self._root)))


def _kept(shown: Iterable[Shown]) -> tuple[history.Kept, ...]:
    return tuple(history.Kept(one.manifest.name, one.manifest.version, one.digest) for one in shown)


def _move_in(disk: Disk, base: Path, source: str, target: str) -> None:
    _make_dirs(disk, base / Path(target).parent)
    disk.rename(base / source, base / target)
    disk.sync((base / target).parent)


def _refuse_incomplete(package: Shown) -> None:
    for entry in package.manifest.files:
        if not (package.folder / entry.path).is_file():
            key = package.manifest.key
            raise StoreError(
                f"{key} is damaged: {package.folder / entry.path} is missing", f"install {key} again first"
            )


def find_whole(root: Path, manifest: Manifest, digest: str) -> Path | None:
    """The folder of a package with this manifest that the store already has, undamaged."""
    for candidate in _copies(root, manifest.vendor, history.Kept(manifest.name, manifest.version, digest)):
        if not any(damage(candidate, manifest)):
            return candidate
    return None


def find_kept(root: Path, vendor: str, kept: history.Kept) -> Shown | None:
    """A version of a package that the store still has; a repaired one rather than the damaged one that it replaced."""
    for candidate in reversed(_copies(root, vendor, kept)):
        if (candidate / MANIFEST_NAME).is_file():
            manifest, digest = read_manifest(candidate)
            if digest == kept.digest:
                return Shown(f"{kept.name}/{candidate.name}", candidate, manifest, digest)
    return None


def _copies(root: Path, vendor: str, kept: history.Kept) -> list[Path]:
    """Where a version of a package may be: at its place, then where another copy was in the way, the oldest first."""
    place = layout.package_dir(root, vendor, kept.name, kept.version, kept.digest)
    return sorted(place.parent.glob(f"{glob.escape(place.name)}*"))


def find_generation(root: Path, vendor: str, shown: Sequence[Shown]) -> int:
    """The newest generation of a vendor that shows exactly these packages in this order; 0 where there is none."""
    folder = layout.generations_dir(root, vendor)
    wanted = tuple(package.folder for package in shown)
    for number in sorted(_numbers(folder), reverse=True):
        with suppress(StoreError):  # one that cannot be read is not shown again
            # Compared below the resolved root, as the record of a generation is read.
            if layout.active_packages(folder / str(number)) == tuple(package.resolve() for package in wanted):
                return number
    return 0


def prepare(root: Path, disk: Disk) -> None:
    """Make the folders that every change needs."""
    _make_dirs(disk, layout.vendors_dir(root))
    _make_dirs(disk, private_dir(root))


def recover(root: Path, disk: Disk) -> None:
    """Finish or undo what a process left that died; the root's lock must be held."""
    record = journal.read(journal_path(root))
    with _writable(disk, layout.vendors_dir(root)):
        if record is not None:
            # The first switch decides: until then nobody has seen anything, from then on somebody may have.
            if current_generation(root, record.views[0].vendor) == record.views[0].after:
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
    """Everything from the first switch on; what is done already is not done again."""
    for view in record.views:
        # Asked of the disk, not remembered: this may be a recovery after any of these steps, or after another
        # recovery.
        if current_generation(root, view.vendor) != view.after:
            if view.after:
                _switch(root, disk, view.vendor, view.after)
            else:
                _take_away(root, disk, view.vendor)
    text = _read_text(layout.config_ini(root))
    # Made from what the file says now, so that doing it twice is doing it once, and others' lines stay.
    _write_config(root, disk, text, _prioritised(root, text, record))
    source, target = record.history
    # Last: an entry in the history says that all before it is done.
    if target and (private_dir(root) / source).exists():
        _move_in(disk, private_dir(root), source, target)


def _prioritised(root: Path, text: str, record: journal.Record) -> str:
    """The text of `config.ini` after a change."""
    for view in record.views:
        if not view.after:
            text = priority.take_out(text, view.vendor)
        elif view.place == "last":
            text = priority.put_last(text, view.vendor, layout.vendor_names(root))
        else:
            text = (priority.keep if view.place == "keep" else priority.put_first)(text, view.vendor)
    for vendor in reversed(record.order):
        text = priority.put_first(text, vendor)
    return text


def _undo(root: Path, disk: Disk, record: journal.Record) -> None:
    """Take back what was moved in; a folder goes to the staging area first, so that half of one is never seen."""
    base = private_dir(root)
    # Not all need have been moved: the journal is written before the first of them.
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
        # Before the staged files: without it these are merely left over, but a record whose files are gone would be
        # followed.
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
    # The link is relative, so that the whole root can be moved; from a linked `vendors` that way would start
    # elsewhere.
    target = layout.generations_dir(root, vendor) / str(number)
    # What a killed process left there may lead to another generation.
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
        # Moved at once and deleted later: half a folder would be seen otherwise.
        disk.rename(place, _staging(root) / f"removed.{vendor}")
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
        # One that a killed process left; a new file is never written over another.
        disk.remove(temporary)
        disk.write_file(temporary, [after.encode(errors="surrogateescape")])
        disk.sync(temporary)
        disk.rename(temporary, config)
    disk.sync(config.parent)


def _read_text(path: Path) -> str:
    try:
        # Others' lines may be in any encoding, and are written back byte by byte.
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
