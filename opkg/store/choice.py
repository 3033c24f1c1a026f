"""Which version of a package: those that a root keeps, and those of a folder with bundles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opkg.bundle import MANIFEST_NAME, Bundle, FileEntry, Manifest, open_bundle
from opkg.bundle.requirement import is_final, version_order
from opkg.bundle.tree import CHUNK
from opkg.errors import BundleError, NotFoundError, OpkgError, StoreError
from opkg.store.state import kept_packages, read_manifest


@dataclass(frozen=True)
class Choice:
    """A version of a package that can be put to use.

    Attributes:
        manifest: what it is.
        digest: sha256 of the manifest in hex.
        folder: where the root keeps it; None for a bundle.
        bundle: the file; None where the root has it.
    """

    manifest: Manifest
    digest: str
    folder: Path | None = None
    bundle: Path | None = None


@dataclass(frozen=True)
class KeptPackage:
    """A package in a folder of the root, read as a bundle is."""

    folder: Path
    manifest: Manifest
    digest: str

    @property
    def manifest_bytes(self) -> bytes:
        """The manifest as it lies in the folder."""
        return (self.folder / MANIFEST_NAME).read_bytes()

    def entries(self) -> Iterator[tuple[FileEntry, Iterator[bytes]]]:
        """Each file with its bytes in chunks."""
        return ((entry, chunks_of(self.folder / entry.path)) for entry in self.manifest.files)


def chunks_of(file: Path) -> Iterator[bytes]:
    """The bytes of a file."""
    with file.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def kept_choices(root: Path, vendor: str, name: str = "") -> list[Choice]:
    """The versions of a package, or all packages of a vendor, that a root holds; what cannot be read is left out."""
    found = []
    for folder in kept_packages(root, vendor):
        if name in ("", folder.parent.name):
            try:
                found.append(Choice(*read_manifest(folder), folder=folder))
            except OpkgError:
                continue
    return found


def offered(folder: Path | None) -> list[Choice]:
    """The bundles in a folder, by name. Only their scripts and manifests are read; other files are left out.

    Raises:
        NotFoundError: there is no such folder.
    """
    if folder is None:
        return []
    if not folder.is_dir():
        raise NotFoundError(f"{folder} is not a folder", "--from names a folder with .run files")
    found = []
    for file in sorted(folder.glob("*.run")):
        try:
            with open_bundle(file) as bundle:
                found.append(Choice(bundle.manifest, bundle.digest, bundle=file))
        except BundleError:
            continue
    return found


def newest(choices: Iterable[Choice], accepts: Callable[[str], bool] = lambda _: True) -> Choice | None:
    """The newest version that is accepted: a pre-release only where there is nothing else, the last of equal ones."""
    fitting = [choice for choice in choices if accepts(choice.manifest.version)]
    finals = [choice for choice in fitting if is_final(choice.manifest.version)]
    # `max` takes the first of equals, and callers name what is kept here after what a folder offers.
    return max(reversed(finals or fitting), key=lambda choice: version_order(choice.manifest.version), default=None)


@contextmanager
def opened(choice: Choice) -> Iterator[Bundle | KeptPackage]:
    """What was chosen, open for reading; a bundle may have changed since it was looked at."""
    if choice.folder is not None:
        yield KeptPackage(choice.folder, choice.manifest, choice.digest)
        return
    if choice.bundle is None:
        raise ValueError(choice)
    with open_bundle(choice.bundle) as bundle:
        if bundle.digest != choice.digest:
            raise StoreError(f"{choice.bundle} changed while it was read", "try again")
        yield bundle
