"""Prepared calls: arrays in and out, shapes, attributes, what is kept between runs, and errors."""

from __future__ import annotations

import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from opkg._native import _core
from opkg.errors import RunError

X = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)


def describe(package: _core.Package, inputs: list[Any], groups: list[int] | None = None, **kw: Any) -> list[str]:
    call = _core.Call(package, "Describe", input_groups=groups or [1] * len(inputs), **kw)
    return bytes(call.run(inputs)[0]).decode().splitlines()


def test_a_call_returns_new_arrays(package: _core.Package) -> None:
    (y,) = _core.Call(package, "Square").run([X])
    np.testing.assert_array_equal(y, X * X)
    assert y.dtype == np.float32 and y.flags.owndata


def test_a_call_is_a_function_of_its_inputs(package: _core.Package) -> None:
    np.testing.assert_array_equal(_core.Call(package, "Square")(X), X * X)
    total, count = _core.Call(package, "Sum", output_groups=[1, 1])(X)
    assert (total.shape, float(total), count.tolist(), count.dtype) == ((), -3.0, [6], np.int32)


def test_results_can_be_written_to_given_arrays(package: _core.Package) -> None:
    y = np.zeros_like(X)
    assert _core.Call(package, "Square").run([X], out=[y])[0] is y
    np.testing.assert_array_equal(y, X * X)


@pytest.mark.parametrize(
    "out", [np.zeros((3, 2), np.float32), np.zeros((2, 3)), np.zeros((3, 2), np.float32).T, "text"], ids=str
)
def test_an_array_for_a_result_must_fit(package: _core.Package, out: Any) -> None:
    with pytest.raises(RunError, match=r"output 0 must be writable, compact, float32, and of shape \(2, 3\)"):
        _core.Call(package, "Square").run([X], out=[out])


DTYPES = [
    *"float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split(),
    ml_dtypes.bfloat16,
    ml_dtypes.int4,
    ml_dtypes.int2,
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_passes_unchanged(package: _core.Package, dtype: Any) -> None:
    x = np.array([[0, 1, -1], [1, -2, 0], [1, 1, 1]]).astype(np.int8).astype(dtype)
    (y,) = _core.Call(package, "Copy").run([x])
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


def test_packed_types_reach_kernels_packed(package: _core.Package) -> None:
    x = np.array([1, -1, 7, -8, 3]).astype(ml_dtypes.int4)
    call = _core.Call(package, "Describe", [("t", _core.ATTR_TENSOR, x)])
    text = bytes(call.run([x])[0]).decode()
    assert "0.0:dtype29(5)" in text
    assert f"dtype29[1].{0xF1}.{0x87}.{0x03}" in text


@pytest.mark.parametrize(
    "x",
    [
        np.arange(12, dtype=np.float32).reshape(3, 4).T,
        np.arange(12, dtype=np.float32)[::-2],
        np.frombuffer(b"\0" + np.arange(4, dtype=np.float32).tobytes(), np.float32, 4, 1),
        np.broadcast_to(np.float32(3), (2, 2)),
    ],
    ids=["transposed", "reversed", "unaligned", "broadcast"],
)
def test_arrays_that_are_not_compact_are_copied(package: _core.Package, x: NDArray[np.float32]) -> None:
    (y,) = _core.Call(package, "Square").run([x])
    np.testing.assert_array_equal(y, x * x)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,) * 9], ids=str)
def test_any_shape_passes(package: _core.Package, shape: tuple[int, ...]) -> None:
    (y,) = _core.Call(package, "Square").run([np.full(shape, 3, np.float32)])
    assert y.shape == shape
    assert (y == 9).all()


def test_things_that_are_like_arrays_are_taken(package: _core.Package) -> None:
    assert _core.Call(package, "Copy")([1.5, 2.0]).tolist() == [1.5, 2.0]
    assert _core.Call(package, "Square")(np.float32(3)) == 9


def test_swapped_bytes_are_refused(package: _core.Package) -> None:
    with pytest.raises(RunError, match="input 0 has bytes in the other order") as caught:
        _core.Call(package, "Square").run([X.astype(">f4" if X.dtype.isnative else "<f4")])
    assert caught.value.code == "OPKG-9202"
    assert "newbyteorder" in caught.value.hint


@pytest.mark.parametrize("x", [np.array(["a"]), np.array([object()]), np.array(["2020"], "M8[D]")], ids=["U", "O", "M"])
def test_dtypes_that_operators_do_not_take_are_refused(package: _core.Package, x: Any) -> None:
    with pytest.raises(RunError, match=r"input 0 has dtype .*, which operators do not take"):
        _core.Call(package, "Square").run([x])


def test_the_number_of_inputs_is_checked(package: _core.Package) -> None:
    with pytest.raises(RunError, match="Square takes 1 input, and got 2"):
        _core.Call(package, "Square").run([X, X])


def test_too_many_dimensions_are_refused(package: _core.Package) -> None:
    with pytest.raises(RunError, match="has 30 dimensions, and an operator takes at most 25"):
        _core.Call(package, "Square").run([np.zeros((1,) * 30, np.float32)])


def test_optional_inputs_may_be_absent(package: _core.Package) -> None:
    call = _core.Call(package, "AddOptional", [("add", _core.ATTR_FLOAT, 2)], [1, 1])
    np.testing.assert_array_equal(call(X, None), X + 2)
    np.testing.assert_array_equal(call(X, X), X + X)
    np.testing.assert_array_equal(call(X, None), X + 2)


def test_instances_of_dynamic_inputs_are_numbered(package: _core.Package) -> None:
    a, b = np.zeros(2, np.int8), np.zeros((1, 3), np.float16)
    assert describe(package, [a, b, a, None], [1, 2, 1]) == [
        "0.0:dtype2(2)",
        "1.0:dtype1(1,3)",
        "1.1:dtype2(2)",
        "2.0:absent",
    ]
    np.testing.assert_array_equal(
        _core.Call(package, "Join", input_groups=[9]).run([a + i for i in range(9)])[0][-2:], 8
    )


ATTRS: list[tuple[int, Any, str]] = [
    (_core.ATTR_INT, 2**40, str(2**40)),
    (_core.ATTR_INT, None, "unset"),
    (_core.ATTR_FLOAT, 0.1, "0.10000000000000001"),
    (_core.ATTR_FLOAT, 3, "3"),
    (_core.ATTR_BOOL, True, "1"),
    (_core.ATTR_BOOL, np.False_, "0"),
    (_core.ATTR_STRING, "grüß dich", "grüß dich"),
    (_core.ATTR_DTYPE, 27, "27"),
    (_core.ATTR_DTYPE, "bfloat16", "27"),
    (_core.ATTR_LIST_INT, [1, -2], "1,-2"),
    (_core.ATTR_LIST_INT, (), ""),
    (_core.ATTR_LIST_FLOAT, [0.5, 2], "0.5,2"),
    (_core.ATTR_LIST_BOOL, [True, False, True], "1,0,1"),
    (_core.ATTR_LIST_STRING, ["a", "", "c"], "a,,c"),
    (_core.ATTR_LIST_DTYPE, [0, "int64"], "0,9"),
    (_core.ATTR_LIST_LIST_INT, [[1, 2], [], [3]], "(1,2),(),(3)"),
    (_core.ATTR_TENSOR, np.array([[1, 2]], np.uint8), "dtype4[2].1.2"),
]


@pytest.mark.parametrize(("kind", "value", "text"), ATTRS, ids=lambda v: str(v)[:20])
def test_attributes_of_every_kind_arrive(package: _core.Package, kind: int, value: Any, text: str) -> None:
    assert describe(package, [X], attrs=[("a", kind, value)])[1] == f"a:{kind}={text}"


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (_core.ATTR_INT, "1", "'a' takes an int, not '1'"),
        (_core.ATTR_INT, 2**70, "'a' takes an int"),
        (_core.ATTR_LIST_INT, 1, "'a' takes ints, not 1"),
        (_core.ATTR_LIST_LIST_INT, [1], "'a' takes lists of ints"),
        (_core.ATTR_DTYPE, "float7", "'float7' is not a dtype"),
        (99, 1, "'a' takes a value of a kind that is not known"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(package: _core.Package, kind: int, value: Any, words: str) -> None:
    with pytest.raises(RunError, match=words):
        _core.Call(package, "Describe", [("a", kind, value)])


def test_shapes_may_depend_on_data(package: _core.Package) -> None:
    call = _core.Call(package, "Positive")
    for values in ([1, -1, 2], [-1, -1, -1], [3, 4, 5]):
        x = np.array(values, np.float32)
        np.testing.assert_array_equal(call(x), x[x > 0])


def test_an_output_that_shrinks_keeps_what_was_written(package: _core.Package) -> None:
    call = _core.Call(package, "Shrink")
    for n in (6, 6, 4):
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(call(x), x[: n // 2])


def test_only_outputs_that_are_declared_so_change_their_shape(package: _core.Package) -> None:
    with pytest.raises(RunError, match="Resizes: asked to resize output 0, whose shape does not depend on data"):
        _core.Call(package, "Resizes").run([X])


def test_shapes_may_depend_on_values(package: _core.Package) -> None:
    call = _core.Call(package, "Fill")
    for shape in ([2, 3], [3, 2], [4, 0]):
        assert call(np.array(shape, np.int64)).shape == tuple(shape)


def test_an_open_shape_must_be_declared(package: _core.Package) -> None:
    with pytest.raises(RunError, match="Open: its InferShape leaves the shape of output 0 open") as caught:
        _core.Call(package, "Open").run([X])
    assert "OutputShapeDependOnCompute" in caught.value.hint


def test_tiling_is_kept_for_each_signature(package: _core.Package) -> None:
    call = _core.Call(package, "Serial")

    def serial(x: NDArray[Any]) -> int:
        return int(call(x)[0])

    a, b, c = (serial(x) for x in (X, X.T.copy(), X.astype(np.int32)))
    assert len({a, b, c}) == 3
    assert [serial(X), serial(X.T.copy()), serial(X.astype(np.int32))] == [a, b, c]


def test_tiling_that_reads_values_is_not_kept(package: _core.Package) -> None:
    call = _core.Call(package, "SerialByValue")
    assert len({int(call(X)[0]) for _ in range(3)}) == 3


def test_more_signatures_than_are_kept_still_work(package: _core.Package) -> None:
    call = _core.Call(package, "Square")
    for _ in range(2):
        for n in range(300):
            assert call(np.full(n, 2, np.float32)).tolist() == [4.0] * n


def test_infer_tells_shapes_and_dtypes(package: _core.Package) -> None:
    assert _core.Call(package, "Sum", output_groups=[1, 1]).infer([[2, 3]], [0]) == [(0, ()), (3, (1,))]
    assert _core.Call(package, "Square").infer([[-1, 3]], [1]) == [(1, (-1, 3))]
    assert _core.Call(package, "Square").infer([None], [1]) == [(1, None)]
    assert _core.Call(package, "Positive").infer([[6]], [0]) == [(0, (-1,))]
    assert _core.Call(package, "AddOptional", input_groups=[1, 1]).infer([[2], None], [0, None]) == [(0, (2,))]


@pytest.mark.parametrize("where", ["shape", "tiling", "launch"])
@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("report", "EZ9999", "Fail (node 'n1'): refused in "),
        ("bytes", "EZ9999", r"\xff\xfe refused in "),
        ("silent", "OPKG-9301", "failed with status 561002"),
        ("throw", "OPKG-9301", "failed: thrown on purpose"),
    ],
)
def test_a_failure_is_one_sentence(package: _core.Package, where: str, how: str, code: str, words: str) -> None:
    attrs = [("where", _core.ATTR_STRING, where), ("how", _core.ATTR_STRING, how)]
    call = _core.Call(package, "Fail", attrs, node_name="n1")
    for _ in range(2):
        with pytest.raises(RunError) as caught:
            call.run([X])
        assert caught.value.code == code
        assert caught.value.message.startswith("Fail (node 'n1'): ")
        assert words in caught.value.message


@pytest.mark.parametrize("threads", [1, 4])
def test_an_exception_of_one_block_reaches_the_caller(package: _core.Package, threads: int) -> None:
    before = _core.threads()
    _core.set_threads(threads)
    try:
        with pytest.raises(RunError, match="block 3 thrown on purpose"):
            _core.Call(package, "Fail", [("where", _core.ATTR_STRING, "block")]).run([X])
    finally:
        _core.set_threads(before)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_blocks_inside_blocks_run_once_each(package: _core.Package, threads: int) -> None:
    before = _core.threads()
    _core.set_threads(threads)
    try:
        assert _core.threads() == threads
        call = _core.Call(package, "Nested")
        assert [int(call(X)[0]) for _ in range(3)] == [40] * 3
    finally:
        _core.set_threads(before)


def test_one_call_runs_in_many_threads_at_once(package: _core.Package) -> None:
    call = _core.Call(package, "Square")
    wrong: list[int] = []

    def work(seed: int) -> None:
        for i in range(50):
            x = np.full((seed + 1, 1000 * (i % 3 + 1)), seed, np.float32)
            if not (call(x) == seed * seed).all():
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
