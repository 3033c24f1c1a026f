"""Putting a package together: libraries, indexes, headers, sources and the manifest, in the installed layout."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg import __version__
from opkg.build import layout
from opkg.build.elf import Elf, highest
from opkg.build.kernel_config import binary_info, operator_config
from opkg.build.op_proto import op_proto_header
from opkg.bundle.manifest import MANIFEST_NAME, ColumnEntry, Manifest, OperatorEntry
from opkg.opinfo import OpInfo, ops_info_dict
from opkg.project import Project

_SOURCES = (".cpp", ".cc", ".h", ".hpp", ".inc", ".py")


@dataclass(frozen=True)
class Built:
    """What was compiled.

    Attributes:
        project: the project.
        operators: its operators.
        host_library: the compiled host library.
        kernels: the kernel libraries of each operator type, in the order of its columns.
        task_types: the kind of cores that each of them states, likewise.
        tiling_hashes: by operator type.
        isa: instruction set that the kernels need.
        tools: versions of what compiled them.
        options: what the compilers were told, by name.
        source: the commit that the project is at, where it is under git.
    """

    project: Project
    operators: tuple[OpInfo, ...]
    host_library: Path
    kernels: Mapping[str, Sequence[Path]]
    task_types: Mapping[str, Sequence[str]]
    tiling_hashes: Mapping[str, str]
    isa: str
    tools: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)


def stage(built: Built, package: Path) -> Manifest:
    """Fill the folder of a package, whole or not at all: it is put together beside its place and moved there."""
    fresh = package.with_name(package.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    _libraries(built, fresh)
    _indexes(built, fresh)
    _sources(built.project, fresh)
    manifest = _manifest(built)
    (fresh / MANIFEST_NAME).write_text(manifest.to_json(), "utf-8")
    swap_in(fresh, package)
    return manifest


def swap_in(fresh: Path, place: Path) -> None:
    """Move a folder to its place; what was there goes away."""
    # Renamed away before it is deleted: half a package is never in the place of a whole one.
    old = place.with_name(place.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _libraries(built: Built, package: Path) -> None:
    _copy(built.host_library, package / layout.host_library())
    for op in built.operators:
        for library in built.kernels[op.op]:
            _copy(library, package / layout.kernel_dir(op.op) / library.name)


def _indexes(built: Built, package: Path) -> None:
    _write(package / layout.VERSION_INFO, f"custom_opp_compiler_version={__version__}\n")
    _write(package / layout.OP_PROTO, op_proto_header(built.operators))
    kernels = [(op, built.task_types[op.op]) for op in built.operators]
    for soc in built.project.socs:
        config = package / layout.kernel_config_dir(soc)
        _write(package / layout.ops_info(soc), _json(ops_info_dict(built.operators)))
        _write(config / "binary_info_config.json", _json(binary_info(kernels)))
        for op in built.operators:
            _write(config / f"{op.snake}.json", _json(operator_config(op)))


def _sources(project: Project, package: Path) -> None:
    """The kernels' sources, which CANN's source packages carry, and `framework/` as it is."""
    target = package / layout.kernel_source_dir(project.vendor)
    folders = {file.parent for file in project.kernel_sources.values()}
    for folder in sorted(folders):
        for file in sorted(f for f in folder.rglob("*") if f.is_file() and f.suffix in _SOURCES):
            _copy(file, target / file.relative_to(folder))
    if project.framework_dir is not None:
        for file in sorted(f for f in project.framework_dir.rglob("*") if f.is_file()):
            _copy(file, package / layout.FRAMEWORK / file.relative_to(project.framework_dir))


def _manifest(built: Built) -> Manifest:
    project = built.project
    versions = _needed(built)
    return Manifest(
        name=project.name,
        vendor=project.vendor,
        version=project.version,
        operators=tuple(_operator(built, op) for op in built.operators),
        domain=project.domain,
        target="cpu",
        soc=project.socs,
        arch=layout.arch(),
        isa=built.isa,
        glibc=highest(versions, "GLIBC"),
        glibcxx=highest(versions, "GLIBCXX"),
        host_library=layout.host_library(),
        requires=project.requires,
        tools=built.tools,
        options=built.options,
        source=built.source,
    )


def _operator(built: Built, op: OpInfo) -> OperatorEntry:
    columns = tuple(
        ColumnEntry(f"{layout.kernel_dir(op.op)}/{library.name}", task_type)
        for library, task_type in zip(built.kernels[op.op], built.task_types[op.op], strict=True)
    )
    return OperatorEntry(op, columns, built.project.aliases.get(op.op, ()), built.tiling_hashes.get(op.op, ""))


def _needed(built: Built) -> frozenset[str]:
    """Every symbol version that a library of the package needs."""
    libraries = [built.host_library, *(library for op in built.operators for library in built.kernels[op.op])]
    return frozenset().union(*(Elf(library).needed_versions() for library in libraries))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
