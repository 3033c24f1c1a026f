"""The OpenVINO engine with a package that is written by hand: types, shapes, attributes, errors, blobs, threads."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fake_package
import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from opkg._native import load_openvino
from opkg.errors import ConvertError, ModelError, RunError

ov = load_openvino()
F32 = TensorProto.FLOAT
X = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
Value = tuple[str, int, Sequence[Any]]
REQUIRED = ("required",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fake")
    fake_package.build(folder)
    return folder


class Ops:
    """Declarations of the fake package's operators."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, type: str, inputs: Sequence[str] = REQUIRED, outputs: Sequence[str] = REQUIRED, attrs: Any = ()
    ) -> Any:
        return ov.CustomOp(
            "customize",
            type,
            f"fake/everything/1.2.3/{type}",
            str(self.folder),
            str(self.folder / "libfake.so"),
            [(f"x{i}", kind) for i, kind in enumerate(inputs)],
            [(f"y{i}", kind) for i, kind in enumerate(outputs)],
            attrs,
        )


@pytest.fixture(scope="module")
def ops(folder: Path) -> Ops:
    return Ops(folder)


def node(type: str, inputs: str = "x", outputs: str = "y", **attrs: Any) -> Any:
    return helper.make_node(type, inputs.split(","), outputs.split(","), "n1", domain="customize", **attrs)


def model(nodes: Any, inputs: Sequence[Value], outputs: Sequence[Value], initializers: Any = ()) -> bytes:
    made = [[helper.make_tensor_value_info(*value) for value in values] for values in (inputs, outputs)]
    graph = helper.make_graph(nodes if isinstance(nodes, list) else [nodes], "g", *made, list(initializers))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("customize", 1)]
    serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return serialised


def run(custom: Any, nodes: Any, inputs: Sequence[Value], outputs: Sequence[Value], *arrays: Any, **kw: Any) -> Any:
    return ov.Model(model(nodes, inputs, outputs, **kw), [custom]).infer(list(arrays))


def text(arrays: Sequence[NDArray[np.uint8]]) -> list[str]:
    return bytes(arrays[0]).decode().splitlines()


def described(ops: Ops, x: NDArray[Any], onnx_type: int) -> str:
    return text(run(ops("Describe"), node("Describe"), [("x", onnx_type, x.shape)], [("y", 2, ["n"])], x))[0]


@pytest.fixture(scope="module")
def chain(ops: Ops) -> Any:
    """Square, Relu, Square."""
    nodes = [node("Square", "x", "a"), helper.make_node("Relu", ["a"], ["b"]), node("Square", "b", "y")]
    return ov.Model(model(nodes, [("x", F32, [2, 3])], [("y", F32, [2, 3])]), [ops("Square")])


def test_custom_and_standard_operators_run_in_one_model(chain: Any) -> None:
    assert chain.inputs == [("x", "float32", (2, 3))]
    assert chain.outputs == [("y", "float32", (2, 3))]
    assert chain.custom_nodes == [("n1", "Square", "fake/everything/1.2.3/Square")] * 2
    np.testing.assert_array_equal(chain.infer([X])[0], X**4)
    np.testing.assert_array_equal(chain.infer({"x": X})[0], X**4)


def test_results_are_the_callers_own(chain: Any) -> None:
    first = chain.infer([X])[0]
    chain.infer([X + 1])
    np.testing.assert_array_equal(first, X**4)


def test_inputs_that_are_not_compact_are_copied(chain: Any) -> None:
    np.testing.assert_array_equal(chain.infer([X.T.copy().T])[0], X**4)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([X.astype(np.float64)], "input 'x' takes float32, and got double"),
        ([X.T], r"input 'x' takes shape \(2, 3\), and got \(3, 2\)"),
        ([X, X], r"takes 1 inputs \('x'\), and got 2"),
        ([None], "input 'x' is not given"),
        ({"z": X}, "input 'x' is not given"),
        ({"x": X, "z": X}, "the model takes the inputs 'x', and more were given"),
    ],
)
def test_wrong_inputs_are_refused(chain: Any, given: Any, words: str) -> None:
    with pytest.raises(RunError, match=words):
        chain.infer(given)


CARRIED = [
    (np.float32, TensorProto.FLOAT, 0),
    (np.float16, TensorProto.FLOAT16, 1),
    (ml_dtypes.bfloat16, TensorProto.BFLOAT16, 27),
    (np.int32, TensorProto.INT32, 3),
    (np.int8, TensorProto.INT8, 2),
    (np.uint8, TensorProto.UINT8, 4),
    (np.bool_, TensorProto.BOOL, 12),
    (ml_dtypes.int4, TensorProto.INT4, 29),
]


@pytest.mark.parametrize(("dtype", "onnx_type", "number"), CARRIED, ids=lambda v: getattr(v, "__name__", ""))
def test_operators_see_the_models_own_types(ops: Ops, dtype: Any, onnx_type: int, number: int) -> None:
    x = np.array([0, 1, -1, 2, -2, 5, 7]).astype(np.int8).astype(dtype)
    assert described(ops, x, onnx_type) == f"0.0:dtype{number}(7)"
    (y,) = run(ops("Copy"), node("Copy"), [("x", onnx_type, [7])], [("y", onnx_type, [7])], x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


def test_every_half_passes_unchanged(ops: Ops) -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    ports = [("x", TensorProto.FLOAT16, x.shape)], [("y", TensorProto.FLOAT16, x.shape)]
    (y,) = run(ops("Copy"), node("Copy"), *ports, x)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(x))
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(y.view(np.uint16)[numbers], x.view(np.uint16)[numbers])


def test_a_half_operator_between_standard_ones(ops: Ops) -> None:
    f16 = TensorProto.FLOAT16
    nodes = [
        helper.make_node("Add", ["x", "x"], ["a"]),
        node("Copy", "a", "b"),
        helper.make_node("Mul", ["b", "x"], ["y"]),
    ]
    x = np.array([0.5, 1.5, -2], np.float16)
    (y,) = run(ops("Copy"), nodes, [("x", f16, [3])], [("y", f16, [3])], x)
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, 2 * x * x)


@pytest.mark.parametrize("dtype", "int64 uint64 uint32 int16 uint16 double".split())
def test_types_that_would_be_narrowed_are_refused(ops: Ops, dtype: str) -> None:
    assert not ov.carries(dtype)
    onnx_type = TensorProto.DataType.Value(dtype.upper())
    with pytest.raises(ConvertError, match=f"Copy .node 'n1'.: its input 'x0' is {dtype}, which .* would narrow") as e:
        ov.Model(model(node("Copy"), [("x", onnx_type, [2])], [("y", onnx_type, [2])]), [ops("Copy")])
    assert e.value.code == "OPKG-8010"


def test_results_that_would_be_narrowed_are_refused(ops: Ops) -> None:
    with pytest.raises(ConvertError, match="its output 0 is int64"):
        ov.Model(model(node("Serial"), [("x", F32, [2])], [("y", TensorProto.INT64, [1])]), [ops("Serial")])


def test_dynamic_shapes(ops: Ops) -> None:
    nodes = [node("Square", "x", "a"), helper.make_node("Relu", ["a"], ["y"])]
    made = ov.Model(model(nodes, [("x", F32, ["n", "m"])], [("y", F32, ["n", "m"])]), [ops("Square")])
    assert made.inputs[0][2] == made.outputs[0][2] == (-1, -1)
    for shape in ((2, 3), (5, 1), (0, 4), (2, 3)):
        np.testing.assert_array_equal(made.infer([np.full(shape, 3, np.float32)])[0], np.full(shape, 9, np.float32))


def test_what_a_shape_function_makes_of_open_dimensions_is_not_believed(ops: Ops) -> None:
    join = ops("Join", ["dynamic"])
    made = ov.Model(model(node("Join", "x,x"), [("x", F32, ["n"])], [("y", F32, ["m"])]), [join])
    assert made.outputs[0][2] == (-1,)
    assert made.infer([np.ones(3, np.float32)])[0].shape == (6,)


def test_input_shapes_can_be_fixed(ops: Ops) -> None:
    graph = model(node("Square"), [("x", F32, ["n", 3])], [("y", F32, ["n", 3])])
    made = ov.Model(graph, [ops("Square")], input_shapes={"x": (2, 3)})
    assert made.outputs == [("y", "float32", (2, 3))]
    with pytest.raises(ConvertError, match="does not take these input shapes"):
        ov.Model(graph, [ops("Square")], input_shapes={"z": (2, 3)})


def test_shapes_that_depend_on_data(ops: Ops) -> None:
    nodes = [node("Positive", "x", "a"), helper.make_node("Mul", ["a", "a"], ["y"])]
    made = ov.Model(model(nodes, [("x", F32, [6])], [("y", F32, ["n"])]), [ops("Positive")])
    assert made.outputs == [("y", "float32", (-1,))]
    for values in ([1, -1, 2, -2, 3, -3], [-1] * 6, [1] * 6):
        x = np.array(values, np.float32)
        np.testing.assert_array_equal(made.infer([x])[0], x[x > 0] ** 2)


def test_a_half_whose_shape_depends_on_data(ops: Ops) -> None:
    x = np.arange(6, dtype=np.uint8)
    ports = [("x", TensorProto.UINT8, [6])], [("y", TensorProto.UINT8, ["n"])]
    assert text(run(ops("Describe"), node("Describe"), *ports, x)) == ["0.0:dtype4(6)"]
    x32 = np.arange(6, dtype=np.float32)
    np.testing.assert_array_equal(
        run(ops("Shrink"), node("Shrink"), [("x", F32, [6])], [("y", F32, ["n"])], x32)[0], x32[:3]
    )


def test_shapes_that_depend_on_a_constant(ops: Ops) -> None:
    shape = helper.make_tensor("s", TensorProto.INT32, [2], [2, 3])
    nodes = [node("Fill", "s", "a"), helper.make_node("Add", ["a", "x"], ["y"])]
    (y,) = run(ops("Fill"), nodes, [("x", F32, [2, 3])], [("y", F32, [2, 3])], X, initializers=[shape])
    np.testing.assert_array_equal(y, X + 7)


def test_an_unknown_rank_is_refused_with_a_sentence(ops: Ops) -> None:
    graph = model(node("Fill"), [("x", TensorProto.INT32, [2])], [("y", F32, ["a", "b"])])
    with pytest.raises(ConvertError, match="the rank of its output 0 is known only when it runs") as caught:
        ov.Model(graph, [ops("Fill")])
    assert caught.value.code == "OPKG-8013"


def test_several_outputs_of_different_types(ops: Ops) -> None:
    custom = ops("Sum", outputs=["required", "required"])
    ports = [("x", F32, [2, 3])], [("y", F32, []), ("n", TensorProto.INT32, [1])]
    total, count = run(custom, node("Sum", "x", "y,n"), *ports, X)
    assert (float(total), total.shape, count.tolist()) == (-3.0, (), [6])
    (alone,) = run(custom, node("Sum", "x", "y"), ports[0], ports[1][:1], X)
    assert float(alone) == -3.0


def test_absent_optional_inputs(ops: Ops) -> None:
    custom = ops("AddOptional", ["required", "optional"], attrs=[("add", 1, 1.0)])
    ports = [("x", F32, [2, 3])], [("y", F32, [2, 3])]
    np.testing.assert_array_equal(run(custom, node("AddOptional", add=3.0), *ports, X)[0], X + 3)
    np.testing.assert_array_equal(run(custom, node("AddOptional"), *ports, X)[0], X + 1)
    np.testing.assert_array_equal(run(custom, node("AddOptional", "x,x"), *ports, X)[0], X + X)
    inner = ops("Describe", ["required", "optional", "optional"])
    lines = text(run(inner, node("Describe", "x,,x"), ports[0], [("y", TensorProto.UINT8, ["n"])], X))
    assert lines == ["0.0:dtype0(2,3)", "1.0:absent", "2.0:dtype0(2,3)"]


@pytest.mark.parametrize(("inputs", "words"), [("x,x,x", "has 3 inputs"), ("", "input 'x0' is not given")])
def test_a_wrong_number_of_inputs_is_refused(ops: Ops, inputs: str, words: str) -> None:
    with pytest.raises(ConvertError, match=words):
        ov.Model(model(node("Square", inputs), [("x", F32, [2])], [("y", F32, [2])]), [ops("Square")])


def test_several_dynamic_inputs_need_their_numbers(ops: Ops) -> None:
    custom = ops("Describe", ["dynamic", "dynamic"])
    ports = [("x", F32, [2])], [("y", TensorProto.UINT8, ["n"])]
    made = ov.Model(model(node("Describe", "x,x,x", opkg_inputs=[1, 2]), *ports), [custom])
    assert [line.split(":")[0] for line in text(made.infer([X[0, :2].copy()]))] == ["0.0", "1.0", "1.1"]
    with pytest.raises(ConvertError, match="several dynamic parameters"):
        ov.Model(model(node("Describe", "x,x,x"), *ports), [custom])


ATTRS = [
    ("i", 0, None),
    ("f", 1, 2.5),
    ("b", 2, True),
    ("s", 3, "a default"),
    ("d", 4, "int8"),
    ("li", 5, [1]),
    ("lf", 6, [0.5]),
    ("lb", 7, None),
    ("ls", 8, ["x"]),
    ("ld", 9, None),
    ("ll", 10, [[1], [2, 3]]),
    ("t", 11, np.array([1, 2], np.uint8)),
]
DEFAULTS = {
    "i": "0=unset",
    "f": "1=2.5",
    "b": "2=1",
    "s": "3=a default",
    "d": "4=2",
    "li": "5=1",
    "lf": "6=0.5",
    "lb": "7=unset",
    "ls": "8=x",
    "ld": "9=unset",
    "ll": "10=(1),(2,3)",
    "t": "11=dtype4[1].1.2",
}


def attributes(ops: Ops, **given: Any) -> dict[str, str]:
    graph = model(node("Describe", **given), [("x", F32, [2, 3])], [("y", TensorProto.UINT8, ["n"])])
    custom = ops("Describe", attrs=ATTRS)
    made = ov.Model(graph, [custom])
    lines = text(made.infer([X]))
    assert text(ov.Model(None, [custom], blob=made.export_blob()).infer([X])) == lines
    return dict(line.split(":", 1) for line in lines[1:])  # type: ignore[misc]


def test_attributes_have_their_defaults(ops: Ops) -> None:
    assert attributes(ops) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("i", 2**40, f"0={2**40}"),
        ("f", 0.25, "1=0.25"),
        ("b", 0, "2=0"),
        ("s", 'grüß <dich> & "sie"', '3=grüß <dich> & "sie"'),
        ("d", TensorProto.FLOAT16, "4=1"),
        ("d", "bfloat16", "4=27"),
        ("li", [1, -2], "5=1,-2"),
        ("lf", [0.5, 1.5], "6=0.5,1.5"),
        ("lb", [1, 0], "7=1,0"),
        ("ls", ["a", "b"], "8=a,b"),
        ("ld", [TensorProto.FLOAT, TensorProto.INT64], "9=0,9"),
        ("ld", ["int32"], "9=3"),
        ("ll", "[[1, 2],[],[-3]]", "10=(1,2),(),(-3)"),
        ("t", "float32:2,1:0000803f00000040", "11=dtype0[2].0.0.128.63.0.0.0.64"),
    ],
)
def test_attributes_of_every_kind(ops: Ops, name: str, value: Any, text: str) -> None:
    assert attributes(ops, **{name: value}) == {**DEFAULTS, name: text}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("i", "x", "attribute 'i' must be an int"),
        ("f", "x", "attribute 'f' must be a float"),
        ("d", 99, "attribute 'd' is 99, which is no data type"),
        ("d", "float7", "attribute 'd' is 'float7', which is no data type"),
        ("ll", "[1]", "attribute 'll' must be a list of lists of ints"),
        ("ll", "[[1]", "attribute 'll' must be a list of lists of ints"),
        ("t", "float32:2:00", "attribute 't' must be a tensor"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(ops: Ops, name: str, value: Any, words: str) -> None:
    with pytest.raises(ConvertError, match=words) as caught:
        attributes(ops, **{name: value})
    assert caught.value.code == "OPKG-8011"


@pytest.mark.parametrize("where", ["shape", "tiling", "launch"])
@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("report", "EZ9999", "refused in "),
        ("silent", "OPKG-9301", "failed with status 561002"),
        ("throw", "OPKG-9301", "failed: thrown on purpose"),
    ],
)
def test_an_operators_failure_is_its_own_sentence(ops: Ops, where: str, how: str, code: str, words: str) -> None:
    custom = ops("Fail", attrs=[("where", 3, None), ("how", 3, None)])
    with pytest.raises(RunError) as caught:
        run(custom, node("Fail", where=where, how=how), [("x", F32, [2, 3])], [("y", F32, [2, 3])], X)
    assert caught.value.code == code
    assert caught.value.message.startswith("Fail (node 'n1'): ")
    assert words in caught.value.message
    assert "\n" not in caught.value.message and "Exception" not in caught.value.message


def test_a_model_runs_again_after_a_failure(ops: Ops) -> None:
    custom = ops("Fail", attrs=[("where", 3, None), ("how", 3, None)])
    made = ov.Model(model(node("Fail", where="launch"), [("x", F32, [2])], [("y", F32, [2])]), [custom])
    for _ in range(3):
        with pytest.raises(RunError, match="refused in launch"):
            made.infer([X[0, :2].copy()])


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (b"garbage", "OpenVINO cannot read the model"),
        ("/nowhere/model.onnx", "OpenVINO cannot read the model"),
        (model(node("Nope"), [("x", F32, [2])], [("y", F32, [2])]), "customize.Nope"),
    ],
)
def test_models_that_cannot_be_read(graph: Any, words: str) -> None:
    with pytest.raises(ConvertError, match=words) as caught:
        ov.Model(graph)
    assert "\n" not in caught.value.message


def test_a_package_that_is_not_there_is_said_when_it_is_needed() -> None:
    custom = ov.CustomOp(
        "customize", "Square", "k", "/nowhere", "/nowhere/lib.so", [("x", "required")], [("y", "required")]
    )
    plain = model(helper.make_node("Relu", ["x"], ["y"]), [("x", F32, [2])], [("y", F32, [2])])
    assert ov.Model(plain, [custom]).custom_nodes == []
    with pytest.raises(RunError, match=r"cannot read host library '/nowhere/lib.so'"):
        ov.Model(model(node("Square"), [("x", F32, [2])], [("y", F32, [2])]), [custom])


def test_a_blob_is_imported(chain: Any, ops: Ops, tmp_path: Path) -> None:
    blob = chain.export_blob()
    (tmp_path / "blob").write_bytes(blob)
    for source in (blob, memoryview(blob), str(tmp_path / "blob")):
        again = ov.Model(None, [ops("Square")], blob=source)
        assert (again.inputs, again.outputs, again.custom_nodes) == (chain.inputs, chain.outputs, chain.custom_nodes)
        np.testing.assert_array_equal(again.infer([X])[0], X**4)


def test_a_blob_is_imported_in_another_process(chain: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(chain.export_blob())
    program = f"""
import numpy as np
from opkg._native import load_openvino
ov = load_openvino()
op = ov.CustomOp("customize", "Square", "fake/everything/1.2.3/Square", {str(folder)!r}, {str(folder / "libfake.so")!r},
                 [("x", "required")], [("y", "required")])
model = ov.Model(None, [op], blob={str(tmp_path / "blob")!r})
print(model.infer([np.full((2, 3), 2, np.float32)])[0].tolist())
import sys
assert "openvino" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[[16.0, 16.0, 16.0], [16.0, 16.0, 16.0]]\n"


def test_a_blob_of_an_operator_that_is_not_given_is_refused(ops: Ops, folder: Path) -> None:
    custom = ov.CustomOp(
        "customize",
        "Square",
        "some/other/key",
        str(folder),
        str(folder / "libfake.so"),
        [("x", "required")],
        [("y", "required")],
    )
    blob = ov.Model(model(node("Square"), [("x", F32, [2])], [("y", F32, [2])]), [custom]).export_blob()
    program = """
import sys
from opkg._native import load_openvino
from opkg.errors import ModelError
try:
    load_openvino().Model(None, blob=sys.stdin.buffer.read())
except ModelError as error:
    print(error.code, error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], input=blob, capture_output=True, timeout=120, check=True)
    assert done.stdout.decode() == (
        "OPKG-8502 the compiled model needs operator 'some/other/key', which was not given with it\n"
    )


def test_blobs_that_do_not_fit_are_refused(chain: Any) -> None:
    blob = chain.export_blob()
    with pytest.raises(ModelError, match="not a compiled model of the OpenVINO engine"):
        ov.Model(None, blob=b"something else" * 100)
    other = blob.replace(ov.version().encode(), b"0" * len(ov.version()), 1)
    with pytest.raises(ModelError, match=r"was made by OpenVINO 0000.*, and this is 2026"):
        ov.Model(None, blob=other)


def test_a_model_runs_in_many_threads_at_once(chain: Any) -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        x = np.full((2, 3), seed, np.float32)
        if not all((chain.infer([x])[0] == float(seed) ** 4).all() for _ in range(100)):
            wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_custom_operators_in_branches(ops: Ops) -> None:
    value = helper.make_tensor_value_info("r", F32, [2, 3])
    then = helper.make_graph([node("Square", "x", "r")], "then", [], [value])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["r"])], "else", [], [value])
    branch = helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)
    graph = model(branch, [("c", TensorProto.BOOL, []), ("x", F32, [2, 3])], [("y", F32, [2, 3])])
    made = ov.Model(graph, [ops("Square")])
    again = ov.Model(None, [ops("Square")], blob=made.export_blob())
    assert made.custom_nodes == [("n1", "Square", "fake/everything/1.2.3/Square")]
    for each in (made, again):
        np.testing.assert_array_equal(each.infer([np.array(True), X])[0], X * X)
        np.testing.assert_array_equal(each.infer([np.array(False), X])[0], -X)


def test_custom_operators_in_loops(ops: Ops) -> None:
    names = [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("v", F32, [2])]
    results = [("still", TensorProto.BOOL, []), ("w", F32, [2])]
    nodes = [node("Square", "v", "w"), helper.make_node("Identity", ["go"], ["still"])]
    values = [[helper.make_tensor_value_info(*each) for each in side] for side in (names, results)]
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=helper.make_graph(nodes, "body", *values))
    count = helper.make_tensor("n", TensorProto.INT64, [], [3])
    x = np.array([2, 1.5], np.float32)
    (y,) = run(ops("Square"), loop, [("x", F32, [2])], [("y", F32, [2])], x, initializers=[count])
    np.testing.assert_array_equal(y, x**8)


def test_outputs_that_are_inputs_constants_views_or_one_value_twice(ops: Ops) -> None:
    constants = [helper.make_tensor("k", F32, [2], [5, 6]), helper.make_tensor("s", TensorProto.INT64, [2], [1, 2])]
    nodes = [
        node("Square", "x", "a"),
        helper.make_node("Identity", ["a"], ["b"]),
        helper.make_node("Identity", ["k"], ["c"]),
        helper.make_node("Reshape", ["x", "s"], ["d"]),
    ]
    ports = [("x", F32, [2])], [*((name, F32, [2]) for name in "xabc"), ("d", F32, [1, 2])]
    made = ov.Model(model(nodes, *ports, constants), [ops("Square")])
    for values in ([2, 3], [-1, 7], [0, 1]):
        x = np.array(values, np.float32)
        squares = [v * v for v in values]
        assert [each.tolist() for each in made.infer([x])] == [values, squares, squares, [5, 6], [values]]
        assert x.tolist() == values


def test_the_callers_inputs_are_not_written_to() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Add", ["x", "a"], ["b"]),
        helper.make_node("Sigmoid", ["b"], ["y"]),
    ]
    x = X.copy()
    (y,) = ov.Model(model(nodes, [("x", F32, [2, 3])], [("y", F32, [2, 3])])).infer([x])
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(y, 1 / (1 + np.exp(-(X + np.maximum(X, 0)))), rtol=1e-6)


@pytest.mark.parametrize("shape", [(), (0, 3), (1, 1, 1, 1, 1)], ids=str)
def test_any_fixed_shape(ops: Ops, shape: tuple[int, ...]) -> None:
    x = np.full(shape, 3, np.float32)
    (y,) = run(ops("Square"), node("Square"), [("x", F32, shape)], [("y", F32, shape)], x)
    assert y.shape == shape
    assert (y == 9).all()


def test_a_custom_operator_on_constants_alone(ops: Ops) -> None:
    constant = helper.make_tensor("k", F32, [2], [5, 6])
    nodes = [node("Square", "k", "a"), helper.make_node("Add", ["a", "x"], ["y"])]
    x = np.array([1, 2], np.float32)
    (y,) = run(ops("Square"), nodes, [("x", F32, [2])], [("y", F32, [2])], x, initializers=[constant])
    assert y.tolist() == [26, 38]


def test_two_nodes_keep_their_own_attributes(ops: Ops) -> None:
    custom = ops("AddOptional", ["required", "optional"], attrs=[("add", 1, None)])
    nodes = [node("AddOptional", "x", "a", add=1.0), node("AddOptional", "a", "y", add=10.0)]
    (y,) = run(custom, nodes, [("x", F32, [2, 3])], [("y", F32, [2, 3])], X)
    np.testing.assert_array_equal(y, X + 11)


def test_unknown_properties_are_named() -> None:
    graph = model(helper.make_node("Relu", ["x"], ["y"]), [("x", F32, [2])], [("y", F32, [2])])
    with pytest.raises(ConvertError, match="Unsupported property NOPE"):
        ov.Model(graph, config={"NOPE": "1"})
    assert ov.Model(graph, config={"INFERENCE_NUM_THREADS": "1"}).infer([X[0, :2].copy()])[0].tolist() == [0, 0]
