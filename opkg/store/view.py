"""The view of a vendor: one folder in CANN's layout with the files of all active packages.

A file that one package has, or several have with the same content, is that file (a hard link). Where packages differ:

* JSON indexes (`aic-<soc>-ops-info.json`, `binary_info_config.json`, `npu_supported_ops.json`, ...) are merged by
  operator; of an operator that several packages have it is the first one's.
* `op_proto/inc/op_proto.h` includes each package's own, but for those with an operator that one before them declares.
* A shared library (`libcust_opmaster_rt2.0.so`, `libcust_opapi.so`, ...) becomes a forwarder that brings in each
  package's own (see `opkg.store.forwarder`).
* Of anything else the first package has the name: the one installed last, where nobody said otherwise.

Each package's own file of that name is beside it, with the package's name before the ending:
`libcust_opapi.so` of packages `square` and `cube` is there as `libcust_opapi.square.so` and `libcust_opapi.cube.so`.

`bin/set_env.bash` exports what a program needs to find the vendor's operators.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from opkg.bundle import FileEntry, Manifest
from opkg.errors import ConflictError
from opkg.registry.layout import GENERATION_NAME, generation_text
from opkg.store import forwarder
from opkg.store.disk import Disk
from opkg.store.environment import ENVIRONMENT_FILE, environment_text

HEADER = "op_proto/inc/op_proto.h"


@dataclass(frozen=True)
class Shown:
    """A package that a view shows.

    Attributes:
        entry: its folder below the vendor's packages, `<name>/<version>-<digest>`.
        folder: where its files are now.
        manifest: what it is.
        digest: sha256 of the manifest in hex.
    """

    entry: str
    folder: Path
    manifest: Manifest
    digest: str


@dataclass(frozen=True)
class ViewFile:
    """A file of a view: a link to `source`, or `content` where there is none."""

    source: Path | None = None
    content: bytes = b""


_Owner = tuple[Shown, FileEntry]


def plan_view(shown: Sequence[Shown], place: Path, without: Collection[str] = ()) -> dict[str, ViewFile]:
    """The files of a view by path, sorted.

    Args:
        shown: the packages, the one that wins first.
        place: where the view will be seen, `<root>/vendors/<vendor>`.
        without: paths of files to leave out, whichever packages have them.

    Raises:
        ConflictError: one package has a file where another has a folder.
    """
    owners: dict[str, list[_Owner]] = {}
    for package in shown:
        for entry in package.manifest.files:
            owners.setdefault(entry.path, []).append((package, entry))
    view: dict[str, ViewFile] = {}
    for path, group in owners.items():
        if path not in without:
            view.update(_merge(path, group))
    has_api = any(path.startswith("op_api/lib/") for path in view)
    # After the packages' own files: these two names are the view's.
    view[ENVIRONMENT_FILE] = ViewFile(content=environment_text(place, has_api).encode())
    view[GENERATION_NAME] = ViewFile(content=generation_text([package.entry for package in shown]).encode())
    _check_folders(view)
    return dict(sorted(view.items()))


def view_names(path: str, shown: Sequence[Shown]) -> set[str]:
    """Every name that a file of this path may have in a view."""
    return {path, *(_own_name(path, package) for package in shown)}


def write_view(disk: Disk, view: dict[str, ViewFile], folder: Path) -> None:
    """Make the view's files below `folder`, which does not exist yet."""
    disk.make_dir(folder)
    made = {folder}
    for path, file in view.items():
        target = folder / path
        make_parents(disk, target, made)
        if file.source is not None:
            disk.link(file.source, target)
        else:
            disk.write_file(target, [file.content])


def make_parents(disk: Disk, path: Path, made: set[Path]) -> None:
    """Make the folders above `path` that are not in `made`, and add them to it."""
    parent = path.parent
    if parent in made:
        return
    missing = []
    while parent not in made:
        missing.append(parent)
        parent = parent.parent
    for folder in reversed(missing):
        disk.make_dir(folder)
        made.add(folder)


def _merge(path: str, group: list[_Owner]) -> dict[str, ViewFile]:
    first = group[0][0].folder / path
    if len({entry.sha256 for _, entry in group}) == 1:
        return {path: ViewFile(first)}
    if path.endswith(".json"):
        shared = _shared_operators(package for package, _ in group)
        merged = _merged_json([package.folder / path for package, _ in group], shared)
        if merged is not None:
            return {path: ViewFile(content=merged)}
    own = {_own_name(path, package): package.folder / path for package, _ in group}
    files = {name: ViewFile(source) for name, source in own.items()}
    names = [PurePosixPath(name).name for name in own]
    if path == HEADER:
        return files | {path: ViewFile(content=_header_of([package for package, _ in group]))}
    if path.endswith(".so"):
        with first.open("rb") as stream:
            # The header alone says for which processor a forwarder must be.
            start = stream.read(64)
        if forwarder.can_forward(start):
            content = forwarder.make_forwarder(PurePosixPath(path).name, names, start)
            return files | {path: ViewFile(content=content)}
    return files | {path: ViewFile(first)}


def _own_name(path: str, package: Shown) -> str:
    file = PurePosixPath(path)
    return str(file.with_name(f"{file.stem}.{package.manifest.name}{file.suffix}"))


def _shared_operators(packages: Iterable[Shown]) -> set[str]:
    counted = Counter(entry.op_info.op for package in packages for entry in package.manifest.operators)
    return {op for op, packages_with_it in counted.items() if packages_with_it > 1}


def _merged_json(files: Sequence[Path], shared: Collection[str]) -> bytes | None:
    """The union of JSON objects, the first one's value of a `shared` key; None where others contradict each other."""
    merged: dict[str, Any] = {}
    for file in files:
        try:
            data = json.loads(file.read_bytes())
        except ValueError:
            return None
        if not isinstance(data, dict):
            return None
        if any(key not in shared and merged.get(key, value) != value for key, value in data.items()):
            return None
        # Entries of the file before win, as its package does.
        merged = data | merged
    return (json.dumps(merged, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _header_of(packages: Sequence[Shown]) -> bytes:
    """A header that includes others which may all use the same include guard, each operator declared once."""
    lines = []
    declared: set[str] = set()
    for package in packages:
        operators = {entry.op_info.op for entry in package.manifest.operators}
        if declared.isdisjoint(operators):
            declared |= operators
            text = (package.folder / HEADER).read_text(encoding="utf-8", errors="replace")
            guard = re.search(r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)", text, re.M)
            name = PurePosixPath(_own_name(HEADER, package)).name
            lines.append(f'#include "{name}"\n' + (f"#undef {guard[1]}\n" if guard else ""))
    return "".join(lines).encode()


def _check_folders(view: dict[str, ViewFile]) -> None:
    folders = {path.rpartition("/")[0] for path in view}
    while folders:
        for folder in folders & view.keys():
            raise ConflictError(f"'{folder}' is a file in one package of the vendor and a folder in another")
        folders = {folder.rpartition("/")[0] for folder in folders} - {""}
