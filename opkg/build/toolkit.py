"""The toolkit tree: what programs that launch kernels themselves expect of an installed vendor toolkit.

Everything in it is opkg's own: headers, libraries, the compiler of Ascend C and the CMake files that find them. It is
made beside its place and renamed, so that it is there whole or not at all, and it may be moved.
"""

from __future__ import annotations

import fcntl
import glob
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opkg import __version__
from opkg.build.chips import chip_names
from opkg.errors import BuildError
from opkg.paths import native_dir, repair_hint

INSTALL_INFO = "ascend_toolkit_install.info"
"""The file below `<arch>-linux/` by which a toolkit is known."""

_INCLUDE_ROOTS = ("ascendc", "host")
_OURS = "package_name=opkg-toolkit"

LIBRARY_NAMES = {
    "libascendcl.so": (
        *("acl_cblas", "acl_mdl", "acl_op_compiler", "acl_op_executor", "acl_rt", "acl_rtc", "ascend_dump"),
        *("ascendalog", "ascendc_runtime", "c_sec", "error_manager", "mmpa", "msprofiler", "nnopbase", "opapi"),
        *("profapi", "profapi_share", "runtime", "runtime_common", "unified_dlog"),
    ),
    "libopkg_host.so": (
        *("exe_graph", "ge_runner", "gert", "graph", "graph_base", "lowering", "metadef", "opp_registry"),
        *("platform", "register", "rt2_registry", "tiling_api"),
    ),
}
"""A library of opkg -> the names under which programs link what it provides."""


@dataclass(frozen=True)
class Toolkit:
    """A toolkit tree.

    Attributes:
        path: its folder.
        version: of the opkg that made it.
        replaced: whether it took the place of another one.
    """

    path: Path
    version: str
    replaced: bool

    @property
    def set_env(self) -> Path:
        """The file to source."""
        return self.path / "set_env.sh"


def make_toolkit(path: Path) -> Toolkit:
    """Make a toolkit tree, or replace the one that is there; operators installed in its `opp/` stay.

    Raises:
        BuildError: something else is in the folder, or opkg's native half is incomplete.
    """
    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path.parent) as alone:
        _recover(path, alone)
        return _make(path)


def _make(path: Path) -> Toolkit:
    replaced = _is_toolkit(path)
    if path.is_symlink():
        raise BuildError(f"{path} is a symbolic link", "name the folder that it leads to", code="OPKG-4030")
    if replaced and (path / "bin" / "opkg").exists():
        hint = "source its set_env.sh, or choose another folder"
        raise BuildError(f"{path} holds opkg itself, and a toolkit with it", hint, code="OPKG-4030")
    if not replaced and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise BuildError(
            f"{path} is not empty and holds no toolkit of opkg", "choose another folder, or empty it", code="OPKG-4030"
        )
    stage = Path(tempfile.mkdtemp(prefix=f".{path.name}.opkg-", dir=path.parent))
    try:
        lay_out(stage / "new")
        _swap(stage, path, replaced)
    finally:
        if path.exists() or not (stage / "old").exists():  # else it has the only copy, for the next run to put back
            shutil.rmtree(stage, ignore_errors=True)
    return Toolkit(path, __version__, replaced)


def _is_toolkit(path: Path) -> bool:
    info = path / f"{platform.machine()}-linux" / INSTALL_INFO
    return info.is_file() and _OURS in info.read_text("utf-8", "replace")


def _swap(stage: Path, path: Path, replaced: bool) -> None:
    """Put the new tree in its place; what was there is in `stage` afterwards, without its operators."""
    if not replaced:
        (stage / "new").rename(path)
        return
    path.rename(stage / "old")
    try:
        if (stage / "old" / "opp").is_dir():
            shutil.rmtree(stage / "new" / "opp")
            (stage / "old" / "opp").rename(stage / "new" / "opp")
        (stage / "new").rename(path)
    except OSError:
        if (stage / "new" / "opp").is_dir() and not (stage / "old" / "opp").exists():
            (stage / "new" / "opp").rename(stage / "old" / "opp")
        (stage / "old").rename(path)
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Let one process at a time make toolkits in a folder; False where the file system has no locks."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            locked = True
        except OSError:
            locked = False
        yield locked
    finally:
        os.close(handle)


def _recover(path: Path, alone: bool) -> None:
    """Undo what a killed run left: a tree taken out of its place goes back, the rest is deleted."""
    for stage in path.parent.glob(f".{glob.escape(path.name)}.opkg-*"):
        old, new = stage / "old", stage / "new"
        if old.is_dir() and not path.exists():
            if not (old / "opp").exists() and (new / "opp").is_dir():
                (new / "opp").rename(old / "opp")
            old.rename(path)
        elif not alone or (old.exists() and (new.exists() or (old / "opp").exists())):
            continue  # another run's that may still work, or operators are in it
        shutil.rmtree(stage, ignore_errors=True)


def lay_out(tree: Path) -> None:
    """Write the whole tree into a folder that may already have other things in it, as the devkit's has."""
    native = native_dir()
    if not (native / "bin" / "opkg-ascc").is_file():
        raise BuildError(f"{native} lacks the compiler of Ascend C", repair_hint(), code="OPKG-4031")
    target = tree / f"{platform.machine()}-linux"
    _headers(native / "include", target / "include")
    _libraries(native / "lib", target / "lib64")
    _programs(native, tree)
    shutil.copytree(native / "share" / "cmake", tree / "share" / "cmake", dirs_exist_ok=True)
    (tree / "opp" / "vendors").mkdir(parents=True, exist_ok=True)
    info = f"{_OURS}\nversion={__version__}\narch={platform.machine()}\nos=linux\n"
    (target / INSTALL_INFO).write_text(info, "utf-8")
    for link, leads_to in _links():
        _link(tree / link, leads_to)


def _headers(source: Path, target: Path) -> None:
    """One include folder of several; two files of the same name are the same."""
    for name in _INCLUDE_ROOTS:
        shutil.copytree(source / name, target, dirs_exist_ok=True)
    for entry in sorted(source.iterdir()):
        if entry.name in _INCLUDE_ROOTS:
            continue
        if entry.is_dir():
            shutil.copytree(entry, target / entry.name, dirs_exist_ok=True)
        else:
            shutil.copy2(entry, target / entry.name)


def _libraries(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir()):
        if entry.is_symlink():
            _link(target / entry.name, str(entry.readlink()))
        elif ".so" in entry.name or entry.suffix == ".a":
            shutil.copy2(entry, target / entry.name)
    for library, names in LIBRARY_NAMES.items():
        for name in names:
            _link(target / f"lib{name}.so", library)
    _link(target / "stub", ".")


def _programs(native: Path, tree: Path) -> None:
    (tree / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy2(native / "bin" / "opkg-ascc", tree / "bin" / "opkg-ascc")
    for tool in ("npu-smi", "msprof"):
        shutil.copy2(native / "share" / "toolkit" / tool, tree / "bin" / tool)
        (tree / "bin" / tool).chmod(0o755)
    shutil.copyfile(native / "share" / "toolkit" / "set_env.sh", tree / "set_env.sh")


def _links() -> Iterator[tuple[str, str]]:
    """Links of the tree, and what they lead to: the places where projects of different ages look."""
    arch = f"{platform.machine()}-linux"
    yield "include", f"{arch}/include"
    yield "lib64", f"{arch}/lib64"
    yield "bin/setenv.bash", "../set_env.sh"
    yield "bin/bisheng", "opkg-ascc"
    yield "compiler/tikcpp/ascendc_kernel_cmake", "../../share/cmake/ascendc"
    yield "ascendc_devkit/tikcpp/samples/cmake", "../../../share/cmake/ascendc"
    yield "compiler/include", "../include"
    yield "compiler/lib64", "../lib64"
    yield "tools/tikcpp", "../compiler/tikcpp"
    yield "tools/tikicpulib/lib/cmake", "../../../share/cmake/tikicpulib"
    for chip in chip_names():
        yield f"tools/tikicpulib/lib/{chip}", "../../../lib64"
        yield f"tools/simulator/{chip}/lib", "../../../lib64"
    for component in ("runtime", "acllib", "atc", "fwkacllib"):
        yield f"{component}/include", "../include"
        yield f"{component}/lib64", "../lib64"
    # Names that documents give the toolkit inside of the folder where it was installed.
    yield "cann", "."
    yield "latest", "."
    yield "ascend-toolkit/latest", ".."
    yield "ascend-toolkit/set_env.sh", "../set_env.sh"


def _link(link: Path, leads_to: str) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.is_symlink():
        link.unlink()
    link.symlink_to(leads_to)
