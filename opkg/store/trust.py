"""Whom an install root trusts: its keys, its policy, and the newest version that each package ever had in it.

<root>/.opkg/keys/<name>.pub         public keys whose signatures count here
<root>/.opkg/keys/require-signed     there where nothing else may be installed; a bundle's own installer looks too
<root>/.opkg/keys/newest.json        by package, the newest version that was installed under that policy
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.bundle import Manifest
from opkg.bundle.keys import PublicKey, read_public_key
from opkg.bundle.signature import check_signature
from opkg.errors import NotFoundError, SignatureError, StoreError
from opkg.registry import layout
from opkg.store.disk import Disk

if TYPE_CHECKING:
    from opkg.bundle import Bundle

_POLICY = "require-signed"
_NEWEST = "newest.json"
_SUFFIX = ".pub"


@dataclass(frozen=True)
class TrustedKey:
    """A key that a root trusts, and the name it has there."""

    name: str
    key: PublicKey
    path: Path


def trusted_keys(root: Path) -> tuple[TrustedKey, ...]:
    """The keys that a root trusts, by name.

    Raises:
        SignatureError: one of the files is damaged.
    """
    files = sorted(_folder(root).glob(f"*{_SUFFIX}"))
    return tuple(TrustedKey(file.name.removesuffix(_SUFFIX), read_public_key(file), file) for file in files)


def requires_signed(root: Path) -> bool:
    """Whether a root takes only packages that a trusted key signed."""
    return (_folder(root) / _POLICY).exists()


def check_trusted(root: Path, bundle: Bundle) -> TrustedKey:
    """The trusted key that signed a bundle.

    Raises:
        SignatureError: there is none; says why.
    """
    keys = trusted_keys(root)
    if not keys:
        raise SignatureError(
            f"{root} trusts no key yet, so nothing can be required to be signed", "'opkg key trust FILE.pub' adds one"
        )
    signer = check_signature(bundle)
    found = next((trusted for trusted in keys if trusted.key == signer), None)
    if found is None:
        names = ", ".join(trusted.name for trusted in keys)
        raise SignatureError(
            f"{bundle.path} is signed by the key {signer.id}, which {root} does not trust",
            f"trusted there: {names}; 'opkg key trust FILE.pub' adds another",
            code="OPKG-5210",
        )
    return found


def refuse_replay(root: Path, manifest: Manifest, known: Iterable[str], *, allow: bool) -> None:
    """Refuse a package that is older than one that the root has seen: whoever signed it may have mended it since.

    Args:
        root: the install root.
        manifest: of the package.
        known: versions of the package that the root has.
        allow: the user wants the older one.

    Raises:
        SignatureError: it is older, or the versions cannot be compared.
    """
    # Both are asked: what was deleted is only noted, and what came before the policy is only there.
    seen = _newest(root).get(manifest.key)
    for version in () if allow else filter(None, (seen, *known)):
        if version != manifest.version and not _is_newer(manifest.version, version):
            raise SignatureError(
                f"{manifest.key} {manifest.version} is not newer than {version}, which {root} has had",
                "--allow-downgrade installs it nevertheless",
                code="OPKG-5220",
            )


def trust_key(root: Path, disk: Disk, name: str, key: PublicKey) -> Path:
    """Trust a key from now on; the root's lock must be held.

    Raises:
        StoreError: the root trusts another key of that name.
    """
    file = _folder(root) / f"{name}{_SUFFIX}"
    if file.exists() and read_public_key(file) != key:
        raise StoreError(f"{root} trusts another key named '{name}'", "give this one another name: --name NAME")
    _write(root, disk, file.name, key.to_pem())
    return file


def untrust_key(root: Path, disk: Disk, name: str) -> None:
    """Do not trust a key any longer; the root's lock must be held.

    Raises:
        NotFoundError: the root does not trust a key of that name.
    """
    file = _folder(root) / f"{name}{_SUFFIX}"
    if not file.is_file():
        have = ", ".join(path.name.removesuffix(_SUFFIX) for path in sorted(_folder(root).glob(f"*{_SUFFIX}")))
        raise NotFoundError(f"{root} trusts no key named '{name}'", f"trusted there: {have or 'none'}")
    disk.remove(file)
    disk.sync(file.parent)


def set_policy(root: Path, disk: Disk, *, require_signed: bool) -> None:
    """Make a root take only signed packages, or any; the root's lock must be held.

    Raises:
        SignatureError: signatures would be required and no key is trusted, so that nothing could be installed.
    """
    if require_signed:
        if not trusted_keys(root):
            raise SignatureError(f"{root} trusts no key yet", "'opkg key trust FILE.pub' adds one; do that first")
        _write(root, disk, _POLICY, "Only packages that one of the keys beside this file signed may be installed.\n")
    elif requires_signed(root):
        disk.remove(_folder(root) / _POLICY)
        disk.sync(_folder(root))


def remember_version(root: Path, disk: Disk, manifest: Manifest) -> None:
    """Note a version that was installed under the policy; the root's lock must be held."""
    newest = _newest(root)
    before = newest.get(manifest.key)
    if before is None or (before != manifest.version and _is_newer(manifest.version, before)):
        text = json.dumps(
            {"format": 1, "versions": newest | {manifest.key: manifest.version}}, indent=1, sort_keys=True
        )
        _write(root, disk, _NEWEST, text + "\n")


def _folder(root: Path) -> Path:
    return root / layout.STATE_DIR / "keys"


def _newest(root: Path) -> dict[str, str]:
    file = _folder(root) / _NEWEST
    try:
        found = json.loads(file.read_text("utf-8"))["versions"]
        if isinstance(found, dict) and all(isinstance(version, str) for version in found.values()):
            return found
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise StoreError(f"{file} is damaged", "it names the newest version of each package; correct or remove it")


def _is_newer(version: str, than: str) -> bool:
    """Whether `version` is certainly the later one."""
    from packaging.version import InvalidVersion, Version

    try:
        # Versions that cannot be compared count as older, as this guards against going back.
        return Version(version) > Version(than)
    except InvalidVersion:
        return False


def _write(root: Path, disk: Disk, name: str, text: str) -> None:
    folder = _folder(root)
    if not folder.is_dir():
        disk.make_dir(folder)
        disk.sync(folder.parent)
    # Written beside and renamed: whoever reads meanwhile, or after a power cut, finds the old text or the new.
    fresh = folder / f".{name}.new"
    disk.remove(fresh)
    disk.write_file(fresh, [text.encode()])
    disk.sync(fresh)
    disk.rename(fresh, folder / name)
    disk.sync(folder)
