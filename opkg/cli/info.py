"""`opkg info`: describes a package or an operator."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_fields, print_json, print_table
from opkg.errors import NotFoundError

if TYPE_CHECKING:
    from opkg.opinfo import Attr, OpInfo
    from opkg.registry import Candidate, Package, Registry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="operator type, package, vendor, or vendor/package")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Describe the packages of that name; else the operator of that name."""
    from opkg.registry import open_registry

    registry = open_registry(args.install_path)
    packages = [package for package in registry.packages() if _is_called(package, args.name)]
    if packages:
        described = [_describe_package(registry, package) for package in packages]
        if args.json:
            print_json({"packages": described})
        else:
            _print_packages(described)
        return 0
    candidate, unusable = _operator(registry, args.name)
    if args.json:
        print_json({"operator": _describe_operator(candidate, unusable)})
    else:
        _print_operator(candidate, unusable)
    return 0


def _operator(registry: Registry, name: str) -> tuple[Candidate, str]:
    """The operator of that name, and why it cannot be used; one that can is preferred."""
    from opkg.registry.model import parse_key

    found = registry.resolve(*parse_key(name))
    if found.chosen is not None:
        return found.chosen, ""
    if found.rejected:
        return found.rejected[0]
    raise NotFoundError(f"no package, vendor or operator is called '{name}'", "'opkg list --operators' shows them all")


def _is_called(package: Package, name: str) -> bool:
    return name in (package.name, package.vendor, f"{package.vendor}/{package.name}")


def _describe_package(registry: Registry, package: Package) -> dict[str, Any]:
    return {
        "vendor": package.vendor,
        "name": package.name,
        "version": package.version,
        "domain": package.domain,
        "path": package.root,
        "source": package.source,
        "lacks": package.lacks,
        "target": package.target,
        "soc": list(package.soc),
        "arch": package.arch,
        "isa": package.isa,
        "abi": package.abi,
        "glibc": package.glibc,
        "digest": package.digest,
        "operators": registry.operator_names(package),
    }


def _print_packages(packages: list[dict[str, Any]]) -> None:
    for number, package in enumerate(packages):
        if number:
            print()
        rows = [(key, ", ".join(value) if isinstance(value, list) else value) for key, value in package.items()]
        print_fields([(key, value or "") for key, value in rows])


def _describe_operator(candidate: Candidate, unusable: str) -> dict[str, Any]:
    package = candidate.package
    return {
        "name": candidate.op_type,
        "domain": candidate.domain,
        "package": package.label,
        "path": package.root,
        "source": package.source,
        "unusable": unusable,
        "op_info": candidate.op_info.to_dict(),
    }


def _print_operator(candidate: Candidate, unusable: str) -> None:
    info = candidate.op_info
    print(f"{info.op}({_signature(info)})")
    print_fields(
        [
            ("domain", candidate.domain),
            ("alias", candidate.key if candidate.op_type != info.op else ""),
            ("package", candidate.package.label),
            ("source", candidate.source),
            ("path", candidate.package_root),
            ("unusable", unusable),
        ]
    )
    params = [("input", p) for p in info.inputs] + [("output", p) for p in info.outputs]
    rows = [
        (role, p.name, p.param_type, ", ".join(f"{d}:{f}" for d, f in zip(p.dtypes, p.formats, strict=True)))
        for role, p in params
    ]
    rows += [("attr", a.name, a.param_type, _attr(a)) for a in info.attrs]
    print_table(rows)


def _signature(info: OpInfo) -> str:
    inputs = ", ".join(p.name + {"optional": "?", "dynamic": "..."}.get(p.param_type, "") for p in info.inputs)
    return f"{inputs}) -> ({', '.join(p.name for p in info.outputs)}"


def _attr(attr: Attr) -> str:
    return attr.type if attr.param_type == "required" else f"{attr.type} = {attr.default!r}"
