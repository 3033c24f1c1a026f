"""`opkg verify`: what is installed against its manifests; a bundle against its manifest and its signature."""

from __future__ import annotations

import argparse
from pathlib import Path

from opkg.cli.arguments import add_install_path, add_json
from opkg.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from opkg.bundle import Bundle
    from opkg.store import Root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "packages",
        metavar="VENDOR[/NAME]",
        nargs="*",
        help="a vendor, a package, or a .run file; everything in the root without",
    )
    parser.add_argument("--key", metavar="K", help="the .pub file, or name, of the key that must have signed the file")
    parser.add_argument(
        "--require-signed", action="store_true", help="a key that the install root trusts must have signed the file"
    )
    add_install_path(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Hash every file and compare; 1 if anything differs."""
    from opkg.bundle import is_run_file
    from opkg.store import Root, default_root

    root = Root(default_root(args.install_path))
    files = [Path(text) for text in args.packages if Path(text).is_file() and is_run_file(Path(text))]
    missing = [text for text in args.packages if text.endswith(".run") and Path(text) not in files]
    if missing:
        raise UsageError(f"{missing[0]} is not a bundle")
    if files and len(files) < len(args.packages):
        raise UsageError("name either files or packages")
    if files:
        return _verify_files(root, files, args)
    if args.key or args.require_signed:
        raise UsageError("--key and --require-signed are for a .run file", "name one")
    return _verify_root(root, args)


def _verify_files(root: Root, files: list[Path], args: argparse.Namespace) -> int:
    from opkg.bundle import open_bundle
    from opkg.cli.output import print_json

    found = []
    for file in files:
        with open_bundle(file) as bundle:
            bundle.verify()
            found.append({"path": file, "digest": bundle.digest, **_signer(root, bundle, args)})
        if not args.json:
            print(f"{file} is intact, {found[-1]['said']}")
    if args.json:
        print_json([{key: value for key, value in one.items() if key != "said"} for one in found])
    return 0


def _signer(root: Root, bundle: Bundle, args: argparse.Namespace) -> dict[str, Any]:
    """Who signed a bundle, `signed_by` being None where nobody did."""
    from opkg.bundle import check_signature
    from opkg.bundle.keys import find_key, read_public_key
    from opkg.errors import SignatureError
    from opkg.store import check_trusted, trusted_keys

    if args.require_signed:
        check_trusted(root.path, bundle)
    if bundle.signature is None and not args.key:
        return {"signed_by": None, "trusted": None, "said": "not signed"}
    key = check_signature(bundle)
    if args.key and read_public_key(find_key(args.key, ".pub")) != key:
        raise SignatureError(
            f"{bundle.path} is signed by another key than {args.key}: {key.id}", "do not use it", code="OPKG-5210"
        )
    name = next((trusted.name for trusted in trusted_keys(root.path) if trusted.key == key), None)
    who = f"signed by {name} ({key.id})" if name else f"signed by {key.id}"
    said = who if name or args.key else f"{who}, which {root.path} does not trust"
    return {"signed_by": key.id, "trusted": name, "said": said}


def _verify_root(root: Root, args: argparse.Namespace) -> int:
    from opkg.cli.output import print_json, print_table

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
