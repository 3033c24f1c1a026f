"""The local cache of compiled models: what an engine made of a model on this machine, kept for the next load.

Losing an entry costs a compilation, so nothing here raises: what cannot be read is made again, what cannot be written
is not kept. The least recently used entries go when the cache holds more than `OPKG_CACHE_MB` megabytes (default 2048;
0 keeps nothing).
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from opkg.plugins.scan import cache_dir
from opkg.runtime.files import replace_file

_DEFAULT_MB = 2048
_HEADER = 64
_MAGIC = b"opkg compiled 1\n"
_SUFFIX = ".blob"


def cache_key(parts: Iterable[str]) -> str:
    """The name of the entry that belongs to all of `parts` together."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def blob_dir() -> Path:
    """The folder with the entries."""
    return Path(cache_dir()) / "models"


def enabled() -> bool:
    """Whether the cache may hold anything."""
    return _limit() > 0


def find_blob(key: str) -> memoryview | None:
    """The compiled model under `key`, mapped into memory; None if there is none or it is damaged."""
    path = blob_dir() / (key + _SUFFIX)
    try:
        with path.open("rb") as file:
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    blob = view[_HEADER:]
    # Engines trust what they are given: a wrong bit would crash the process, or change the results.
    if view[:_HEADER] != _header(blob):
        drop_blob(key)
        return None
    with suppress(OSError):
        # What was used last is told by the time of change, as many file systems keep no time of reading.
        os.utime(path)
    return blob


def keep_blob(key: str, blob: bytes) -> None:
    """Keep a compiled model under `key`, and make room for it."""
    limit = _limit()
    # It would push everything else out, and then itself.
    if len(blob) + _HEADER > limit:
        return
    folder = blob_dir()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / (key + _SUFFIX), [_header(blob), blob])
        _shrink(folder, limit)


def drop_blob(key: str) -> None:
    """Forget the entry under `key`."""
    with suppress(OSError):
        (blob_dir() / (key + _SUFFIX)).unlink()


def _header(blob: bytes | memoryview) -> bytes:
    return (_MAGIC + hashlib.sha256(blob).digest()).ljust(_HEADER, b"\0")


def _limit() -> int:
    text = os.environ.get("OPKG_CACHE_MB", "")
    return (int(text) if text.isdecimal() else _DEFAULT_MB) << 20


def _shrink(folder: Path, limit: int) -> None:
    entries = []
    for path in folder.glob("*" + _SUFFIX):
        with suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= limit:
            break
        path.unlink(missing_ok=True)
        total -= size
