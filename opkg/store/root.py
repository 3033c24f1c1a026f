"""An install root: the API of the store."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from opkg.bundle import open_bundle
from opkg.bundle.keys import PublicKey
from opkg.bundle.requirement import Requirement, parse_requirement, version_order
from opkg.errors import NotFoundError
from opkg.registry import layout
from opkg.store import change as changes
from opkg.store import elsewhere, trust
from opkg.store.choice import Choice, kept_choices, newest, offered, opened
from opkg.store.conflicts import Wins
from opkg.store.garbage import Unused, unused
from opkg.store.history import Entry, read_history
from opkg.store.lockfile import Lock, lock_of, with_required
from opkg.store.model import InstalledPackage, InstallResult
from opkg.store.rollback import way_back
from opkg.store.state import read_state
from opkg.store.steps import Steps


class Root(Steps):
    """A folder with `vendors/` in it.

    Reading takes no lock and works where nothing can be written. A change is made whole or not at all, by one process
    at a time; what a killed one left behind is finished or undone by the next change.

    Args:
        path: the folder; made by the first installation.
        disk: what writes; tests pass their own.
        wait: seconds to wait for another process that is changing the root.
        machine: what packages must fit; this machine where none is given.
    """

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
            # Before the lock is taken: nobody need wait for a bundle that is refused anyway.
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
            with opened(chosen) as kept:
                return self._install(kept, force=force, adopt=False, wins=wins, command=command)

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
                require comes along. Those that a plugin brings are locked with where they come from.
            source: a folder with bundles; the checksums of those that carry the packages are noted.

        Raises:
            NotFoundError: a package, or something that is required, is not here.
        """
        active = {p.manifest.key: (p.manifest, p.digest) for p in self.packages()}
        if packages is None:
            return lock_of(self.path, active.values(), offered(source))
        seeds = list(packages)
        others = elsewhere.outside(self.path, seeds)
        digests = {one.digest for one in others}
        chosen = with_required(self.path, (seed for seed in seeds if seed[2] not in digests), active)
        lock = lock_of(self.path, chosen, offered(source))
        return replace(lock, packages=(*lock.packages, *others))

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
            NotFoundError: packages are neither kept here nor in the folder, or what a plugin brings is not there as
                it was; names them all.
            ConflictError, SignatureError, StoreError: as for `install`.
        """
        elsewhere.require(self.path, [one for one in lock.packages if one.source])
        lock = replace(lock, packages=tuple(one for one in lock.packages if not one.source))
        # By digest: a lock means these very files, whatever the bundle is called.
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
                # Nothing to install, only another order: a change needs one vendor that it shows, be it the same as
                # before.
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

    def _no_version(self, wanted: Requirement, choices: Iterable[Choice]) -> NotFoundError:
        versions = sorted({choice.manifest.version for choice in choices}, key=version_order)
        hint = "name a folder with bundles: --from DIR"
        have = f"there {'is' if len(versions) == 1 else 'are'} {', '.join(versions)}; " if versions else ""
        return NotFoundError(f"{wanted} is not in {self.path}", have + hint)
