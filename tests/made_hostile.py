"""Bundles as an attacker makes them: every checksum right, everything else as wanted. And a judge for them."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from made_bundles import make_bundle

from opkg.bundle.header import HEADER_SIZE, Header, seal_of

BLOCK = 512
MEMORY = 320 << 20
"""Address space that a judge may use; an idle one takes about a tenth."""

SECONDS = 10.0
SENTENCE = 400
"""The longest message that is still a sentence."""


@dataclass(frozen=True)
class Parts:
    """A bundle taken apart."""

    body: bytes
    manifest: dict[str, Any]
    tar: bytes

    @property
    def manifest_bytes(self) -> bytes:
        return (json.dumps(self.manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode(
            errors="surrogatepass"
        )

    def with_manifest(self, edit: Callable[[dict[str, Any]], object]) -> bytes:
        """A bundle with an edited manifest and the same files."""
        copy = json.loads(json.dumps(self.manifest))
        edit(copy)
        return assemble(self.body, json.dumps(copy).encode(), gzip(self.tar))

    def with_text(self, manifest: bytes) -> bytes:
        """A bundle whose manifest is these bytes."""
        return assemble(self.body, manifest, gzip(self.tar))

    def with_tar(self, tar: bytes, *, packed: Callable[[bytes], bytes] | None = None) -> bytes:
        """A bundle whose files are this tar archive."""
        return assemble(self.body, self.manifest_bytes, (packed or gzip)(tar))

    def with_files(self, files: Iterable[tuple[str, bytes]]) -> bytes:
        """A bundle whose manifest and archive agree on these files."""
        files = list(files)
        entries = [{"path": n, "size": len(c), "sha256": hashlib.sha256(c).hexdigest()} for n, c in files]
        tar = b"".join(member(n.encode(errors="surrogatepass"), c) for n, c in files) + END
        manifest = self.manifest | {"files": entries}
        return assemble(self.body, json.dumps(manifest).encode(), gzip(tar))


def take_apart(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Parts:
    """An honest bundle of these files, taken apart."""
    data = make_bundle(folder / "honest.run", files=files or {"a": "first", "b/c": "second", "z": "last"}).read_bytes()
    header = Header.decode(data[:HEADER_SIZE])
    end = header.stub + header.manifest
    tar = zlib.decompress(data[end:], wbits=31)
    return Parts(data[HEADER_SIZE : header.stub], json.loads(data[header.stub : end]), tar)


def assemble(body: bytes, manifest: bytes, payload: bytes, signature: bytes = b"") -> bytes:
    """A bundle of these parts with the checksums that belong to them."""
    header = Header(
        HEADER_SIZE + len(body),
        len(manifest),
        hashlib.sha256(manifest).hexdigest(),
        len(payload),
        hashlib.sha256(payload).hexdigest(),
        signature=len(signature),
    )
    return replace(header, seal=seal_of(header.encode() + body)).encode() + body + manifest + payload + signature


def gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(6, wbits=31)
    return packer.compress(data) + packer.flush()


END = bytes(20 * BLOCK)


def member(name: bytes, content: bytes = b"", **other: Any) -> bytes:
    """A member of a tar archive, as `header` makes it, with its content."""
    return header(name, other.pop("size", len(content)), **other) + content + bytes(-len(content) % BLOCK)


def header(name: bytes, size: int | bytes, *, mode: bytes = b"0000644\0", kind: bytes = b"0", link: bytes = b"",
           magic: bytes = b"ustar  \0", prefix: bytes = b"", checksum: bytes | None = None) -> bytes:  # fmt: skip
    """A member's header; every field as wanted."""
    field = size if isinstance(size, bytes) else b"%011o\0" % size
    long = b"" if len(name) <= 100 else member(b"././@LongLink", name + b"\0", kind=b"L", mode=b"0000644\0")
    block = struct.pack(
        "100s8s8s8s12s12s8s1s100s8s32s32s8s8s155s12x",
        name[:100], mode, b"0000000\0", b"0000000\0", field, b"00000000000\0", b" " * 8, kind, link, magic,
        b"", b"", b"", b"", prefix,
    )  # fmt: skip
    total = checksum if checksum is not None else b"%06o\0 " % sum(block)
    return long + block[:148] + total + block[156:]


@dataclass(frozen=True)
class Verdict:
    """What became of one file: how it was refused, what that took, and what was touched."""

    name: str
    kind: str
    message: str
    hint: str
    seconds: float
    events: tuple[str, ...]
    written: tuple[str, ...]


class Corpus:
    """Judges files in a child with little memory, and counts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tried = 0
        self.peak = 0
        (folder / "files").mkdir()
        (folder / "honest").mkdir()
        self.parts = take_apart(folder / "honest")

    def judge(self, files: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> list[Verdict]:
        """What opkg says to each file, read, extracted and installed."""
        items = list(files.items() if isinstance(files, Mapping) else files)
        paths = []
        for number, (_, data) in enumerate(items):
            paths.append(self.folder / "files" / f"{number}.run")
            paths[-1].write_bytes(data)
        jail = self.folder / "pen" / "jail"
        jail.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, Path(__file__).parent / "hostile" / "judge.py", str(jail), str(MEMORY), *map(str, paths)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            env=os.environ | {"OPKG_NO_PLUGINS": "1", "HOME": str(jail / "home"), "XDG_CACHE_HOME": str(jail / "home")},
        )
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.peak = max(self.peak, lines.pop()["peak"])
        assert len(lines) == len(items)
        self.tried += len(items)
        for path in paths:
            path.unlink()
        return [
            Verdict(name, v["kind"], v["message"], v["hint"], v["seconds"], tuple(v["events"]), tuple(v["written"]))
            for (name, _), v in zip(items, lines, strict=True)
        ]

    def refuses(self, files: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> list[Verdict]:
        """Judge, and require of each that it is refused in one sentence, fast, with nothing touched or executed."""
        found = self.judge(files)
        for verdict in found:
            assert verdict.kind == "OpkgError", verdict
            assert verdict.message and verdict.message.isprintable() and len(verdict.message) <= SENTENCE, verdict
            assert verdict.hint.isprintable(), verdict
            assert verdict.seconds < SECONDS, verdict
            assert verdict.events == () and verdict.written == (), verdict
        return found
