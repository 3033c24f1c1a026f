"""In what two packages differ, by their manifests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opkg.bundle.manifest import FileEntry, Manifest, OperatorEntry
from opkg.opinfo import compare


@dataclass(frozen=True)
class Difference:
    """One thing in which two packages differ.

    Attributes:
        kind: `field` of the manifest, `operator` or `file`.
        what: the field, the operator or the file.
        before: in the first package; None where it lacks the thing.
        after: in the second, likewise.
        details: sentences that say more.
    """

    kind: str
    what: str
    before: Any
    after: Any
    details: tuple[str, ...] = ()

    @property
    def change(self) -> str:
        """`added`, `removed` or `changed`."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "kind": self.kind,
            "change": self.change,
            "what": self.what,
            "before": self.before,
            "after": self.after,
            "details": list(self.details),
        }


def differences(a: Manifest, b: Manifest) -> list[Difference]:
    """Everything that differs between two packages: fields, then operators, then files; empty if they are the same."""
    return [*_fields(a, b), *_operators(a, b), *_files(a, b)]


def _fields(a: Manifest, b: Manifest) -> Iterator[Difference]:
    one, other = (_flat({k: v for k, v in m.to_dict().items() if k not in ("operators", "files")}) for m in (a, b))
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            yield Difference("field", name, one.get(name), other.get(name))


def _operators(a: Manifest, b: Manifest) -> Iterator[Difference]:
    one, other = ({entry.op_info.op: entry for entry in m.operators} for m in (a, b))
    for name in sorted(one.keys() | other.keys()):
        left, right = one.get(name), other.get(name)
        if left != right:
            details = tuple(_within(left, right)) if left and right else ()
            yield Difference("operator", name, _said(left), _said(right), details)


def _said(entry: OperatorEntry | None) -> dict[str, Any] | None:
    return None if entry is None else {"columns": len(entry.columns), "tiling_hash": entry.tiling_hash}


def _within(left: OperatorEntry, right: OperatorEntry) -> Iterator[str]:
    if left.op_info != right.op_info:
        said = compare(left.op_info, right.op_info, ("the first", "the second"))
        one, other = _flat(left.op_info.to_dict()), _flat(right.op_info.to_dict())
        # What `compare` takes for the same in meaning is still a difference of the packages.
        yield from said or (
            f"{k}: {one.get(k)!r}, then {other.get(k)!r}" for k in one | other if one.get(k) != other.get(k)
        )
    if len(left.columns) != len(right.columns):
        yield f"{len(left.columns)} columns, then {len(right.columns)}"
    for number, (x, y) in enumerate(zip(left.columns, right.columns, strict=False)):
        if x != y:
            yield f"column {number}: {x.library} {x.task_type}, then {y.library} {y.task_type}"
    if left.aliases != right.aliases:
        yield f"aliases {', '.join(left.aliases) or 'none'}, then {', '.join(right.aliases) or 'none'}"
    if left.tiling_hash != right.tiling_hash:
        yield "the layout of its tiling struct"


def _files(a: Manifest, b: Manifest) -> Iterator[Difference]:
    one, other = ({entry.path: entry for entry in m.files} for m in (a, b))
    for path in sorted(one.keys() | other.keys()):
        if one.get(path) != other.get(path):
            yield Difference("file", path, _file(one.get(path)), _file(other.get(path)))


def _file(entry: FileEntry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {"size": entry.size, "sha256": entry.sha256} | ({"executable": True} if entry.executable else {})


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested mappings and lists of mappings as one mapping of dotted names; other lists stay values."""
    items: Iterator[tuple[str, Any]]
    if isinstance(value, Mapping):
        items = iter(value.items())
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        items = ((str(index), item) for index, item in enumerate(value))
    else:
        return {prefix: value}
    found: dict[str, Any] = {}
    for name, item in items:
        found |= _flat(item, f"{prefix}.{name}" if prefix else str(name))
    return found
