"""`opkg plugins`: the plugins of both doors, whether they work, and turning them off and on."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_fields, print_json, print_table
from opkg.errors import UsageError

if TYPE_CHECKING:
    from opkg.plugins.explanation import Explanation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "explain", "disable", "enable"),
        default="list",
        help="show all (without an action), everything about some, turn some off for good, or on again",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a distribution or an entry point; all for explain")
    parser.add_argument("--hooks", action="store_true", help="show the hooks that a plugin can implement instead")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Do what is asked after looking at the installed distributions anew; 1 if a plugin that is shown is broken."""
    from opkg.plugins import scan

    if args.hooks:
        return _print_hooks(as_json=args.json)
    if args.action == "list" and args.names:
        raise UsageError("'opkg plugins list' takes no names", f"opkg plugins explain {' '.join(args.names)}")
    if args.action in ("disable", "enable") and not args.names:
        raise UsageError(f"'opkg plugins {args.action}' needs names", "'opkg plugins' shows them")
    scan.forget()
    if args.action == "list":
        return _list(as_json=args.json)
    if args.action == "explain":
        return _explain(args.names, as_json=args.json)
    return _switch(args.names, off=args.action == "disable", as_json=args.json)


def _list(*, as_json: bool) -> int:
    from opkg.plugins import scan, status

    found = status()
    if as_json:
        print_json([asdict(plugin) for plugin in found])
    elif not found:
        print(f"no plugins; see the entry-point groups '{scan.STATIC_GROUP}' and '{scan.DYNAMIC_GROUP}'")
    else:
        rows = [
            (f"{p.distribution} {p.version}", p.name, p.door, p.state, p.error or ", ".join(p.provides)) for p in found
        ]
        print_table(rows, ("DISTRIBUTION", "PLUGIN", "DOOR", "STATE", "PROVIDES"))
    return 1 if any(plugin.state == "failed" for plugin in found) else 0


def _explain(names: Sequence[str], *, as_json: bool) -> int:
    from opkg.plugins import scan
    from opkg.plugins.explanation import explain

    every = dict.fromkeys(plugin.distribution for plugin in scan.installed().plugins)
    found = [explanation for name in names or every for explanation in explain(name)]
    if as_json:
        print_json([asdict(explanation) for explanation in found])
    for number, explanation in enumerate([] if as_json else found):
        print("\n" * bool(number), end="")
        _print_explanation(explanation)
    return 1 if any(explanation.status.state == "failed" for explanation in found) else 0


def _print_explanation(explanation: Explanation) -> None:
    plugin = explanation.status
    group = "opkg.ops" if plugin.door == "static" else "opkg"
    print_fields(
        [
            ("plugin", f"{plugin.name} of {plugin.distribution} {plugin.version}"),
            ("entry point", f"{plugin.name} = {plugin.value}, group {group}"),
            ("state", f"{plugin.state} {plugin.error}".strip() if plugin.state == "disabled" else plugin.state),
            ("error", plugin.error if plugin.state == "failed" else ""),
            *explanation.brings,
        ]
    )
    if explanation.trace:
        print(explanation.trace, end="")


def _switch(names: Sequence[str], *, off: bool, as_json: bool) -> int:
    from opkg.plugins import choice, scan
    from opkg.plugins.explanation import not_installed

    known = {name for plugin in scan.installed().plugins for name in scan.names_of(plugin)}
    wanted = {choice.normalized(name): name for name in names}
    before = choice.stored()
    for normal, name in wanted.items():
        if normal not in known and (off or normal not in before):
            raise not_installed(name)
    after = before | wanted.keys() if off else before - wanted.keys()
    choice.store(after)
    if as_json:
        print_json({"disabled": sorted(after), "file": choice.state_file()})
        return 0
    for normal, name in wanted.items():
        print(f"{name} is turned {'off' if off else 'on'}{_outweighed(normal, off=off)}")
    return 0


def _outweighed(name: str, *, off: bool) -> str:
    """What the environment says against it."""
    from opkg.plugins import choice

    if (name in choice.disabled()) == off:
        return ""
    return f", but {choice.ENABLE if off else choice.DISABLE} is set and outweighs that"


def _print_hooks(*, as_json: bool) -> int:
    from opkg.plugins import hookspecs

    rows = [(name, (getattr(hookspecs, name).__doc__ or "").strip().partition("\n")[0]) for name in hookspecs.RESULTS]
    if as_json:
        print_json([{"hook": name, "summary": summary} for name, summary in rows])
    else:
        print_table(rows)
    return 0
