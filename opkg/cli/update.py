"""`opkg update`: a project is brought to a newer template."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_json

if TYPE_CHECKING:
    from opkg.project.update import UpdatePlan

_WAYS = ("stop", "markers", "rej")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if there is something to do")
    parser.add_argument(
        "--conflicts",
        choices=_WAYS,
        default="stop",
        help="where you and the template changed the same lines: write nothing (stop), both sides between markers "
        "(markers), or yours and a .rej file with the template's change (rej)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say what an update does to each file, and do it."""
    from opkg.project.update import apply_update, finish_update, plan_update

    root = Path(args.dir)
    finished = not args.check and finish_update(root)
    plan = plan_update(root)
    if args.json:
        return _run_json(args, plan)
    if finished:
        print("an earlier update was cut short; it is finished now")
    _show(plan)
    if args.check or plan.empty:
        return 0 if plan.empty else 1
    written = apply_update(plan, args.conflicts)
    print(f"updated: {len(written)} file{'' if len(written) == 1 else 's'} written or removed")
    if plan.conflicts:
        where = "between markers in the files" if args.conflicts == "markers" else "in the .rej files"
        print(f"{len(plan.conflicts)} in conflict: the template's side is {where}")
    return 0


def _run_json(args: argparse.Namespace, plan: UpdatePlan) -> int:
    from opkg.cli.output import print_json
    from opkg.project.update import apply_update

    written = () if args.check or plan.empty else apply_update(plan, args.conflicts)
    print_json(
        {
            "project": str(plan.root),
            "template": plan.new.template,
            "from": plan.old.version,
            "to": plan.new.version,
            "changes": [{"path": c.path, "action": c.action, "reason": c.reason} for c in plan.changes],
            "written": list(written),
        }
    )
    return 1 if args.check and not plan.empty else 0


def _show(plan: UpdatePlan) -> None:
    from opkg.cli.output import print_table

    if plan.empty:
        print(f"{plan.root} is as new as its template ({plan.new.template} {plan.new.version})")
        return
    print(f"template {plan.new.template}: {plan.old.version} -> {plan.new.version}")
    print_table([(change.action, change.path, change.reason) for change in plan.changes])
