"""`opkg verify`: what is installed against its manifests."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_install_path, add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "packages", metavar="VENDOR[/NAME]", nargs="*", help="a vendor or a package; everything in the root without"
    )
    add_install_path(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Hash every file and compare; 1 if anything differs."""
    from opkg.cli.output import print_json, print_table
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path))
    problems = []
    for text in args.packages or [""]:
        vendor, _, name = text.partition("/")
        problems += root.verify(vendor, name)
    if args.json:
        print_json({"root": root.path, "problems": [problem.to_dict() for problem in problems]})
    elif problems:
        print_table([(problem.kind, problem.path) for problem in problems])
        differences = f"{len(problems)} difference{'' if len(problems) == 1 else 's'}"
        print(f"{differences} in {root.path}; install the packages again to repair them")
    else:
        count = len(root.packages())
        print(f"{count} package{'' if count == 1 else 's'} in {root.path}: every file is as it was installed")
    return 1 if problems else 0
