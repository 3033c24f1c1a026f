"""`opkg sync`: an install root as a lock says."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_allow_downgrade, add_change, add_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("lock", metavar="LOCK", type=Path, nargs="?", default=Path("opkg.lock"), help="(opkg.lock)")
    add_from(parser)
    parser.add_argument(
        "--keep-others", action="store_true", help="leave packages in use that the lock does not name; else they go"
    )
    parser.add_argument("--force", action="store_true", help="although this machine or this root lacks what is needed")
    add_allow_downgrade(parser)
    add_change(parser)


def run(args: argparse.Namespace) -> int:
    """Install, activate and remove in one change."""
    from opkg.cli.steps import print_entry
    from opkg.store import Root, default_root, read_lock

    root = Root(default_root(args.install_path), wait=args.wait)
    entry = root.sync(
        read_lock(args.lock),
        source=args.source,
        force=args.force,
        keep_others=args.keep_others,
        allow_downgrade=args.allow_downgrade,
    )
    print_entry(entry, root.path, args, nothing=f"everything is as {args.lock} says")
    return 0
