"""What a build returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.bundle.manifest import Manifest


@dataclass(frozen=True)
class BuildResult:
    """A built package.

    Attributes:
        package: the staged package: a folder with `opkg-package.json`.
        bundle: the `.run` file, if one was asked for.
        rebuilt: one line for each thing that was compiled anew, with the reason; empty where nothing was to do.
    """

    package: Path
    bundle: Path | None = None
    rebuilt: tuple[str, ...] = ()

    @property
    def manifest(self) -> Manifest:
        """The package's manifest, read when it is asked for: a build with nothing to do does not need it."""
        from opkg.bundle.manifest import MANIFEST_NAME, Manifest

        return Manifest.from_json((self.package / MANIFEST_NAME).read_text("utf-8"))
