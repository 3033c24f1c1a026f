"""The folders of one build, and how they are called: to the compiler, and to people."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from opkg.errors import BuildError, hint_of
from opkg.paths import native_dir

_PLAIN = re.compile(r"[\w./+\-@,:~% ]*\Z")


class Workspace:
    """Where a build reads and writes.

    CMake and depfiles cannot carry every character that a path may have. A path with quotes, semicolons or the like is
    given to them through a link with a plain name; messages turn it back.

    Attributes:
        root: the project.
        out: the folder for results.
        work: the build's own files, below `out`.
        cmake: the CMake build tree.
        generated: generated sources.
        package: the staged package.
        log: everything that tools printed in the last build that ran any.
    """

    def __init__(self, root: Path, out: Path) -> None:
        self.root = root
        self.out = out
        self.work = out / ".opkg"
        self.cmake = self.work / "cmake"
        self.generated = self.work / "src"
        self.package = out / "package"
        self.log = self.work / "build.log"
        self.state = self.work / "state.json"
        self._links = {path: self._alias(path) for path in (root, out, native_dir())}

    def tool_path(self, path: Path) -> Path:
        """`path` as compilers and CMake get it."""
        for real, alias in self._by_depth():
            if path.is_relative_to(real):
                return alias / path.relative_to(real)
        return path

    def show(self, path: str | Path) -> str:
        """A path out of a tool's message as people know it: below the project where it is inside."""
        real = Path(path)
        for origin, alias in self._by_depth():
            if real.is_relative_to(alias):
                real = origin / real.relative_to(alias)
                break
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else str(real)

    def is_own(self, path: str | Path) -> bool:
        """Whether a path out of a tool's message is one of the user's files."""
        shown = self.show(path)
        inside = self.work.relative_to(self.root).as_posix() + "/" if self.work.is_relative_to(self.root) else ""
        return not shown.startswith("/") and not (inside and shown.startswith(inside))

    def prefix_maps(self) -> list[str]:
        """`from=to` pairs that keep this machine's folders out of binaries; later ones go first."""
        places = [(self.root, ""), (self.work, "build/"), (native_dir(), "opkg/")]
        return [f"{self.tool_path(place)}/={name}" for place, name in places]

    def make(self) -> None:
        """Make the folders, and the links where there must be any.

        Raises:
            BuildError: that is not possible.
        """
        try:
            self.generated.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        for real, alias in self._links.items():
            if alias != real:
                _link(alias, real)

    @contextmanager
    def locked(self, log: Callable[[str], None]) -> Iterator[None]:
        """Hold the build's lock; says so where another build must be waited for."""
        try:
            # Not emptied by opening: it says which process holds the lock.
            lock = (self.work / "lock").open("a+")
        except OSError as error:
            raise self._unwritable(error) from error
        with lock as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                log(f"another 'opkg build' (process {file.read().strip() or 'unknown'}) works here; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def _unwritable(self, error: OSError) -> BuildError:
        hint = hint_of(error, " with --out") or "name another place with --out"
        return BuildError(f"cannot write to {self.out}: {error.strerror}", hint, code="OPKG-4012")

    def _by_depth(self) -> list[tuple[Path, Path]]:
        # The innermost first: the folder for results mostly lies in the project, with a link of its own.
        return sorted(self._links.items(), key=lambda item: -len(item[0].parts))

    def _alias(self, path: Path) -> Path:
        if _PLAIN.match(str(path)):
            return path
        import tempfile

        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        return Path(tempfile.gettempdir(), f"opkg-{os.getuid()}", digest)


def _link(alias: Path, real: Path) -> None:
    parent = alias.parent
    parent.mkdir(mode=0o700, exist_ok=True)
    # Everybody can make that folder in /tmp, and whoever owns it decides which files the compiler reads.
    if parent.is_symlink() or parent.stat().st_uid != os.getuid():
        raise BuildError(f"{parent} belongs to somebody else", "set TMPDIR to a folder of your own", code="OPKG-4012")
    if not alias.is_symlink() or alias.readlink() != real:
        alias.unlink(missing_ok=True)
        alias.symlink_to(real)
