"""The values that the store hands out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opkg.bundle import Manifest


@dataclass(frozen=True)
class InstalledPackage:
    """A package in an install root.

    Attributes:
        path: its folder.
        manifest: what it is.
        digest: sha256 of the manifest in hex.
        active: whether the vendor's view shows it; False for a version that is kept for going back.
    """

    path: Path
    manifest: Manifest
    digest: str
    active: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "vendor": self.manifest.vendor,
            "name": self.manifest.name,
            "version": self.manifest.version,
            "operators": [entry.op_info.op for entry in self.manifest.operators],
            "digest": self.digest,
            "path": str(self.path),
            "active": self.active,
        }


@dataclass(frozen=True)
class InstallResult:
    """What an installation did.

    Attributes:
        root: the install root.
        package: the package as it is now.
        view: `vendors/<vendor>`, for programs that know CANN's layout.
        replaced: version that was active before; empty where the package is new.
        adopted: names of packages that a folder of another installer was turned into.
        changed: False where the same package was already there, whole.
        shared: operators that another package of the root has too, as (`domain::Type`, `vendor/name`).
        signed_by: name of the trusted key that signed it; empty where no signature was required.
    """

    root: Path
    package: InstalledPackage
    view: Path
    replaced: str = ""
    adopted: tuple[str, ...] = ()
    changed: bool = True
    shared: tuple[tuple[str, str], ...] = ()
    signed_by: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "root": str(self.root),
            **self.package.to_dict(),
            "view": str(self.view),
            "replaced": self.replaced,
            "adopted": list(self.adopted),
            "changed": self.changed,
            "shared": [{"operator": operator, "package": package} for operator, package in self.shared],
            "signed_by": self.signed_by,
        }


@dataclass(frozen=True)
class Problem:
    """A difference between what is installed and what a manifest says.

    Attributes:
        vendor: of the package.
        name: of the package; empty where the vendor's view as a whole is concerned.
        kind: `missing`, `changed`, `extra` or `unreadable`.
        path: the file.
    """

    vendor: str
    name: str
    kind: str
    path: Path

    def to_dict(self) -> dict[str, str]:
        """As `--json` prints it."""
        return {"vendor": self.vendor, "name": self.name, "kind": self.kind, "path": str(self.path)}
