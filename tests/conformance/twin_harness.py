"""Compiles small kernels against the twin and calls them through the kernel table, as a package's host library does."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from opkg.paths import native_dir

INCLUDE = native_dir() / "include"
LIB = native_dir() / "lib"

PARALLEL_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64)
PARALLEL_FOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, PARALLEL_BODY, ctypes.c_void_p)
ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
RESIZE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p
)
REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
CANCELLED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class ExecStruct(ctypes.Structure):
    """opkg_exec_v1."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("threads", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("parallel_for", PARALLEL_FOR),
        ("alloc", ALLOC),
        ("resize_output", RESIZE),
        ("stream", ctypes.c_void_p),
        ("report_error", REPORT),
        ("cancelled", CANCELLED),
    ]


LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_uint64,
    ctypes.c_char_p,
    ctypes.POINTER(ExecStruct),
)


class TableStruct(ctypes.Structure):
    """opkg_kernel_table_v1."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("op_type", ctypes.c_char_p),
        ("column", ctypes.c_uint32),
        ("task_type", ctypes.c_int32),
        ("n_args", ctypes.c_uint32),
        ("uses_cross_core", ctypes.c_uint32),
        ("tiling_size", ctypes.c_uint64),
        ("launch", LAUNCH),
    ]


class KernelError(RuntimeError):
    """A launch that returned a code; `report` is the sentence that came with it."""

    def __init__(self, code: int, report: str) -> None:
        super().__init__(f"{code}: {report}")
        self.code = code
        self.report = report


@dataclass
class Executor:
    """An opkg_exec_v1 over Python threads."""

    threads: int = 1
    reports: list[tuple[str, str]] = field(default_factory=list)

    def struct(self) -> ExecStruct:
        self._callbacks = (PARALLEL_FOR(self._parallel_for), REPORT(self._report))
        made = ExecStruct()
        made.struct_size = ctypes.sizeof(ExecStruct)
        made.abi_version = 1
        made.threads = self.threads
        made.parallel_for, made.report_error = self._callbacks
        return made

    def _parallel_for(self, _context: int, n: int, body: object, arg: int) -> None:
        def share(first: int) -> None:
            for i in range(first, n, self.threads):
                body(arg, i)  # type: ignore[operator]

        workers = [threading.Thread(target=share, args=(k,)) for k in range(1, self.threads)]
        for worker in workers:
            worker.start()
        share(0)
        for worker in workers:
            worker.join()

    def _report(self, _context: int, code: bytes, message: bytes) -> None:
        self.reports.append((code.decode(), message.decode()))


class Kernel:
    """A compiled kernel library."""

    def __init__(self, library: Path) -> None:
        ctypes.CDLL(str(LIB / "libopkg_twin.so.1"), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        self.path = library
        self.table = TableStruct.in_dll(self._library, "opkg_kernel_v1")

    def __call__(
        self,
        *args: np.ndarray | bytes | None,
        block_dim: int = 1,
        key: int = 0,
        soc: str = "Ascend910B1",
        threads: int = 1,
    ) -> None:
        """Runs the kernel over arrays (written in place); bytes are tiling data.

        Raises:
            KernelError: the launch returned a code.
        """
        pointers = (ctypes.c_void_p * len(args))(*[_address(a) for a in args])
        executor = Executor(threads)
        struct = executor.struct()
        code = self.table.launch(pointers, len(args), block_dim, key, soc.encode(), ctypes.byref(struct))
        if code != 0:
            raise KernelError(code, executor.reports[-1][1] if executor.reports else "")


def _address(value: np.ndarray | bytes | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value
    return value.ctypes.data


class Compiler:
    """Compiles kernels into one folder; the same source is compiled once a session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def compile(self, source: str, function: str, *defines: str, tiling: str = "") -> Kernel:
        """The kernel `function` of `source`; `tiling` is the body of its default tiling struct."""
        result = self.run(source, function, *defines, tiling=tiling)
        if isinstance(result, str):
            raise AssertionError(result)
        return Kernel(result)

    def errors(self, source: str, function: str, *defines: str) -> str:
        """What the compiler says about a kernel that must not compile."""
        result = self.run(source, function, *defines)
        assert isinstance(result, str), "the kernel compiled"
        return result

    def run(self, source: str, function: str, *defines: str, tiling: str = "") -> Path | str:
        digest = hashlib.sha256("\0".join([source, function, tiling, *defines]).encode()).hexdigest()[:16]
        library = self._folder / f"{function}_{digest}.so"
        if library.exists():
            return library
        unit = self._folder / f"{function}_{digest}.cpp"
        unit.write_text(_translation_unit(source, function, tiling))
        level = ["-march=x86-64-v3"] if platform.machine() == "x86_64" else []
        command = [
            *("g++", "-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
            *level,
            *[f"-D{d}" for d in defines],
            *("-I", str(INCLUDE / "ascendc"), "-I", str(INCLUDE)),
            *(str(unit), "-o", str(library), f"-L{LIB}", "-lopkg_twin"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else library


def _translation_unit(source: str, function: str, tiling: str) -> str:
    struct = f"struct OpkgTestTiling {{ {tiling} }};\nusing OpkgDefaultTiling = OpkgTestTiling;\n" if tiling else ""
    return (
        f'#include "kernel_operator.h"\n{struct}{source}\n#include "opkg/kernel_entry.h"\n'
        f'OPKG_KERNEL_ENTRY({function}, "{function}", 0)\n'
    )
