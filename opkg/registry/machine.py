"""Whether a package can run on this machine, said before anything is installed or loaded."""

from __future__ import annotations

import mmap
import os
import platform
import re
from functools import cached_property
from pathlib import Path
from typing import Protocol

ABI = 1
"""Version of the package table (`OPKG_ABI_VERSION` of `opkg/package_abi.h`) that this opkg reads."""

_V2 = frozenset("cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3".split())
_V3 = _V2 | frozenset("abm avx avx2 bmi1 bmi2 f16c fma movbe".split())
_V4 = _V3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())
ISA_FLAGS = {"x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
"""Instruction-set level (as psABI and `-march` name it) -> flags of /proc/cpuinfo that make it up."""

_LIBRARY_FOLDERS = ("/usr/lib/{arch}-linux-gnu", "/lib/{arch}-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib")


class Needs(Protocol):
    """What a package needs, as its manifest and the registry have it; empty: any."""

    @property
    def os(self) -> str:
        """Operating system."""

    @property
    def arch(self) -> str:
        """As `uname -m` says."""

    @property
    def isa(self) -> str:
        """Instruction-set level of its kernels."""

    @property
    def abi(self) -> int:
        """Version of the package interface."""

    @property
    def glibc(self) -> str:
        """The lowest version of glibc."""

    @property
    def glibcxx(self) -> str:
        """The lowest GLIBCXX_ symbol version of libstdc++."""


class Machine:
    """What this machine offers; each part is looked up when it is asked for."""

    @cached_property
    def os(self) -> str:
        """`linux`."""
        return platform.system().lower()

    @cached_property
    def arch(self) -> str:
        """As `uname -m` says."""
        return platform.machine()

    @cached_property
    def flags(self) -> frozenset[str]:
        """Flags of the processor; empty where the system does not tell."""
        try:
            with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as lines:
                # The first processor speaks for all; a file for hundreds of them takes a while.
                found = next((line for line in lines if line.startswith(("flags", "Features"))), "")
        except OSError:
            return frozenset()
        return frozenset(found.partition(":")[2].split())

    @cached_property
    def glibc(self) -> str:
        """Version of glibc, empty for another C library."""
        try:
            return (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ")
        except (ValueError, OSError):
            return ""

    @cached_property
    def glibcxx(self) -> str:
        """The highest GLIBCXX_ symbol version of the system's libstdc++, empty where none was found."""
        for folder in _LIBRARY_FOLDERS:
            library = Path(folder.format(arch=self.arch)) / "libstdc++.so.6"
            if library.is_file():
                with library.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    found = {match[1].decode() for match in re.finditer(rb"GLIBCXX_(\d+(?:\.\d+)+)\0", data)}
                return max(found, key=_numbers, default="")
        return ""


def shortcomings(needs: Needs, machine: Machine) -> list[str]:
    """Why a package cannot run on `machine`, one clause a reason; empty when it can.

    What cannot be found out about the machine counts as present.
    """
    found = []
    if needs.os and needs.os != machine.os:
        found.append(f"it was built for {needs.os} and this system is {machine.os}")
    if needs.arch and needs.arch != machine.arch:
        found.append(f"it was built for {needs.arch} and this machine is {machine.arch}")
    elif missing := ISA_FLAGS.get(needs.isa, frozenset()) - machine.flags if machine.flags else ():
        found.append(f"its kernels need {needs.isa} and this processor lacks {', '.join(sorted(missing))}")
    if needs.abi > ABI:
        found.append(f"it was built for version {needs.abi} of opkg's package interface and this opkg reads {ABI}")
    for name, need, have in (
        ("glibc", needs.glibc.removeprefix("GLIBC_"), machine.glibc if needs.glibc else ""),
        ("libstdc++", needs.glibcxx.removeprefix("GLIBCXX_"), machine.glibcxx if needs.glibcxx else ""),
    ):
        if need and have and _numbers(have) < _numbers(need):
            found.append(f"it needs {name} {need} and this machine has {have}")
    return found


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
