"""`opkg rollback`: what was in use before."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_change
from opkg.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "package",
        metavar="VENDOR[/NAME]",
        nargs="?",
        default="",
        help="take back the last change of this one; the last change of all without",
    )
    parser.add_argument("--to", metavar="VERSION", default="", help="to this version of VENDOR/NAME, which is kept")
    add_change(parser)


def run(args: argparse.Namespace) -> int:
    """Take back one change; again and again goes back further."""
    from opkg.cli.steps import print_entry
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path), wait=args.wait)
    vendor, _, name = args.package.partition("/")
    if args.to and not name:
        raise UsageError("--to needs a package", "opkg rollback VENDOR/NAME --to VERSION")
    if args.to:
        result = root.activate(f"{vendor}/{name}=={args.to}", command="rollback")
        entry = root.history()[-1] if result.changed else None
    else:
        entry = root.rollback(vendor, name)
    print_entry(entry, root.path, args, nothing=f"{args.package} {args.to} is in use")
    return 0
