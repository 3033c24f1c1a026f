"""`opkg history`: every change of an install root."""

from __future__ import annotations

import argparse

from opkg.cli.arguments import add_install_path, add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("package", metavar="VENDOR[/NAME]", nargs="?", default="", help="only changes of this one")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print the changes, the newest first."""
    from opkg.cli.output import print_json, print_table
    from opkg.cli.steps import step_lines
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path))
    vendor, _, name = args.package.partition("/")
    rows = []
    found = []
    for entry in reversed(root.history()):
        steps = [s for s in entry.steps() if vendor in ("", s.vendor) and name in ("", s.name)]
        if steps or not args.package:
            found.append(entry.to_dict() | {"changes": [step.to_dict() for step in steps]})
            lines = step_lines(steps) or ["nothing but order or repair"]
            command = entry.command + (f" of {entry.undoes}" if entry.undoes else "")
            rows += [(str(entry.number), entry.time, command, entry.user, f"opkg {entry.opkg}", lines[0])]
            rows += [("", "", "", "", "", line) for line in lines[1:]]
    if args.json:
        print_json(found)
    elif rows:
        print_table(rows, ("", "WHEN", "COMMAND", "USER", "BY", "WHAT"))
    else:
        print(f"no changes{' of ' + args.package if args.package else ''} in {root.path}")
    return 0
