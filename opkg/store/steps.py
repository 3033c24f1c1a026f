"""The steps of changes of an install root; whoever takes them holds its lock."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from opkg.bundle import Bundle, FileEntry, Manifest
from opkg.bundle.requirement import version_order
from opkg.errors import NotFoundError, StoreError
from opkg.progress import counted
from opkg.registry import layout
from opkg.registry.machine import shortcomings
from opkg.store import change as changes
from opkg.store import trust
from opkg.store.adopt import adopted_manifest
from opkg.store.choice import Choice, KeptPackage, chunks_of, kept_choices, newest, opened
from opkg.store.conflicts import Clash, Wins, decide
from opkg.store.garbage import unused
from opkg.store.gate import Gate
from opkg.store.history import Entry, Kept
from opkg.store.lock import exclusive
from opkg.store.lockfile import Lock
from opkg.store.model import InstalledPackage, InstallResult
from opkg.store.reading import installed
from opkg.store.requirements import refuse_unmet
from opkg.store.state import read_manifest, read_state
from opkg.store.view import Shown

_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class Steps(Gate):
    """The part of a root that changes it."""

    @contextmanager
    def _changing(self, command: str = "") -> Iterator[None]:
        """Hold the lock, with the root recovered; clean up after an error, and say errors of the disk in our words."""
        try:
            changes.prepare(self.path, self._disk)
            with exclusive(changes.lock_path(self.path), self._wait, f"opkg {command}".rstrip()):
                changes.recover(self.path, self._disk)
                # Not `except`: an interrupt, too, leaves something to clean up.
                done = False
                try:
                    yield
                    done = True
                finally:
                    if not done:
                        # The error that led here is the one to tell, and the next command recovers as well.
                        with suppress(OSError):
                            changes.recover(self.path, self._disk)
        except OSError as error:
            raise self._disk_error(error) from error

    def _install(
        self, bundle: Bundle | KeptPackage, *, force: bool, adopt: bool, wins: Wins, command: str = "install"
    ) -> InstallResult:
        manifest = bundle.manifest
        state = read_state(self.path, manifest.vendor)
        replaced = _version_in(state.shown, manifest.name)
        self._refuse_stranger(manifest.vendor, state, adopt)
        whole = changes.find_whole(self.path, manifest, bundle.digest)
        # Who says which package wins wants an order, even of packages that are all there.
        if whole and state.kind == "view" and whole in [shown.folder for shown in state.shown] and not wins:
            return self._result(manifest, whole, replaced, changed=False)
        change = changes.Change(self.path, self._disk, command)
        adopted = self._stage_folder(change, manifest.vendor) if state.kind in ("bare", "foreign") else None
        # A folder's own package of the same name is an older version of this one, which takes its place.
        before = (adopted,) if adopted and adopted.manifest.name != manifest.name else state.shown
        decision = decide(self.path, manifest, before, wins)
        # What lies in the folder may be the very package: then it is in the staging area already.
        same = adopted if adopted and adopted.manifest == manifest else None
        package = self._admit(change, bundle, replaced, force, same)
        shown = [other for other in before if other.manifest.name != manifest.name]
        shown.insert(decision.position, package)
        change.show(manifest.vendor, shown, decision.place)
        self._commit(change, force)
        # Where it was staged is no place any more.
        final = layout.packages_dir(self.path, manifest.vendor) / package.entry
        self._tell_plugins(replace(package, folder=final), replaced)
        return self._result(manifest, final, replaced, adopted, clashes=decision.clashes)

    def _admit(
        self,
        change: changes.Change,
        bundle: Bundle | KeptPackage,
        replaced: str,
        force: bool,
        same: Shown | None = None,
    ) -> Shown:
        """A package that may be shown: the one that is kept (or `same`), or staged now; refused where it is unfit."""
        manifest = bundle.manifest
        whole = changes.find_whole(self.path, manifest, bundle.digest)
        if whole:
            package = Shown(f"{manifest.name}/{whole.name}", whole, manifest, bundle.digest)
        elif same:
            package = same
        elif isinstance(bundle, KeptPackage):
            raise StoreError(
                f"{bundle.folder} is damaged", f"install {manifest.key} {manifest.version} from its bundle"
            )
        else:
            self._refuse_full_disk(manifest)
            package = change.stage(manifest, bundle.manifest_bytes, bundle.digest, self._entries(bundle))
        # Tried where it is staged: whatever its libraries do to the process that loads them, nothing is in use yet.
        self._refuse_broken(package, force)
        self._ask_plugins(package, replaced)
        return package

    def _entries(self, bundle: Bundle) -> Iterator[tuple[FileEntry, Iterable[bytes]]]:
        files = bundle.manifest.files
        return counted(f"installing {bundle.manifest.key}, file", bundle.entries(), len(files))

    def _upgrade_vendor(
        self, change: changes.Change, vendor: str, names: set[str], found: Sequence[Choice], force: bool
    ) -> None:
        state = read_state(self.path, vendor)
        if state.kind != "view":
            return
        shown = list(state.shown)
        for package in state.shown:
            better = self._better(package, found, force) if names & {"", package.manifest.name} else None
            if better:
                # Nobody was asked whose operators win, so one that the version before did not have must not meet
                # another's.
                decision = decide(self.path, better.manifest, shown, "")
                with opened(better) as bundle:
                    self._refuse_untrusted(bundle)
                    new = self._admit(change, bundle, package.manifest.version, force)
                shown = [one for one in shown if one.manifest.name != package.manifest.name]
                shown.insert(decision.position, new)
        if shown != list(state.shown):
            change.show(vendor, shown, "keep")

    def _better(self, package: Shown, found: Sequence[Choice], force: bool) -> Choice | None:
        """The newest version of a package, None where that is the one in use or there is none for this machine."""
        own = package.manifest
        kept = kept_choices(self.path, own.vendor, own.name)
        choices = [choice for choice in (*found, *kept) if choice.manifest.key == own.key]
        best = newest(c for c in choices if force or not shortcomings(c.manifest, self._machine))
        return best if best and version_order(best.manifest.version) > version_order(own.version) else None

    def _locked(self, lock: Lock, found: Mapping[str, Choice]) -> dict[str, list[Choice]]:
        """For each vendor of a lock its packages, kept here and whole, or else from a bundle."""
        wanted: dict[str, list[Choice]] = {}
        missing = []
        for one in lock.packages:
            kept = changes.find_kept(self.path, one.vendor, Kept(one.name, one.version, one.digest))
            whole = kept and changes.find_whole(self.path, kept.manifest, kept.digest)
            choice = found.get(one.digest)
            # A damaged copy is taken only where no bundle can mend it; `_admit` then says that it is damaged.
            if kept and (whole or choice is None):
                choice = Choice(kept.manifest, kept.digest, folder=whole or kept.folder)
            if choice is None or (choice.manifest.key, choice.manifest.version) != (
                f"{one.vendor}/{one.name}",
                one.version,
            ):
                missing.append(str(one))
            else:
                wanted.setdefault(one.vendor, []).append(choice)
        if missing:
            raise NotFoundError(
                f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in {self.path}",
                "name a folder with the bundles: --from DIR",
            )
        return wanted

    def _sync_vendor(
        self,
        change: changes.Change,
        vendor: str,
        choices: Sequence[Choice],
        force: bool,
        keep_others: bool,
        allow_downgrade: bool,
    ) -> None:
        state = read_state(self.path, vendor)
        if state.kind == "foreign" and not choices:
            return
        self._refuse_stranger(vendor, state, adopt=False)
        shown = []
        for choice in choices:
            present = next((one for one in state.shown if one.entry and one.digest == choice.digest), None)
            # In use already, and the same copy: not even its libraries need to be tried again.
            if present and present.folder == choice.folder:
                shown.append(present)
                continue
            with opened(choice) as bundle:
                self._refuse_untrusted(bundle, allow=allow_downgrade)
                shown.append(self._admit(change, bundle, _version_in(state.shown, choice.manifest.name), force))
        if keep_others:
            names = {one.manifest.name for one in shown}
            shown += [one for one in state.shown if one.entry and one.manifest.name not in names]
        if shown != list(state.shown):
            change.show(vendor, shown, "keep", again=True)

    def _commit_trusted(self, change: changes.Change, force: bool) -> Entry:
        entry = self._commit(change, force)
        self._tell_plugins_of(change, entry)
        if trust.requires_signed(self.path):
            for shown in (one for packages in change.planned.values() for one in packages):
                trust.remember_version(self.path, self._disk, shown.manifest)
        return entry

    def _commit(self, change: changes.Change, force: bool) -> Entry:
        if not force:
            refuse_unmet(self.path, change.planned)
        return change.commit()

    def _uninstall(self, vendor: str, name: str | None, force: bool) -> list[InstalledPackage]:
        state = read_state(self.path, vendor)
        if state.kind == "foreign":
            raise StoreError(
                f"vendors/{vendor} in {self.path} was made by another installer",
                f"use that one's uninstall.sh, or remove {layout.vendors_dir(self.path) / vendor} by hand",
            )
        gone = [shown for shown in state.shown if name in (None, shown.manifest.name)]
        if not gone:
            raise self._not_installed(vendor, name or "")
        removed = [installed(shown, active=False) for shown in gone]
        rest = [shown for shown in state.shown if shown not in gone]
        change = changes.Change(self.path, self._disk, "uninstall")
        change.show(vendor, rest, "keep")
        self._commit(change, force)
        return removed

    def _stage_folder(self, change: changes.Change, vendor: str) -> Shown:
        folder = layout.vendors_dir(self.path) / vendor
        manifest = adopted_manifest(folder)
        text = manifest.to_json().encode()
        files = ((entry, chunks_of(folder / entry.path)) for entry in manifest.files)
        return change.stage(manifest, text, changes.digest_of(text), files)

    def _collect(self, vendor: str) -> None:
        for one in unused(self.path, 0):
            if one.path.is_relative_to(layout.packages_dir(self.path, vendor)) or one.path.is_relative_to(
                layout.generations_dir(self.path, vendor)
            ):
                changes.discard(self.path, self._disk, one.path)

    def _result(
        self,
        manifest: Manifest,
        folder: Path,
        replaced: str,
        adopted: Shown | None = None,
        *,
        changed: bool = True,
        clashes: tuple[Clash, ...] = (),
    ) -> InstallResult:
        view = layout.vendors_dir(self.path) / manifest.vendor
        names = (f"{adopted.manifest.name} {adopted.manifest.version}",) if adopted else ()
        package = InstalledPackage(folder, *read_manifest(folder))
        shared = tuple((clash.operator, clash.key) for clash in clashes)
        return InstallResult(self.path, package, view, replaced, names, changed, shared)

    def _disk_error(self, error: OSError) -> StoreError:
        where = error.filename if isinstance(error.filename, str) else str(self.path)
        if error.errno in _DENIED:
            hint = "install elsewhere with --install-path DIR, or as a user who may write there"
        else:
            hint = "make room there" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        return StoreError(f"cannot change {self.path}: {error.strerror or error} ({where})", hint, code="OPKG-6500")


def _version_in(shown: Iterable[Shown], name: str) -> str:
    """The version of a package among others; empty where it is not among them."""
    return next((one.manifest.version for one in shown if one.manifest.name == name), "")
