"""`opkg inspect`: what is in a bundle, an offline model, or an installed package."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.cli.arguments import add_json
from opkg.cli.output import print_fields, print_json
from opkg.errors import ModelError, UsageError

if TYPE_CHECKING:
    from opkg.runtime.om import OmFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a bundle, an offline model, or an installed folder")
    parser.add_argument("--verify", action="store_true", help="also compute the checksum of everything in it")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Find out what the file is, and describe it."""
    file: Path = args.file
    if not file.exists():
        raise UsageError(f"{file} does not exist")
    described = _describe(file, verify=args.verify)
    if args.json:
        print_json(described)
    else:
        _print(described)
    return 0


def _describe(file: Path, *, verify: bool) -> dict[str, Any]:
    from opkg.bundle import open_bundle
    from opkg.runtime.om import is_om
    from opkg.store import can_describe, describe

    if file.is_file() and is_om(file):
        return describe_om(file, verify=verify)
    if not can_describe(file):
        raise UsageError(f"{file} is neither a bundle, nor an offline model, nor an installed package")
    described = describe(file)
    if verify and described["kind"] != "bundle":
        raise UsageError(
            f"--verify is for bundles and offline models, not for a {described['kind']}", "try 'opkg verify'"
        )
    if verify:
        with open_bundle(file) as opened:
            opened.verify()
    return described


def describe_om(file: Path, *, verify: bool = False) -> dict[str, Any]:
    """What an offline model has.

    Raises:
        ModelError: it is damaged; with `verify` also in a large section.
    """
    from opkg.runtime import om
    from opkg.runtime.operators import read_operators
    from opkg.runtime.signature import read_signature

    with om.read_om(file) as model:
        damaged = model.damaged() if verify else []
        if damaged:
            raise ModelError(
                f"{file} is damaged: the checksum is wrong in section {', '.join(damaged)}", "copy the file again"
            )
        signature = read_signature(bytes(model.section(om.SIGNATURE)))
        operators = read_operators(bytes(model.section(om.OPERATORS)))
        options = _options(model)
        label = bytes(model.section(om.LABEL)).decode(errors="replace") if om.LABEL in model else ""
        sections = [
            {"name": s.name, "offset": s.offset, "size": s.size, "sha256": s.sha256} for s in model.sections.values()
        ]
        return {
            "kind": "offline model",
            "path": str(file),
            "digest": model.digest,
            "label": label,
            "engine": signature.engine,
            "inputs": [info.to_dict() for info in signature.inputs],
            "outputs": [info.to_dict() for info in signature.outputs],
            "operators": [spec.to_dict() for spec in operators],
            "options": options,
            "sections": sections,
        }


def _options(model: OmFile) -> dict[str, Any]:
    """What the model was converted with; only for people, so what cannot be read is left out."""
    import json

    from opkg.runtime import om

    try:
        options = json.loads(bytes(model.section(om.OPTIONS))) if om.OPTIONS in model else {}
    except (ValueError, RecursionError):
        return {}
    return options if isinstance(options, dict) else {}


def _print(described: dict[str, Any]) -> None:
    shown = {"offline model": _print_om, "bundle": _print_bundle, "makeself": _print_makeself, "vendor": _print_vendor}
    print(f"{described['kind']} {described['path']}")
    shown[described["kind"]](described)


def _print_om(described: dict[str, Any]) -> None:
    from opkg.runtime.signature import TensorInfo

    fields: list[tuple[str, object]] = [("  label", described["label"]), ("  engine", described["engine"])]
    fields += [("  input", TensorInfo.from_dict(info)) for info in described["inputs"]]
    fields += [("  output", TensorInfo.from_dict(info)) for info in described["outputs"]]
    for operator in described["operators"]:
        package = f"{operator['vendor']}/{operator['package']} {operator['version']}"
        fields.append(("  operator", f"{operator['op_type']} of {package}, nodes: {len(operator['nodes'])}"))
    fields += [("  option", f"{name} = {value}") for name, value in described["options"].items() if value]
    fields += [("  section", f"{s['name']}, {s['size']} bytes at {s['offset']}") for s in described["sections"]]
    print_fields([*fields, ("  digest", described["digest"])])


def _print_bundle(described: dict[str, Any]) -> None:
    sizes = f"{described['bytes']} bytes, {described['unpacked']} unpacked"
    signed = f"yes, with the key {described['key']}; 'opkg verify' checks it" if described["signed"] else "no"
    print_fields([("  size", sizes), ("  signed", signed), ("  digest", described["digest"])])
    _print_manifest(described["manifest"])


def _print_makeself(described: dict[str, Any]) -> None:
    print_fields([("  made by", described["maker"]), *((f"  {k}", v) for k, v in described["variables"].items())])
    for file in described["files"]:
        print(f"  {file}")


def _print_vendor(described: dict[str, Any]) -> None:
    if described["foreign"]:
        print("  made by another installer")
    for package in described["packages"]:
        print_fields([("  package", package["path"]), ("  digest", package["digest"])])
        _print_manifest(package["manifest"])


def _commit(source: dict[str, Any]) -> str:
    return f"{source['commit']}{', with changes' if source.get('dirty') else ''}" if source.get("commit") else ""


def _print_manifest(manifest: dict[str, Any]) -> None:
    fields: list[tuple[str, object]] = [
        ("  provides", f"{manifest['vendor']}/{manifest['name']} {manifest['version']}"),
        ("  domain", manifest["domain"]),
        ("  target", " ".join(filter(None, (manifest["target"], manifest["arch"], manifest["isa"])))),
        ("  soc", ", ".join(manifest["soc"])),
        ("  commit", _commit(manifest.get("source", {}))),
    ]
    for operator in manifest["operators"]:
        info = operator["op_info"]
        fields.append(("  operator", f"{info['op']}, columns: {len(operator['columns'])}"))
    print_fields([*fields, ("  files", len(manifest["files"]))])
