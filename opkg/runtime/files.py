"""Writing a file in one step, for models and caches."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def replace_file(path: Path, chunks: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write `chunks` beside `path`, make them durable, and rename them into place.

    Raises:
        OSError: the folder is missing or cannot be written; nothing is left behind.
    """
    # Without the file's own name, to which nothing can be added where it has 255 bytes.
    temporary = path.with_name(f".opkg-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666), "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            # Before the name: after a power cut a name without its content would be a damaged model.
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
