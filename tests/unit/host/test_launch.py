"""From a call to a kernel's arguments, with kernel libraries that are written by hand."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from host_abi import Caller, Package, absent, call, tensor

MakeKernel = Callable[..., Path]
SQUARE = "const float *x = args[0]; float *y = args[1]; for (int i = 0; i < 4; ++i) y[i] = x[i] * x[i];"
WRITE_SHAPES = """
    int64_t *y = args[1]; int32_t *copy = args[2]; int32_t *z = args[3]; uint64_t *s = args[4];
    y[0] = 11; y[1] = 22; copy[0] = 5; z[0] = 33;
    s[0] = 0x80000000u | 2; s[1] = 1; s[2] = 2; s[9] = 1; s[10] = 1;
"""


def seen(path: Path) -> ct.CDLL:
    return ct.CDLL(str(path))


def arguments(path: Path) -> list[int | None]:
    library = seen(path)
    count = ct.c_uint32.in_dll(library, "seen_count").value
    return list((ct.c_void_p * 64).in_dll(library, "seen_args"))[:count]


@pytest.fixture(scope="module")
def square(make_kernel: MakeKernel) -> Path:
    return make_kernel("Square", "kernels/square_0.so", 4, action=SQUARE, tiling_size=8)


@pytest.fixture(scope="module")
def unique(make_kernel: MakeKernel) -> Path:
    flat = " ".join(WRITE_SHAPES.split())
    return make_kernel("Unique", "op_impl/ai_core/tbe/kernel/cpu/unique/Unique_0.so", 7, action=flat)


def test_kernel_gets_data_workspace_and_a_copy_of_the_tiling(package: Package, square: Path) -> None:
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    made = call([tensor(x)], [tensor(y)])
    tiled = package.tile("Square", made)
    caller = Caller()
    assert package.launch("Square", made, tiled, caller) == 0
    assert caller.reports == []
    assert y.tolist() == [0, 1, 4, 9]
    args = arguments(square)
    assert args[:2] == [x.ctypes.data, y.ctypes.data]
    assert args[2] is not None and args[2] % 512 == 0
    assert args[3] != ct.addressof(tiled.buffer)
    assert args[3] is not None and args[3] % 8 == 0
    library = seen(square)
    assert bytes((ct.c_ubyte * 64).in_dll(library, "seen_tiling"))[:16] == tiled.data + bytes(8)
    assert ct.c_uint32.in_dll(library, "seen_blocks").value == 48
    assert ct.c_uint64.in_dll(library, "seen_key").value == 7
    assert (ct.c_char * 32).in_dll(library, "seen_soc").value == b"Ascend910B1"


def test_byte_offset_counts(package: Package, square: Path) -> None:
    x, y = np.arange(8, dtype=np.float32), np.zeros(4, np.float32)
    shifted = tensor(x[:4])
    shifted.dl.byte_offset = 16
    made = call([shifted], [tensor(y)])
    assert package.launch("Square", made, package.tile("Square", made), Caller()) == 0
    assert y.tolist() == [16, 25, 36, 49]


def test_empty_outputs_are_not_launched(package: Package) -> None:
    empty = np.zeros(0, np.float16)  # column 1 has no kernel library
    made = call([tensor(empty)], [tensor(empty.copy())])
    assert package.launch("Square", made, package.tile("Square", made), Caller()) == 0


def test_missing_kernel_library_names_the_file(package: Package, libraries: Path) -> None:
    x = np.zeros(4, np.float16)
    made = call([tensor(x)], [tensor(x.copy())])
    caller = Caller()
    assert package.launch("Square", made, package.tile("Square", made), caller) == 561003
    ((code, text),) = caller.reports
    assert code == "561003"
    assert str(libraries / "kernels/square_1.so") in text


def launch_throwaway(package: Package, name: str) -> tuple[int, str]:
    x = np.zeros(4, np.float32)
    made = call([tensor(x)], [tensor(x.copy())])
    tiled = package.tile(name, made)
    assert tiled.code == 0
    caller = Caller()
    code = package.launch(name, made, tiled, caller)
    return code, caller.reports[-1][1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_args": 3}, "its function takes 3 arguments, but the operator declares 4: (x, y, workspace, tiling)"),
        ({"abi": 9}, "it speaks version 9 of the kernel interface"),
        ({"op": "Other"}, "it is column 0 of Other"),
        ({"column": 5}, "it is column 5 of PlatformNumbers"),
    ],
)
def test_kernel_that_does_not_fit_is_refused(
    package: Package, make_kernel: MakeKernel, change: dict[str, object], message: str
) -> None:
    settings: dict[str, object] = {"op": "PlatformNumbers", "n_args": 4} | change
    op, n_args = settings.pop("op"), settings.pop("n_args")
    path = make_kernel(op, "op_impl/ai_core/tbe/kernel/cpu/platform_numbers/PlatformNumbers_0.so", n_args, **settings)
    code, text = launch_throwaway(package, "PlatformNumbers")
    path.unlink()
    assert code == 561003
    assert message in text


def test_tiling_struct_of_another_size_is_refused(libraries: Path, package: Package, make_kernel: MakeKernel) -> None:
    make_kernel("Square", "kernels/square_1.so", 4, column=1, tiling_size=24)
    x = np.zeros(4, np.float16)
    made = call([tensor(x)], [tensor(x.copy())])
    caller = Caller()
    code = package.launch("Square", made, package.tile("Square", made), caller)
    (libraries / "kernels/square_1.so").unlink()
    assert code == 561003
    assert "its tiling struct has 24 bytes, that of the host library 8" in caller.reports[0][1]


def test_optional_and_dynamic_arguments(package: Package, make_kernel: MakeKernel) -> None:
    path = make_kernel("Instances", "op_impl/ai_core/tbe/kernel/cpu/instances/Instances_0.so", 8)
    x, last, y = (np.zeros(n, np.float32) for n in (1, 2, 3))
    a, b = np.zeros((2, 3), np.float32), np.zeros(7, np.float32)
    inputs = [tensor(x), absent(1), tensor(a, ir=2), tensor(b, ir=2, group=1), tensor(last, ir=3)]
    made = call(inputs, [tensor(y), tensor(a.copy(), ir=1)])
    tiled = package.tile("Instances", made)
    # The block lives as long as the launch; let the kernel copy it into the output.
    path.unlink()
    path = make_kernel(
        "Instances",
        "op_impl/ai_core/tbe/kernel/cpu/instances/Instances_0.so",
        8,
        action="memcpy(seen_tiling, args[2], 64);",
    )
    caller = Caller()
    assert package.launch("Instances", made, tiled, caller) == 0, caller.reports
    args = arguments(path)
    assert args[0] == x.ctypes.data
    assert args[1] is None
    assert args[3:5] == [last.ctypes.data, y.ctypes.data]
    words = np.frombuffer(bytes((ct.c_ubyte * 64).in_dll(seen(path), "seen_tiling")), np.uint64).tolist()
    assert words == [48, 2, 2, 3, 1 | 1 << 32, 7, a.ctypes.data, b.ctypes.data]


def test_computed_shapes_resize_the_outputs(package: Package, unique: Path) -> None:
    x = np.arange(3, dtype=np.int32)
    outputs = [
        tensor(dtype="int64", shape=(-1, 2)),
        tensor(np.zeros(3, np.int32), ir=1),
        tensor(dtype="int32", shape=(-1,), ir=2),
    ]
    made = call([tensor(x)], outputs)
    caller = Caller()
    caller.resize_dtypes = {0: np.dtype(np.int64), 2: np.dtype(np.int32)}
    assert package.launch("Unique", made, package.tile("Unique", made), caller) == 0, caller.reports
    assert caller.resized[0].tolist() == [[11, 22]]
    assert caller.resized[2].tolist() == [33]
    assert package.operator("Unique").contents.flags == 1


def test_computed_shape_beyond_its_bound_is_an_error(package: Package, unique: Path) -> None:
    x = np.arange(1, dtype=np.int32)
    outputs = [
        tensor(np.zeros(1, np.int64)),
        tensor(np.zeros(1, np.int32), ir=1),
        tensor(np.zeros(4, np.int32), ir=2),
    ]
    outputs[0].capacity = 8
    made = call([tensor(x)], outputs)
    caller = Caller()
    assert package.launch("Unique", made, package.tile("Unique", made), caller) == 561000
    assert "output 'y' got 2 elements from the kernel, more than it may have (8 bytes)" in caller.reports[0][1]


def test_narrow_and_missing_shapes(package: Package, make_kernel: MakeKernel, libraries: Path) -> None:
    narrow = "uint32_t *s = args[2]; if (*(int *)args[0] == 1) { s[0] = 2; s[1] = 3; s[2] = 1; }"
    make_kernel("Narrow", "op_impl/ai_core/tbe/kernel/cpu/narrow/Narrow_0.so", 5, action=narrow)
    for first, code in ((1, 0), (2, 561000)):
        x = np.array([first, 0, 0], np.int32)
        made = call([tensor(x)], [tensor(dtype="int32", shape=(-1,))])
        caller = Caller()
        caller.resize_dtypes = {0: np.dtype(np.int32)}
        assert package.launch("Narrow", made, package.tile("Narrow", made), caller) == code
        if code == 0:
            assert caller.resized[0].shape == (3, 1)
        else:
            assert caller.reports[0][1] == "Narrow: output 'y' got no shape from the kernel"


@pytest.mark.parametrize(
    ("dtype", "column", "value"),
    [(np.float32, 0, 1.5), (np.float16, 1, np.float16(0.1)), (np.int32, 2, -7), (np.int8, 3, -1)],
)
def test_outputs_are_filled_where_tiling_asks(
    package: Package, make_kernel: MakeKernel, dtype: type, column: int, value: float
) -> None:
    make_kernel("Filled", f"op_impl/ai_core/tbe/kernel/cpu/filled/Filled_{column}.so", 5, column=column)
    x, y, zero = np.zeros(3, dtype), np.full(3, 9, dtype), np.full(3, 9, np.int64)
    made = call([tensor(x)], [tensor(y), tensor(zero, ir=1)])
    assert package.launch("Filled", made, package.tile("Filled", made), Caller()) == 0
    assert y.tolist() == [value] * 3
    assert zero.tolist() == [0, 0, 0]
    x, y = np.zeros(5, dtype), np.full(5, 9, dtype)
    made = call([tensor(x)], [tensor(y), tensor(zero, ir=1)])
    assert package.launch("Filled", made, package.tile("Filled", made), Caller()) == 0
    assert y.tolist() == [9] * 5


def test_output_named_as_an_input_starts_as_its_copy(package: Package, make_kernel: MakeKernel) -> None:
    add = "float *x = args[0]; x[0] += 1; ((float *)args[1])[1] += 1;"
    make_kernel("InPlace", "op_impl/ai_core/tbe/kernel/cpu/in_place/InPlace_0.so", 4, action=add)
    x, y = np.array([5, 6], np.float32), np.zeros(2, np.float32)
    made = call([tensor(x)], [tensor(y)])
    assert package.launch("InPlace", made, package.tile("InPlace", made), Caller()) == 0
    assert (x.tolist(), y.tolist()) == ([5, 6], [6, 7])


def test_tensors_without_room_are_named(package: Package, square: Path) -> None:
    x = np.zeros(4, np.float32)
    made = call([tensor(x)], [tensor(dtype="float32", shape=(4,))])
    caller = Caller()
    assert package.launch("Square", made, package.tile("Square", made), caller) == 161001
    assert caller.reports == [("161001", "Square: output 'y' has no data")]
    small = tensor(np.zeros(4, np.float32))
    small.capacity = 8
    made = call([tensor(x)], [small])
    assert package.launch("Square", made, package.tile("Square", made), caller) == 161002
    assert caller.reports[-1][1] == "Square: output 'y' needs 16 bytes but has 8"


def test_strided_tensor_is_refused(package: Package, square: Path) -> None:
    x = tensor(np.zeros(4, np.float32))
    strides = (ct.c_int64 * 1)(2)
    x.dl.strides = ct.cast(strides, ct.POINTER(ct.c_int64))
    made = call([x], [tensor(np.zeros(4, np.float32))])
    caller = Caller()
    assert package.launch("Square", made, package.tile("Square", made), caller) == 161002
    assert caller.reports[0][1] == "Square: input 'x' is not compact; copy it first"
    # The stride of an axis of one element is never used.
    x = tensor(np.zeros((1, 4), np.float32))
    strides = (ct.c_int64 * 2)(99, 1)
    x.dl.strides = ct.cast(strides, ct.POINTER(ct.c_int64))
    made = call([x], [tensor(np.zeros((1, 4), np.float32))])
    assert package.launch("Square", made, package.tile("Square", made), Caller()) == 0


def test_no_memory_and_cancellation_are_said(package: Package, square: Path) -> None:
    x = np.zeros(4, np.float32)
    made = call([tensor(x)], [tensor(x.copy())])
    tiled = package.tile("Square", made)
    caller = Caller()
    caller.fail_alloc = True
    assert package.launch("Square", made, tiled, caller) == 561000
    assert caller.reports[-1][1] == "Square: no memory for a workspace of 512 bytes"
    caller.cancel = True
    assert package.launch("Square", made, tiled, caller) == 561000
    assert caller.reports[-1][1] == "Square: cancelled"


@pytest.mark.parametrize(("extent", "code"), [(6, 0), (7, 561000)])
def test_shape_range_bounds_a_computed_shape(package: Package, make_kernel: MakeKernel, extent: int, code: int) -> None:
    write = "uint64_t *s = args[2]; s[0] = 1; s[1] = *(int *)args[0]; ((int *)args[1])[5] = 8;"
    make_kernel("Ranged", "op_impl/ai_core/tbe/kernel/cpu/ranged/Ranged_0.so", 5, action=write)
    x = np.array([extent, 0, 0], np.int32)
    made = call([tensor(x)], [tensor(dtype="int32", shape=(-1,))])
    caller = Caller()
    caller.resize_dtypes = {0: np.dtype(np.int32)}
    assert package.launch("Ranged", made, package.tile("Ranged", made), caller) == code
    if code == 0:
        assert caller.resized[0].tolist()[5] == 8
    else:
        assert "7 elements from the kernel, more than it may have (24 bytes)" in caller.reports[0][1]


def test_many_threads_may_launch_at_once(package: Package, make_kernel: MakeKernel) -> None:
    add = "const float *x = args[0]; float *y = args[1]; y[0] = x[0] + 1;"
    make_kernel("StrictLayouts", "op_impl/ai_core/tbe/kernel/cpu/strict_layouts/StrictLayouts_0.so", 4, action=add)

    def run(number: int) -> float:
        x, y = np.array([number], np.float32), np.zeros(1, np.float32)
        made = call([tensor(x)], [tensor(y)])
        caller = Caller()
        for _ in range(20):
            assert package.launch("StrictLayouts", made, package.tile("StrictLayouts", made), caller) == 0
        return float(y[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(32))) == [n + 1 for n in range(32)]
