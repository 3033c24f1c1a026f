"""The fixed-length fields at the start of a bundle, which a shell executes and Python parses.

```
#!/bin/sh
# opkg bundle 1
opkg_seal=<64 hex> opkg_signature=<12>     seal: sha256 of the script without this line; signature: bytes at the end
opkg_stub=<12>                             bytes of the script, these lines included
opkg_manifest=<12>                         bytes of the manifest (JSON), which follows the script
opkg_manifest_sha256=<64 hex>
opkg_payload=<12>                          bytes of the files (tar.gz), which follow the manifest
opkg_payload_sha256=<64 hex>
```

Numbers are decimal, padded with spaces to 12 characters. The line with the seal is not under the seal, so a signature
can be added without changing what was signed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from opkg.errors import BundleError

MAGIC = b"#!/bin/sh\n# opkg bundle 1\n"
ANY_VERSION = b"#!/bin/sh\n# opkg bundle "
MAX_STUB = 1 << 20
MAX_MANIFEST = 16 << 20
MAX_SIGNATURE = 4096

_TEMPLATE = (
    "{magic}opkg_seal={seal} opkg_signature={signature:<12}\nopkg_stub={stub:<12}\nopkg_manifest={manifest:<12}\n"
    "opkg_manifest_sha256={manifest_sha256}\nopkg_payload={payload:<12}\nopkg_payload_sha256={payload_sha256}\n"
)
_NUMBER = rb"(\d{1,12}) *\n"
_HEX = rb"([0-9a-f]{64})"
_PATTERN = re.compile(
    re.escape(MAGIC)
    + rb"opkg_seal=" + _HEX + rb" opkg_signature=" + _NUMBER
    + rb"opkg_stub=" + _NUMBER + rb"opkg_manifest=" + _NUMBER + rb"opkg_manifest_sha256=" + _HEX + rb"\n"
    + rb"opkg_payload=" + _NUMBER + rb"opkg_payload_sha256=" + _HEX + rb"\n"
)  # fmt: skip


@dataclass(frozen=True)
class Header:
    """Sizes in bytes and checksums in hex of the parts of a bundle."""

    stub: int
    manifest: int
    manifest_sha256: str
    payload: int
    payload_sha256: str
    seal: str = "0" * 64
    signature: int = 0

    @property
    def total(self) -> int:
        """Bytes of the whole file."""
        return self.stub + self.manifest + self.payload + self.signature

    def encode(self) -> bytes:
        """The lines, always `HEADER_SIZE` bytes."""
        return _TEMPLATE.format(magic=MAGIC.decode(), **vars(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> Header:
        """Parse the first `HEADER_SIZE` bytes of a file.

        Raises:
            BundleError: not a bundle, of a newer format, or edited.
        """
        match = _PATTERN.fullmatch(data[:HEADER_SIZE])
        if match is None:
            if data.startswith(ANY_VERSION) and not data.startswith(MAGIC):
                raise BundleError("the bundle has a format that this opkg does not know", "install a newer opkg")
            raise BundleError("the file is not a bundle of opkg", "a bundle is made by: opkg build --pkg")
        seal, signature, stub, manifest, manifest_sha256, payload, payload_sha256 = (m.decode() for m in match.groups())
        header = cls(int(stub), int(manifest), manifest_sha256, int(payload), payload_sha256, seal, int(signature))
        if header.encode() != data[:HEADER_SIZE]:  # a shell would take a number with zeros before it for octal
            raise BundleError("the bundle's header is not in its one form", "copy or download it again")
        fits = HEADER_SIZE <= header.stub <= MAX_STUB and header.manifest <= MAX_MANIFEST
        if not fits or header.signature > MAX_SIGNATURE:
            raise BundleError("the bundle's header gives impossible sizes", "copy or download it again")
        return header


HEADER_SIZE = len(Header(0, 0, "0" * 64, 0, "0" * 64).encode())
_SEAL_LINE = slice(len(MAGIC), len(MAGIC) + len(f"opkg_seal={'0' * 64} opkg_signature={0:<12}\n"))


def seal_of(stub: bytes) -> str:
    """The seal of a script: sha256 of all of it but the line that holds the seal."""
    digest = hashlib.sha256(stub[: _SEAL_LINE.start])
    digest.update(stub[_SEAL_LINE.stop :])
    return digest.hexdigest()
