"""`opkg plugins`: the plugins of both doors, and whether they work."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_json, print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--hooks", action="store_true", help="show the hooks that a plugin can implement instead")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print every plugin after looking at the installed distributions anew; 1 if one is broken."""
    if args.hooks:
        return _print_hooks(as_json=args.json)
    from opkg.plugins import scan, status

    scan.forget()
    found = status()
    if args.json:
        print_json([asdict(plugin) for plugin in found])
    elif not found:
        print(f"no plugins; see the entry-point groups '{scan.STATIC_GROUP}' and '{scan.DYNAMIC_GROUP}'")
    else:
        rows = [
            (f"{p.distribution} {p.version}", p.name, p.door, p.state, p.error or ", ".join(p.provides)) for p in found
        ]
        print_table(rows, ("DISTRIBUTION", "PLUGIN", "DOOR", "STATE", "PROVIDES"))
    return 1 if any(plugin.state == "failed" for plugin in found) else 0


def _print_hooks(*, as_json: bool) -> int:
    from opkg.plugins import hookspecs

    rows = [(name, (getattr(hookspecs, name).__doc__ or "").strip().partition("\n")[0]) for name in hookspecs.RESULTS]
    if as_json:
        print_json([{"hook": name, "summary": summary} for name, summary in rows])
    else:
        print_table(rows)
    return 0
