"""Reads one package for the index: from its manifest, or from what CANN's layout says where there is none."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from opkg.bundle.manifest import MANIFEST_NAME, Manifest, OperatorEntry
from opkg.errors import OpkgError
from opkg.registry.layout import ops_info_files
from opkg.registry.model import ONNX_DOMAIN, Package, parse_key
from opkg.registry.packages import Found

_NO_MANIFEST = "has no manifest and no kernel for target cpu"


class OperatorRow(NamedTuple):
    """One name under which the index finds an operator."""

    op_type: str
    domain: str
    since: int
    alias: bool
    op_info: str
    columns: str


class Read(NamedTuple):
    """A package and the names of its operators."""

    package: Package
    operators: tuple[OperatorRow, ...]


def read_package(found: Found, source: str) -> Read:
    """Everything the index keeps of a package; a damaged one is kept too, with what is wrong."""
    if found.trouble:
        return _broken(found, source, found.trouble)
    try:
        data = (found.root / MANIFEST_NAME).read_bytes()
    except FileNotFoundError:
        return _of_ops_info(found, source) if found.root.is_dir() else _broken(found, source, "its folder is missing")
    except OSError as error:
        return _broken(found, source, f"its manifest cannot be read: {error.strerror}")
    try:
        return _of_manifest(
            found.root, Manifest.from_json(data.decode("utf-8")), hashlib.sha256(data).hexdigest(), source
        )
    except (OpkgError, UnicodeDecodeError) as error:
        return _broken(found, source, str(error))


def _of_manifest(root: Path, manifest: Manifest, digest: str, source: str) -> Read:
    domain = manifest.domain or manifest.vendor
    rows = tuple(row for entry in manifest.operators for row in _rows(entry, domain))
    package = Package(
        vendor=manifest.vendor,
        name=manifest.name,
        version=manifest.version,
        domain=domain,
        root=root,
        source=source,
        operators=len(manifest.operators),
        target=manifest.target,
        soc=manifest.soc,
        os=manifest.os,
        arch=manifest.arch,
        isa=manifest.isa,
        abi=manifest.abi,
        glibc=manifest.glibc,
        host_library=root / manifest.host_library,
        digest=digest,
    )
    return Read(package, rows)


def _rows(entry: OperatorEntry, domain: str) -> list[OperatorRow]:
    info = json.dumps(entry.op_info.to_dict(), separators=(",", ":"))
    columns = json.dumps([column.library for column in entry.columns])
    rows = [OperatorRow(entry.op_info.op, domain, 0, False, info, columns)]
    for alias in entry.aliases:
        op_type, named, since = parse_key(alias)
        rows.append(OperatorRow(op_type, ONNX_DOMAIN if named is None else named, since or 0, True, info, columns))
    return rows


def _of_ops_info(found: Found, source: str) -> Read:
    from opkg.opinfo import read_ops_info

    operators: dict[str, OperatorRow] = {}
    socs: list[str] = []
    lacks = [_NO_MANIFEST]
    for file in ops_info_files(found.root):
        socs.append(file.parent.name)
        try:
            described = json.loads(file.read_text("utf-8"))
            for op_type, keys in described.items():
                info = json.dumps(read_ops_info(op_type, keys).to_dict(), separators=(",", ":"))
                operators.setdefault(op_type, OperatorRow(op_type, found.vendor, 0, False, info, "[]"))
        except (OSError, ValueError, AttributeError, OpkgError) as error:
            lacks.append(f"{file.name} cannot be read: {error}")
    package = Package(
        vendor=found.vendor,
        name=found.vendor,
        version="",
        domain=found.vendor,
        root=found.root,
        source=source,
        operators=len(operators),
        lacks="; ".join(lacks),
        target="",
        soc=tuple(socs),
    )
    return Read(package, tuple(operators.values()))


def _broken(found: Found, source: str, why: str) -> Read:
    name = found.root.parent.name if found.root.name != found.vendor else found.vendor
    package = Package(
        found.vendor or name, name, "", found.vendor or name, found.root, source, lacks=f"is damaged: {why}"
    )
    return Read(package, ())
