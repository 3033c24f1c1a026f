"""`opkg inspect`: what is in a bundle, an offline model, or an installed package."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from opkg.cli.arguments import add_json
from opkg.cli.output import print_fields, print_json
from opkg.errors import ModelError, UsageError

NAME = "inspect"
HELP = "show what is in a .run, an .om or an installed vendor"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a bundle, an offline model, or an installed folder")
    parser.add_argument("--verify", action="store_true", help="also compute the checksum of everything in it")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Find out what the file is, and describe it."""
    file: Path = args.file
    if not file.exists():
        raise UsageError(f"{file} does not exist")
    described = _describe(file, verify=args.verify)
    if args.json:
        print_json(described)
    else:
        _print(described)
    return 0


def _describe(file: Path, *, verify: bool) -> dict[str, Any]:
    from opkg.runtime.om import is_om

    if file.is_dir():
        return _package(file)
    return describe_om(file, verify=verify) if is_om(file) else _bundle(file, verify=verify)


def describe_om(file: Path, *, verify: bool = False) -> dict[str, Any]:
    """What an offline model has.

    Raises:
        ModelError: it is damaged; with `verify` also in a large section.
    """
    import json

    from opkg.runtime import om
    from opkg.runtime.operators import read_operators
    from opkg.runtime.signature import read_signature

    with om.read_om(file) as model:
        damaged = model.damaged() if verify else []
        if damaged:
            raise ModelError(
                f"{file} is damaged: the checksum is wrong in section {', '.join(damaged)}", "copy the file again"
            )
        signature = read_signature(bytes(model.section(om.SIGNATURE)))
        operators = read_operators(bytes(model.section(om.OPERATORS)))
        options = json.loads(bytes(model.section(om.OPTIONS))) if om.OPTIONS in model else {}
        label = bytes(model.section(om.LABEL)).decode(errors="replace") if om.LABEL in model else ""
        sections = [
            {"name": s.name, "offset": s.offset, "size": s.size, "sha256": s.sha256} for s in model.sections.values()
        ]
        return {
            "kind": "offline model",
            "path": str(file),
            "digest": model.digest,
            "label": label,
            "engine": signature.engine,
            "inputs": [info.to_dict() for info in signature.inputs],
            "outputs": [info.to_dict() for info in signature.outputs],
            "operators": [spec.to_dict() for spec in operators],
            "options": options,
            "sections": sections,
        }
