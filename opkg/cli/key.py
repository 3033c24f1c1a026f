"""`opkg key`: keys of this user, and those that an install root trusts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from opkg.cli.arguments import add_install_path, add_json, add_wait
from opkg.cli.output import print_json, print_table
from opkg.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opkg.store import Root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action",
        choices=list(_ACTIONS),
        help="`new NAME` makes a pair of keys; `list` shows yours and those that the install root trusts; "
        "`trust KEY` and `untrust NAME` change these; `policy signed` lets the root take only what they signed, "
        "`policy any` anything",
    )
    parser.add_argument("key", metavar="KEY", nargs="?", default="", help="a name, a .pub file, or the policy")
    parser.add_argument("--out", metavar="DIR", type=Path, help="new: folder for the files (default: your own keys)")
    parser.add_argument("--name", metavar="NAME", help="trust: name of the key in the root (default: its file's)")
    add_install_path(parser)
    add_wait(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    from opkg.store import Root, default_root

    action, needs = _ACTIONS[args.action]
    if bool(args.key) != bool(needs):
        raise UsageError(f"opkg key {args.action} takes {needs or 'nothing else'}", "see 'opkg key --help'")
    action(args, Root(default_root(args.install_path), wait=args.wait))
    return 0


def _new(args: argparse.Namespace, root: Root) -> None:
    from opkg.bundle.keys import key_folder, new_key, read_public_key

    private, public = new_key(args.key, args.out or key_folder())
    key = read_public_key(public)
    _say(
        args,
        {"name": args.key, "id": key.id, "private": private, "public": public},
        f"made the key {key.id}",
        f"  {private}  signs; keep it to yourself",
        f"  {public}  give this to those who install",
    )


def _list(args: argparse.Namespace, root: Root) -> None:
    from opkg.bundle.keys import key_folder, read_public_key
    from opkg.store import requires_signed, trusted_keys

    own = [(file.stem, read_public_key(file), file) for file in sorted(key_folder().glob("*.pub"))]
    trusted = [(key.name, key.key, key.path) for key in trusted_keys(root.path)]
    rows = [
        (kind, name, key.id, path)
        for kind, keys in (("own", own), ("trusted", trusted))
        for name, key, path in keys
    ]  # fmt: skip
    required = requires_signed(root.path)
    if args.json:
        names = ("kind", "name", "id", "path")
        keys = [dict(zip(names, row, strict=True)) for row in rows]
        print_json({"root": root.path, "require_signed": required, "keys": keys})
        return
    print_table(rows)
    print(f"{root.path} takes {'only packages signed by a trusted key' if required else 'any package'}")


def _trust(args: argparse.Namespace, root: Root) -> None:
    from opkg.bundle.keys import check_key_name, find_key, read_public_key

    file = find_key(args.key, ".pub")
    name = args.name or file.stem
    check_key_name(name)
    key = read_public_key(file)
    path = root.trust(name, key)
    _say(args, {"name": name, "id": key.id, "path": path}, f"{root.path} trusts {name} ({key.id})")


def _untrust(args: argparse.Namespace, root: Root) -> None:
    root.untrust(args.key)
    _say(args, {"name": args.key, "root": root.path}, f"{root.path} does not trust {args.key} any longer")


def _policy(args: argparse.Namespace, root: Root) -> None:
    if args.key not in ("signed", "any"):
        raise UsageError(f"'{args.key}' is not a policy", "signed or any")
    root.require_signed(args.key == "signed")
    what = "only packages signed by a trusted key" if args.key == "signed" else "any package"
    _say(args, {"root": root.path, "require_signed": args.key == "signed"}, f"{root.path} takes {what}")


def _say(args: argparse.Namespace, value: dict[str, object], *lines: str) -> None:
    if args.json:
        print_json(value)
    else:
        print("\n".join(lines))


_ACTIONS: dict[str, tuple[Callable[[argparse.Namespace, Root], None], str]] = {
    "new": (_new, "a NAME"),
    "list": (_list, ""),
    "trust": (_trust, "a .pub FILE or the name of a key of yours"),
    "untrust": (_untrust, "the NAME of a trusted key"),
    "policy": (_policy, "'signed' or 'any'"),
}
