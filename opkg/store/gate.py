"""What may come into an install root: refusals before anything changes, those of plugins too."""

from __future__ import annotations

import shutil
from dataclasses import replace

from opkg.bundle import Bundle, Manifest
from opkg.errors import ConflictError, SignatureError, StoreError
from opkg.plugins import collect
from opkg.plugins.types import InstallPlan
from opkg.registry import layout
from opkg.registry.machine import shortcomings
from opkg.store import change as changes
from opkg.store import trust
from opkg.store.adopt import is_untouched
from opkg.store.choice import KeptPackage
from opkg.store.history import Entry
from opkg.store.probe import faults
from opkg.store.reading import Reading
from opkg.store.state import VendorState, read_state
from opkg.store.view import Shown


class Gate(Reading):
    """The part of a root that refuses."""

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
