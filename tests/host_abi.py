"""The package interface in ctypes, and a caller that lends a package its services."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from opkg.opinfo.dtypes import DTYPES, FORMATS

ABSENT, UNKNOWN_RANK, HOST_VALUE = 1, 2, 4
MAX_DIMS = 25


class Device(ct.Structure):
    _fields_ = [("device_type", ct.c_int32), ("device_id", ct.c_int32)]


class DType(ct.Structure):
    _fields_ = [("code", ct.c_uint8), ("bits", ct.c_uint8), ("lanes", ct.c_uint16)]


class DLTensor(ct.Structure):
    _fields_ = [
        ("data", ct.c_void_p),
        ("device", Device),
        ("ndim", ct.c_int32),
        ("dtype", DType),
        ("shape", ct.POINTER(ct.c_int64)),
        ("strides", ct.POINTER(ct.c_int64)),
        ("byte_offset", ct.c_uint64),
    ]


class Tensor(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("flags", ct.c_uint32),
        ("dl", DLTensor),
        ("dtype", ct.c_int32),
        ("format", ct.c_int32),
        ("origin_format", ct.c_int32),
        ("origin_ndim", ct.c_int32),
        ("origin_shape", ct.POINTER(ct.c_int64)),
        ("ir_index", ct.c_uint32),
        ("group_index", ct.c_uint32),
        ("capacity", ct.c_uint64),
    ]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.dl.shape[i] for i in range(self.dl.ndim))


class AttrValue(ct.Union):
    _fields_ = [("i", ct.c_int64), ("f", ct.c_double), ("s", ct.c_char_p), ("data", ct.c_void_p)]


class Attr(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("type", ct.c_int32),
        ("name", ct.c_char_p),
        ("is_set", ct.c_int32),
        ("reserved", ct.c_int32),
        ("value", AttrValue),
        ("count", ct.c_uint64),
    ]


class ListInt(ct.Structure):
    _fields_ = [("data", ct.POINTER(ct.c_int64)), ("count", ct.c_uint64)]


class Call(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("abi_version", ct.c_uint32),
        ("node_name", ct.c_char_p),
        ("soc", ct.c_char_p),
        ("n_inputs", ct.c_uint32),
        ("n_outputs", ct.c_uint32),
        ("n_attrs", ct.c_uint32),
        ("deterministic", ct.c_uint32),
        ("inputs", ct.POINTER(Tensor)),
        ("outputs", ct.POINTER(Tensor)),
        ("attrs", ct.POINTER(Attr)),
    ]


PARALLEL_FOR = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_uint64, ct.c_void_p, ct.c_void_p)
ALLOC = ct.CFUNCTYPE(ct.c_void_p, ct.c_void_p, ct.c_uint64, ct.c_uint64)
RESIZE = ct.CFUNCTYPE(
    ct.c_int32, ct.c_void_p, ct.c_uint32, ct.c_uint32, ct.POINTER(ct.c_int64), ct.POINTER(ct.c_void_p)
)
REPORT = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_char_p, ct.c_char_p)
CANCELLED = ct.CFUNCTYPE(ct.c_int32, ct.c_void_p)


class Exec(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("abi_version", ct.c_uint32),
        ("context", ct.c_void_p),
        ("threads", ct.c_uint32),
        ("reserved", ct.c_uint32),
        ("parallel_for", PARALLEL_FOR),
        ("alloc", ALLOC),
        ("resize_output", RESIZE),
        ("stream", ct.c_void_p),
        ("report_error", REPORT),
        ("cancelled", CANCELLED),
    ]


class Tiling(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("column", ct.c_uint32),
        ("tiling_key", ct.c_uint64),
        ("block_dim", ct.c_uint32),
        ("schedule_mode", ct.c_uint32),
        ("workspace_size", ct.c_uint64),
        ("data_size", ct.c_uint64),
        ("data_capacity", ct.c_uint64),
        ("data", ct.c_void_p),
        ("needs_values", ct.c_uint32),
        ("flags", ct.c_uint32),
    ]


class Operator(ct.Structure):
    pass


OperatorPtr = ct.POINTER(Operator)
CallPtr, ExecPtr, TilingPtr = ct.POINTER(Call), ct.POINTER(Exec), ct.POINTER(Tiling)
INFER = ct.CFUNCTYPE(ct.c_int32, OperatorPtr, CallPtr, ExecPtr)
Operator._fields_ = [
    ("struct_size", ct.c_uint32),
    ("abi_version", ct.c_uint32),
    ("type", ct.c_char_p),
    ("self", ct.c_void_p),
    ("infer_shape", INFER),
    ("infer_dtype", INFER),
    ("tiling", ct.CFUNCTYPE(ct.c_int32, OperatorPtr, CallPtr, TilingPtr, ExecPtr)),
    ("workspace", ct.CFUNCTYPE(ct.c_int32, OperatorPtr, TilingPtr, ct.POINTER(ct.c_uint64))),
    ("launch", ct.CFUNCTYPE(ct.c_int32, OperatorPtr, CallPtr, TilingPtr, ExecPtr)),
    ("flags", ct.c_uint32),
    ("n_columns", ct.c_uint32),
]


class PackageTable(ct.Structure):
    _fields_ = [
        ("struct_size", ct.c_uint32),
        ("abi_version", ct.c_uint32),
        ("vendor", ct.c_char_p),
        ("name", ct.c_char_p),
        ("version", ct.c_char_p),
        ("soc", ct.c_char_p),
        ("n_operators", ct.c_uint32),
        ("reserved", ct.c_uint32),
        ("operators", ct.POINTER(OperatorPtr)),
        ("describe", ct.CFUNCTYPE(ct.c_char_p)),
    ]


class Caller:
    """Everything a package may ask of its caller; remembers what was reported."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, str]] = []
        self.resized: dict[int, np.ndarray] = {}
        self.cancel = False
        self.fail_alloc = False
        self._kept: list[Any] = []
        self.exec = Exec(ct.sizeof(Exec), 1, None, 1, 0)
        self.exec.parallel_for = PARALLEL_FOR(lambda *_: None)
        self.exec.alloc = ALLOC(self._alloc)
        self.exec.resize_output = RESIZE(self._resize)
        self.exec.report_error = REPORT(lambda _, code, text: self.reports.append((code.decode(), text.decode())))
        self.exec.cancelled = CANCELLED(lambda _: int(self.cancel))
        self.resize_dtypes: dict[int, np.dtype[Any]] = {}

    def _alloc(self, _: int, size: int, alignment: int) -> int | None:
        if self.fail_alloc:
            return None
        buffer = ct.create_string_buffer(size + alignment)
        self._kept.append(buffer)
        return -(-ct.addressof(buffer) // alignment) * alignment

    def _resize(self, _: int, output: int, ndim: int, shape: Any, data: Any) -> int:
        array = np.zeros([shape[i] for i in range(ndim)], self.resize_dtypes[output])
        self.resized[output] = array
        data[0] = array.ctypes.data
        return 0


def tensor(
    array: np.ndarray | None = None,
    *,
    dtype: str = "",
    shape: Sequence[int] | None = None,
    fmt: str = "ND",
    ir: int = 0,
    group: int = 0,
    flags: int = HOST_VALUE,
) -> Tensor:
    """A tensor over an array, or one without data; its shape has room for MAX_DIMS."""
    made = Tensor(ct.sizeof(Tensor), flags)
    dims = (ct.c_int64 * MAX_DIMS)()
    extents = array.shape if array is not None else shape or ()
    dims[: len(extents)] = list(extents)
    made.dl.shape = ct.cast(dims, ct.POINTER(ct.c_int64))
    made.dl.ndim = len(extents)
    name = dtype or next(d.name for d in DTYPES.values() if array is not None and d.numpy == array.dtype.name)
    made.dtype = DTYPES[name].number
    made.format = made.origin_format = FORMATS[fmt]
    made.ir_index, made.group_index = ir, group
    made.dl.device.device_type = 1
    if array is not None:
        made.dl.data = array.ctypes.data
        made.capacity = array.nbytes
        made.keep = (dims, array)
    else:
        made.keep = dims
    return made


def absent(ir: int) -> Tensor:
    return tensor(dtype="float32", ir=ir, flags=ABSENT)


_ATTR_TYPES = "int float bool string type list_int list_float list_bool list_string list_type list_list_int".split()


def attr(name: str, kind: str, value: Any) -> Attr:
    """An attribute of one of the kinds of an op info; None is one that was not given."""
    made = Attr(ct.sizeof(Attr), _ATTR_TYPES.index(kind), name.encode(), int(value is not None))
    if value is None:
        return made
    kept: Any = None
    if kind in ("int", "bool", "type"):
        made.value.i = value
    elif kind == "float":
        made.value.f = value
    elif kind == "string":
        kept = value.encode()
        made.value.s = kept
        made.count = len(kept)
    else:
        kept = _list(kind, value)
        made.value.data = ct.cast(kept, ct.c_void_p)
        made.count = len(value)
    made.keep = kept
    return made


def _list(kind: str, value: Any) -> Any:
    if kind == "list_list_int":
        rows = [(ct.c_int64 * len(row))(*row) for row in value]
        made = (ListInt * len(rows))(*[ListInt(ct.cast(r, ct.POINTER(ct.c_int64)), len(r)) for r in rows])
        made.keep = rows
        return made
    if kind == "list_string":
        return (ct.c_char_p * len(value))(*[v.encode() for v in value])
    types = {"list_int": ct.c_int64, "list_float": ct.c_double, "list_bool": ct.c_uint8, "list_type": ct.c_int32}
    return (types[kind] * len(value))(*value)


def call(
    inputs: Sequence[Tensor], outputs: Sequence[Tensor], attrs: Sequence[Attr] = (), *, node: str = "", soc: str = ""
) -> Call:
    made = Call(ct.sizeof(Call), 1, node.encode() or None, soc.encode() or None, len(inputs), len(outputs), len(attrs))
    made.inputs = (Tensor * max(1, len(inputs)))(*inputs)
    made.outputs = (Tensor * max(1, len(outputs)))(*outputs)
    made.attrs = (Attr * max(1, len(attrs)))(*attrs)
    made.keep = (inputs, outputs, attrs)
    return made


@dataclass
class Tiled:
    """What a tiling function decided, or how it failed."""

    code: int
    tiling: Tiling
    data: bytes
    reports: list[tuple[str, str]]
    buffer: Any = field(repr=False, default=None)

    @property
    def numbers(self) -> list[int]:
        return np.frombuffer(self.data, np.int64).tolist()


class Package:
    """An opened package."""

    def __init__(self, library: Path, root: Path) -> None:
        self.library = ct.CDLL(str(library))
        self.library.opkg_package_open_v1.restype = ct.POINTER(PackageTable)
        self.table = self.library.opkg_package_open_v1(str(root).encode()).contents

    def operator(self, name: str) -> Any:
        found = (self.table.operators[i] for i in range(self.table.n_operators))
        return next(op for op in found if op.contents.type == name.encode())

    def infer_shape(self, name: str, made: Call, caller: Caller) -> int:
        op = self.operator(name)
        return int(op.contents.infer_shape(op, ct.byref(made), ct.byref(caller.exec)))

    def infer_dtype(self, name: str, made: Call, caller: Caller) -> int:
        op = self.operator(name)
        return int(op.contents.infer_dtype(op, ct.byref(made), ct.byref(caller.exec)))

    def tile(self, name: str, made: Call, *, capacity: int = 1024) -> Tiled:
        caller = Caller()
        buffer = ct.create_string_buffer(capacity)
        tiling = Tiling(ct.sizeof(Tiling), data_capacity=capacity)
        tiling.data = ct.addressof(buffer)
        op = self.operator(name)
        code = op.contents.tiling(op, ct.byref(made), ct.byref(tiling), ct.byref(caller.exec))
        return Tiled(code, tiling, buffer.raw[: tiling.data_size], caller.reports, buffer)

    def launch(self, name: str, made: Call, tiled: Tiled, caller: Caller) -> int:
        op = self.operator(name)
        return int(op.contents.launch(op, ct.byref(made), ct.byref(tiled.tiling), ct.byref(caller.exec)))
