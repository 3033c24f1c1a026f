"""Everything that the store does to a disk, one small method each: the seam at which tests stop it."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NO_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})
_NO_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP})


class Disk:
    """Writes to a file system. Permissions never depend on the umask; nothing is durable before it is synced."""

    def make_dir(self, path: Path) -> None:
        """Make one folder that everyone may read."""
        path.mkdir()
        path.chmod(0o755)

    def write_file(self, path: Path, chunks: Iterable[bytes], mode: int = 0o644) -> None:
        """Write a new file."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(handle, "wb") as out:  # noqa: PTH123 - buffered, since a raw write may take a part and say nothing
            for chunk in chunks:
                out.write(chunk)
            # The umask took its part of the mode that the file was made with.
            os.fchmod(handle, mode)

    def link(self, source: Path, target: Path) -> None:
        """Make `target` the same file as `source`, or a copy of it where the file system has no hard links."""
        try:
            os.link(source, target)
        except OSError as error:
            # Across file systems, on some that have no hard links, and beyond a file's most links a copy does as well.
            if error.errno not in _NO_LINK:
                raise
            shutil.copy(source, target)

    def symlink(self, target: Path, path: Path) -> None:
        """Make a symbolic link at `path`."""
        path.symlink_to(target)

    def rename(self, source: Path, target: Path) -> None:
        """Move, replacing a file or link at `target`, in one step."""
        os.rename(source, target)  # noqa: PTH104

    def exchange(self, one: Path, other: Path) -> bool:
        """Swap two names in one step; False where the system cannot do that."""
        # Not in Python's `os`; an old libc lacks it, and an old kernel or another file system refuses it.
        renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if renameat2 is None:
            return False
        names = os.fsencode(one), os.fsencode(other)
        if renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0:
            return True
        code = ctypes.get_errno()
        if code in _NO_EXCHANGE:
            return False
        raise OSError(code, os.strerror(code), str(other))

    def set_mode(self, path: Path, mode: int) -> None:
        """Set the permissions of a file or folder."""
        path.chmod(mode)

    def remove(self, path: Path) -> None:
        """Remove a file or link; nothing to do where there is none."""
        path.unlink(missing_ok=True)

    def remove_tree(self, path: Path) -> None:
        """Remove a folder and all in it, even where its folders are read-only; nothing to do where there is none."""
        if path.is_dir():
            shutil.rmtree(path, onerror=_unlock)

    def sync(self, path: Path) -> None:
        """Make one file, or the names in one folder, survive a power cut."""
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def sync_all(self, path: Path) -> None:
        """Make everything below `path` survive a power cut: one call for the whole file system, not one a file."""
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
            if syncfs is None:
                os.sync()
            elif syncfs(handle) != 0:
                code = ctypes.get_errno()
                raise OSError(code, os.strerror(code), str(path))
        finally:
            os.close(handle)


def _unlock(function: object, path: str, _: object) -> None:
    """Called by rmtree for what it could not remove: give the folder above write permission and try once more."""
    Path(path).parent.chmod(0o755)
    if Path(path).is_dir() and not Path(path).is_symlink():
        Path(path).chmod(0o755)
        shutil.rmtree(path)
    else:
        Path(path).unlink(missing_ok=True)
