"""`opkg __complete KIND`: the words that a shell offers. Called by the scripts of `opkg completion`, not by people."""

from __future__ import annotations

import argparse
import re

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", choices=("operators", "packages", "names", "plugins"))


def run(args: argparse.Namespace) -> int:
    """Print one word a line."""
    for word in {"plugins": _plugins, "operators": _operators, "packages": _packages, "names": _names}[args.kind]():
        # What a shell is given it may run: a name that another installer left must be nothing but a name.
        if _WORD.fullmatch(word):
            print(word)
    return 0


def _plugins() -> list[str]:
    from opkg.plugins import scan

    return sorted({plugin.distribution for plugin in scan.installed().plugins})


def _operators() -> list[str]:
    from opkg.registry.listing import operator_lines

    return sorted({line.op_type for line in operator_lines(None)})


def _packages() -> list[str]:
    from opkg.registry.listing import package_lines

    found = package_lines(None)
    return sorted({line.vendor for line in found} | {f"{line.vendor}/{line.name}" for line in found})


def _names() -> list[str]:
    return sorted({*_operators(), *_packages()})
