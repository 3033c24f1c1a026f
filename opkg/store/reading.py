"""What an install root holds, as the store hands it out: no lock, and nothing is written."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from opkg.errors import NotFoundError
from opkg.registry import layout
from opkg.registry.machine import Machine
from opkg.store import change as changes
from opkg.store import verification
from opkg.store.disk import Disk
from opkg.store.environment import environment_of
from opkg.store.garbage import Unused, unused
from opkg.store.history import Entry, read_history
from opkg.store.model import InstalledPackage, Problem
from opkg.store.state import followed, kept_packages, kept_vendors, read_manifest, read_state
from opkg.store.view import Shown


class Reading:
    """The part of a root that only reads.

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

    def vendors(self) -> tuple[str, ...]:
        """The vendors in this root, by `load_priority`, then by name."""
        return layout.vendor_names(self.path)

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
            active = [installed(shown) for shown in read_state(self.path, name).shown]
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

    def _existing(self, vendor: str) -> tuple[str, ...]:
        vendors = self.vendors()
        if vendor and vendor not in vendors:
            raise self._not_installed(vendor)
        return (vendor,) if vendor else vendors

    def _not_installed(self, vendor: str, name: str = "") -> NotFoundError:
        have = [package.manifest.key for package in self.packages()]
        hint = f"there: {', '.join(have)}" if have else "nothing is installed there"
        return NotFoundError(f"{vendor}{'/' + name if name else ''} is not installed in {self.path}", hint)


def installed(shown: Shown, *, active: bool = True) -> InstalledPackage:
    """A package as the store hands it out."""
    return InstalledPackage(shown.folder, shown.manifest, shown.digest, active)
