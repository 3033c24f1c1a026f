"""The registry's answers as people read them. Also the text of every "not found" error."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from opkg.registry.model import Candidate, Resolution
from opkg.registry.pins import VARIABLE
from opkg.registry.sources import Source


def text(op_type: str, domain: str | None, found: Resolution, names: Sequence[str]) -> str:
    """A heading, the candidates that were refused with the reason of each, and every place that was looked at."""
    called = f"{domain}::{op_type}" if domain else op_type
    lines = [served(found.chosen) if found.chosen else f"nothing provides operator {called}"]
    if found.rejected:
        lines.append("  not chosen:" if found.chosen else "  refused:")
        lines += [f"    {refusal(*pair)}" for pair in found.rejected]
    # Where there is one of that very name, and it was refused, a similar one is no help.
    near = [] if found.chosen or found.rejected else nearest(op_type, names)
    if near:
        lines.append(f"  similar names: {', '.join(near)}")
    return "\n".join([*lines, "  looked at:", *(f"    {line}" for line in found.looked_at)])


def hint(op_type: str, found: Resolution, names: Sequence[str]) -> str:
    """What to do about an operator that nothing serves."""
    if any(f"({VARIABLE})" in reason for _, reason in found.rejected):
        return f"take the pin of {op_type} away, or install the package that it names"
    if found.rejected:
        return "install a package that fits this machine and the model, or build the operator here with 'opkg build'"
    near = nearest(op_type, names)
    return f"did you mean {near[0]}?" if near else "install a package that provides it, or write one: 'opkg new'"


def served(candidate: Candidate) -> str:
    """One line on who serves an operator."""
    return f"{candidate.key} is served by {candidate.package.label}, {candidate.source}"


def refusal(candidate: Candidate, reason: str) -> str:
    """One line on who does not, and why."""
    return f"{candidate.package.label} ({candidate.source}): {reason}"


def places(sources: Sequence[Source], operators: Mapping[int, int]) -> tuple[str, ...]:
    """One line on each place and what it has, and on the kinds of places that there could be and are not.

    Args:
        sources: the places.
        operators: position in `sources` to the number of operators there; nothing where there is no package.
    """
    lines = [_place(source, operators.get(number)) for number, source in enumerate(sources)]
    if not any(source.label.startswith("ASCEND_CUSTOM_OPP_PATH") for source in sources):
        lines.insert(0, "ASCEND_CUSTOM_OPP_PATH: not set")
    if not any(source.kind == "packages" for source in sources):
        lines.insert(-1, "plugins: none that brings operators")
    return tuple(lines)


def _place(source: Source, operators: int | None) -> str:
    if operators is None:
        here = "no package" if Path(source.path).is_dir() else "no such folder"
    else:
        here = f"{operators} operator{'' if operators == 1 else 's'}"
    return f"{source.label}: {here}"


def nearest(op_type: str, names: Sequence[str]) -> list[str]:
    """Up to three names that are spelled much alike, in whatever case."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    return [folded[near] for near in difflib.get_close_matches(op_type.lower(), folded, 3, 0.7)]
