"""What `op_kernel/CMakeLists.txt` says about kernels: compiler options, and which file belongs to which operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opkg.opinfo.names import snake_case
from opkg.project.cmake_text import commands

_KEYWORDS = ("OP_NAME", "OP_TYPE", "COMPUTE_UNIT", "OPTIONS", "KERNEL_DIR", "KERNEL_FILE")


@dataclass
class KernelLists:
    """Options by operator type (`ALL` for every one) and kernel files by snake name."""

    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


def read_kernel_lists(path: Path, variables: Mapping[str, str], socs: Sequence[str]) -> KernelLists:
    """Reads the file; what it restricts to compute units other than `socs` is left out."""
    found = KernelLists()
    if not path.is_file():
        return found
    text = path.read_text(encoding="utf-8", errors="replace")  # comments come in other encodings, commands are ASCII
    known = {**variables, "CMAKE_CURRENT_SOURCE_DIR": str(path.parent), "CMAKE_CURRENT_LIST_DIR": str(path.parent)}
    for name, arguments in commands(text, known):
        if name == "add_ops_compile_options":
            _options(found, _groups(["OP_NAME", *arguments]), socs)
        elif name == "npu_op_kernel_options" and arguments:
            _options(found, _groups(["OP_NAME", *arguments[1:]]), socs)
        elif name == "npu_op_kernel_sources" and arguments:
            _sources(found, _groups(arguments[1:]), path.parent)
    return found


def _groups(words: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    current = ""
    for word in words:
        if word in _KEYWORDS:
            current = word
        elif current:
            groups.setdefault(current, []).append(word)
    return groups


def _applies(groups: Mapping[str, list[str]], socs: Sequence[str]) -> bool:
    units = [unit.lower() for unit in groups.get("COMPUTE_UNIT", [])]
    return not units or not socs or any(unit in socs for unit in units)


def _options(found: KernelLists, groups: Mapping[str, list[str]], socs: Sequence[str]) -> None:
    if _applies(groups, socs):
        for op in groups.get("OP_NAME", []):
            found.options[op] = (*found.options.get(op, ()), *groups.get("OPTIONS", []))


def _sources(found: KernelLists, groups: Mapping[str, list[str]], folder: Path) -> None:
    directory = folder / (groups.get("KERNEL_DIR") or ["."])[0]
    files = [(directory / name).resolve() for name in groups.get("KERNEL_FILE", [])]
    for op in groups.get("OP_TYPE", []):
        for file in files[:1]:
            found.files[snake_case(op)] = file
    for source in _undeclared(directory, folder):
        found.files.setdefault(source.stem, source)


def _undeclared(directory: Path, folder: Path) -> Iterator[Path]:
    """The files of a KERNEL_DIR elsewhere than `op_kernel/` itself."""
    if directory.is_dir() and directory.resolve() != folder.resolve():
        yield from sorted(directory.resolve().glob("*.cpp"))
