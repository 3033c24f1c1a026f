"""`opkg gc`: versions and generations that nothing refers to."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_install_path, add_json, add_wait
from opkg.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--keep", metavar="N", type=int, default=1, help="keep what the last N rollbacks of each package need (1)"
    )
    parser.add_argument(
        "--lock",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="keep what this opkg.lock names; repeatable",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would go")
    add_install_path(parser)
    add_wait(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Delete, and say what."""
    from opkg.cli.output import print_json, print_table
    from opkg.store import Root, default_root, read_lock

    if args.keep < 0:
        raise UsageError("--keep takes a number from 0")
    root = Root(default_root(args.install_path), wait=args.wait)
    digests = {package.digest for file in args.lock for package in read_lock(file).packages}
    find = root.unused if args.dry_run else root.collect
    gone = find(keep=args.keep, digests=digests)
    if args.json:
        print_json({"root": root.path, "deleted": not args.dry_run, "unused": [one.to_dict() for one in gone]})
        return 0
    print_table([(one.kind, one.name, f"{one.size:,} bytes") for one in gone])
    verb = "would be deleted from" if args.dry_run else "deleted from"
    print(f"{len(gone)} {verb} {root.path}" if gone else f"nothing to delete in {root.path}")
    return 0
