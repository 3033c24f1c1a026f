"""Packing a package's folder into one file that installs itself."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from opkg.bundle.header import HEADER_SIZE, Header, seal_of
from opkg.bundle.manifest import Manifest
from opkg.bundle.names import check_fields, check_identity
from opkg.bundle.payload import check_ratio, write_payload
from opkg.bundle.shape import check_shape, parse_json
from opkg.bundle.tree import CHUNK, hash_tree
from opkg.errors import BundleError

_STUB = Path(__file__).with_name("stub.sh")


def write_bundle(tree: Path, manifest: Manifest, out: Path) -> Path:
    """Pack the files below `tree` into the bundle `out`; the same files and manifest give the same bytes.

    The manifest's `files` are filled in from the tree. `out` appears whole or not at all.

    Raises:
        BundleError: the tree holds something that may not travel, or the manifest's names are malformed.
    """
    tree, out = Path(tree), Path(out)
    check_identity(manifest)
    manifest = replace(manifest, files=hash_tree(tree))
    if not manifest.files:
        raise BundleError(f"{tree} has no files to pack", "build the package first")
    check_fields(manifest)
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    try:
        with os.fdopen(handle, "w+b") as stream:
            _write(stream, tree, manifest)
            os.fchmod(stream.fileno(), 0o755)
        os.replace(temporary, out)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink()
        raise
    return out


def _write(stream: BinaryIO, tree: Path, manifest: Manifest) -> None:
    body = _STUB.read_bytes()[HEADER_SIZE:]
    text = manifest.to_json().encode()
    # What this opkg writes it must be able to read; a plugin's or a caller's manifest may hold anything.
    check_shape(parse_json(text))
    start = HEADER_SIZE + len(body) + len(text)
    stream.seek(start)
    # The header comes first in the file and last in time: it has the sizes and checksums of all the rest.
    write_payload(tree, manifest.files, stream)
    payload = stream.tell() - start
    check_ratio(manifest.files, payload)
    stream.seek(start)
    payload_sha256 = hashlib.sha256()
    while chunk := stream.read(CHUNK):
        payload_sha256.update(chunk)
    header = Header(
        stub=HEADER_SIZE + len(body),
        manifest=len(text),
        manifest_sha256=hashlib.sha256(text).hexdigest(),
        payload=payload,
        payload_sha256=payload_sha256.hexdigest(),
    )
    header = replace(header, seal=seal_of(header.encode() + body))
    stream.seek(0)
    stream.write(header.encode() + body + text)
