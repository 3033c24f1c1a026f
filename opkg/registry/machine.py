"""What packages this machine can load."""

from __future__ import annotations

import os
import re
from functools import cache

ABI_VERSION = 1
"""The newest package interface (`opkg/package_abi.h`) that this opkg loads; older ones stay loadable."""

_X86_LEVELS = (
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}),
    ("x86-64-v2", {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
)


def refusal(*, target: str, arch: str, isa: str, abi: int, glibc: str) -> str:
    """Why kernels with these needs cannot run here, one clause; empty when they can.

    The arguments are those of a manifest, as are their meanings; `target` must be `cpu`.
    """
    if target != "cpu":
        return f"has no kernel for target cpu, only for {target or 'unknown targets'}"
    if arch and arch != machine():
        return f"was built for {arch}; this machine is {machine()}"
    if abi > ABI_VERSION:
        return f"was built for version {abi} of the package interface; this opkg has {ABI_VERSION}"
    if isa and not has_isa(isa):
        return f"needs instruction set {isa}; this processor has {isa_level()}"
    if glibc and glibc_version() and _numbers(glibc) > _numbers(glibc_version()):
        return f"needs glibc {glibc}; this machine has {glibc_version()}"
    return ""


def machine() -> str:
    """The machine, as `uname -m` says."""
    return os.uname().machine


def has_isa(isa: str) -> bool:
    """Whether this processor has an instruction-set level; levels that are not known here are trusted."""
    levels = [name for name, _ in reversed(_X86_LEVELS)]
    if isa not in levels:
        return True
    return isa_level() in levels[levels.index(isa) :]


@cache
def isa_level() -> str:
    """The highest x86-64 level of this processor (`x86-64-v3`); the machine's name on others."""
    if machine() != "x86_64":
        return machine()
    flags = _cpu_flags()
    have = "x86-64"
    for name, needed in reversed(_X86_LEVELS):
        if not needed <= flags:
            break
        have = name
    return have


@cache
def glibc_version() -> str:
    """The version of the C library (`2.36`); empty where it is another one."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        return ""
    return version if name == "glibc" else ""


def _cpu_flags() -> set[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            for line in file:
                if line.startswith("flags"):
                    return set(line.partition(":")[2].split())
    except OSError:
        pass
    return set()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", version))
