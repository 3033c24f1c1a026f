"""What a project is to everything that works on one: a frozen value, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg.opinfo import OpInfo


@dataclass(frozen=True)
class Project:
    """A folder that a person edits.

    Attributes:
        root: the folder, absolute.
        name: package name.
        vendor: directory name under `vendors/`.
        version: PEP 440; `0.0.0+<digest of the sources>` where the project states none.
        domain: domain of the operators in a model; the vendor's name unless `opkg.toml` gives another.
        socs: compute units, lower-cased (`ascend910b`).
        requires: packages that must be installed too, as `opkg.toml` states them.
        aliases: other names of an operator in models, by operator type.
        op_infos: the operators of `op_info/*.ini`; empty where only the OpDefs describe them.
        host_sources: `op_host/*.cpp`.
        kernel_sources: the kernel file of each operator, by its snake name.
        compile_options: kernel compiler options by operator type, `ALL` for every one.
        include_dirs: folders in which the project's own headers are.
        framework_dir: `framework/`, where there is one.
        template: name, version and answers of the template that it was made from.
        is_opkg: whether there is an `opkg.toml`.
    """

    root: Path
    name: str
    vendor: str
    version: str
    domain: str
    socs: tuple[str, ...]
    requires: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    op_infos: tuple[OpInfo, ...] = ()
    host_sources: tuple[Path, ...] = ()
    kernel_sources: Mapping[str, Path] = field(default_factory=dict)
    compile_options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    include_dirs: tuple[Path, ...] = ()
    framework_dir: Path | None = None
    template: Mapping[str, Any] | None = None
    is_opkg: bool = False
