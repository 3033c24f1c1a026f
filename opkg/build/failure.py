"""From ninja's output of a failed build to the error that the user reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from opkg.build import ninja
from opkg.build.diagnostics import Diagnostic, diagnostics
from opkg.build.kernels import kernel_function, no_function, no_pointer
from opkg.build.plan import BuildPlan, KernelPlan
from opkg.build.workspace import Workspace
from opkg.errors import BuildError
from opkg.project import Project

_SHOWN = 20


def compile_error(output: str, plan: BuildPlan, project: Project, space: Workspace) -> BuildError:
    """The error of a run of ninja that failed."""
    failed = ninja.failures(output)
    kernels = {k.target.name: k for k in plan.kernels}
    found: dict[Diagnostic, list[str]] = {}
    for failure in failed:
        kernel = kernels.get(failure.target or _library_target(failure.outputs, plan))
        for item in diagnostics(failure.text, space.show, space.is_own):
            error = _without_kernel(item, kernel, plan, project)
            if error is not None:
                return error
            found.setdefault(_explained(item), []).append(kernel.column.title if kernel else "")
    if not found:
        return _unread(output, failed, space)
    first = min(found)
    return BuildError(
        f"{_what_failed(failed, kernels, plan)}: {first}",
        f"the compiler's whole output is in {space.log}",
        log=_listing(found),
    )


def _without_kernel(
    item: Diagnostic, kernel: KernelPlan | None, plan: BuildPlan, project: Project
) -> BuildError | None:
    """The generated source names the kernel function; an error there that it does not exist is the user's file's."""
    if kernel is None or not item.foreign:
        return None
    op = next(op for op in plan.operators if op.op == kernel.column.op)
    function = kernel_function(op)
    if "a kernel's parameters are pointers" in item.text:
        return no_pointer(kernel.source, function, project.root)
    missing = re.search(rf"'{re.escape(function)}' (?:was not declared|has not been declared)", item.text)
    unknown = re.search(rf"use of undeclared identifier '{re.escape(function)}'", item.text)
    return no_function(kernel.source, function, project.root) if missing or unknown else None


def _explained(item: Diagnostic) -> Diagnostic:
    """An error about a name of ours, in words of the user's."""
    if "OpkgDefaultTiling" not in item.text:
        return item
    text = "GET_TILING_DATA finds no tiling struct: op_host/ registers none for this operator "
    return replace(
        item, text=text + "(REGISTER_TILING_DATA_CLASS), and the kernel names none (REGISTER_TILING_DEFAULT)"
    )


def _what_failed(failed: Sequence[ninja.Failure], kernels: dict[str, KernelPlan], plan: BuildPlan) -> str:
    columns = sorted(
        {k.column for f in failed if (k := kernels.get(f.target or _library_target(f.outputs, plan)))},
        key=lambda column: (column.op, column.index),
    )
    if not columns:
        return "the host library cannot be built"
    more = f" and {len(columns) - 1} more" if len(columns) > 1 else ""
    return f"{columns[0].title}{more} cannot be built"


def _library_target(outputs: str, plan: BuildPlan) -> str:
    """The target of a library that could not be linked."""
    return next((k.target.name for k in plan.kernels if f"{k.target.stem}.so" in outputs), "")


def _listing(found: dict[Diagnostic, list[str]]) -> str:
    lines: list[str] = []
    for item in sorted(found)[:_SHOWN]:
        lines.append(str(item))
        titles = [title for title in found[item] if title]
        lines += [f"    in {title}" for title in titles[:3]]
        if len(titles) > 3:
            lines.append(f"    and in {len(titles) - 3} more columns")
    if len(found) > _SHOWN:
        lines.append(f"and {len(found) - _SHOWN} more errors")
    return "\n".join(lines)


def _unread(output: str, failed: Sequence[ninja.Failure], space: Workspace) -> BuildError:
    """An error whose text has no line that we know: show its end rather than nothing."""
    text = failed[0].text if failed else output
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@@")]
    last = lines[-1].strip() if lines else "ninja said nothing"
    what = failed[0].outputs if failed else "the build"
    return BuildError(f"{what} failed: {last}", f"the whole output is in {space.log}", log="\n".join(lines[-_SHOWN:]))
