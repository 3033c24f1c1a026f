"""From a project (and, once it is known, the description of its host library) to the sources and targets of a build."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from opkg.build import layout
from opkg.build.chips import Chip
from opkg.build.cmake_text import KernelGroup, KernelTarget, Recipe
from opkg.build.columns import Column, columns_of
from opkg.build.description import Description
from opkg.build.kernels import kernel_function, kernel_options, kernel_source, usable_options
from opkg.build.sources import kernel_unit, package_table
from opkg.build.tiling_header import tiling_header
from opkg.build.workspace import Workspace
from opkg.errors import BuildError
from opkg.opinfo import OpInfo, compare
from opkg.paths import native_dir
from opkg.project import Project

PACKAGE_TABLE = "opkg_package_table.cpp"

_OP_ADD = re.compile(r"\bOP_ADD\s*\(\s*(\w+)")


@dataclass(frozen=True)
class KernelPlan:
    """One kernel library: its column, the user's file, and the generated source."""

    column: Column
    source: Path
    target: KernelTarget
    text: str


@dataclass(frozen=True)
class BuildPlan:
    """What a build compiles: generated files by path, the CMake recipe, and the kernels."""

    operators: tuple[OpInfo, ...]
    files: tuple[tuple[Path, str], ...]
    recipe: Recipe
    kernels: tuple[KernelPlan, ...]
    dropped_options: tuple[str, ...]


def make_plan(
    project: Project,
    operators: Sequence[OpInfo],
    description: Description | None,
    space: Workspace,
    chip: Chip,
    variables: Sequence[tuple[str, tuple[str, ...]]],
) -> BuildPlan:
    """The plan of a build.

    Args:
        project: the project.
        operators: what to compile kernels for.
        description: what the host library says; None before it has been built, then no kernel's source is generated.
        space: the build's folders.
        chip: whose twin the kernels run on.
        variables: CMake variables for OpkgPackage.cmake.

    Raises:
        BuildError: there is nothing to compile for an operator.
    """
    _check_host(project)
    kernels, groups = _kernels(project, operators, description, space)
    table = space.generated / PACKAGE_TABLE
    files = [(table, package_table(project, chip, operator_names(project)))]
    if description is not None:
        files += [(space.generated / k.target.source.name, k.text) for k in kernels]
        files += _tiling_headers(operators, description, space)
    recipe = Recipe(
        script=space.tool_path(native_dir() / "cmake" / "OpkgPackage.cmake"),
        variables=tuple(variables),
        host_sources=tuple(space.tool_path(p) for p in (*project.host_sources, table)),
        host_includes=tuple(space.tool_path(p) for p in project.include_dirs),
        kernel_includes=tuple(space.tool_path(p) for p in _kernel_includes(project, space)),
        groups=groups,
        kernels=tuple(k.target for k in kernels),
    )
    dropped = usable_options([o for op in operators for o in kernel_options(project, op.op)])[1]
    return BuildPlan(tuple(operators), tuple(files), recipe, kernels, tuple(dict.fromkeys(dropped)))


def operator_names(project: Project) -> list[str]:
    """The operators that a project seems to define, as a look at its text finds them."""
    added = {name for file in project.host_sources for name in _OP_ADD.findall(file.read_text("utf-8", "replace"))}
    return sorted(added | {op.op for op in project.op_infos})


def expected_operators(project: Project, last: Description | None) -> tuple[OpInfo, ...]:
    """The operators to expect before the host library is built: those of the .ini files and of the last build."""
    names = set(operator_names(project))
    known = {d.op_info.op: d.op_info for d in last.operators if d.op_info.op in names} if last else {}
    known |= {op.op: op for op in project.op_infos}
    return tuple(known[name] for name in sorted(known))


def merged_operators(project: Project, description: Description) -> tuple[OpInfo, ...]:
    """The operators of a project: its OpDefs, with what only the .ini says.

    Raises:
        BuildError: an .ini and its OpDef disagree, or there is no OpDef for an .ini.
    """
    defined = {d.op_info.op: d.op_info for d in description.operators}
    described = {op.op: op for op in project.op_infos}
    if not defined:
        raise BuildError(
            "the sources in op_host/ define no operator", "define one and register it with OP_ADD", code="OPKG-4023"
        )
    for name, op in described.items():
        if name not in defined:
            raise BuildError(
                f"op_info/ describes the operator {name}, which op_host/ does not define",
                f"op_host/ defines {', '.join(sorted(defined))}",
                code="OPKG-4023",
            )
        _agree(op, defined[name])
    merged = (_merge(described.get(name), op) for name, op in defined.items())
    return tuple(sorted(merged, key=lambda op: op.op))


def _agree(ini: OpInfo, opdef: OpInfo) -> None:
    differences = compare(ini, opdef)
    if differences:
        several = len(differences) > 1
        raise BuildError(
            f"the description of {ini.op} in op_info/ and its OpDef in op_host/ disagree"
            + (f" in {len(differences)} points" if several else f": {differences[0]}"),
            "make them say the same, or delete the .ini file",
            log="\n".join(differences) if several else "",
            code="OPKG-4020",
        )


def _merge(ini: OpInfo | None, opdef: OpInfo) -> OpInfo:
    if ini is None:
        return opdef
    return replace(opdef, kernel=ini.kernel, flags={**opdef.flags, **ini.flags})


def _check_host(project: Project) -> None:
    if not project.host_sources:
        raise BuildError(
            "the project has no op_host/*.cpp, so nothing defines its operators",
            "an OpDef and its tiling function belong there; 'opkg new' shows how",
            code="OPKG-4023",
        )


def _kernels(
    project: Project, operators: Sequence[OpInfo], description: Description | None, space: Workspace
) -> tuple[tuple[KernelPlan, ...], tuple[KernelGroup, ...]]:
    groups: dict[tuple[str, ...], KernelGroup] = {}
    plans: list[KernelPlan] = []
    for op in operators:
        options = usable_options(kernel_options(project, op.op))[0]
        group = groups.setdefault(options, KernelGroup(f"kernels{len(groups)}", options))
        plans += _kernel_plans(project, op, group.name, description, space)
    if not groups:
        groups[()] = KernelGroup("kernels0", ())
    return tuple(plans), tuple(groups.values())


def _kernel_plans(
    project: Project, op: OpInfo, group: str, description: Description | None, space: Workspace
) -> list[KernelPlan]:
    source = kernel_source(project, op)
    header = f"{op.snake}_tiling_data.h" if description and tiling_header(op.op, description) else ""
    plans = []
    for column in columns_of(op):
        unit = space.generated / f"{column.stem}.cpp"
        directory = f"kernels/{op.snake}"
        target = KernelTarget(f"kernel_{column.stem}", group, space.tool_path(unit), column.stem, directory)
        text = kernel_unit(column, kernel_function(op), space.tool_path(source), header)
        plans.append(KernelPlan(column, source, target, text))
    return plans


def _tiling_headers(
    operators: Sequence[OpInfo], description: Description | None, space: Workspace
) -> list[tuple[Path, str]]:
    if description is None:
        return []
    texts = [(op, tiling_header(op.op, description)) for op in operators]
    return [(space.generated / f"{op.snake}_tiling_data.h", text) for op, text in texts if text]


def _kernel_includes(project: Project, space: Workspace) -> list[Path]:
    """The kernels' own folders first: a header of the same name in op_host/ is the host's."""
    folders = sorted(project.include_dirs, key=lambda folder: folder.name == "op_host")
    return list(dict.fromkeys([space.generated, *folders]))


def library_of(kernel: KernelPlan, space: Workspace) -> Path:
    """Where the build puts a kernel library."""
    return space.cmake / kernel.target.directory / f"{kernel.target.stem}.so"


def host_library_of(space: Workspace) -> Path:
    """Where the build puts the host library."""
    return space.cmake / "host" / layout.HOST_LIBRARY
