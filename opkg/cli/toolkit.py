"""`opkg toolkit`: the tree that programs expect of a vendor toolkit."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from opkg.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--install-path",
        metavar="DIR",
        type=Path,
        required=True,
        help="where to; DIR must not exist, be empty, or hold a toolkit, which is then replaced",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make the tree, and say how to use it."""
    from opkg.build.toolkit import make_toolkit
    from opkg.cli.output import print_json

    toolkit = make_toolkit(args.install_path)
    if args.json:
        print_json({"path": toolkit.path, "version": toolkit.version, "replaced": toolkit.replaced})
        return 0
    print(f"toolkit of opkg {toolkit.version} in {toolkit.path}")
    print(f"  . {shlex.quote(str(toolkit.set_env))}    before cmake, and before programs run")
    return 0
