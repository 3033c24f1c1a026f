"""`opkg sync`: an install root as a lock says."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_from, add_install_path, add_json, add_wait


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("lock", metavar="LOCK", type=Path, nargs="?", default=Path("opkg.lock"), help="(opkg.lock)")
    add_from(parser)
    parser.add_argument(
        "--keep-others", action="store_true", help="leave packages in use that the lock does not name; else they go"
    )
    parser.add_argument("--force", action="store_true", help="although this machine or this root lacks what is needed")
    parser.add_argument(
        "--allow-downgrade",
        action="store_true",
        help="where signatures are required: also a version older than one that was installed",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing unless it fails")
    add_install_path(parser)
    add_wait(parser)
    add_json(parser)


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
