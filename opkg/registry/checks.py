"""What `opkg doctor` looks at for finding operators: the environment, the packages in the index, the caches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from opkg.plugins.scan import cache_dir
from opkg.plugins.types import Finding
from opkg.registry.machine import Machine, shortcomings
from opkg.registry.model import Candidate, Package
from opkg.registry.registry import Registry, open_registry

_OWN = ("libopkg_core.so.1", "libopkg_host.so.1", "libopkg_twin.so.1")


def check_environment(_: Path | None) -> Iterator[Finding]:
    """The variables that say where operators and libraries are."""
    findings = [*_opp_path(), *_custom_opp_path(), *_library_path()]
    yield from findings or [Finding("environment", "ok", "nothing in it leads nowhere")]


def check_packages(install_path: Path | None) -> Iterator[Finding]:
    """Packages that cannot be used, and operators that stand behind others of the same name."""
    registry = open_registry(install_path)
    packages = registry.packages()
    machine = Machine()
    usable = set()
    for package in packages:
        trouble = _trouble(package, machine)
        if trouble is not None:
            yield trouble
        elif not package.lacks:
            usable.add(package.root)
    yield from _shadowed(registry, usable)
    count = sum(package.operators for package in packages if package.root in usable)
    plural = "" if len(usable) == 1 else "s"
    yield Finding("operators", "ok", f"{count} in {len(usable)} package{plural} can be used here")


def check_caches(_: Path | None) -> Iterator[Finding]:
    """Whether what opkg computes can be kept, and what died processes left there."""
    folder = Path(cache_dir())
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        advice = f"make {there} writable, or export XDG_CACHE_HOME to a folder that is"
        yield Finding("cache", "problem", f"{there} cannot be written, so every command starts anew", advice)
        return
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    stale = [f for f in files if f.name.startswith("registry-") and f.suffix != ".sqlite" and not _alive(f)]
    stale += [f for f in files if f.name.startswith("plugins-") and f.suffix != ".json" and not _alive(f)]
    if stale:
        yield Finding("cache", "note", f"{len(stale)} files of processes that died are in {folder}", f"rm -r {folder}")
    size = sum(path.stat().st_size for path in files)
    yield Finding("cache", "ok", f"{size / 1e6:,.1f} MB in {folder}")


def _alive(draft: Path) -> bool:
    """Whether the process that writes a draft, whose number is in its name, still runs."""
    number = draft.name.rpartition(".")[2].partition("-")[0]
    return number.isdigit() and Path("/proc", number).exists()


def _opp_path() -> Iterator[Finding]:
    text = os.environ.get("ASCEND_OPP_PATH", "")
    if text and not Path(text).expanduser().is_absolute():
        message = f"'{text}' is relative: it means another folder wherever a command is typed"
        yield Finding("ASCEND_OPP_PATH", "problem", message, f"export ASCEND_OPP_PATH={Path(text).absolute()}")
    elif text and not Path(text).expanduser().is_dir():
        advice = "the first installation makes it; otherwise: unset ASCEND_OPP_PATH"
        yield Finding("ASCEND_OPP_PATH", "note", f"there is no folder {text}", advice)


def _custom_opp_path() -> Iterator[Finding]:
    words = [word for word in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if word]
    for number, word in enumerate(words):
        better = ":".join(other for other in words[:number] + words[number + 1 :])
        advice = f"export ASCEND_CUSTOM_OPP_PATH={better}" if better else "unset ASCEND_CUSTOM_OPP_PATH"
        path = Path(word).expanduser()
        if not path.is_dir():
            yield Finding("ASCEND_CUSTOM_OPP_PATH", "problem", f"its entry {word} is no folder", advice)
        elif not path.is_absolute():
            full = ":".join((*words[:number], str(path.absolute()), *words[number + 1 :]))
            message = f"its entry {word} is relative: it means another folder wherever a command is typed"
            yield Finding("ASCEND_CUSTOM_OPP_PATH", "problem", message, f"export ASCEND_CUSTOM_OPP_PATH={full}")
        elif not any((path / name).exists() for name in ("vendors", "op_impl", "opkg-package.json")):
            message = f"its entry {word} is neither a vendor's folder nor an install root"
            yield Finding("ASCEND_CUSTOM_OPP_PATH", "problem", message, advice)


def _library_path() -> Iterator[Finding]:
    text = os.environ.get("LD_LIBRARY_PATH", "")
    words = text.split(":") if text else []
    cleaned = ":".join(word for word in words if word and Path(word).is_dir())
    advice = f"export LD_LIBRARY_PATH={cleaned}" if cleaned else "unset LD_LIBRARY_PATH"
    if "" in words:
        message = "it has an empty entry, so that libraries come from wherever a command is typed"
        yield Finding("LD_LIBRARY_PATH", "problem", message, advice)
    for word in dict.fromkeys(filter(None, words)):
        if not Path(word).is_dir():
            yield Finding("LD_LIBRARY_PATH", "note", f"its entry {word} is no folder", advice)
        own = [name for name in _OWN if (Path(word) / name).exists()]
        if own:
            message = f"{word} has {', '.join(own)}: other programs take opkg's libraries from there"
            yield Finding("LD_LIBRARY_PATH", "note", message)
        if (Path(word) / "libstdc++.so.6").exists():
            yield Finding("LD_LIBRARY_PATH", "note", f"libstdc++ comes from {word}, not from the system")


def _trouble(package: Package, machine: Machine) -> Finding | None:
    label = f"{package.label} in {package.root}"
    if package.lacks.startswith("is damaged"):
        return Finding("package", "problem", f"{label} {package.lacks}", "install it again, or remove its folder")
    if package.lacks or package.target != "cpu":
        return None  # another installer's, or another target's: not for this machine, and nothing is wrong with it
    reasons = shortcomings(package, machine)
    if not reasons and package.host_library != package.root and not package.host_library.is_file():
        reasons = [f"{package.host_library} is missing"]
    advice = "build it for this machine (opkg build --pkg), and install that"
    return Finding("package", "problem", f"{label} cannot be used: {'; '.join(reasons)}", advice) if reasons else None


def _shadowed(registry: Registry, usable: set[Path]) -> Iterator[Finding]:
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in registry.operators():
        if candidate.package_root in usable:
            wins = first.setdefault((candidate.domain, candidate.op_type), candidate)
            if wins is not candidate:
                names = (
                    f"{candidate.key} of {candidate.package.label} stands behind {wins.package.label}, {wins.source}"
                )
                yield Finding("shadowed", "note", names, f"opkg which {candidate.domain}::{candidate.op_type}")
