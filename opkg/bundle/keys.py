"""Keys for signatures: Ed25519, in the PEM files that openssl reads and writes too.

Public keys are read without `cryptography`; what computes with a key imports it late.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.bundle.names import NAME
from opkg.errors import SignatureError, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_SPKI = bytes.fromhex("302a300506032b6570032100")  # RFC 8410: SubjectPublicKeyInfo of Ed25519, without its 32 bytes
_PEM = re.compile(rb"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]{1,200})-----END PUBLIC KEY-----\s*")
_MAX_FILE = 1 << 16


@dataclass(frozen=True)
class PublicKey:
    """The 32 bytes of an Ed25519 key that everyone may know."""

    raw: bytes

    @property
    def id(self) -> str:
        """Short name of the key: the first 16 hex digits of its sha256."""
        return hashlib.sha256(self.raw).hexdigest()[:16]

    def to_pem(self) -> str:
        """The key as the text of a file."""
        body = base64.b64encode(_SPKI + self.raw).decode()
        return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"

    def verify(self, signature: bytes, message: bytes) -> bool:
        """Whether `signature` was made over `message` with the private half of this key.

        Raises:
            SignatureError: `cryptography` is not installed.
        """
        public, _ = _ed25519()
        from cryptography.exceptions import InvalidSignature

        try:
            public.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True)
class PrivateKey:
    """A key that signs; keep its file to yourself."""

    _key: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """The half that everyone may know."""
        return PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """64 bytes, the same each time for the same message."""
        return self._key.sign(message)


def key_folder() -> Path:
    """Where this user's own keys are: `$XDG_CONFIG_HOME/opkg/keys`, else `~/.config/opkg/keys`."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config.startswith("/") else Path.home() / ".config") / "opkg" / "keys"


def check_key_name(name: str) -> None:
    """Refuse a name that could not be a file's.

    Raises:
        UsageError: it could not.
    """
    if not NAME.match(name):
        raise UsageError(f"a key may not be named {name!r}", "letters, digits, '_', '-' and '.', at most 64")


def new_key(name: str, folder: Path) -> tuple[Path, Path]:
    """Make `<name>.key`, which only its owner may read, and `<name>.pub`.

    Raises:
        UsageError: one of the files exists.
        SignatureError: `cryptography` is not installed.
    """
    check_key_name(name)
    _, private = _ed25519()
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    files = folder / f"{name}.key", folder / f"{name}.pub"
    for file in files:
        # Links that lead nowhere as well: writing through one would put the key wherever it says.
        if os.path.lexists(file):
            raise UsageError(f"{file} exists", "a key is never overwritten; choose another name")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = private.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write_new(files[0], pem, 0o600)
    _write_new(files[1], PrivateKey(key).public.to_pem().encode(), 0o644)
    return files


def read_public_key(file: Path) -> PublicKey:
    """The key in a `.pub` file.

    Raises:
        SignatureError: it cannot be read or holds something else.
    """
    match = _PEM.fullmatch(_read(file))
    try:
        der = base64.b64decode(match[1]) if match else b""
    except binascii.Error:
        der = b""
    if len(der) != len(_SPKI) + 32 or not der.startswith(_SPKI):
        raise SignatureError(f"{file} is not a public key", "'opkg key new' makes a pair: NAME.key and NAME.pub")
    return PublicKey(der[len(_SPKI) :])


def read_private_key(file: Path) -> PrivateKey:
    """The key in a `.key` file.

    Raises:
        SignatureError: it cannot be read or holds something else, or `cryptography` is not installed.
    """
    _, private = _ed25519()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(_read(file), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, private):
        raise SignatureError(
            f"{file} is not a private key of Ed25519 without a password", "'opkg key new NAME' makes one"
        )
    return PrivateKey(key)


def find_key(text: str, suffix: str) -> Path:
    """The file that a user means: a path, or the name of one of their own keys.

    Args:
        text: as it was typed.
        suffix: `.key` or `.pub`.

    Raises:
        UsageError: there is no such file.
    """
    named = key_folder() / f"{text}{suffix}"
    for file in (Path(text), named):
        if file.is_file():
            return file
    raise UsageError(f"there is no key '{text}'", f"name a file, or one of 'opkg key list' (looked for {named})")


def _write_new(file: Path, content: bytes, mode: int) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as out:
        # Before the content: what is secret is never there with other permissions.
        os.fchmod(handle, mode)
        out.write(content)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_FILE)
    except OSError as error:
        raise SignatureError(f"cannot read the key {file}: {error.strerror}") from error


def _ed25519() -> tuple[type[Ed25519PublicKey], type[Ed25519PrivateKey]]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    except ImportError as error:
        raise SignatureError(
            "signatures need the package 'cryptography'", "pip install 'opkg[sign]'", code="OPKG-5290"
        ) from error
    return Ed25519PublicKey, Ed25519PrivateKey
