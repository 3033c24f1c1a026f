"""Reading projects: ours (`opkg.toml`), msopgen's of every generation, and TBE's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from opkg.errors import ProjectError
from opkg.opinfo import OpInfo, decode, read_ini
from opkg.opinfo.socs import compute_unit
from opkg.project.kernel_lists import read_kernel_lists
from opkg.project.model import Project
from opkg.project.presets import read_presets
from opkg.project.settings import SETTINGS_NAME, Settings, package_name, read_settings

DEFAULT_VENDOR = "customize"
DEFAULT_SOC = "ascend910b"

_TBE_INFO = "tbe/op_info_cfg/ai_core"
_MARKS = (SETTINGS_NAME, "op_host", "op_kernel", "op_info", _TBE_INFO)
PARTS = (SETTINGS_NAME, "CMakePresets.json", "op_host", "op_kernel", "op_info", "framework", "tbe", "op_proto")
"""The files and folders that a project consists of, wherever its kernels are besides."""


def read_project(path: Path | str) -> Project:
    """Reads the project in the folder `path`.

    Strangers' projects have no `opkg.toml`: the vendor comes from `CMakePresets.json`, the name from the folder, the
    version is `0.0.0+<digest>`, which changes with the sources.

    Raises:
        ProjectError: the folder is no project, or a file of it cannot be read.
        OpInfoError: an op info in it is wrong.
    """
    root = _project_root(Path(path))
    settings_file = root / SETTINGS_NAME
    is_opkg = settings_file.is_file()
    settings = read_settings(settings_file) if is_opkg else Settings()
    presets = read_presets(root / "CMakePresets.json")
    tbe = _tbe_folders(root)
    socs = settings.socs or _preset_socs(presets) or tuple(tbe) or (DEFAULT_SOC,)
    vendor = settings.vendor or _vendor(presets, root)
    kernels = _kernels(root, presets, socs)
    project = Project(
        root=root,
        name=settings.name or _folder_name(root),
        vendor=vendor,
        version=settings.version or f"0.0.0+{_digest(root)}",
        domain=settings.domain or vendor,
        socs=socs,
        requires=settings.requires,
        aliases=settings.aliases,
        op_infos=_op_infos(root, tbe),
        host_sources=tuple(sorted((root / "op_host").glob("*.cpp"))),
        kernel_sources=kernels.sources,
        compile_options=_merged(kernels.options, settings.options),
        include_dirs=tuple(d for d in (root / "op_host", root / "op_kernel") if d.is_dir()),
        framework_dir=root / "framework" if (root / "framework").is_dir() else None,
        template=settings.template,
        is_opkg=is_opkg,
    )
    _check_aliases(project)
    return project


def _project_root(path: Path) -> Path:
    root = path.expanduser().resolve()
    if not root.is_dir():
        raise ProjectError(f"{path} is not a folder", "name the folder of a project")
    if _is_project(root):
        return root
    inside = [child.name for child in sorted(root.iterdir()) if child.is_dir() and _is_project(child)]
    hint = f"there are projects in it: {', '.join(inside[:5])}" if inside else "'opkg new NAME' makes a project"
    raise ProjectError(f"{path} is not an operator project: it has none of {', '.join(_MARKS)}", hint)


def _is_project(root: Path) -> bool:
    return any((root / mark).exists() for mark in _MARKS)


def _folder_name(root: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", root.name).lstrip(".-")[:64] or "project"


def _vendor(presets: dict[str, str], root: Path) -> str:
    found = presets.get("vendor_name") or DEFAULT_VENDOR
    return package_name(found, "vendor_name", str(root / "CMakePresets.json"))


def _preset_socs(presets: dict[str, str]) -> tuple[str, ...]:
    """The compute units of the presets; unknown ones are kept, since the vendor's kit may know them."""
    names = [name for name in presets.get("ASCEND_COMPUTE_UNIT", "").split(";") if name.strip()]
    units = (compute_unit(name) or name.strip().lower() for name in names)
    return tuple(dict.fromkeys(units))


def _tbe_folders(root: Path) -> dict[str, Path]:
    base = root / _TBE_INFO
    return {child.name: child for child in sorted(base.iterdir()) if child.is_dir()} if base.is_dir() else {}


def _op_infos(root: Path, tbe: dict[str, Path]) -> tuple[OpInfo, ...]:
    files = sorted((root / "op_info").glob("*.ini")) or [
        f for d in list(tbe.values())[:1] for f in sorted(d.glob("*.ini"))
    ]
    found: dict[str, Path] = {}
    infos: list[OpInfo] = []
    for file in files:
        shown = str(file.relative_to(root))
        for info in read_ini(decode(file.read_bytes(), shown), shown):
            if info.op in found:
                raise ProjectError(f"{shown}: the operator {info.op} is described in {found[info.op]} already")
            found[info.op] = Path(shown)
            infos.append(info)
    return tuple(infos)


@dataclass(frozen=True)
class _Kernels:
    sources: dict[str, Path]
    options: dict[str, tuple[str, ...]]


def _kernels(root: Path, presets: dict[str, str], socs: tuple[str, ...]) -> _Kernels:
    folder = root / "op_kernel"
    variables = {
        "CMAKE_BUILD_TYPE": "Release",
        **presets,
        "CMAKE_SOURCE_DIR": str(root),
        "PROJECT_SOURCE_DIR": str(root),
    }
    lists = read_kernel_lists(folder / "CMakeLists.txt", variables, socs)
    sources = {file.stem: file for file in sorted(folder.glob("*.cpp"))}
    return _Kernels({**sources, **{op: f for op, f in lists.files.items() if f.is_file()}}, lists.options)


def _merged(*tables: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for op, options in table.items():
            found[op] = (*found.get(op, ()), *options)
    return found


def _check_aliases(project: Project) -> None:
    known = {info.op for info in project.op_infos}
    for op in project.aliases:
        if known and op not in known:
            raise ProjectError(
                f"{project.root / SETTINGS_NAME}: [operators.{op}]: op_info/ describes no operator {op}",
                f"it describes {', '.join(sorted(known))}",
            )


def _digest(root: Path) -> str:
    """Twelve hexadecimal digits that change with any file of the project that a build reads."""
    total = hashlib.sha256()
    for file in _digested_files(root):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(root).as_posix()}\0{content}\n".encode())
    return total.hexdigest()[:12]


def _digested_files(root: Path) -> Iterator[Path]:
    for name in PARTS:
        start = root / name
        if start.is_file():
            yield start
        elif start.is_dir():
            yield from sorted(f for f in start.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
