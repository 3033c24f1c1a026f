"""The signature at the end of a bundle.

```
opkg signature 1
ed25519 <64 hex>      the public key
<128 hex>             its signature over "opkg bundle 1\\n" and the bundle's seal in hex
```

The seal covers the script with its header, and the header has the checksums of manifest and files: the signature is
over all of the bundle but itself and its own length.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.bundle.header import HEADER_SIZE, Header
from opkg.bundle.keys import PublicKey
from opkg.errors import BundleError, SignatureError

if TYPE_CHECKING:
    from opkg.bundle.keys import PrivateKey
    from opkg.bundle.reader import Bundle

_PATTERN = re.compile(rb"opkg signature 1\ned25519 ([0-9a-f]{64})\n([0-9a-f]{128})\n")
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Signature:
    """Who claims to have made a bundle, and the proof."""

    key: PublicKey
    value: bytes

    def encode(self) -> bytes:
        """The bytes at the end of a bundle."""
        return f"opkg signature 1\ned25519 {self.key.raw.hex()}\n{self.value.hex()}\n".encode()

    @classmethod
    def decode(cls, data: bytes) -> Signature:
        """Parse `encode`'s bytes.

        Raises:
            BundleError: they are something else.
        """
        match = _PATTERN.fullmatch(data)
        if match is None:
            raise BundleError("the bundle's signature is damaged, or of a newer opkg", "copy or download it again")
        return cls(PublicKey(bytes.fromhex(match[1].decode())), bytes.fromhex(match[2].decode()))


def check_signature(bundle: Bundle) -> PublicKey:
    """The key that signed a bundle. Whether that key is to be trusted is the caller's question.

    The files are not read: they are compared with what was signed whenever they are.

    Raises:
        SignatureError: the bundle is not signed, or the signature was made for something else.
    """
    signature = bundle.signature
    if signature is None:
        raise SignatureError(f"{bundle.path} is not signed", "'opkg sign FILE --key K' signs a bundle")
    if not signature.key.verify(signature.value, _message(bundle.header)):
        raise SignatureError(
            f"the signature of {bundle.path} does not match what is in it",
            "it was changed after it was signed; do not use it",
        )
    return signature.key


def sign_bundle(path: Path, key: PrivateKey) -> Signature:
    """Sign a bundle in place, in one step; a signature that it has is replaced. The same key gives the same bytes.

    Raises:
        BundleError: the file is not a bundle, or damaged.
    """
    from opkg.bundle.reader import open_bundle

    path = Path(path).resolve()
    with open_bundle(path) as bundle:
        bundle.verify()
        header = bundle.header
        signature = Signature(key.public, key.sign(_message(header)))
    _rewrite(path, header, signature.encode())
    return signature


def _message(header: Header) -> bytes:
    return b"opkg bundle 1\n" + header.seal.encode()


def _rewrite(path: Path, header: Header, block: bytes) -> None:
    import tempfile

    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out, path.open("rb") as source:
            out.write(replace(header, signature=len(block)).encode())
            source.seek(HEADER_SIZE)
            left = header.total - header.signature - HEADER_SIZE
            while left and (chunk := source.read(min(left, _CHUNK))):
                out.write(chunk)
                left -= len(chunk)
            if left:
                raise BundleError(f"{path} changed while it was signed", "try again")
            out.write(block)
            out.flush()
            os.fchmod(out.fileno(), os.fstat(source.fileno()).st_mode & 0o7777)
            os.fsync(out.fileno())
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink()
        raise
