"""`opkg install`: bundles into an install root, or another version that is there."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_allow_downgrade, add_change, add_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.store import InstallResult, Root
    from opkg.store.conflicts import Wins


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "bundles",
        metavar="BUNDLE",
        nargs="+",
        help="a .run file made by 'opkg build --pkg'; or VENDOR/NAME, with ==1.2 or another specifier: the newest such"
        " version that the root keeps",
    )
    add_from(parser)
    parser.add_argument(
        "--force", action="store_true", help="install although this machine or this root lacks what it needs"
    )
    winner = parser.add_mutually_exclusive_group()
    winner.add_argument(
        "--priority", action="store_true", help="let its operators win over the same ones of other packages in the root"
    )
    winner.add_argument(
        "--allow-shadow", action="store_true", help="let the same operators of other packages in the root win over its"
    )
    parser.add_argument(
        "--adopt",
        action="store_true",
        help="make a package of what another installer left in the vendor's folder, and install beside it",
    )
    parser.add_argument(
        "--require-signed", action="store_true", help="only if a key that the install root trusts signed it"
    )
    add_allow_downgrade(parser)
    add_change(parser)


def run(args: argparse.Namespace) -> int:
    """Install one bundle after the other; the first that fails ends it, those before it stay."""
    from opkg.cli.output import print_json
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path), wait=args.wait)
    wins: Wins = "new" if args.priority else "present" if args.allow_shadow else ""
    results = []
    for bundle in args.bundles:
        results.append(_install(root, bundle, args, wins))
        if not args.quiet and not args.json:
            _show(results[-1])
    if args.json:
        print_json([result.to_dict() for result in results])
    elif not args.quiet:
        _show_environment(results)
    return 0


def _install(root: Root, word: str, args: argparse.Namespace, wins: Wins) -> InstallResult:
    if _is_version(word):
        return root.activate(
            word,
            source=args.source,
            force=args.force,
            wins=wins,
            require_signed=args.require_signed,
            allow_downgrade=args.allow_downgrade,
        )
    return root.install(
        word,
        force=args.force,
        adopt=args.adopt,
        wins=wins,
        require_signed=args.require_signed,
        allow_downgrade=args.allow_downgrade,
    )


def _is_version(text: str) -> bool:
    """Whether a word on the command line is `vendor/name==1.2` and not a file."""
    from opkg.bundle.requirement import parse_requirement
    from opkg.errors import BundleError

    if text.endswith(".run") or text.startswith((".", "/", "~")) or Path(text).exists():
        return False
    try:
        return bool(parse_requirement(text).vendor)
    except BundleError:
        return False


def _show(result: InstallResult) -> None:
    manifest = result.package.manifest
    for adopted in result.adopted:
        print(f"made a package of what was in {result.view}: {manifest.vendor}/{adopted}")
    operators = ", ".join(entry.op_info.op for entry in manifest.operators)
    what = f"{manifest.key} {manifest.version} ({operators})"
    if not result.changed:
        print(f"{what} was already installed in {result.root}")
    elif result.replaced not in ("", manifest.version):
        print(f"installed {what} in {result.root} in place of {result.replaced}")
    else:
        print(f"installed {what} in {result.root}")
    for operator, package in result.shared:
        print(f"{operator} is also in {package}; see 'opkg which {operator}'")
    if result.signed_by:
        print(f"signed by {result.signed_by}")


def _show_environment(results: list[InstallResult]) -> None:
    """Say how programs find a root that is not looked into by itself."""
    from opkg.store import install_roots

    views = {result.view for result in results if result.root not in install_roots()}
    if views:
        import shlex

        print("programs find it after:")
        for view in sorted(views):
            print(f"  source {shlex.quote(str(view / 'bin' / 'set_env.bash'))}")
