"""Why something is built anew, in words: from what ninja sees to what the user changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opkg.build.ninja import Plan, Reason, target_of
from opkg.build.plan import PACKAGE_TABLE, BuildPlan, host_library_of, library_of
from opkg.build.workspace import Workspace
from opkg.paths import native_dir

HOST = "host"
_HOST_TITLE = "host library"


@dataclass(frozen=True)
class Rebuilt:
    """What is built anew, each with its reasons: `host library` or a column's title to sentences."""

    reasons: Mapping[str, tuple[str, ...]]

    def merged(self, other: Rebuilt) -> Rebuilt:
        """This, and what only `other` has."""
        return Rebuilt({**other.reasons, **self.reasons})

    def lines(self) -> tuple[str, ...]:
        """One line for each: `Square column 0 (x float32, y float32): op_kernel/square.cpp changed`; the host first."""
        ordered = sorted(self.reasons.items(), key=lambda item: item[0] != _HOST_TITLE)
        return tuple(f"{what}: {', '.join(why)}" for what, why in ordered)


def reasons_of(found: Plan, plan: BuildPlan, space: Workspace, causes: Mapping[str, Sequence[str]]) -> Rebuilt:
    """Lay ninja's reasons to the libraries that they lead to.

    Args:
        found: what ninja would do.
        plan: the build's plan.
        space: its folders.
        causes: words for what ninja only sees the effect of. `missing`: why outputs are gone (`first build`, `compiler
            changed`); `command`: why command lines differ (`options changed`); `generated`: why generated sources
            differ (`op_info/square.ini changed`).
    """
    titles = _titles(plan)
    groups = {k.target.name: k.target.group for k in plan.kernels}
    outputs = _outputs(plan, space)
    by_target: dict[str, dict[str, None]] = {}
    for reason in found.reasons:
        target = target_of(reason.output) or outputs.get(reason.output, "")
        by_target.setdefault(target, {}).update(dict.fromkeys(_words(reason, space, causes)))
    named: dict[str, tuple[str, ...]] = {}
    for target, title in titles.items():
        if target in found.targets or target in by_target:
            own = by_target.get(target) or by_target.get(groups.get(target, ""), {})
            named[title] = tuple(own) or ("its inputs changed",)
    return Rebuilt(named)


def _titles(plan: BuildPlan) -> dict[str, str]:
    return {HOST: _HOST_TITLE, **{k.target.name: k.column.title for k in plan.kernels}}


def _outputs(plan: BuildPlan, space: Workspace) -> dict[str, str]:
    """Library files, as ninja names them, to their targets."""
    found = {host_library_of(space): HOST, **{library_of(k, space): k.target.name for k in plan.kernels}}
    return {path.relative_to(space.cmake).as_posix(): target for path, target in found.items()}


def _words(reason: Reason, space: Workspace, causes: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if reason.kind != "input":
        return causes.get(reason.kind) or ("not built yet",)
    path = Path(reason.input)
    if not path.is_absolute():
        return () if target_of(reason.input) else ("its inputs changed",)
    if path.is_relative_to(space.tool_path(space.cmake)):
        return causes.get("command") or ("options changed",)
    if path.is_relative_to(space.tool_path(space.generated)):
        table = path.name == PACKAGE_TABLE
        what = "the package's version" if table else "the host library's description"
        return causes.get("generated") or (f"{what} changed",)
    if path.is_relative_to(space.tool_path(native_dir() / "include")):
        return ("opkg headers changed",)
    if path.is_relative_to(space.tool_path(native_dir())):
        return ("opkg libraries changed",)
    return (f"{space.show(path)} changed",)
