"""Signatures from a command line: `--input x:float16,float32:ND`, `--attr k:float=1.0`."""

from __future__ import annotations

from collections.abc import Sequence

from opkg.errors import UsageError
from opkg.opinfo import Attr, OpInfo, Param
from opkg.opinfo import values as checks
from opkg.opinfo.assemble import PlacedAttr, PlacedParam, assemble
from opkg.opinfo.source import Field

DEFAULT_DTYPES = ("float16", "float32")


def parse_signature(op: str, inputs: Sequence[str], outputs: Sequence[str], attrs: Sequence[str]) -> OpInfo:
    """The operator that the words of a command line describe.

    Without any input it is `x`, without any output `y`. An input or output without data types has those of the first
    input, which itself has float16 and float32. A single data type or format holds for every column. A name with `?` is
    optional, one with `*` any number of tensors; an attribute without a default is required.

    Raises:
        UsageError: a word that does not say name and data types.
        OpInfoError: an unknown name, or unequal numbers of columns.
    """
    name = Field(op, "NAME", 0)
    checks.identifier(name, "an operator")
    first = _split_param("--input", inputs[0] if inputs else "x", _Words("", "", DEFAULT_DTYPES, ("ND",), ""))
    given = [first, *(_split_param("--input", word, first) for word in inputs[1:])]
    results = [_split_param("--output", word, first) for word in outputs or [_free_name(given)]]
    columns = max(words.columns for words in (*given, *results))
    return assemble(
        name,
        [words.placed("--input", columns) for words in given],
        [words.placed("--output", columns) for words in results],
        [_attr(word) for word in attrs],
    )


class _Words:
    """The parts of one `--input` or `--output`."""

    def __init__(self, name: str, kind: str, dtypes: Sequence[str], formats: Sequence[str], word: str) -> None:
        self.name, self.kind, self.dtypes, self.formats, self.word = name, kind, dtypes, formats, word

    @property
    def columns(self) -> int:
        return max(len(self.dtypes), len(self.formats))

    def placed(self, option: str, columns: int) -> PlacedParam:
        place = Field(self.name, f"{option} {self.word}", 0)
        checks.identifier(place, f"an {option.removeprefix('--')}")
        dtypes = tuple(checks.dtype(place, name) for name in self.dtypes)
        formats = tuple(checks.tensor_format(place, name) for name in self.formats)
        dtypes = dtypes * columns if len(dtypes) == 1 else dtypes
        formats = formats * len(dtypes) if len(formats) == 1 else formats
        if len(formats) != len(dtypes):
            raise place.error(
                f"lists {len(formats)} formats and {len(dtypes)} data types", "one format for each, or one"
            )
        return PlacedParam(Param(self.name, self.kind, dtypes, formats), place, place)


def _split_param(option: str, word: str, like: _Words) -> _Words:
    """The parts of a word; what it does not say is as in `like`."""
    name, *rest = word.split(":")
    kind = {"?": "optional", "*": "dynamic"}.get(name[-1:], "required")
    if len(rest) > 2 or not all((name, *rest)):
        raise UsageError(
            f"{option} '{word}' is not name:dtype,dtype:format", f"write it as {option} x:float16,float32:ND"
        )
    dtypes = rest[0].split(",") if rest else like.dtypes
    formats = rest[1].split(",") if len(rest) > 1 else ("ND",) if rest else like.formats
    return _Words(name[:-1] if kind != "required" else name, kind, dtypes, formats, word)


def _free_name(inputs: Sequence[_Words]) -> str:
    taken = {words.name for words in inputs}
    return next(name for name in ("y", "z", "out", "output", "output0") if name not in taken)


def _attr(word: str) -> PlacedAttr:
    described, equals, default = word.partition("=")
    name, colon, kind = described.partition(":")
    if not name or not colon or not kind:
        raise UsageError(f"--attr '{word}' is not name:type=default", "write it as --attr k:float=1.0")
    place = Field(name, f"--attr {word}", 0)
    checks.attr_name(place)
    kind = checks.attr_type(place.at(place.key, kind))
    if not equals:
        return PlacedAttr(Attr(name, kind), place)
    value = checks.attr_default(place.at(place.key, default), kind)
    return PlacedAttr(Attr(name, kind, "optional", value), place)
