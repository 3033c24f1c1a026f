"""How commands print what a change did."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.output import print_json

if TYPE_CHECKING:
    from opkg.store import Entry
    from opkg.store.history import Step


def print_entry(entry: Entry | None, root: Path, args: argparse.Namespace, *, nothing: str) -> None:
    """Print what a command changed, as `args.json` and `args.quiet` want it; `nothing` where it changed nothing."""
    if args.json:
        print_json({"root": root, "changes": entry.to_dict()["changes"] if entry else []})
    elif not args.quiet:
        print("\n".join(f"{line} in {root}" for line in step_lines(entry.steps())) if entry else f"{nothing} in {root}")


def step_lines(steps: Iterable[Step]) -> list[str]:
    """A line for each package that changed."""
    return [_line(step) for step in steps]


def _line(step: Step) -> str:
    if not step.before or not step.after:
        kept = step.after or step.before
        return f"{'installed' if step.after else 'removed'} {step.key} {kept.version if kept else ''}"
    if step.before.version == step.after.version:
        return f"{step.key} {step.after.version}: another build, {step.before.digest[:12]} -> {step.after.digest[:12]}"
    return f"{step.key} {step.before.version} -> {step.after.version}"
