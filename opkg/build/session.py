"""One build that has something to do: what changed is found out, compiled, staged and remembered."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from opkg.build.compiler import Compiler, find_compiler
from opkg.build.cpu import CpuBuild, CpuOptions, environment_flags
from opkg.build.current import inputs_of, package_signature
from opkg.build.packing import pack
from opkg.build.process import Run
from opkg.build.staging import stage
from opkg.build.state import State, changes, digest_tree, load_state, save_state, signature
from opkg.build.workspace import Workspace
from opkg.errors import BuildError
from opkg.paths import native_dir, repair_hint
from opkg.project import Project, read_project
from opkg.project.reader import PARTS

_ROOMS = {"op_host": "host.dir", "op_kernel": "kernel_*.dir"}
_NATIVE = ("cmake/OpkgPackage.cmake", "include/opkg/soc_table.h", "lib/libopkg_twin.so.1", "lib/libopkg_host.so.1")
_WIPES = {
    "compiler": "compiler changed",
    "place": "the project or opkg moved",
    "opkg": "opkg changed",
    "ninja": "ninja changed",
}
_RECOMPILES = {"options": "options changed", "headers": "opkg headers changed"}


class Session:
    """One build of one project for this machine."""

    def __init__(
        self,
        space: Workspace,
        last: State | None,
        march: str,
        jobs: int | None,
        verbose: bool,
        log: Callable[[str], None],
        *,
        check: bool = False,
    ) -> None:
        self._check = check
        self._space = space
        self._last = last
        self._march = march
        self._jobs = jobs
        self._verbose = verbose
        self._log = log

    def forget(self) -> None:
        """Remove everything that earlier builds left."""
        space = self._space
        for folder in (space.cmake, space.generated, space.package):
            shutil.rmtree(folder, ignore_errors=True)
        space.state.unlink(missing_ok=True)
        (space.work / "CMakeLists.txt").unlink(missing_ok=True)
        space.make()

    def build(self, first: str) -> tuple[str, ...]:
        """Compile and stage; what was compiled anew, with reasons.

        Args:
            first: the reason where there is no earlier build.
        """
        space = self._space
        _check_native()
        space.log.write_text("", "utf-8")
        project = read_project(space.root)
        compiler = self._compiler()
        # Looked at before anything is compiled: what changes while it is compiled is new to the next build.
        state = self._state(project, compiler)
        causes = self._causes(state, first)
        save_state(space.state, state)
        options = CpuOptions(
            compiler,
            self._march,
            state.headers_id,
            *environment_flags(),
            jobs=self._jobs,
            verbose=self._verbose,
            source=state.inputs["source"],
            check=self._check,
        )
        built, rebuilt, described = CpuBuild(project, space, options, self._log).compile(state.described, causes)
        stage(built, space.package)
        state.described = described
        state.outputs = package_signature(space)
        save_state(space.state, state)
        return rebuilt.lines()

    def pack(self) -> Path:
        """Write the bundle of the staged package."""
        state = load_state(self._space.state) or State()
        bundle = pack(self._space.package, self._space.out)
        state.bundle = signature(self._space.out, [bundle.name])
        save_state(self._space.state, state)
        return bundle

    def _compiler(self) -> Compiler:
        """The compiler of the last build while it and CXX are the same, else the one to be found."""
        if self._last is not None and self._last.compiler:
            known = Compiler.from_dict(self._last.compiler)
            if self._last.inputs.get("compiler") == self._inputs(known).get("compiler"):
                return known
        return find_compiler(Run())

    def _inputs(self, compiler: Compiler) -> dict[str, object]:
        return inputs_of(self._space, self._march, compiler, check=self._check)

    def _state(self, project: Project, compiler: Compiler) -> State:
        """What the next build is to remember; without outputs, so that a failed build is not taken for a done one."""
        watched = _watched(project)
        inputs = self._inputs(compiler)
        last = self._last or State()
        # Reading all headers takes longer than the rest of a build with nothing to do; their sizes and times say
        # whether it must be.
        same_headers = last.headers_id and last.inputs.get("headers") == inputs["headers"]
        return State(
            inputs=inputs,
            sources=signature(self._space.root, watched),
            compiler=compiler.to_dict(),
            headers_id=last.headers_id if same_headers else _headers_id(),
            watched=watched,
            described=last.described,
        )

    def _causes(self, state: State, first: str) -> dict[str, Sequence[str]]:
        """The words for what changed, as `reasons_of` takes them; what must go is removed."""
        if self._last is None:
            return {"missing": (first,)}
        changed = [name for name, _ in changes(self._last.inputs, state.inputs)]
        # ninja compares command lines and times, and sees nothing of a compiler that was replaced in its place.
        wiped = [_WIPES[name] for name in changed if name in _WIPES]
        if wiped:
            shutil.rmtree(self._space.cmake, ignore_errors=True)
        # Written anew with what was in them before, as an installation does: no reason to compile.
        if state.headers_id == self._last.headers_id and "headers" in changed:
            changed.remove("headers")
        files = [
            f"{name} {kind}" for name, kind in changes(self._last.sources, state.sources) if _configures(name, kind)
        ]
        missing = wiped or self._drop_stale(state)
        return {
            "missing": missing,
            "command": [*(_RECOMPILES[n] for n in changed if n in _RECOMPILES), *files],
            "generated": files,
        }

    def _drop_stale(self, state: State) -> list[str]:
        """Remove objects of sources that changed but are older than the objects, which ninja does not notice.

        A file gets an old time when it is copied or unpacked with its times kept.
        """
        assert self._last is not None
        try:
            built = self._space.state.stat().st_mtime_ns
        except OSError:
            return []
        reasons: list[str] = []
        for name, kind in changes(self._last.sources, state.sources):
            if kind == "removed" or state.sources[name][1] > built:
                continue
            pattern = _ROOMS.get(name.split("/")[0])
            if pattern:
                reasons.append(f"{name} {kind}")
                for item in self._space.cmake.glob(f"CMakeFiles/{pattern}/**/*.o"):
                    item.unlink()
        return reasons


def _check_native() -> None:
    """Refuse an installation without the headers and libraries that packages are compiled with."""
    for part in _NATIVE:
        if not (native_dir() / part).is_file():
            raise BuildError(
                f"this installation of opkg is not complete: {native_dir() / part} is missing",
                repair_hint(),
                code="OPKG-4016",
            )


def _configures(name: str, kind: str) -> bool:
    """Whether a change of a file shapes the build itself, rather than only what is compiled from it."""
    return kind != "changed" or not name.startswith(("op_host/", "op_kernel/")) or name.endswith("CMakeLists.txt")


def _headers_id() -> str:
    return digest_tree(native_dir() / "include")


def _watched(project: Project) -> list[str]:
    """The files and folders that a project consists of: the usual ones, and where its kernels are."""
    names = list(PARTS)
    for folder in sorted({file.parent for file in project.kernel_sources.values()}):
        inside = folder.is_relative_to(project.root)
        name = folder.relative_to(project.root).as_posix() if inside else str(folder)
        if name.split("/")[0] not in names:
            names.append(name)
    return names
