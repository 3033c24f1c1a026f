"""`opkg doctor`: looks for what would go wrong, and says what to type."""

from __future__ import annotations

import argparse
import importlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_install_path, add_json, add_wait
from opkg.cli.output import print_json
from opkg.errors import OpkgError

if TYPE_CHECKING:
    from opkg.plugins.types import Check, Finding

_CHECKS = {
    "compiler": ("opkg.build.checks", "check_compiler"),
    "tools": ("opkg.build.checks", "check_tools"),
    "native": ("opkg.build.checks", "check_native"),
    "environment": ("opkg.registry.checks", "check_environment"),
    "roots": ("opkg.store.checks", "check_roots"),
    "packages": ("opkg.registry.checks", "check_packages"),
    "caches": ("opkg.registry.checks", "check_caches"),
    "plugins": ("opkg.plugins.checks", "check_plugins"),
}
"""Name of each of opkg's own checks -> where it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--recover",
        action="store_true",
        help="first finish or undo what an interrupted command left in the install roots",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print only what is wrong")
    add_json(parser)
    add_install_path(parser)
    add_wait(parser)


def run(args: argparse.Namespace) -> int:
    """Print what every check found out; 1 if one of them is a problem."""
    if args.recover:
        _recover(args.install_path, args.wait)
    found = [finding for check in _checks() for finding in _run(check, args.install_path)]
    problems = [finding for finding in found if finding.state == "problem"]
    if args.json:
        print_json([asdict(finding) for finding in found])
    else:
        _print(problems if args.quiet else found)
        if problems or not args.quiet:
            print(_summary(found))
    return 1 if problems else 0


def _recover(install_path: Path | None, wait: float) -> None:
    from opkg.store import Root, install_roots

    for root in install_roots(install_path):
        if root.is_dir():
            Root(root, wait=wait).recover()


def _checks() -> Iterator[Check]:
    from opkg.plugins import collect
    from opkg.plugins.types import Check

    for name, (module, function) in _CHECKS.items():
        yield Check(name, getattr(importlib.import_module(module), function))
    for distribution, check in collect("opkg_checks"):
        yield Check(f"{check.name} (plugin {distribution})", check.run)


def _run(check: Check, install_path: Path | None) -> list[Finding]:
    from opkg.plugins.types import Finding

    try:
        found = list(check.run(install_path))
        wrong = next((f for f in found if not isinstance(f, Finding) or f.state not in ("ok", "note", "problem")), None)
        if wrong is None:
            return found
        why = f"it returned {wrong!r}"
    except OpkgError as error:
        return [Finding(check.name, "problem", error.message.replace("\n", "; "), error.hint)]
    except Exception as error:  # a check may be a plugin's; the others must still run
        why = " ".join(f"{type(error).__name__}: {error}".split())
    return [Finding(check.name, "problem", f"this check failed: {why}", "opkg plugins")]


def _print(found: list[Finding]) -> None:
    width = max((len(finding.subject) for finding in found), default=0)
    for finding in found:
        print(f"{finding.state:<7}  {finding.subject:<{width}}  {finding.message}")
        if finding.advice:
            print(f"{'':<7}  {'':<{width}}  -> {finding.advice}")


def _summary(found: list[Finding]) -> str:
    counted = Counter(finding.state for finding in found)
    words = [f"{counted[state]} {state}{'' if counted[state] == 1 else 's'}" for state in ("problem", "note")]
    return ", ".join(word for word in words if not word.startswith("0")) or "nothing is wrong"
