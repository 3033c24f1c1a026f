"""`opkg list`: the packages that provide operators."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_json, print_table

if TYPE_CHECKING:
    from opkg.registry.listing import OperatorLine, PackageLine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--operators", action="store_true", help="one line for each operator, not for each package")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print packages or operators; with `--install-path` only those of that install root."""
    from opkg.registry.listing import operator_lines, package_lines

    if args.operators:
        _print_operators(operator_lines(args.install_path), as_json=args.json)
    else:
        _print_packages(package_lines(args.install_path), as_json=args.json)
    return 0


def _print_packages(lines: list[PackageLine], *, as_json: bool) -> None:
    if as_json:
        print_json([line._asdict() for line in lines])
        return
    if not lines:
        print("no packages; 'opkg install x.run' installs one, 'opkg new' starts one")
        return
    rows = [(f"{p.vendor}/{p.name}", p.version or "-", p.operators, p.source, p.lacks) for p in lines]
    print_table(rows, ("PACKAGE", "VERSION", "OPERATORS", "FROM", "LACKS" if any(p.lacks for p in lines) else ""))


def _print_operators(lines: list[OperatorLine], *, as_json: bool) -> None:
    if as_json:
        print_json([line._asdict() for line in lines])
        return
    if not lines:
        print("no operators; 'opkg install x.run' installs a package, 'opkg new' starts one")
        return
    rows = [(o.op_type, o.domain, f"{o.vendor}/{o.name}", o.version or "-", o.source) for o in lines]
    print_table(rows, ("OPERATOR", "DOMAIN", "PACKAGE", "VERSION", "FROM"))
