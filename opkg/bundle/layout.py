"""Where things are in an install root, for those who only read it.

```
<root>/vendors/<vendor>          a view: symbolic link to the vendor's current generation, or a real folder that
                                 holds one package (a bundle's own installer made it) or a stranger's operators
<root>/vendors/config.ini        load_priority=<vendor>,<vendor>,...   newest first
<root>/.opkg/packages/<vendor>/<name>/<version>-<digest>/      one package, never changed once it is there
<root>/.opkg/generations/<vendor>/<n>/opkg-view.json           which packages this generation shows
```

Nothing here takes a lock or writes: a root that cannot be written can still be read, and a reader sees the state
before or after a change, never one in between.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from opkg.bundle.manifest import MANIFEST_NAME, Manifest
from opkg.bundle.names import VIEW_NAME
from opkg.errors import StoreError

PRIVATE = ".opkg"
"""The folder below an install root that only opkg writes to."""

SYSTEM_ROOT = Path("/usr/local/opkg")
"""Where a package goes that the superuser installs without saying where."""


@dataclass(frozen=True)
class VendorFolder:
    """What `vendors/<vendor>` (or an entry of ASCEND_CUSTOM_OPP_PATH) is.

    Attributes:
        path: the folder as it was named.
        packages: folders of the packages in it, each with a manifest; empty for a stranger's.
        kind: `view` (made by opkg's store), `bare` (one package, put there by a bundle's own installer) or `foreign`.
        generation: number of the generation that a view shows, else 0.
    """

    path: Path
    packages: tuple[Path, ...]
    kind: str
    generation: int = 0


def default_root() -> Path:
    """The install root when none is named.

    The first of: the first entry of ASCEND_CUSTOM_OPP_PATH (which may be a root or a `<root>/vendors/<vendor>` in it,
    as `set_env.bash` sets it), ASCEND_OPP_PATH, `/usr/local/opkg` for the superuser, `$XDG_DATA_HOME/opkg` (that is
    `~/.local/share/opkg`) for everyone else. The installer inside a bundle follows the same order.
    """
    for entry in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":"):
        if entry.strip("/"):
            trimmed = entry.rstrip("/")
            return absolute(trimmed.rpartition("/vendors/")[0] or trimmed)
    if os.environ.get("ASCEND_OPP_PATH"):
        return absolute(os.environ["ASCEND_OPP_PATH"])
    return SYSTEM_ROOT if os.geteuid() == 0 else user_root()


def user_root() -> Path:
    """Where a package goes that an ordinary user installs without saying where."""
    return absolute(os.environ.get("XDG_DATA_HOME") or "~/.local/share") / "opkg"


def absolute(path: str | Path) -> Path:
    """`path` with `~` expanded and made absolute; symbolic links stay as they are."""
    return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - resolve() would follow links


def read_priority(root: Path) -> tuple[str, ...]:
    """The vendors of `load_priority` in `<root>/vendors/config.ini`, first wins; empty where there is none."""
    try:
        text = (root / "vendors" / "config.ini").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    found: dict[str, None] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip() == "load_priority":
            found.update(dict.fromkeys(vendor.strip() for vendor in value.split(",") if vendor.strip()))
    return tuple(found)


def list_vendors(root: Path) -> tuple[str, ...]:
    """The vendors that have a folder in `root`: those of `load_priority` in its order, then the others by name."""
    try:
        names = {entry.name for entry in os.scandir(root / "vendors") if entry.name[0] != "." and entry.is_dir()}
    except OSError:
        return ()
    listed = [vendor for vendor in read_priority(root) if vendor in names]
    return (*listed, *sorted(names.difference(listed)))


def read_vendor(path: Path) -> VendorFolder:
    """What is in one vendor's folder.

    Raises:
        StoreError: a view whose list of packages cannot be read.
    """
    try:
        # Resolved once: a switch to another generation between two reads must not mix them.
        real = path.resolve(strict=True)
        view = json.loads((real / VIEW_NAME).read_text(encoding="utf-8"))
        folders = tuple(Path(os.path.normpath(real / entry["path"])) for entry in view["packages"])
        return VendorFolder(path, folders, "view", int(view["generation"]))
    except FileNotFoundError:
        bare = (path / MANIFEST_NAME).is_file()
        return VendorFolder(path, (path,) if bare else (), "bare" if bare else "foreign")
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise StoreError(f"the list of packages in {path} cannot be read: {error}", "install them again") from error


def read_manifest(package: Path) -> tuple[Manifest, str]:
    """The manifest in a package's folder and its digest (sha256 of its bytes, in hex).

    Raises:
        StoreError: it is missing or cannot be read.
        BundleError: it is damaged.
    """
    try:
        data = (package / MANIFEST_NAME).read_bytes()
        return Manifest.from_json(data.decode()), hashlib.sha256(data).hexdigest()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"the manifest of the package in {package} cannot be read: {error}") from error
