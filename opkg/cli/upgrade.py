"""`opkg upgrade`: the newest versions of packages."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_change, add_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("packages", metavar="VENDOR[/NAME]", nargs="*", help="only these; everything in use without")
    add_from(parser)
    parser.add_argument(
        "--force", action="store_true", help="although this machine or this root lacks what a new version needs"
    )
    add_change(parser)


def run(args: argparse.Namespace) -> int:
    """Upgrade all that are named, or none of them."""
    from opkg.cli.steps import print_entry
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path), wait=args.wait)
    named = [(vendor, name) for vendor, _, name in (text.partition("/") for text in args.packages)]
    entry = root.upgrade(named, source=args.source, force=args.force)
    print_entry(entry, root.path, args, nothing="everything is the newest that is there")
    return 0
