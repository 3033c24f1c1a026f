"""`opkg diff`: in what two bundles differ."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from opkg.cli.arguments import add_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from opkg.bundle import Bundle
    from opkg.bundle.difference import Difference

_MOST = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A", type=Path, help="a .run file")
    parser.add_argument("second", metavar="B", type=Path, help="another one")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what differs; 1 if anything does."""
    from opkg.bundle import open_bundle
    from opkg.cli.output import print_json

    with open_bundle(args.first) as first, open_bundle(args.second) as second:
        found = _differences(first, second)
        for bundle in (first, second):
            bundle.verify()
    if args.json:
        print_json({"same": not found, "differences": [difference.to_dict() for difference in found]})
    elif not found:
        print("the two bundles are the same")
    for difference in () if args.json else found:
        print(_shown(difference))
        for detail in difference.details:
            print(f"    {detail}")
    return 1 if found else 0


def _differences(first: Bundle, second: Bundle) -> list[Difference]:
    from opkg.bundle.difference import Difference, differences

    found = differences(first.manifest, second.manifest)
    changed = {d.what for d in found if d.kind == "file" and d.change == "changed"}
    one, other = _libraries(first, changed), _libraries(second, changed)
    found = [
        replace(d, details=_between(one[d.what], other[d.what])) if d.what in one.keys() & other else d for d in found
    ]
    before, after = (bundle.signature.key.id if bundle.signature else None for bundle in (first, second))
    if before != after:
        found.append(Difference("field", "signature", before, after))
    if not found and first.header.seal != second.header.seal:
        found.append(Difference("field", "script", first.header.seal, second.header.seal))
    return found


def _libraries(bundle: Bundle, wanted: set[str]) -> dict[str, dict[str, set[str]]]:
    """What the wanted ELF files of a bundle need and offer."""
    import tempfile

    from opkg.build.elf import Elf
    from opkg.errors import BuildError

    found: dict[str, dict[str, set[str]]] = {}
    for entry, chunks in bundle.entries() if wanted else ():
        if entry.path not in wanted:
            continue
        with tempfile.NamedTemporaryFile() as file:
            file.writelines(chunks)
            file.flush()
            try:
                elf = Elf(Path(file.name))
                found[entry.path] = {
                    "needs": set(elf.needed()),
                    "exports": set(elf.exported()),
                    "needs the version": set(elf.needed_versions()),
                }
            except BuildError:
                continue
    return found


def _between(one: dict[str, set[str]], other: dict[str, set[str]]) -> tuple[str, ...]:
    lines: list[str] = []
    for verb, before in one.items():
        for names, when in ((other[verb] - before, ""), (before - other[verb], "no longer ")):
            if names:
                listed = sorted(names)
                more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
                lines.append(f"{when}{verb} {', '.join(listed[:_MOST])}{more}")
    return tuple(lines)


def _shown(difference: Difference) -> str:
    kind = "" if difference.kind == "field" else f"{difference.kind} "
    before, after = _value(difference.before), _value(difference.after)
    if difference.kind == "operator" or difference.change != "changed":
        tail = "" if difference.kind != "field" else f": {before if difference.after is None else after}"
        return f"{difference.change:<8} {kind}{difference.what}{tail}"
    return f"{difference.change:<8} {kind}{difference.what}: {before} -> {after}"


def _value(value: Any) -> str:
    if isinstance(value, dict) and "sha256" in value:
        mode = ", executable" if value.get("executable") else ""
        return f"{value['size']} bytes{mode} ({value['sha256'][:12]})"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
