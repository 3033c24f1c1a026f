"""`opkg which`: which package an operator comes from, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_fields, print_json

if TYPE_CHECKING:
    from opkg.registry import Candidate, Registry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("operator", metavar="OPERATOR", help="operator type, domain::Type or domain::opset::Type")
    parser.add_argument("--opset", type=int, metavar="N", help="opset version of the domain in the model")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print the choice; raises the registry's own error where there is none."""
    from opkg.registry import open_registry
    from opkg.registry.model import parse_key

    op_type, domain, opset = parse_key(args.operator)
    wanted = (op_type, domain, opset if args.opset is None else args.opset)
    registry = open_registry(args.install_path)
    if args.json:
        return _print_json(registry, wanted)
    chosen = registry.require(*wanted)
    heading, _, rest = registry.explain(*wanted).partition("\n")
    print(heading)
    print_fields(
        [
            ("  package", chosen.package_root),
            ("  host library", chosen.host_library),
            ("  columns", len(chosen.columns)),
            ("  digest", chosen.digest),
        ]
    )
    print(rest)
    return 0


def _print_json(registry: Registry, wanted: tuple[str, str | None, int | None]) -> int:
    found = registry.resolve(*wanted)
    rejected = [_described(candidate) | {"reason": reason} for candidate, reason in found.rejected]
    chosen = _described(found.chosen) if found.chosen else None
    print_json({"chosen": chosen, "rejected": rejected, "looked_at": list(found.looked_at)})
    return 0 if found.chosen else 1


def _described(candidate: Candidate) -> dict[str, Any]:
    return {
        "operator": candidate.op_type,
        "domain": candidate.domain,
        "since": candidate.since,
        "vendor": candidate.vendor,
        "name": candidate.name,
        "version": candidate.version,
        "source": candidate.source,
        "path": candidate.package_root,
        "host_library": candidate.host_library,
        "digest": candidate.digest,
    }
