"""`opkg uninstall`: a vendor's packages, or one of them, out of an install root."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_change


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("packages", metavar="VENDOR[/NAME]", nargs="+", help="all packages of a vendor, or one of them")
    parser.add_argument("--purge", action="store_true", help="also delete the versions kept for going back")
    parser.add_argument("--force", action="store_true", help="although another package requires it")
    add_change(parser)


def run(args: argparse.Namespace) -> int:
    """Uninstall one after the other; the first that fails ends it, those before it are gone."""
    from opkg.cli.output import print_json
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path), wait=args.wait)
    removed = []
    for text in args.packages:
        vendor, _, name = text.partition("/")
        for package in root.uninstall(vendor, name or None, purge=args.purge, force=args.force):
            removed.append(package)
            if not args.quiet and not args.json:
                print(f"removed {package.manifest.key} {package.manifest.version} from {root.path}")
    if args.json:
        print_json([package.to_dict() for package in removed])
    return 0
