"""Shapes of outputs that differ from the inputs', as `opkg new --shape` takes them.

`y=x` is the shape of the input `x`, which all inputs share; `y=x[:-1]` lacks its last axis, along which results are
summed; `y=x[:-1],1` keeps that axis with one element; `y=[]` and `y=[1]` hold the sum of all results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from opkg.errors import UsageError

SAME, ROWS, ROWS_KEPT, ALL, ALL_KEPT = "same", "rows", "rows-kept", "all", "all-kept"
"""The kinds of shapes: the inputs', one element for each row (without and with its axis), one element for all."""

_RULE = re.compile(r"(?P<output>\w+)=(?:(?P<input>[A-Za-z_]\w*)(?P<rows>\[:-1\])?(?P<kept>,1)?|(?P<all>\[1?\]))\Z")


def parse_shapes(words: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> dict[str, str]:
    """The words of `--shape` as a mapping of outputs to the text after their `=`.

    Raises:
        UsageError: a word that is no such rule, or names what is not there.
    """
    found: dict[str, str] = {}
    for word in words:
        name, _, rule = word.replace(" ", "").partition("=")
        shape_kind(name, rule, inputs, outputs)
        if name in found:
            raise UsageError(f"--shape is given twice for '{name}'")
        found[name] = rule
    return found


def shape_kind(output: str, rule: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """What `rule` says about `output`.

    Raises:
        UsageError: it is no rule, or names what is not there.
    """
    match = _RULE.match(f"{output}={rule}")
    if match is None or (match["kept"] and not match["rows"]):
        example = inputs[0] if inputs else "x"
        raise UsageError(
            f"--shape '{output}={rule}' is not output=shape",
            f"a shape is {example}, {example}[:-1], {example}[:-1],1, [] or [1]",
        )
    for name, known, what in ((output, outputs, "output"), (match["input"], inputs, "input")):
        if name is not None and name not in known:
            raise UsageError(
                f"--shape '{output}={rule}': there is no {what} '{name}'", f"there is {', '.join(known) or 'none'}"
            )
    if match["all"]:
        return ALL_KEPT if match["all"] == "[1]" else ALL
    if not match["rows"]:
        return SAME
    return ROWS_KEPT if match["kept"] else ROWS


def shape_kinds(rules: Mapping[str, str], inputs: Sequence[str], outputs: Sequence[str]) -> dict[str, str]:
    """The kind of each output's shape."""
    stated = {name: shape_kind(name, rule, inputs, outputs) for name, rule in rules.items()}
    return {name: stated.get(name, SAME) for name in outputs}


def shape_of_sums(name: str, given: Sequence[object], made: Sequence[object]) -> str | None:
    """The rule by which an output of shape `made` follows from the input `name` of shape `given`.

    Returns:
        The text for `--shape`, empty where both shapes are the same, None where there is no rule.
    """
    given, made = list(given), list(made)
    if given == made:
        return ""
    if given and made == given[:-1]:
        return f"{name}[:-1]"
    if given and made == [*given[:-1], 1]:
        return f"{name}[:-1],1"
    return "[]" if not made else "[1]" if made == [1] else None
