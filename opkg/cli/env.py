"""`opkg env`: what other programs need in their environment to find installed operators."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("vendor", nargs="?", default="", metavar="VENDOR", help="only this vendor; all without")
    parser.add_argument(
        "--shell", choices=("bash", "fish"), default="bash", help="whose language to print; bash's fits sh and zsh too"
    )
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print lines for `eval "$(opkg env)"`."""
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path))
    found = root.environment(args.vendor) if args.vendor or root.vendors() else {}
    if args.json:
        print_json(found)
    elif not found:
        print(f"# nothing is installed in {root.path}")
    for variable, value in {} if args.json else found.items():
        print(_fish(variable, value) if args.shell == "fish" else _bash(variable, value))
    return 0


def _bash(variable: str, value: str) -> str:
    from opkg.store import export_line

    return export_line(variable, value).rstrip("\n")


def _fish(variable: str, value: str) -> str:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"set -gx --path {variable} '{quoted}' ${variable}"
