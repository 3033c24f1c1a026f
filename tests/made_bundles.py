"""Packages on disk and bundles made of them, small enough to make hundreds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from made_roots import package

from opkg.bundle import ColumnEntry, Manifest, write_bundle
from opkg.store import Disk

SOC = "ascend910b"
HOST_LIBRARY = "op_impl/ai_core/tbe/op_tiling/lib/linux/x86_64/libcust_opmaster_rt2.0.so"
OPS_INFO = f"op_impl/ai_core/tbe/config/{SOC}/aic-{SOC}-ops-info.json"
BINARY_INFO = f"op_impl/ai_core/tbe/kernel/config/{SOC}/binary_info_config.json"


class UnsyncedDisk(Disk):
    """A disk that promises nothing about power cuts, for tests of everything else."""

    def sync(self, path: Path) -> None: ...

    def sync_all(self, path: Path) -> None: ...


def package_files(*op_types: str, marker: str = "") -> dict[str, str]:
    """The files of a package in CANN's layout; `marker` makes versions differ."""
    return {
        "version.info": "custom_opp_compiler_version=0.1.0\n",
        "op_proto/inc/op_proto.h": f"#ifndef OP_PROTO_H_\n#define OP_PROTO_H_\n// {op_types} {marker}\n#endif\n",
        OPS_INFO: json.dumps({op: {"opFile": {"value": op.lower()}} for op in op_types}),
        BINARY_INFO: json.dumps({op: {"binaryList": []} for op in op_types}),
        HOST_LIBRARY: f"host library of {op_types} {marker}",
        **{f"op_impl/ai_core/tbe/kernel/cpu/{op.lower()}/{op}_0.so": f"kernel of {op} {marker}" for op in op_types},
    }


def write_tree(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Files on disk; those that end in `.so` are executable, as a linker leaves them."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(0o755 if name.endswith(".so") else 0o644)
    return folder


def make_bundle(
    out: Path,
    name: str = "square",
    *op_types: str,
    version: str = "1.0.0",
    files: Mapping[str, str | bytes] | None = None,
    **other: object,
) -> Path:
    """A bundle whose package `name` has the operators `op_types` (`Square` where none is given)."""
    op_types = op_types or ("Square",)
    content = package_files(*op_types, marker=f"{name} {version}") if files is None else files
    manifest = make_manifest(name, *op_types, version=version, **other)
    if files is not None:
        manifest = replace(
            manifest, host_library="", operators=tuple(replace(o, columns=()) for o in manifest.operators)
        )
    return write_bundle(write_tree(out.parent / f"{out.name}.tree", content), manifest, out)


def make_manifest(name: str, *op_types: str, **other: object) -> Manifest:
    """The manifest of a package before its files are known."""
    manifest = package(name, *op_types, **({"host_library": HOST_LIBRARY} | other))
    columns = {op: (ColumnEntry(f"op_impl/ai_core/tbe/kernel/cpu/{op.lower()}/{op}_0.so"),) for op in op_types}
    return replace(manifest, operators=tuple(replace(o, columns=columns[o.op_info.op]) for o in manifest.operators))
