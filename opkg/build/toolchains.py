"""Targets other than this machine: the vendor's own toolkit, and the toolchains of plugins."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opkg.build.packing import pack
from opkg.build.provenance import source_of
from opkg.build.result import BuildResult
from opkg.build.staging import swap_in
from opkg.build.vendor import VENDOR
from opkg.build.workspace import Workspace
from opkg.bundle.manifest import MANIFEST_NAME, Manifest, OperatorEntry
from opkg.errors import BuildError, UsageError, fault
from opkg.opinfo import OpInfo
from opkg.plugins.types import Toolchain
from opkg.project import Project, read_project


def build_with_toolchain(space: Workspace, target: str, pkg: bool, log: Callable[[str], None]) -> BuildResult:
    """Have the toolchain of a target fill a package; give the package a manifest if the toolchain did not.

    Raises:
        UsageError: no toolchain serves the target.
        BuildError: the toolchain failed.
    """
    toolchain = find_toolchain(target)
    project = read_project(space.root)
    _check_target(project, target)
    fresh = space.package.with_name(space.package.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    log(f"building for {target} with the toolchain '{toolchain.name}'")
    toolchain.build(space.root, fresh, log)
    if not (fresh / MANIFEST_NAME).is_file():
        manifest = _manifest(project, target, fresh, source_of(space.root, space.out))
        (fresh / MANIFEST_NAME).write_text(manifest.to_json(), "utf-8")
    # What this machine's own builds remember no longer describes the staged package.
    space.state.unlink(missing_ok=True)
    swap_in(fresh, space.package)
    return BuildResult(
        space.package, pack(space.package, space.out) if pkg else None, (f"package: built for {target}",)
    )


def find_toolchain(target: str) -> Toolchain:
    """The toolchain that serves a target: the vendor's, then those of plugins.

    Raises:
        UsageError: there is none; says which targets there are.
    """
    from opkg.plugins import collect

    offered: list[Toolchain] = [VENDOR, *(toolchain for _, toolchain in collect("opkg_toolchains"))]
    for toolchain in offered:
        if target in toolchain.targets:
            return toolchain
    known = ["cpu", *(t for toolchain in offered for t in toolchain.targets)]
    raise UsageError(f"there is no toolchain for the target '{target}'", f"targets: {', '.join(known)}")


def _check_target(project: Project, target: str) -> None:
    from opkg.opinfo.socs import COMPUTE_UNITS

    if target in COMPUTE_UNITS and target not in project.socs:
        raise BuildError(
            f"the project is for {', '.join(project.socs)}, not for {target}",
            "add it to [build] soc in opkg.toml, or to ASCEND_COMPUTE_UNIT in CMakePresets.json",
            code="OPKG-4014",
        )


def _manifest(project: Project, target: str, package: Path, source: dict[str, Any]) -> Manifest:
    operators = project.op_infos or _packaged_operators(package)
    return Manifest(
        name=project.name,
        vendor=project.vendor,
        version=project.version,
        operators=tuple(OperatorEntry(op, (), project.aliases.get(op.op, ())) for op in operators),
        domain=project.domain,
        target=target,
        soc=(target,),
        requires=project.requires,
        source=source,
    )


def _packaged_operators(package: Path) -> tuple[OpInfo, ...]:
    """The operators in a package's own indexes, `aic-<soc>-ops-info.json`."""
    import json

    from opkg.opinfo import read_ops_info
    from opkg.registry.layout import ops_info_files

    found: dict[str, OpInfo] = {}
    for file in ops_info_files(package):
        try:
            operators = json.loads(file.read_bytes()).items()
        except (ValueError, AttributeError) as error:
            place = file.relative_to(package)
            raise BuildError(f"the toolchain left a {place} that cannot be read: {fault(error)}") from error
        found |= {op_type: read_ops_info(op_type, keys, str(file)) for op_type, keys in operators}
    return tuple(found.values())
