"""The index on disk: one SQLite file for each list of sources, made anew when what it was made from has changed.

A file is written beside and renamed, so any number of processes may read and rebuild at the same time. Where the cache
cannot be written the index lives in memory; where it is damaged it is made again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg import __version__
from opkg.plugins.scan import cache_dir
from opkg.registry.watch import Watch, state

if TYPE_CHECKING:
    from opkg.registry.packages import Found
    from opkg.registry.sources import Source

_FORMAT = 2
_KEEP = 32  # files in the cache; every list of sources that was ever used has one
_PACKAGE = "vendor,name,version,domain,root,n_operators,lacks,target,soc,os,arch,isa,abi,glibc,host_library,digest"
_OPERATOR = "op_type,domain,since,alias,op_info,columns"
_SCHEMA = f"""
CREATE TABLE meta (format INTEGER, settled INTEGER, sources TEXT, watched TEXT);
CREATE TABLE packages (id INTEGER PRIMARY KEY, source INTEGER, state TEXT, {_PACKAGE});
CREATE TABLE operators (package INTEGER, {_OPERATOR});
"""
_INDEXES = """
CREATE INDEX operators_by_type ON operators (op_type);
CREATE INDEX operators_by_package ON operators (package);
CREATE INDEX packages_by_root ON packages (root);
"""


class Index:
    """A readable index over a list of sources."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        self._file = _cache_file(self.sources)
        # A damaged or stale index is never an error: everything in it can be read again.
        self._connection = self._open() or self._rebuild()

    def rows(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        """The result of a query; a damaged file is made again first."""
        try:
            return self._connection.execute(query, arguments).fetchall()
        except sqlite3.DatabaseError:
            self._connection.close()
            self._connection = self._rebuild()
            return self._connection.execute(query, arguments).fetchall()

    def _open(self) -> sqlite3.Connection | None:
        """The index in the cache, if it is there and tells the truth."""
        try:
            # `immutable`: the file is only ever replaced, so SQLite need not lock it, which hangs on some network file
            # systems.
            connection = _connect(f"{self._file.absolute().as_uri()}?mode=ro&immutable=1")
        except sqlite3.Error:
            return None
        try:
            if _is_current(connection, self.sources):
                return connection
        except (sqlite3.DatabaseError, ValueError, TypeError):
            pass
        connection.close()
        return None

    def _rebuild(self) -> sqlite3.Connection:
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            draft.unlink(missing_ok=True)
            connection = _connect(str(draft))
        except (OSError, sqlite3.Error):
            return self._in_memory()
        try:
            _build(connection, self.sources, self._file)
            # The connection stays on what it has built: under the final name another process may just have put an
            # older state, which the next opening finds out.
            draft.replace(self._file)
            _prune(self._file.parent)
            return connection
        except (OSError, sqlite3.Error):
            connection.close()
            draft.unlink(missing_ok=True)
            return self._in_memory()

    def _in_memory(self) -> sqlite3.Connection:
        connection = _connect(":memory:")
        _build(connection, self.sources, None)
        return connection


def _connect(name: str) -> sqlite3.Connection:
    return sqlite3.connect(name, uri=name.startswith("file:"), isolation_level=None, check_same_thread=False)


def _cache_file(sources: Sequence[Source]) -> Path:
    # Another opkg may read more out of the same package.
    key = zlib.crc32(repr((__version__, sources)).encode("utf-8", "surrogateescape"))
    return Path(cache_dir()) / f"registry-{key:08x}.sqlite"


def _is_current(connection: sqlite3.Connection, sources: Sequence[Source]) -> bool:
    made, settled, made_from, watched = connection.execute("SELECT * FROM meta").fetchone()
    # Not settled: something had changed so shortly before that it may have changed again under the same time stamp.
    if made != _FORMAT or not settled or made_from != json.dumps(sources):
        return False
    return all(state(path) == before for path, before in json.loads(watched).items())


def _build(connection: sqlite3.Connection, sources: Sequence[Source], old: Path | None) -> None:
    from opkg.registry.packages import packages_of

    # A power cut may leave a damaged cache: it would be found and made again, so nothing waits for the disk.
    reuse = _Reuse(connection, old)
    _run(connection, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;" + _SCHEMA)
    watch = Watch()
    seen: set[str] = set()
    for number, source in enumerate(sources):
        for found in packages_of(source, watch):
            place = os.path.realpath(found.root)
            # One folder may be in several sources; the first one counts, as it would when asked in order.
            if place not in seen:
                _add(connection, number, found, source.label, reuse)
            seen.add(place)
    connection.execute(
        "INSERT INTO meta VALUES (?,?,?,?)", (_FORMAT, watch.settled, json.dumps(sources), json.dumps(watch.states))
    )
    _run(connection, _INDEXES + "COMMIT;")
    reuse.close()


def _run(connection: sqlite3.Connection, statements: str) -> None:
    """Run statements one by one; `executescript` would end the transaction around them."""
    for statement in statements.split(";"):
        connection.execute(statement)


def _add(connection: sqlite3.Connection, source: int, found: Found, label: str, reuse: _Reuse) -> None:
    from opkg.bundle.manifest import MANIFEST_NAME

    before = state(str(found.root / MANIFEST_NAME))
    if before and reuse.copy(source, str(found.root), before):
        return
    from opkg.registry.reader import read_package

    read = read_package(found, label)
    p = read.package
    row = (p.vendor, p.name, p.version, p.domain, str(p.root), p.operators, p.lacks, p.target, json.dumps(p.soc))
    row += (p.os, p.arch, p.isa, p.abi, p.glibc, str(p.host_library), p.digest)  # type: ignore[assignment]
    marks = ",".join("?" * len(row))
    insert = f"INSERT INTO packages (source,state,{_PACKAGE}) VALUES (?,?,{marks})"
    package = connection.execute(insert, (source, before, *row)).lastrowid
    connection.executemany(
        "INSERT INTO operators VALUES (?,?,?,?,?,?,?)", ((package, *operator) for operator in read.operators)
    )


class _Reuse:
    """Copies packages that have not changed from the index before, which is twenty times faster than reading them."""

    def __init__(self, connection: sqlite3.Connection, old: Path | None) -> None:
        self._connection = connection
        self._usable = self._attached = False
        if old is None or not old.is_file():
            return
        try:
            connection.execute("ATTACH ? AS old", (str(old),))
            self._attached = True
            self._usable = connection.execute("SELECT format FROM old.meta").fetchone() == (_FORMAT,)
        except sqlite3.DatabaseError:
            return

    def close(self) -> None:
        """Let go of the index before."""
        if self._attached:
            self._connection.execute("DETACH old")

    def copy(self, source: int, root: str, manifest: str) -> bool:
        """Copy a package whose manifest is as it was; whether that could be done."""
        if not self._usable:
            return False
        run = self._connection.execute
        try:
            found = run("SELECT id FROM old.packages WHERE root=? AND state=?", (root, manifest)).fetchone()
            if found is None:
                return False
            insert = f"INSERT INTO packages (source,state,{_PACKAGE})"
            select = f"SELECT ?,state,{_PACKAGE} FROM old.packages WHERE id=?"
            package = run(f"{insert} {select}", (source, found[0])).lastrowid
            run(f"INSERT INTO operators SELECT ?,{_OPERATOR} FROM old.operators WHERE package=?", (package, found[0]))
        except sqlite3.DatabaseError:
            self._usable = False
            return False
        return True


def _prune(folder: Path) -> None:
    """Delete the indexes that have not been made for the longest time, and what killed processes left."""
    files = sorted(_with_times(folder), reverse=True)
    old = [file for _, file in [each for each in files if each[1].suffix == ".sqlite"][_KEEP:]]
    # A draft that is an hour old has no process any more.
    an_hour_ago = time.time_ns() - 3600 * 10**9
    for file in old + [file for made, file in files if file.suffix != ".sqlite" and made < an_hour_ago]:
        file.unlink(missing_ok=True)


def _with_times(folder: Path) -> Iterator[tuple[int, Path]]:
    for file in folder.glob("registry-*.sqlite*"):
        try:
            yield file.stat().st_mtime_ns, file
        except OSError:
            continue
