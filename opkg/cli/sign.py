"""`opkg sign`: signatures into bundles."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bundles", metavar="BUNDLE", type=Path, nargs="+", help="a .run file; it is signed in place")
    parser.add_argument("--key", metavar="K", required=True, help="a .key file, or the name of a key of yours")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Sign one bundle after the other."""
    from opkg.bundle import sign_bundle
    from opkg.bundle.keys import find_key, read_private_key
    from opkg.cli.output import print_json

    key = read_private_key(find_key(args.key, ".key"))
    for bundle in args.bundles:
        sign_bundle(bundle, key)
        if not args.json:
            print(f"signed {bundle} with the key {key.public.id}")
    if args.json:
        print_json([{"path": bundle, "key": key.public.id} for bundle in args.bundles])
    return 0
