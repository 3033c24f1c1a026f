"""`tests/cases.toml`: what a project says about its operators' cases. Parse, check, hold."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg.errors import ProjectError
from opkg.opinfo import OpInfo
from opkg.opinfo.source import decode, meant
from opkg.testing.tolerance import Tolerance

CASES_NAME = "cases.toml"

Pattern = tuple["int | str", ...]
"""A shape in which `n` stands for the length."""


@dataclass(frozen=True)
class DeclaredCase:
    """One `[[Operator.case]]`: what differs from the operator's other cases; shapes are lists, for dynamic inputs."""

    name: str
    shapes: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    attrs: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[int, ...] | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    special: bool = False


@dataclass(frozen=True)
class Declared:
    """What a project says about one operator; None and empty where it says nothing.

    Attributes:
        lengths: instead of opkg's own lengths.
        shapes: instead of opkg's own further shapes.
        pattern: the shape of each input at a length, where they are not all alike.
        attrs: attributes that every case has.
        special: whether special values are tried.
        ranges: smallest and largest random value by input name, `*` for all.
        counts: number of tensors of each dynamic output.
        tolerances: by data type.
        cases: cases besides the generated ones.
    """

    lengths: tuple[int, ...] | None = None
    shapes: tuple[tuple[int, ...], ...] | None = None
    pattern: Mapping[str, Pattern] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    special: bool = True
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    cases: tuple[DeclaredCase, ...] = ()


def read_declared(file: Path, infos: tuple[OpInfo, ...]) -> dict[str, Declared]:
    """What a project's `cases.toml` says, by operator; empty without the file.

    Raises:
        ProjectError: not TOML, an unknown operator, input, attribute or key, or a value of the wrong kind.
    """
    if not file.is_file():
        return {}
    try:
        data = tomllib.loads(decode(file.read_bytes(), str(file)))
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{file}: not TOML: {error}") from None
    known = {info.op: info for info in infos}
    for op in data:
        if op not in known:
            raise ProjectError(f"{file}: there is no operator {op}{meant(op, known)}", f"there are: {', '.join(known)}")
    return {op: _Reader(file, known[op], op).declared(table) for op, table in data.items()}


class _Reader:
    """Reads the table of one operator and names its places."""

    def __init__(self, file: Path, info: OpInfo, place: str) -> None:
        self._file, self._info, self._place = file, info, place

    def declared(self, table: Any) -> Declared:
        values = self._values(table, {**self._common, **self._of_operator})
        return Declared(
            **{_FIELDS.get(key, key): value for key, value in values.items() if key != "case"},
            cases=values.get("case", ()),
        )

    @property
    def _common(self) -> dict[str, Callable[[Any], Any]]:
        return {"attrs": self._attrs, "range": self._ranges, "special": self._flag}

    @property
    def _of_operator(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "lengths": lambda v: tuple(self._size(each) for each in self._list(v)),
            "shapes": lambda v: tuple(self._shape(each) for each in self._list(v)),
            "shape": self._patterns,
            "outputs": lambda v: {name: self._size(count) for name, count in self._table(v).items()},
            "tolerance": self._tolerances,
            "case": lambda v: tuple(map(self._case, self._list(v))),
        }

    def _case(self, table: Any) -> DeclaredCase:
        name = table.get("name") if isinstance(table, dict) else None
        if not isinstance(name, str) or not name:
            raise self._fail("every case needs a name")
        own: dict[str, Callable[[Any], Any]] = {
            "name": str,
            "shapes": self._case_shapes,
            "absent": self._absent,
            "columns": self._columns,
        }
        values = _Reader(self._file, self._info, f"{self._place}.case '{name}'")._values(table, {**self._common, **own})
        return DeclaredCase(**{_FIELDS.get(key, key): value for key, value in values.items()})

    def _values(self, table: Any, readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
        for key in self._table(table):
            if key not in readers:
                raise self._fail(f"unknown key '{key}'{meant(key, readers)}", f"known: {', '.join(readers)}")
        return {key: readers[key](value) for key, value in table.items()}

    def _fail(self, message: str, hint: str = "") -> ProjectError:
        return ProjectError(f"{self._file}: [{self._place}]: {message}", hint)

    def _table(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._fail(f"expected a table, not {value!r}")
        return value

    def _list(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._fail(f"expected a list, not {value!r}")
        return value

    def _size(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._fail(f"expected a number of elements, not {value!r}")
        return value

    def _flag(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self._fail(f"expected true or false, not {value!r}")
        return value

    def _number(self, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._fail(f"expected a number, not {value!r}")
        return float(value)

    def _shape(self, value: Any) -> tuple[int, ...]:
        return tuple(self._size(each) for each in self._list(value))

    def _input(self, name: str) -> str:
        names = [param.name for param in self._info.inputs]
        if name not in names:
            raise self._fail(f"there is no input '{name}'{meant(name, names)}", f"inputs are: {', '.join(names)}")
        return name

    def _attrs(self, value: Any) -> dict[str, Any]:
        names = [attr.name for attr in self._info.attrs]
        for name in self._table(value):
            if name not in names:
                raise self._fail(f"there is no attribute '{name}'{meant(name, names)}")
        return dict(value)

    def _ranges(self, value: Any) -> dict[str, tuple[float, float]]:
        if isinstance(value, list):
            return {"*": self._range(value)}
        return {self._input(name): self._range(limits) for name, limits in self._table(value).items()}

    def _range(self, value: Any) -> tuple[float, float]:
        found = tuple(self._number(each) for each in self._list(value))
        if len(found) != 2 or found[0] > found[1]:
            raise self._fail(f"expected a range [lowest, highest], not {value!r}")
        return found

    def _patterns(self, value: Any) -> dict[str, Pattern]:
        return {self._input(name): tuple(map(self._extent, self._list(p))) for name, p in self._table(value).items()}

    def _extent(self, value: Any) -> int | str:
        return "n" if value == "n" else self._size(value)

    def _case_shapes(self, value: Any) -> dict[str, tuple[tuple[int, ...], ...]]:
        return {self._input(name): self._group(name, shape) for name, shape in self._table(value).items()}

    def _group(self, name: str, value: Any) -> tuple[tuple[int, ...], ...]:
        """A shape, or of a dynamic input a list of shapes."""
        param = next(p for p in self._info.inputs if p.name == name)
        return tuple(map(self._shape, self._list(value))) if param.param_type == "dynamic" else (self._shape(value),)

    def _absent(self, value: Any) -> tuple[str, ...]:
        for name in map(self._input, self._list(value)):
            if next(p for p in self._info.inputs if p.name == name).param_type != "optional":
                raise self._fail(f"the input '{name}' is not optional")
        return tuple(value)

    def _columns(self, value: Any) -> tuple[int, ...]:
        for column in self._list(value):
            if self._size(column) >= self._info.columns:
                raise self._fail(f"there is no column {column}; the last one is {self._info.columns - 1}")
        return tuple(value)

    def _tolerances(self, value: Any) -> dict[str, Tolerance]:
        dtypes = {dtype for param in self._info.outputs for dtype in param.dtypes}
        if not isinstance(value, dict):
            return dict.fromkeys(sorted(dtypes), self._tolerance(value))
        for name in value:
            if name not in dtypes:
                raise self._fail(f"tolerance: no output has the data type {name}{meant(name, dtypes)}")
        return {name: self._tolerance(entry) for name, entry in value.items()}

    def _tolerance(self, value: Any) -> Tolerance:
        """A number for both parts, or a table of them with a reason."""
        table = value if isinstance(value, dict) else {"relative": value, "absolute": value}
        numbers: dict[str, Callable[[Any], Any]] = {"relative": self._number, "absolute": self._number, "reason": str}
        found = {"relative": 0.0, "absolute": 0.0, "reason": f"{CASES_NAME} says so", **self._values(table, numbers)}
        if found["relative"] < 0 or found["absolute"] < 0:
            raise self._fail("a tolerance is not negative")
        return Tolerance(**found)


_FIELDS = {"range": "ranges", "shape": "pattern", "outputs": "counts", "tolerance": "tolerances"}
"""Keys of the file whose value is kept under another name."""
