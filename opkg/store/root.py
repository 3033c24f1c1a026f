"""An install root: the API of the store."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from opkg.bundle import Bundle, FileEntry, Manifest, open_bundle
from opkg.bundle.keys import PublicKey
from opkg.bundle.requirement import Requirement, parse_requirement, version_order
from opkg.errors import ConflictError, NotFoundError, SignatureError, StoreError
from opkg.plugins import collect
from opkg.plugins.types import InstallPlan
from opkg.progress import counted
from opkg.registry import layout
from opkg.registry.machine import Machine, shortcomings
from opkg.store import change as changes
from opkg.store import trust, verification
from opkg.store.adopt import adopted_manifest, is_untouched
from opkg.store.choice import Choice, KeptPackage, chunks_of, kept_choices, newest, offered
from opkg.store.conflicts import Clash, Wins, decide
from opkg.store.disk import Disk
from opkg.store.environment import environment_of
from opkg.store.garbage import Unused, unused
from opkg.store.history import Entry, Kept, read_history
from opkg.store.lock import exclusive
from opkg.store.lockfile import Lock, lock_of, with_required
from opkg.store.model import InstalledPackage, InstallResult, Problem
from opkg.store.probe import faults
from opkg.store.requirements import refuse_unmet
from opkg.store.rollback import way_back
from opkg.store.state import VendorState, followed, kept_packages, kept_vendors, read_manifest, read_state, vendor_names
from opkg.store.view import Shown

_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class Root:
    """A folder with `vendors/` in it.

    Reading takes no lock and works where nothing can be written. A change is made whole or not at all, by one process
    at a time; what a killed one left behind is finished or undone by the next change.

    Args:
        path: the folder; made by the first installation.
        disk: what writes; tests pass their own.
        wait: seconds to wait for another process that is changing the root.
        machine: what packages must fit; this machine where none is given.
    """

    def __init__(
        self, path: str | Path, *, disk: Disk | None = None, wait: float = 60.0, machine: Machine | None = None
    ) -> None:
        self.path = Path(path).expanduser().absolute()
        self._disk = disk or Disk()
        self._wait = wait
        self._machine = machine or Machine()

    # ---- reading

    def vendors(self) -> tuple[str, ...]:
        """The vendors in this root, by `load_priority`, then by name."""
        return vendor_names(self.path)

    def packages(self, vendor: str = "", *, kept: bool = False) -> list[InstalledPackage]:
        """The packages in use, in the order in which operators are looked up.

        Args:
            vendor: only this one's.
            kept: also versions that are not in use but still there.

        Raises:
            StoreError: a record cannot be read.
        """
        found = []
        everyone = dict.fromkeys((*self.vendors(), *(kept_vendors(self.path) if kept else ())))
        for name in (vendor,) if vendor else everyone:
            active = [_installed(shown) for shown in read_state(self.path, name).shown]
            found += active
            if kept:
                folders = {package.path for package in active}
                rest = (folder for folder in kept_packages(self.path, name) if folder not in folders)
                found += [InstalledPackage(folder, *read_manifest(folder), active=False) for folder in rest]
        return found

    def verify(self, vendor: str = "", name: str = "") -> list[Problem]:
        """Compare every file of the packages in use, and of the views that show them, with the manifests.

        Raises:
            NotFoundError: the vendor or package is not installed.
        """
        return [problem for one in self._existing(vendor) for problem in self._verify(one, name)]

    def environment(self, vendor: str = "") -> dict[str, str]:
        """What to put in front of which environment variable so that any program finds the operators.

        Raises:
            NotFoundError: the vendor is not installed.
        """
        return environment_of(layout.vendors_dir(self.path) / name for name in self._existing(vendor))

    # ---- changing

    def install(
        self,
        bundle_path: str | Path,
        *,
        force: bool = False,
        adopt: bool = False,
        wins: Wins = "",
        require_signed: bool = False,
        allow_downgrade: bool = False,
    ) -> InstallResult:
        """Install a bundle: a new package joins the vendor's others, one of the same name takes the place of the old.

        Args:
            bundle_path: a .run file of opkg; it is read, not executed.
            force: install although this machine or this root lacks what the package needs, or cannot load it.
            adopt: where another installer put files into the vendor's folder, make a package of them first.
            wins: whose operators serve where another package of the root has the same: the `new` one's or the
                `present` one's; without it that is an error.
            require_signed: only if a key that this root trusts signed it; so it is anyway where the root's policy is.
            allow_downgrade: where a signature is required, also a version older than one that the root has had.

        Raises:
            BundleError: the file is damaged, hostile or not a bundle.
            SignatureError: a signature is required, and it is missing, wrong, or of an older version.
            ConflictError: another package has one of its operators, or the vendor's folder is a stranger's.
            StoreError: the package does not fit this machine, a plugin refuses it, or the root cannot be written.
        """
        self._refuse_unusable_path()
        with open_bundle(bundle_path) as bundle:
            self._refuse_unfit(bundle.manifest, force)
            required = require_signed or trust.requires_signed(self.path)
            signer = trust.check_trusted(self.path, bundle) if required else None
            with self._changing("install"):
                if signer is None:
                    return self._install(bundle, force=force, adopt=adopt, wins=wins)
                self._refuse_replay(bundle.manifest, allow_downgrade)
                self._refuse_unsigned_folder(bundle.manifest.vendor)
                result = self._install(bundle, force=force, adopt=adopt, wins=wins)
                trust.remember_version(self.path, self._disk, bundle.manifest)
                return replace(result, signed_by=signer.name)

    def uninstall(
        self, vendor: str, name: str | None = None, *, purge: bool = False, force: bool = False
    ) -> list[InstalledPackage]:
        """Take one package, or all of a vendor's, out of use.

        Args:
            vendor: whose packages.
            name: only this one.
            purge: also delete what is no longer in use; otherwise it stays for going back.
            force: although another package requires it.

        Returns:
            The packages that were in use before and are no longer.

        Raises:
            NotFoundError: nothing of that name is in use.
            StoreError: another package requires it, another installer made the vendor's folder, or the root cannot be
                written.
        """
        if vendor not in self.vendors():
            raise self._not_installed(vendor, name or "")
        with self._changing("uninstall"):
            removed = self._uninstall(vendor, name, force)
            if purge:
                self._collect(vendor)
            return removed

    def trust(self, name: str, key: PublicKey) -> Path:
        """Take signatures of `key` from now on; the file in which the root has it.

        Raises:
            StoreError: the root has another key of that name, or cannot be written.
        """
        with self._changing():
            return trust.trust_key(self.path, self._disk, name, key)

    def untrust(self, name: str) -> None:
        """Do not take signatures of a key any longer; what it signed stays installed.

        Raises:
            NotFoundError: the root has no key of that name.
            StoreError: the root cannot be written.
        """
        with self._changing():
            trust.untrust_key(self.path, self._disk, name)

    def require_signed(self, required: bool) -> None:
        """Take only packages that a trusted key signed from now on, or any.

        Raises:
            SignatureError: no key is trusted yet.
            StoreError: the root cannot be written.
        """
        with self._changing():
            trust.set_policy(self.path, self._disk, require_signed=required)

    def recover(self) -> None:
        """Finish or undo what a killed process left. Every change does this first.

        Raises:
            StoreError: the root cannot be written.
        """
        if changes.needs_recovery(self.path):
            with self._changing():
                pass

    def activate(
        self,
        requirement: str,
        *,
        source: Path | None = None,
        force: bool = False,
        wins: Wins = "",
        require_signed: bool = False,
        allow_downgrade: bool = False,
        command: str = "install",
    ) -> InstallResult:
        """Put the newest version of a package to use that is kept here, or lies in a folder with bundles, and will do.

        Args:
            requirement: `vendor/name`, with a specifier where not any version will do.
            source: the folder with bundles.
            force: as for `install`.
            wins: as for `install`.
            require_signed: as for `install`; a version that is kept was let in when it came.
            allow_downgrade: as for `install`.
            command: what the history calls it.

        Raises:
            NotFoundError: no such version is there; says which are.
            BundleError: the requirement is malformed.
            StoreError: as for `install`.
        """
        wanted = parse_requirement(requirement)
        choices = [*offered(source), *kept_choices(self.path, wanted.vendor, wanted.name)]
        choices = [choice for choice in choices if choice.manifest.key == wanted.key]
        chosen = newest(choices, wanted.accepts)
        if chosen is None:
            raise self._no_version(wanted, choices)
        if chosen.bundle:
            return self.install(
                chosen.bundle, force=force, wins=wins, require_signed=require_signed, allow_downgrade=allow_downgrade
            )
        with self._changing(command):
            if command == "install" and (require_signed or trust.requires_signed(self.path)):
                self._refuse_replay(chosen.manifest, allow_downgrade)
            return self._install(_as_bundle(chosen), force=force, adopt=False, wins=wins, command=command)

    def upgrade(
        self, packages: Iterable[tuple[str, str]] = (), *, source: Path | None = None, force: bool = False
    ) -> Entry | None:
        """Put the newest version of each package to use that is kept here or lies in a folder: of all of them or none.

        Args:
            packages: (vendor, name), the name empty for all of a vendor's; everything in use without.
            source: the folder with bundles; those that do not fit this machine are passed over.
            force: as for `install`.

        Returns:
            What the history says of it; None where everything is the newest.

        Raises:
            NotFoundError: a package is not installed.
            ConflictError, StoreError: as for `install`.
        """
        named = list(packages)
        for vendor, name in named:
            if not any(p.manifest.name == name or not name for p in self.packages(vendor)):
                raise self._not_installed(vendor, name)
        with self._changing("upgrade"):
            change = changes.Change(self.path, self._disk, "upgrade")
            found = offered(source)
            for vendor in self.vendors():
                names = {name for one, name in named if one == vendor} if named else {""}
                self._upgrade_vendor(change, vendor, names, found, force)
            if change.planned:
                return self._commit_trusted(change, force)
            change.abandon()
            return None

    def lock(self, packages: Iterable[tuple[str, str, str]] | None = None, *, source: Path | None = None) -> Lock:
        """What pins packages of this root exactly.

        Args:
            packages: (vendor, name, digest), an empty digest for the version in use; all in use without. What they
                require comes along.
            source: a folder with bundles; the checksums of those that carry the packages are noted.

        Raises:
            NotFoundError: a package, or something that is required, is not here.
        """
        active = {p.manifest.key: (p.manifest, p.digest) for p in self.packages()}
        chosen = active.values() if packages is None else with_required(self.path, packages, active)
        return lock_of(self.path, chosen, offered(source))

    def sync(
        self,
        lock: Lock,
        *,
        source: Path | None = None,
        force: bool = False,
        keep_others: bool = False,
        allow_downgrade: bool = False,
    ) -> Entry | None:
        """Make the packages in use exactly those of a lock, in one change.

        Args:
            lock: the packages.
            source: a folder with bundles, for those that are not kept here.
            force: as for `install`.
            keep_others: leave packages in use that the lock does not name.
            allow_downgrade: as for `install`.

        Returns:
            What the history says of it; None where nothing was to do. Vendors of other installers stay as they are.

        Raises:
            NotFoundError: packages are neither kept here nor in the folder; names them all.
            ConflictError, SignatureError, StoreError: as for `install`.
        """
        found = {choice.digest: choice for choice in offered(source)}
        with self._changing("sync"):
            wanted = self._locked(lock, found)
            for vendor in () if keep_others else self.vendors():
                wanted.setdefault(vendor, [])
            change = changes.Change(self.path, self._disk, "sync", order=lock.priority)
            for vendor, choices in wanted.items():
                self._sync_vendor(change, vendor, choices, force, keep_others, allow_downgrade)
            order = layout.load_priority(self.path)
            if not change.planned and order[: len(lock.priority)] != lock.priority and lock.priority:
                first = lock.priority[0]
                change.show(first, read_state(self.path, first).shown, "keep")
            if change.planned:
                return self._commit_trusted(change, force)
            change.abandon()
            return None

    def rollback(self, vendor: str = "", name: str = "") -> Entry:
        """Take back the newest change that has not been taken back: of everything, of a vendor or of a package.

        Where nothing else changed since, that is one rename: the generation that was shown then is shown again.

        Raises:
            NotFoundError: nothing can be taken back, or what was there is gone.
            StoreError: a package that stays requires what would go, or the root cannot be written.
        """
        if not changes.private_dir(self.path).is_dir():
            raise NotFoundError(f"nothing was ever installed in {self.path} by opkg")
        with self._changing("rollback"):
            way = way_back(self.path, read_history(self.path), vendor, name)
            change = changes.Change(self.path, self._disk, "rollback", undoes=way.undoes, order=way.order)
            for one, shown in way.packages.items():
                change.show(one, shown, "keep", again=True)
            entry = self._commit(change, force=False)
            self._tell_plugins_of(change, entry)
            return entry

    def history(self) -> list[Entry]:
        """Every change of this root, the oldest first.

        Raises:
            StoreError: an entry cannot be read.
        """
        return read_history(self.path)

    def unused(self, *, keep: int = 0, digests: Collection[str] = ()) -> list[Unused]:
        """What `collect` would delete.

        Args:
            keep: as many rollbacks of each package stay possible.
            digests: packages that stay whatever happens.
        """
        return unused(self.path, keep, digests) if changes.private_dir(self.path).is_dir() else []

    def collect(self, *, keep: int = 0, digests: Collection[str] = ()) -> list[Unused]:
        """Delete package versions and generations that are not in use.

        Args:
            keep: as many rollbacks of each package stay possible.
            digests: packages that stay whatever happens.

        Returns:
            What was deleted.

        Raises:
            StoreError: the root cannot be written.
        """
        if not changes.private_dir(self.path).is_dir():
            return []
        with self._changing("gc"):
            gone = unused(self.path, keep, digests)
            for one in gone:
                changes.discard(self.path, self._disk, one.path)
            return gone

    # ---- steps

    @contextmanager
    def _changing(self, command: str = "") -> Iterator[None]:
        """Hold the lock, with the root recovered; clean up after an error, and say errors of the disk in our words."""
        try:
            changes.prepare(self.path, self._disk)
            with exclusive(changes.lock_path(self.path), self._wait, f"opkg {command}".rstrip()):
                changes.recover(self.path, self._disk)
                done = False
                try:
                    yield
                    done = True
                finally:
                    if not done:
                        with suppress(OSError):
                            changes.recover(self.path, self._disk)
        except OSError as error:
            raise self._disk_error(error) from error

    def _verify(self, vendor: str, name: str) -> list[Problem]:
        state = read_state(self.path, vendor)
        place = layout.vendors_dir(self.path) / vendor
        if name and name not in [shown.manifest.name for shown in state.shown]:
            raise self._not_installed(vendor, name)
        try:
            found = verification.check_vendor(state, vendor, name, place)
        except FileNotFoundError:
            if followed(place) == state.folder:
                raise
            found = []
        # What was replaced while it was read says nothing; look at what is there now.
        return found if followed(place) == state.folder else self._verify(vendor, name)

    def _install(
        self, bundle: Bundle | KeptPackage, *, force: bool, adopt: bool, wins: Wins, command: str = "install"
    ) -> InstallResult:
        manifest = bundle.manifest
        state = read_state(self.path, manifest.vendor)
        replaced = _version_in(state.shown, manifest.name)
        self._refuse_stranger(manifest.vendor, state, adopt)
        whole = changes.find_whole(self.path, manifest, bundle.digest)
        if whole and state.kind == "view" and whole in [shown.folder for shown in state.shown] and not wins:
            return self._result(manifest, whole, replaced, changed=False)
        change = changes.Change(self.path, self._disk, command)
        adopted = self._stage_folder(change, manifest.vendor) if state.kind in ("bare", "foreign") else None
        before = (adopted,) if adopted and adopted.manifest.name != manifest.name else state.shown
        decision = decide(self.path, manifest, before, wins)
        same = adopted if adopted and adopted.manifest == manifest else None
        package = self._admit(change, bundle, replaced, force, same)
        shown = [other for other in before if other.manifest.name != manifest.name]
        shown.insert(decision.position, package)
        change.show(manifest.vendor, shown, decision.place)
        self._commit(change, force)
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
                decision = decide(self.path, better.manifest, shown, "")
                with _opened(better) as bundle:
                    self._refuse_untrusted(bundle)
                    new = self._admit(change, bundle, package.manifest.version, force)
                shown = [one for one in shown if one.manifest.name != package.manifest.name]
                shown.insert(decision.position, new)
        if shown != list(state.shown):
            change.show(vendor, shown, "keep")

    def _locked(self, lock: Lock, found: Mapping[str, Choice]) -> dict[str, list[Choice]]:
        """For each vendor of a lock its packages, kept here and whole, or else from a bundle."""
        wanted: dict[str, list[Choice]] = {}
        missing = []
        for one in lock.packages:
            kept = changes.find_kept(self.path, one.vendor, Kept(one.name, one.version, one.digest))
            whole = kept and changes.find_whole(self.path, kept.manifest, kept.digest)
            choice = found.get(one.digest)
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
            if present and present.folder == choice.folder:
                shown.append(present)
                continue
            with _opened(choice) as bundle:
                self._refuse_untrusted(bundle, allow=allow_downgrade)
                shown.append(self._admit(change, bundle, _version_in(state.shown, choice.manifest.name), force))
        if keep_others:
            names = {one.manifest.name for one in shown}
            shown += [one for one in state.shown if one.entry and one.manifest.name not in names]
        if shown != list(state.shown):
            change.show(vendor, shown, "keep", again=True)

    def _better(self, package: Shown, found: Sequence[Choice], force: bool) -> Choice | None:
        """The newest version of a package, None where that is the one in use or there is none for this machine."""
        own = package.manifest
        kept = kept_choices(self.path, own.vendor, own.name)
        choices = [choice for choice in (*found, *kept) if choice.manifest.key == own.key]
        best = newest(c for c in choices if force or not shortcomings(c.manifest, self._machine))
        return best if best and version_order(best.manifest.version) > version_order(own.version) else None

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
        removed = [_installed(shown, active=False) for shown in gone]
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

    # ---- refusals

    def _refuse_unusable_path(self) -> None:
        try:
            text = str(self.path).encode().decode()
        except UnicodeEncodeError:
            raise StoreError(f"{str(self.path)!a} is not UTF-8 text", "install in another folder") from None
        if ":" in text:
            raise StoreError(
                f"{self.path} has a ':', which separates the folders in ASCEND_CUSTOM_OPP_PATH",
                "install in another folder; programs would not find this one",
            )

    def _refuse_unfit(self, manifest: Manifest, force: bool) -> None:
        reasons = [] if force else shortcomings(manifest, self._machine)
        if reasons:
            raise StoreError(
                f"{manifest.key} {manifest.version} cannot be used on this machine: {'; '.join(reasons)}",
                "--force installs it anyway",
                code="OPKG-6300",
            )

    def _refuse_broken(self, package: Shown, force: bool) -> None:
        reasons = [] if force else faults(package.manifest, package.folder)
        if reasons:
            more = f" (and {len(reasons) - 1} more like this)" if len(reasons) > 1 else ""
            raise StoreError(
                f"{package.manifest.key} {package.manifest.version} cannot be used on this machine: {reasons[0]}{more}",
                "build it again here, or install what it needs; --force installs it anyway",
                code="OPKG-6310",
            )

    def _refuse_stranger(self, vendor: str, state: VendorState, adopt: bool) -> None:
        folder = layout.vendors_dir(self.path) / vendor
        if adopt or state.kind in ("none", "view") or (state.kind == "bare" and is_untouched(folder)):
            return
        how = "was changed since it was put there" if state.kind == "bare" else "was made by another installer"
        raise ConflictError(
            f"{folder} {how}",
            "--adopt makes a package of what is in it, so that nothing is lost, and installs beside it",
            code="OPKG-6110",
        )

    def _refuse_untrusted(self, bundle: Bundle | KeptPackage, *, allow: bool = False) -> None:
        """Where the root's policy is to take only what is signed; a version that is kept was let in when it came."""
        if trust.requires_signed(self.path):
            if not isinstance(bundle, KeptPackage):
                trust.check_trusted(self.path, bundle)
            self._refuse_replay(bundle.manifest, allow=allow)

    def _refuse_replay(self, manifest: Manifest, allow: bool) -> None:
        here = [p.manifest.version for p in self.packages(manifest.vendor, kept=True) if p.manifest.key == manifest.key]
        trust.refuse_replay(self.path, manifest, here, allow=allow)

    def _refuse_unsigned_folder(self, vendor: str) -> None:
        """What another installer left would become a package that nobody signed."""
        if read_state(self.path, vendor).kind in ("bare", "foreign"):
            raise SignatureError(
                f"{layout.vendors_dir(self.path) / vendor} was made by another installer and is not signed",
                "remove it first, or install where no signature is required",
            )

    def _refuse_full_disk(self, manifest: Manifest) -> None:
        need = sum(entry.size for entry in manifest.files)
        free = shutil.disk_usage(self.path).free
        if need > free:
            raise StoreError(
                f"{manifest.key} needs {need:,} bytes and {self.path} has {free:,} left", "make room there"
            )

    def _ask_plugins(self, package: Shown, replaced: str) -> None:
        vetoes = collect("opkg_pre_install", plan=self._plan(package, replaced))
        if vetoes:
            distribution, veto = vetoes[0]
            raise StoreError(
                f"the plugin {distribution} refuses {package.manifest.key}: {veto.reason}", code="OPKG-6400"
            )

    def _tell_plugins(self, package: Shown, replaced: str) -> None:
        collect("opkg_post_install", plan=self._plan(package, replaced))

    def _tell_plugins_of(self, change: changes.Change, entry: Entry) -> None:
        """Tell the plugins of each package that was put to use."""
        before = {step.key: step.before.version if step.before else "" for step in entry.steps() if step.after}
        for vendor, packages in change.planned.items():
            for package in packages:
                if package.manifest.key in before:
                    final = layout.packages_dir(self.path, vendor) / package.entry
                    self._tell_plugins(replace(package, folder=final), before[package.manifest.key])

    def _plan(self, package: Shown, replaced: str) -> InstallPlan:
        manifest = package.manifest
        operators = tuple(entry.op_info.op for entry in manifest.operators)
        return InstallPlan(
            self.path, manifest.vendor, manifest.name, manifest.version, operators, package.folder, replaced
        )

    def _existing(self, vendor: str) -> tuple[str, ...]:
        vendors = self.vendors()
        if vendor and vendor not in vendors:
            raise self._not_installed(vendor)
        return (vendor,) if vendor else vendors

    def _no_version(self, wanted: Requirement, choices: Iterable[Choice]) -> NotFoundError:
        versions = sorted({choice.manifest.version for choice in choices}, key=version_order)
        hint = "name a folder with bundles: --from DIR"
        have = f"there {'is' if len(versions) == 1 else 'are'} {', '.join(versions)}; " if versions else ""
        return NotFoundError(f"{wanted} is not in {self.path}", have + hint)

    def _not_installed(self, vendor: str, name: str = "") -> NotFoundError:
        have = [package.manifest.key for package in self.packages()]
        hint = f"there: {', '.join(have)}" if have else "nothing is installed there"
        return NotFoundError(f"{vendor}{'/' + name if name else ''} is not installed in {self.path}", hint)

    def _disk_error(self, error: OSError) -> StoreError:
        where = error.filename if isinstance(error.filename, str) else str(self.path)
        if error.errno in _DENIED:
            hint = "install elsewhere with --install-path DIR, or as a user who may write there"
        else:
            hint = "make room there" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        return StoreError(f"cannot change {self.path}: {error.strerror or error} ({where})", hint, code="OPKG-6500")


def _installed(shown: Shown, *, active: bool = True) -> InstalledPackage:
    return InstalledPackage(shown.folder, shown.manifest, shown.digest, active)


def _version_in(shown: Iterable[Shown], name: str) -> str:
    """The version of a package among others; empty where it is not among them."""
    return next((one.manifest.version for one in shown if one.manifest.name == name), "")


def _as_bundle(choice: Choice) -> KeptPackage:
    if choice.folder is None:
        raise ValueError(choice)
    return KeptPackage(choice.folder, choice.manifest, choice.digest)


@contextmanager
def _opened(choice: Choice) -> Iterator[Bundle | KeptPackage]:
    """What was chosen, open for reading; a bundle may have changed since it was looked at."""
    if choice.bundle is None:
        yield _as_bundle(choice)
        return
    with open_bundle(choice.bundle) as bundle:
        if bundle.digest != choice.digest:
            raise StoreError(f"{choice.bundle} changed while it was read", "try again")
        yield bundle
