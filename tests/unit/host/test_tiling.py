"""Column selection, tiling contexts, platform numbers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from host_abi import Attr, Caller, Package, Tensor, absent, attr, call, tensor


def one(shape: tuple[int, ...] = (4,), dtype: str = "float32", fmt: str = "ND", **more: str) -> object:
    return call([tensor(dtype=dtype, shape=shape, fmt=fmt)], [tensor(dtype=dtype, shape=shape, fmt=fmt)], **more)


def test_tiling_of_a_classic_struct(package: Package) -> None:
    tiled = package.tile("Square", one((3, 5)))
    assert tiled.code == 0
    assert np.frombuffer(tiled.data, np.uint32).tolist() == [15, 48]
    assert (tiled.tiling.block_dim, tiled.tiling.tiling_key, tiled.tiling.column) == (48, 7, 0)
    assert tiled.tiling.workspace_size == 512
    size = ctypes.c_uint64()
    op = package.operator("Square")
    assert op.contents.workspace(op, ctypes.byref(tiled.tiling), ctypes.byref(size)) == 0
    assert size.value == 512


def test_column_follows_the_dtype(package: Package) -> None:
    assert package.tile("Square", one(dtype="float16")).tiling.column == 1


def test_wrong_dtype_lists_the_columns(package: Package) -> None:
    tiled = package.tile("Square", one(dtype="int32"))
    assert tiled.code == 161002
    assert tiled.reports[0][1] == (
        "Square: no column takes x=int32[4] -> y=int32[4]; its columns are: "
        "[0] x:float32 ND -> y:float32 ND; [1] x:float16 ND -> y:float16 ND"
    )


@pytest.mark.parametrize(("fmt", "column"), [("NC1HWC0", 0), ("NHWC", 1), ("ND", 2), ("NCHW", 2), ("NCDHW", 2)])
def test_own_format_wins_and_plain_layouts_fit_nd(package: Package, fmt: str, column: int) -> None:
    tiled = package.tile("Layouts", one(fmt=fmt))
    assert (tiled.code, tiled.tiling.column) == (0, column)


def test_format_that_no_column_has_is_refused(package: Package) -> None:
    assert package.tile("Layouts", one(fmt="FRACTAL_NZ")).code == 161002


def test_strict_operator_takes_no_other_layout(package: Package) -> None:
    assert package.tile("StrictLayouts", one()).code == 0
    assert package.tile("StrictLayouts", one(fmt="NCHW")).code == 161002
    assert package.tile("StrictLayouts", one(dtype="float16", fmt="NCHW")).code == 161002


def test_unnamed_layout_fits_plain_columns_but_no_blocked_one(package: Package) -> None:
    assert package.tile("StrictLayouts", one(dtype="float16")).tiling.column == 1
    assert package.tile("StrictLayouts", one(dtype="int8")).code == 161002
    assert package.tile("StrictLayouts", one(dtype="int8", fmt="FRACTAL_NZ")).tiling.column == 2


def test_defaults_of_attributes(package: Package) -> None:
    made = call([tensor(dtype="float32")], [tensor(dtype="float32")], [attr("whole", "int", -3)])
    tiled = package.tile("Attributes", made)
    assert tiled.code == 0
    assert tiled.numbers == [11, -3, 100, 1, 8, ord("s"), 27, 3, 6, 2, 0, 2, 2, 2, 1, 1, 3, 2, ord("b"), -1, 1]


def test_given_attributes_of_every_kind(package: Package) -> None:
    attrs = [
        attr("whole", "int", 2**40),
        attr("real", "float", 2.5),
        attr("flag", "bool", False),
        attr("text", "string", "zzz"),
        attr("type", "type", 9),
        attr("ints", "list_int", [1, 2]),
        attr("reals", "list_float", [0.5]),
        attr("flags", "list_bool", [0, 1]),
        attr("rows", "list_list_int", [[9], [8, 7], [6]]),
        attr("texts", "list_string", ["p", "q", "r"]),
        attr("nothing", "int", 12),
    ]
    tiled = package.tile("Attributes", call([tensor(dtype="float32")], [tensor(dtype="float32")], attrs))
    assert tiled.numbers == [
        11, 2**40, 2500, 0, 3, ord("z"), 9, 2, 2, 1, 500, 1, 3, 1, 9, 2, 8, 1, 6, 3, ord("q"), 12, 1,
    ]  # fmt: skip


def test_attributes_are_found_by_name_and_numbers_widen(package: Package) -> None:
    attrs = [attr("real", "int", 3), attr("reals", "list_int", [4]), attr("whole", "bool", True)]
    tiled = package.tile("Attributes", call([tensor(dtype="float32")], [tensor(dtype="float32")], attrs))
    assert tiled.numbers[1:3] == [1, 3000]
    assert tiled.numbers[9:11] == [1, 4000]


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ([], "attribute 'whole' is required but was not given"),
        ([attr("whole", "int", None)], "attribute 'whole' is required but was not given"),
        ([attr("whole", "float", 1.5)], "attribute 'whole' is int, but a value of type float was given"),
        (
            [attr("whole", "int", 1), attr("text", "list_int", [1])],
            "attribute 'text' is string, but a value of type list_int",
        ),
    ],
)
def test_wrong_attributes_are_named(package: Package, attrs: list[Attr], message: str) -> None:
    tiled = package.tile("Attributes", call([tensor(dtype="float32")], [tensor(dtype="float32")], attrs))
    assert tiled.code == 161002
    assert message in tiled.reports[0][1]


def many(bias: Tensor | None, dynamic: int) -> object:
    inputs = [tensor(dtype="float32", shape=(1,))]
    inputs += [bias] if bias is not None else []
    inputs += [tensor(dtype="float32", shape=(10 + i,), ir=2, group=i) for i in range(dynamic)]
    inputs += [tensor(dtype="float32", shape=(99,), ir=3)]
    return call(inputs, [tensor(dtype="float32", shape=(1,))])


@pytest.mark.parametrize("bias", [None, absent(1)])
def test_absent_optional_input_has_no_instance(package: Package, bias: Tensor | None) -> None:
    numbers = package.tile("Instances", many(bias, 3)).numbers
    assert numbers == [5, 1, 0, 1, 1, 0, 1, 3, 4, 1, -1, 1, 11, 1, 99, 1]


def test_present_optional_and_empty_dynamic_input(package: Package) -> None:
    numbers = package.tile("Instances", many(tensor(dtype="float32", shape=(7,), ir=1), 0)).numbers
    assert numbers == [3, 1, 0, 1, 1, 1, 2, 0, 2, 1, 7, 0, -1, 1, 99, 1]


def test_more_tensors_than_fit_the_stack(package: Package) -> None:
    numbers = package.tile("Instances", many(None, 40)).numbers
    assert numbers[:2] == [42, 1]
    assert numbers[-2:] == [99, 1]


@pytest.mark.parametrize(
    ("soc", "numbers"),
    [
        ("", [24, 48, 0, 196352, 524032, 65536, 131072, 201326592, 1, 2201, 16 << 20, 3, 196352 - 16384]),
        ("Ascend910B3", [20, 40, 0, 196352, 524032, 65536, 131072, 201326592, 1, 2201, 16 << 20, 3, 196352 - 16384]),
        ("Ascend910_9362", [20, 40, 0, 196352, 524032, 65536, 131072, 176160768, 1, 2201, 16 << 20, 3, 196352 - 16384]),
        ("Ascend310P3", [8, 8, 7, 262144, 1048576, 65536, 262144, 16777216, 2, 2002, 2 << 20, 3, 262144 - 16384]),
        ("Ascend310B1", [1, 1, 0, 253952, 1048576, 65536, 131072, 4194304, 3, 3002, 2 << 20, 3, 253952 - 16384]),
        ("Ascend910A", [32, 32, 0, 262144, 1048576, 65536, 262144, 33554432, 0, 1001, 2 << 20, 3, 262144 - 16384]),
        ("Ascend910_95", [32, 64, 0, 253952, 524288, 65536, 262144, 134217728, 4, 3510, 16 << 20, 3, 253952 - 16384]),
    ],
)
def test_platform_numbers(package: Package, soc: str, numbers: list[int]) -> None:
    assert package.tile("PlatformNumbers", one(soc=soc)).numbers == numbers


def test_unknown_chip_is_refused(package: Package) -> None:
    tiled = package.tile("PlatformNumbers", one(soc="Ascend1"))
    assert (tiled.code, tiled.reports[0][1]) == (161002, "PlatformNumbers: there is no chip named 'Ascend1'")


@pytest.mark.parametrize(
    ("extent", "message"),
    [
        (1, "its tiling function failed (it returned 4294967295) for x=float32[1] -> y=float32[1]"),
        (2, "its tiling function set the block dim to 0 for x=float32[2]"),
        (3, "its tiling data of 1048576 bytes does not fit the buffer of 1024 bytes"),
        (4, "its tiling function threw: no plan for this shape"),
    ],
)
def test_failing_tiling_says_why(package: Package, extent: int, message: str) -> None:
    tiled = package.tile("Throwing", one((extent,)))
    assert tiled.code == 561002
    assert tiled.reports[0][0] == "561002"
    assert message in tiled.reports[0][1]


def test_classic_struct_that_does_not_fit_is_an_error(package: Package) -> None:
    tiled = package.tile("Square", one(), capacity=4)
    assert tiled.code == 561002
    assert "tiling data of 8 bytes does not fit the buffer of 4 bytes" in tiled.reports[0][1]


def test_values_reach_tiling_only_where_declared(package: Package) -> None:
    x, wanted = np.zeros(4, np.float32), np.array([41], np.int64)
    tiled = package.tile(
        "ShapeByValue", call([tensor(x), tensor(wanted, ir=1)], [tensor(dtype="float32", shape=(41,))])
    )
    assert tiled.numbers == [1, 41]
    assert tiled.tiling.needs_values == 1
    assert package.tile("Square", one()).tiling.needs_values == 0
    assert package.operator("ShapeByValue").contents.flags == 2


def test_empty_outputs_need_no_tiling(package: Package) -> None:
    tiled = package.tile("Throwing", one((0, 3)))
    assert (tiled.code, tiled.tiling.block_dim) == (0, 0)


def test_operator_without_tiling_runs_one_block(package: Package) -> None:
    tiled = package.tile("Layouts", one())
    assert (tiled.code, tiled.tiling.block_dim, tiled.data) == (0, 1, b"")


def test_registered_functions_and_compile_info(package: Package) -> None:
    first = package.tile("Registered", one())
    assert first.code == 0
    small, large = np.frombuffer(first.data, np.dtype([("small", "u2"), ("large", "u8")], align=True))[0]
    assert (small, large) == (3, 4801)
    assert first.tiling.schedule_mode == 1
    again = np.frombuffer(package.tile("Registered", one()).data, np.uint64)[1]
    other = np.frombuffer(package.tile("Registered", one(soc="Ascend310P3")).data, np.uint64)[1]
    assert (again, other) == (4801, 802)


def test_config_of_the_packages_chip_overrides_parameters(package: Package) -> None:
    caller = Caller()
    assert package.infer_dtype("Registered", call([], [tensor(dtype="float32")]), caller) == 0


def test_bytes_of_a_struct_between_its_fields_are_zero(package: Package) -> None:
    tiled = package.tile("Registered", one())
    assert tiled.data[2:8] == bytes(6)


OUTER = np.dtype(
    {
        "names": ["first", "kind", "sizes", "many", "last"],
        "formats": ["u1", "u1", ("u2", 3), ("f4", 70), "u1"],
        "offsets": [0, 8, 10, 16, 296],
        "itemsize": 304,
    }
)


def test_nested_struct_arrays_and_copies(package: Package) -> None:
    tiled = package.tile("Nested", one((1,)))
    assert (tiled.code, tiled.reports) == (0, [])
    found = np.frombuffer(tiled.data, OUTER)[0]
    assert (found["first"], found["kind"], found["sizes"].tolist(), found["last"]) == (1, 2, [10, 21, 30], 1)
    assert found["many"].tolist() == [0] * 69 + [2.5]


def test_struct_that_lives_in_the_buffer_itself(package: Package) -> None:
    found = np.frombuffer(package.tile("Nested", one((2,))).data, OUTER)[0]
    assert (found["first"], found["kind"]) == (7, 2)
