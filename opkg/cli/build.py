"""`opkg build`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from opkg.errors import BuildError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.bundle.keys import PrivateKey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--pkg", action="store_true", help="also write custom_opp_<os>_<arch>.run")
    parser.add_argument("--sign", metavar="K", help="with --pkg: sign the bundle with this .key file or key of yours")
    parser.add_argument("--out", metavar="DIR", help="folder for everything that is made (default: build_out)")
    parser.add_argument(
        "--target", default="cpu", help="cpu (default), or a SoC such as ascend910b through the vendor's toolkit"
    )
    parser.add_argument("--march", metavar="LEVEL", help="instruction set of kernels (default on x86-64: x86-64-v3)")
    parser.add_argument("--check", action="store_true", help="kernels with the twin's checks, in build_out/check")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="how many commands run at once")
    parser.add_argument("--clean", action="store_true", help="forget what earlier builds left")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every command and its output")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Build, and say what was built and why."""
    from opkg.build import build_project

    key = _signing_key(args)
    try:
        result = build_project(
            Path(args.dir),
            out=Path(args.out) if args.out else None,
            pkg=args.pkg,
            jobs=args.jobs,
            target=args.target,
            clean=args.clean,
            march=args.march,
            check=args.check,
            verbose=args.verbose,
            log=_to_stderr,
        )
    except BuildError as error:
        if error.log and not args.json:
            _to_stderr(error.log)
        raise
    if key is not None and result.bundle is not None:
        from opkg.bundle import sign_bundle

        sign_bundle(result.bundle, key)
    if args.json:
        from opkg.cli.output import print_json

        rebuilt = list(result.rebuilt)
        print_json({"package": result.package, "bundle": result.bundle, "rebuilt": rebuilt})
        return 0
    for line in result.rebuilt or ("nothing to do",):
        print(line)
    print(f"package {_shown(result.package)}")
    if result.bundle is not None:
        print(f"bundle  {_shown(result.bundle)}{f', signed with the key {key.public.id}' if key else ''}")
    return 0


def _signing_key(args: argparse.Namespace) -> PrivateKey | None:
    """The key, read before anything is built."""
    if args.sign is None:
        return None
    if not args.pkg:
        raise UsageError("--sign signs a bundle", "give --pkg too")
    from opkg.bundle.keys import find_key, read_private_key

    return read_private_key(find_key(args.sign, ".key"))


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _shown(path: Path) -> Path:
    """A path relative to where the user is, where it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
