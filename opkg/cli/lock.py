"""`opkg lock`: exactly which packages, by digest."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from opkg.cli.arguments import add_from, add_install_path, add_json

Needed = list[tuple[str, str, str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        type=Path,
        nargs="?",
        help="an offline model, or the folder of a project: what it needs; without it all packages of the install root",
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="file to write (opkg.lock)")
    add_from(parser)
    add_install_path(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the lock; what it names is in the install root when it is written."""
    from opkg.cli.output import print_json
    from opkg.store import LOCK_NAME, Root, default_root

    root = Root(default_root(args.install_path))
    needed = None if args.what is None else _of_project(args.what) if args.what.is_dir() else _of_model(args.what)
    lock = root.lock(needed, source=args.source)
    output = args.output or Path(LOCK_NAME)
    output.write_text(lock.to_toml(), "utf-8")
    if args.json:
        print_json({"file": output, **asdict(lock)})
    else:
        count = len(lock.packages)
        print(f"wrote {output}: {count} package{'' if count == 1 else 's'} of {root.path}")
    return 0


def _of_model(file: Path) -> Needed:
    from opkg.runtime.om import OPERATORS, read_om
    from opkg.runtime.operators import read_operators

    with read_om(file) as model:
        specs = read_operators(bytes(model.section(OPERATORS)))
    return sorted({(spec.vendor, spec.package, spec.digest) for spec in specs})


def _of_project(folder: Path) -> Needed:
    from opkg.bundle.requirement import OPKG, parse_requirement
    from opkg.project import read_project

    requirements = [parse_requirement(text) for text in read_project(folder).requires]
    return [(one.vendor, one.name, "") for one in requirements if one.key != OPKG]
