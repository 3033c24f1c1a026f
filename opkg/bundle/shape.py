"""The JSON of a stranger's manifest: every value of the kind it must be, before anything is made of it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from opkg.errors import BundleError, fault

MAX_PARTS = 500_000
"""The most objects and lists a manifest may have: each costs memory many times its text's."""

MAX_TEXT = 4096
_SHOWN = 80

Check = Callable[[object, str], None]


def parse_json(data: bytes) -> object:
    """The value of a manifest's bytes.

    Raises:
        BundleError: not JSON in UTF-8, a key twice in one object, or nested or divided beyond reason.
    """
    # Counted in the text, as parsing is what takes the memory.
    if data.count(b"{") + data.count(b"[") > MAX_PARTS:
        raise BundleError(f"the package's manifest has more than {MAX_PARTS} parts", "do not use it")
    try:
        return json.loads(data.decode(), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise BundleError(f"the package's manifest is not UTF-8: {fault(error)}") from error
    except RecursionError as error:
        raise BundleError("the package's manifest is nested too deeply", "do not use it") from error
    except ValueError as error:
        raise BundleError(f"the package's manifest cannot be read: {fault(error)}") from error


def check_shape(data: object) -> None:
    """Refuse a manifest with a value that is missing or of the wrong kind. Keys that are not known are left alone.

    Raises:
        BundleError: says which value.
    """
    _MANIFEST(data, "")


def shown(value: object) -> str:
    """A value in a message: quoted, without control characters, and short whatever a hostile file holds."""
    text = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def has_control(text: str) -> bool:
    """Whether a text holds a character that does something to a terminal instead of being shown."""
    return not text.isprintable() and any(unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Zl", "Zp") for ch in text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Of two values of one key readers take the first or the last as they please, and a checker the other one.
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _wrong(where: str, value: object, what: str) -> BundleError:
    return BundleError(f"the package's manifest has {shown(value)} as its {where or 'value'}, which is not {what}")


def _text(value: object, where: str) -> None:
    if not isinstance(value, str):
        raise _wrong(where, value, "text")
    if len(value) > MAX_TEXT or has_control(value):
        raise _wrong(where, value, f"at most {MAX_TEXT} characters that can be shown")


def _path(value: object, where: str) -> None:
    """Looked at more closely by `opkg.bundle.names`."""
    if not isinstance(value, str):
        raise _wrong(where, value, "text")


def _number(value: object, where: str) -> None:
    # `type`, not `isinstance`: true and false are integers to Python.
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise _wrong(where, value, "a number that a file system knows")


def _flag(value: object, where: str) -> None:
    if not isinstance(value, bool):
        raise _wrong(where, value, "true or false")


def _scalar(value: object, where: str) -> None:
    if isinstance(value, (dict, list)):
        raise _wrong(where, value, "a single value")


def _shown_scalar(value: object, where: str) -> None:
    _scalar(value, where)
    if isinstance(value, str):
        _text(value, where)


def _format(value: object, where: str) -> None:
    if value != 1 or type(value) is not int:
        raise _wrong(where, value, "1")


def _list(check: Check) -> Check:
    def each(value: object, where: str) -> None:
        if not isinstance(value, list):
            raise _wrong(where, value, "a list")
        for item in value:
            check(item, where)

    return each


def _map(check: Check) -> Check:
    def each(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "an object")
        for key, item in value.items():
            _text(key, where)
            check(item, f"{where}.{key}")

    return each


def _record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    checks = {**required, **(optional or {})}

    def each(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "an object")
        missing = next((key for key in required if key not in value), None)
        if missing is not None:
            raise BundleError(f"the package's manifest lacks {f'{where}.{missing}' if where else missing}")
        for key, check in checks.items():
            if key in value:
                check(value[key], f"{where}.{key}" if where else key)

    return each


def _or_null(check: Check) -> Check:
    def each(value: object, where: str) -> None:
        if value is not None:
            check(value, where)

    return each


def _default(value: object, where: str) -> None:
    """The default of an attribute: a value, a list of them, or a list of lists."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        _list(_scalar)(row if isinstance(row, list) else [row], where)


_PARAM = _record(
    {"name": _text, "param_type": _text, "dtypes": _list(_text), "formats": _list(_text)},
    {"extra": _map(_shown_scalar)},
)
_ATTR = _record({"name": _text, "type": _text, "param_type": _text, "default": _default})
_OP_INFO = _record(
    {"op": _text, "inputs": _list(_PARAM), "outputs": _list(_PARAM), "attrs": _list(_ATTR)},
    {"kernel": _or_null(_record({"module": _text, "function": _text})), "flags": _map(_text)},
)
_OPERATOR = _record(
    {
        "op_info": _OP_INFO,
        "columns": _list(_record({"library": _text, "task_type": _text})),
        "aliases": _list(_text),
        "tiling_hash": _text,
    }
)
_FILE = _record({"path": _path, "size": _number, "sha256": _text}, {"executable": _flag})
_MANIFEST = _record(
    {
        "format": _format,
        "name": _text,
        "vendor": _text,
        "version": _text,
        "domain": _text,
        "target": _text,
        "soc": _list(_text),
        "os": _text,
        "arch": _text,
        "isa": _text,
        "abi": _number,
        "glibc": _text,
        "glibcxx": _text,
        "host_library": _text,
        "requires": _list(_text),
        "tools": _map(_text),
        "operators": _list(_OPERATOR),
        "files": _list(_FILE),
    },
    {"options": _map(_text), "source": _map(_shown_scalar)},
)
