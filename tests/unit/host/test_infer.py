"""Shape and dtype inference through the package table."""

from __future__ import annotations

import numpy as np
import pytest
from host_abi import UNKNOWN_RANK, Caller, Package, absent, call, tensor

FLOAT, HALF, INT64 = 0, 1, 9


def test_operator_infers_shape_and_dtype(package: Package) -> None:
    made = call([tensor(dtype="float16", shape=(2, 3))], [tensor(dtype="float32")])
    assert package.infer_shape("Square", made, Caller()) == 0
    assert package.infer_dtype("Square", made, Caller()) == 0
    out = made.outputs[0]
    assert (out.shape, out.dtype, out.dl.dtype.code, out.dl.dtype.bits) == ((2, 3), HALF, 2, 16)


def test_unknown_extents_pass_through(package: Package) -> None:
    made = call([tensor(dtype="float32", shape=(-1, 3))], [tensor(dtype="float32")])
    assert package.infer_shape("Square", made, Caller()) == 0
    assert made.outputs[0].shape == (-1, 3)


def test_unknown_rank_is_minus_two_for_the_operator_and_a_flag_for_the_caller(package: Package) -> None:
    made = call([tensor(dtype="float32", flags=UNKNOWN_RANK)], [tensor(dtype="float32")])
    assert package.infer_shape("RankOnly", made, Caller()) == 0
    assert made.outputs[0].flags & UNKNOWN_RANK
    known = call([tensor(dtype="float32", shape=(4,))], [tensor(dtype="float32", flags=UNKNOWN_RANK)])
    assert package.infer_shape("RankOnly", known, Caller()) == 0
    assert (known.outputs[0].flags & UNKNOWN_RANK, known.outputs[0].shape) == (0, ())


def test_without_infer_functions_first_input_and_column_decide(package: Package) -> None:
    made = call(
        [
            tensor(dtype="float16", shape=(5,)),
            tensor(dtype="int64", shape=(7, 8), ir=1),
            tensor(dtype="int64", shape=(1,), ir=2),
        ],
        [tensor(dtype="float32"), tensor(dtype="float32", ir=1)],
    )
    assert package.infer_shape("Combined", made, Caller()) == 0
    assert package.infer_dtype("Combined", made, Caller()) == 0
    y, z = made.outputs[0], made.outputs[1]
    assert (y.shape, y.dtype) == ((5,), HALF)
    assert (z.shape, z.dtype) == ((7, 8), INT64)


def test_shape_may_come_from_an_input_value(package: Package) -> None:
    wanted = np.array([4, 5], np.int64)
    made = call([tensor(dtype="float32", shape=(20,)), tensor(wanted, ir=1)], [tensor(dtype="float32")])
    assert package.infer_shape("ShapeByValue", made, Caller()) == 0
    assert made.outputs[0].shape == (4, 5)


@pytest.mark.parametrize(("extents", "dimension"), [([4, -3], 1), ([-2, 5], 0), ([4, 5, -2], 2)])
def test_an_extent_that_can_be_none_is_an_error(package: Package, extents: list[int], dimension: int) -> None:
    caller = Caller()
    wanted = np.array(extents, np.int64)
    made = call([tensor(dtype="float32", shape=(20,)), tensor(wanted, ir=1)], [tensor(dtype="float32")])
    assert package.infer_shape("ShapeByValue", made, caller) == 561001
    what = f"InferShape gave output 'y' dimension {dimension} the extent {extents[dimension]}"
    assert caller.reports == [("561001", f"ShapeByValue: {what}")]


def test_value_that_is_needed_and_unknown_is_an_error(package: Package) -> None:
    caller = Caller()
    inputs = [tensor(dtype="float32", shape=(20,)), tensor(dtype="int64", shape=(2,), ir=1, flags=0)]
    assert package.infer_shape("ShapeByValue", call(inputs, [tensor(dtype="float32")]), caller) == 561001
    assert caller.reports == [("561001", "ShapeByValue: the value of input 'shape' must be known")]


def test_failing_function_is_named_with_its_tensors(package: Package) -> None:
    caller = Caller()
    made = call([tensor(dtype="float32", shape=(2, 3))], [tensor(dtype="float32")], node="n1")
    assert package.infer_shape("Throwing", made, caller) == 561001
    ((code, text),) = caller.reports
    assert code == "561001"
    assert text.startswith("Throwing (node 'n1'): InferShape failed (it returned 50331649) for x=float32[2,3]")


def test_exception_of_a_function_becomes_a_report(package: Package) -> None:
    caller = Caller()
    made = call([tensor(dtype="float32", shape=(2,))], [tensor(dtype="float32")])
    assert package.infer_dtype("Throwing", made, caller) == 561001
    assert caller.reports == [("561001", "Throwing: InferDataType threw: no such type")]


def test_inputs_that_no_column_takes_are_answered_with_the_columns(package: Package) -> None:
    caller = Caller()
    inputs = [tensor(dtype="double", shape=(2,)), tensor(dtype="int32", shape=(), ir=1), tensor(dtype="int32", ir=2)]
    assert (
        package.infer_dtype("Combined", call(inputs, [tensor(dtype="float32"), tensor(dtype="float32", ir=1)]), caller)
        == 161002
    )
    text = caller.reports[0][1]
    assert "no column takes x" not in text
    assert "a=double[2], b=int32[], c=int32[]" in text
    assert "[0] a:float32 ND, b:int32 ND, c:int32 ND -> y:float32 ND, z:int32 ND" in text


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "Square: input 'x' is required but the call has 0 of it"),
        ([absent(0)], "Square: input 'x' is required but the call has 0 of it"),
        ([tensor(dtype="float32"), tensor(dtype="float32")], "Square: input 'x' is required but the call has 2 of it"),
        (
            [tensor(dtype="float32"), tensor(dtype="float32", ir=1)],
            "Square: the call has input number 1 for declaration 1, out of order or beyond the 1 declared",
        ),
    ],
)
def test_call_that_does_not_fit_the_declaration_is_refused(
    package: Package, inputs: list[object], message: str
) -> None:
    caller = Caller()
    assert package.infer_shape("Square", call(inputs, [tensor(dtype="float32")]), caller) == 161002  # type: ignore[arg-type]
    assert caller.reports == [("161002", message)]


def test_broken_definition_is_reported_by_every_entry(package: Package) -> None:
    caller = Caller()
    made = call([tensor(dtype="float32")], [tensor(dtype="float32")])
    assert package.infer_shape("Unequal", made, caller) == 161002
    assert "its OpDef is wrong: Format of input 'x'" in caller.reports[0][1]
    assert package.tile("Unequal", made).code == 161002


def test_caller_of_another_interface_version_is_refused(package: Package) -> None:
    caller = Caller()
    made = call([tensor(dtype="float32")], [tensor(dtype="float32")])
    made.abi_version = 2
    assert package.infer_shape("Square", made, caller) == 161002
    assert "version 2 of the package interface" in caller.reports[0][1]
