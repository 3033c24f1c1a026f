"""The target `cpu`: a host library and one kernel library a column, compiled for the machine at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg import __version__, progress
from opkg.build import ninja
from opkg.build.chips import chip_for
from opkg.build.cmake_text import cmake_lists
from opkg.build.compiler import Compiler
from opkg.build.description import Description, describe_library, parse_description
from opkg.build.failure import compile_error
from opkg.build.kernels import check_arguments
from opkg.build.plan import BuildPlan, expected_operators, host_library_of, library_of, make_plan, merged_operators
from opkg.build.process import Finished, Run
from opkg.build.reasons import Rebuilt, reasons_of
from opkg.build.staging import Built
from opkg.build.state import write_if_changed
from opkg.build.task_type import task_type
from opkg.build.tools import find_tool
from opkg.build.workspace import Workspace
from opkg.errors import BuildError
from opkg.paths import native_dir
from opkg.project import Project


@dataclass(frozen=True)
class CpuOptions:
    """What shapes a build for this machine.

    Attributes:
        compiler: the C++ compiler.
        march: instruction set of kernels; empty for the compiler's own choice.
        headers: digest of opkg's headers.
        cxx_flags: further compiler flags.
        link_flags: further linker flags.
        jobs: how many commands run at once; None for ninja's choice.
        verbose: show every command.
        source: the commit that the project is at, where it is under git.
        check: compile kernels with the twin's checks.
    """

    compiler: Compiler
    march: str
    headers: str
    cxx_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    jobs: int | None = None
    verbose: bool = False
    source: Mapping[str, Any] = field(default_factory=dict)
    check: bool = False


class CpuBuild:
    """One build of one project."""

    def __init__(self, project: Project, space: Workspace, options: CpuOptions, log: Callable[[str], None]) -> None:
        self._project = project
        self._space = space
        self._options = options
        self._log = log
        self._run = Run(space.log, {"NINJA_STATUS": ninja.STATUS})
        self._chip = chip_for(project.socs)

    def compile(
        self, described: Mapping[str, Any], causes: Mapping[str, Sequence[str]]
    ) -> tuple[Built, Rebuilt, dict[str, Any]]:
        """Compile whatever is not up to date.

        Args:
            described: the answer of the host library in the last build, with what identified the library.
            causes: what changed since then besides sources, by what ninja sees of it: see `reasons.reasons_of`.

        Returns:
            What was compiled, what of it anew and why, and the host library's answer for the next build.

        Raises:
            BuildError: something does not compile, or does not fit together.
        """
        # In two steps: only the built host library says which operators, columns and tiling structs there are. The
        # first step goes by what the last build heard, so that the recipe mostly stays and CMake runs once.
        last = parse_description(described["text"]) if described else None
        plan = self._prepare(expected_operators(self._project, last), None)
        rebuilt = self._explain(plan, causes)
        self._ninja(plan, ["opkg_host"])
        described = self._describe(described)
        description = parse_description(described["text"])
        plan = self._prepare(merged_operators(self._project, description), description)
        rebuilt = rebuilt.merged(self._explain(plan, causes))
        self._ninja(plan, [])
        # The library may have been linked once more since it was asked, from the same objects.
        described = {**described, "key": self._library_key()}
        self._warn_dropped(plan)
        return self._built(plan, description), rebuilt, described

    def _prepare(self, operators: Sequence[Any], description: Description | None) -> BuildPlan:
        """Write the generated files and configure, as far as either differs from what is there."""
        plan = make_plan(self._project, operators, description, self._space, self._chip, self._variables())
        for path, text in plan.files:
            write_if_changed(path, text)
        changed = write_if_changed(self._space.work / "CMakeLists.txt", cmake_lists(plan.recipe))
        if changed or not (self._space.cmake / "build.ninja").is_file():
            self._configure()
        return plan

    def _configure(self) -> None:
        compiler = self._options.compiler
        space = self._space
        argv: list[str | Path] = [
            find_tool("cmake"),
            "-S",
            space.tool_path(space.work),
            "-B",
            space.tool_path(space.cmake),
        ]
        argv += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={find_tool('ninja')}", f"-DCMAKE_CXX_COMPILER={compiler.path}"]
        argv += [
            "-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON",
            f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(compiler.launcher)}",
        ]
        finished = self._run(argv)
        if finished.code != 0:
            # A half-made tree would make the next run look configured.
            (space.cmake / "build.ninja").unlink(missing_ok=True)
            (space.work / "CMakeLists.txt").unlink(missing_ok=True)
            raise BuildError(
                f"CMake cannot set up the build: {_last_line(finished)}",
                f"its output is in {space.log}",
                log=finished.output,
                code="OPKG-4013",
            )

    def _variables(self) -> list[tuple[str, tuple[str, ...]]]:
        options = self._options
        native = self._space.tool_path(native_dir())
        chip = (f"__NPU_ARCH__={self._chip.npu_arch}", f"__CCE_AICORE__={self._chip.cce_aicore}")
        return [
            ("OPKG_INCLUDE_DIR", (str(native / "include"),)),
            ("OPKG_LIB_DIR", (str(native / "lib"),)),
            ("OPKG_MARCH", (options.march,)),
            ("OPKG_CHIP", chip),
            # Findings show lines of the sources, so they must be found.
            ("OPKG_PREFIX_MAPS", () if options.check else tuple(self._space.prefix_maps())),
            ("OPKG_CHECK", ("ON" if options.check else "OFF",)),
            ("OPKG_HEADERS_ID", (options.headers,)),
            ("OPKG_CXX_FLAGS", (*options.compiler.flags, *options.cxx_flags)),
            ("OPKG_LINK_FLAGS", options.link_flags),
        ]

    def _explain(self, plan: BuildPlan, causes: Mapping[str, Sequence[str]]) -> Rebuilt:
        finished = self._run(
            [find_tool("ninja"), "-n", "-v", "-d", "explain"], cwd=self._space.tool_path(self._space.cmake)
        )
        return reasons_of(ninja.parse_plan(finished.output), plan, self._space, causes)

    def _ninja(self, plan: BuildPlan, targets: Sequence[str]) -> None:
        # Everything that can fail fails in one run: who mends one column's error sees the others' too.
        argv: list[str | Path] = [find_tool("ninja"), "-k", "0", *targets]
        if self._options.jobs is not None:
            argv += ["-j", str(self._options.jobs)]
        if self._options.verbose:
            argv.append("-v")
        progress.report("compiling")
        on_line = self._show if self._options.verbose else _report
        finished = self._run(argv, cwd=self._space.tool_path(self._space.cmake), on_line=on_line)
        progress.report("")
        # An interrupt that reached ninja and not this process; which of the two it ends with depends on its version.
        if finished.code in (130, 2) and "interrupted by user" in finished.output:
            raise KeyboardInterrupt
        if finished.code != 0:
            raise compile_error(finished.output, plan, self._project, self._space)

    def _show(self, line: str) -> None:
        self._log(ninja.shown(line))

    def _describe(self, described: Mapping[str, Any]) -> dict[str, Any]:
        key = self._library_key()
        if described.get("key") == key:
            return dict(described)
        library = host_library_of(self._space)
        return {"key": key, "text": describe_library(library, Run())}

    def _library_key(self) -> list[int]:
        """What tells one host library, and one opkg_describe, from the next."""
        files = (host_library_of(self._space), native_dir() / "bin" / "opkg_describe")
        stats = [file.stat() for file in files if file.is_file()]
        return [n for stat in stats for n in (stat.st_size, stat.st_mtime_ns)]

    def _built(self, plan: BuildPlan, description: Description) -> Built:
        kernels = {
            op.op: [library_of(k, self._space) for k in plan.kernels if k.column.op == op.op] for op in plan.operators
        }
        computing = {d.op_info.op for d in description.operators if d.facts.get("computes_shapes")}
        for op in plan.operators:
            # The compiler cannot see this: the arguments of a kernel are counted by the operator's description.
            for library in kernels[op.op]:
                check_arguments(self._project, op, op.op in computing, library)
        hashes = {s.op_type: s.hash for s in description.tiling_structs}
        return Built(
            project=self._project,
            operators=plan.operators,
            host_library=host_library_of(self._space),
            kernels=kernels,
            task_types={op: [task_type(library) for library in found] for op, found in kernels.items()},
            tiling_hashes={op.op: hashes.get(op.op, "") for op in plan.operators},
            isa=self._options.march,
            tools={self._options.compiler.family: self._options.compiler.version, "opkg": __version__},
            options=self._told(),
            source=self._options.source,
        )

    def _told(self) -> dict[str, str]:
        """What the compiler was told beyond opkg's own flags: by the command line, the environment, the project."""
        options = self._options
        told = {
            "march": options.march,
            "check": "on" if options.check else "",
            "cxx_flags": " ".join(options.cxx_flags),
            "link_flags": " ".join(options.link_flags),
            **{f"compile_options.{op}": " ".join(words) for op, words in self._project.compile_options.items()},
        }
        return {name: text for name, text in told.items() if text}

    def _warn_dropped(self, plan: BuildPlan) -> None:
        if plan.dropped_options:
            self._log(f"note: options of the vendor's kernel compiler are left out: {' '.join(plan.dropped_options)}")


def _report(line: str) -> None:
    if line.startswith(ninja.PROGRESS):
        progress.report(ninja.shown(line))


def _last_line(finished: Finished) -> str:
    lines = [line.strip() for line in finished.output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"exit status {finished.code}"])[-1].rstrip(":")


def environment_flags() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The compiler flags of CPPFLAGS and CXXFLAGS, and the linker flags of LDFLAGS."""
    import shlex

    def words(*names: str) -> Iterable[str]:
        return (word for name in names for word in shlex.split(os.environ.get(name, "")))

    return tuple(words("CPPFLAGS", "CXXFLAGS")), tuple(words("LDFLAGS"))
