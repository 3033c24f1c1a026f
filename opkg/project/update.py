"""Bringing a project to a newer template: what the template changed is merged into what the user changed."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from opkg.errors import ProjectError
from opkg.project.merge import merge_texts
from opkg.project.origin import ORIGIN_NAME, Origin, read_origin

STOP, MARKERS, REJECTS = "stop", "markers", "rej"
"""What becomes of conflicts: nothing is written; both sides with markers; yours, and a `.rej` with the template's."""

_STAGE = ".opkg/update"
_PLAN = "plan.json"


@dataclass(frozen=True)
class Change:
    """What an update does to one file.

    Attributes:
        path: below the project.
        action: `add`, `update`, `merge`, `remove`, `conflict`, or `keep` (it stays as it is).
        reason: why, for people; empty where the action says it.
        text: the new content; None where the file goes or stays.
    """

    path: str
    action: str
    reason: str = ""
    text: str | None = None


@dataclass(frozen=True)
class UpdatePlan:
    """An update, not made yet."""

    root: Path
    old: Origin
    new: Origin
    changes: tuple[Change, ...]

    @property
    def conflicts(self) -> tuple[Change, ...]:
        """The files in which both sides changed the same place."""
        return tuple(change for change in self.changes if change.action == "conflict")

    @property
    def empty(self) -> bool:
        """Whether the project is as new as the template."""
        return self.old.to_text() == self.new.to_text()


def plan_update(root: Path) -> UpdatePlan:
    """What an update would do; nothing is written.

    Raises:
        ProjectError: the project has no record of its template, the template is gone, or an update that was cut short
            waits to be finished.
    """
    root = root.expanduser().resolve()
    if (root / _STAGE / _PLAN).is_file():
        raise ProjectError(f"an update of {root} was cut short", "'opkg update' finishes it")
    old = read_origin(root)
    new = _rendered_anew(old)
    names = sorted({*old.files, *new.files})
    changes = [change for name in names if (change := _change(root, name, old.files.get(name), new.files.get(name)))]
    return UpdatePlan(root, old, new, tuple(changes))


def apply_update(plan: UpdatePlan, conflicts: str = STOP) -> tuple[str, ...]:
    """Makes an update: all of it, or, if it is cut short, the rest with the next `finish_update`.

    Args:
        plan: what to do.
        conflicts: `STOP`, `MARKERS` or `REJECTS`.

    Returns:
        The files that were written or removed.

    Raises:
        ProjectError: there are conflicts and `conflicts` is `stop`, or a file cannot be written.
    """
    if plan.conflicts and conflicts == STOP:
        names = ", ".join(change.path for change in plan.conflicts)
        raise ProjectError(
            f"you and the template changed the same lines of {names}; nothing was written",
            "choose --conflicts markers (both sides in the files) or --conflicts rej (yours, and .rej files)",
        )
    contents = dict(_contents(plan, conflicts))
    contents[ORIGIN_NAME] = plan.new.to_text()
    _stage(plan.root, contents)
    finish_update(plan.root)
    return tuple(name for name in contents if name != ORIGIN_NAME)


def finish_update(root: Path) -> bool:
    """Finishes an update that was cut short, if there is one; returns whether there was.

    Raises:
        ProjectError: a file was changed in the meantime, or cannot be written.
    """
    root = root.expanduser().resolve()
    stage = root / _STAGE
    if not (stage / _PLAN).is_file():
        shutil.rmtree(stage, ignore_errors=True)  # cut short before anything was decided
        return False
    steps = json.loads((stage / _PLAN).read_text("utf-8"))
    for step in steps:
        # Done already, or not yet: either is fine, as the process may have died between any two files.
        if _digest(root / step["path"]) not in (step["old"], step["new"]):
            raise ProjectError(
                f"{step['path']} was changed after an update was cut short",
                f"remove {stage} to give that update up, and run 'opkg update' again",
            )
    for number, step in enumerate(steps):
        _do(root, stage / str(number), step["path"], step["new"])
    shutil.rmtree(stage)
    return True


def _rendered_anew(old: Origin) -> Origin:
    from opkg.project.scaffold import facts_of_answers, origin_of

    return origin_of(facts_of_answers(old.template, old.answers))


def _change(root: Path, name: str, base: str | None, theirs: str | None) -> Change | None:
    """What becomes of one file; None where nothing does and nothing is to be said."""
    if base == theirs:
        return None
    file = root / name
    there = file.is_file() and not file.is_symlink()
    mine = _read(file) if there else None
    if there and mine is None:
        return Change(name, "keep", "it is no text")
    if not there and (file.exists() or file.is_symlink()):
        return Change(name, "keep", "something else is in its place")
    if theirs is None:
        return _dropped(name, base, mine)
    if mine is None:
        return Change(name, "add", "", theirs) if base is None else Change(name, "keep", "you removed it")
    # The user made the same change by hand.
    if mine == theirs:
        return None
    if base is None:
        return Change(name, "conflict", "you and the template both added it", merge_texts("", mine, theirs).text)
    if mine == base:
        return Change(name, "update", "", theirs)
    merged = merge_texts(base, mine, theirs)
    if merged.conflicts:
        places = f"{merged.conflicts} place{'s' if merged.conflicts > 1 else ''}"
        return Change(name, "conflict", f"both changed {places}", merged.text)
    return Change(name, "merge", "your changes stay", merged.text)


def _dropped(name: str, base: str | None, mine: str | None) -> Change | None:
    if mine is None:
        return None
    if mine == base:
        return Change(name, "remove", "the template has it no more")
    return Change(name, "keep", "the template has it no more, but you changed it")


def _contents(plan: UpdatePlan, conflicts: str) -> Iterator[tuple[str, str | None]]:
    for change in plan.changes:
        if change.action == "conflict" and conflicts == REJECTS:
            base, theirs = plan.old.files.get(change.path, ""), plan.new.files[change.path]
            yield f"{change.path}.rej", _as_diff(change.path, base, theirs)
        elif change.action != "keep":
            yield change.path, change.text


def _as_diff(name: str, base: str, theirs: str) -> str:
    lines = difflib.unified_diff(
        base.splitlines(keepends=True), theirs.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _read(file: Path) -> str | None:
    """The text of a file with plain line ends; None if it is no text."""
    try:
        return file.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _stage(root: Path, contents: Mapping[str, str | None]) -> None:
    """Writes everything beside the project's files, and last the plan, after which the update counts as begun."""
    stage = root / _STAGE
    shutil.rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir(parents=True)
        steps = []
        for number, (name, text) in enumerate(contents.items()):
            new = ""
            if text is not None:
                new = _write_staged(stage / str(number), root / name, text)
            steps.append({"path": name, "old": _digest(root / name), "new": new})
        _write(stage / f"{_PLAN}.new", json.dumps(steps).encode())
        # One rename decides: before it nothing has happened, from then on everything will.
        (stage / f"{_PLAN}.new").replace(stage / _PLAN)
        _sync(stage)
    except OSError as error:
        shutil.rmtree(stage, ignore_errors=True)
        raise ProjectError(f"{root} cannot be updated: {error.strerror}; nothing was changed") from error


def _write_staged(staged: Path, target: Path, text: str) -> str:
    """Writes a new content with the line ends and permissions of what it replaces; its digest."""
    # A checkout on Windows, or with git's autocrlf, keeps its line ends.
    windows = target.is_file() and b"\r\n" in target.read_bytes()
    data = (text.replace("\n", "\r\n") if windows else text).encode("utf-8")
    _write(staged, data)
    staged.chmod(target.stat().st_mode & 0o777 if target.is_file() else 0o755 if target.suffix == ".sh" else 0o644)
    return hashlib.sha256(data).hexdigest()


def _write(file: Path, data: bytes) -> None:
    with file.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest(file: Path) -> str:
    """The digest of a file's content, empty where there is none."""
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _do(root: Path, staged: Path, name: str, new: str) -> None:
    target = root / name
    try:
        if not new:
            target.unlink(missing_ok=True)
        elif staged.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.replace(target)
            _sync(target.parent)
    except OSError as error:
        raise ProjectError(f"{target} cannot be written: {error.strerror}", "'opkg update' does the rest") from error
