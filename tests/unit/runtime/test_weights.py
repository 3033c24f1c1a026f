"""Large tensors leave the graph and are found again in memory."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from opkg.errors import ModelError
from opkg.runtime.weights import ALIGNMENT, SECTION, refer_to_memory, split_weights, tensors

BIG = np.arange(1000, dtype=np.float32)
SMALL = np.arange(4, dtype=np.float32)


def model() -> ModelProto:
    typed = helper.make_tensor("typed", TensorProto.INT64, [800], range(800))
    branch = helper.make_graph(
        [helper.make_node("Constant", [], ["inner"], value=numpy_helper.from_array(BIG * 2))],
        "branch",
        [],
        [helper.make_tensor_value_info("inner", 1, [1000])],
    )
    nodes = [
        helper.make_node("Constant", [], ["constant"], value=numpy_helper.from_array(BIG)),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    initializers = [numpy_helper.from_array(BIG, "big"), numpy_helper.from_array(SMALL, "small"), typed]
    return helper.make_model(helper.make_graph(nodes, "g", [], [], initializers))


def external(tensor: TensorProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in tensor.external_data}


def test_large_tensors_stand_in_the_section_once() -> None:
    proto = model()
    section = b"".join(split_weights(proto))
    places = [external(tensor) for tensor in tensors(proto)]
    assert [place.get("location") for place in places] == [SECTION, None, SECTION, SECTION, SECTION, SECTION]
    big, typed, constant, inner, again = (p for p in places if p)
    assert big == constant
    assert inner == again
    assert int(typed["offset"]) % ALIGNMENT == 0
    start = int(typed["offset"])
    assert np.frombuffer(section[start : start + int(typed["length"])], "<i8").tolist() == list(range(800))
    start = int(inner["offset"])
    assert np.array_equal(np.frombuffer(section[start : start + 4000], "<f4"), BIG * 2)
    assert len(section) < 4000 * 2 + 6400 + 3 * ALIGNMENT


def test_the_same_model_gives_the_same_bytes() -> None:
    one, two = model(), model()
    assert split_weights(one) == split_weights(two)
    assert one.SerializeToString(deterministic=True) == two.SerializeToString(deterministic=True)


def test_references_point_into_memory() -> None:
    proto = model()
    split_weights(proto)
    offset = int(external(proto.graph.initializer[2])["offset"])
    refer_to_memory(proto, 1 << 40, 1 << 20)
    assert external(proto.graph.initializer[2])["offset"] == str((1 << 40) + offset)
    assert SECTION not in str(proto)
    assert not proto.graph.initializer[1].external_data


def test_strings_stay() -> None:
    proto = helper.make_model(
        helper.make_graph([], "g", [], [], [helper.make_tensor("s", TensorProto.STRING, [300], [b"text"] * 300)])
    )
    assert split_weights(proto) == []


@pytest.mark.parametrize(
    "where",
    [
        {"location": "*/_ORT_MEM_ADDR_/*", "offset": "4096", "length": "64"},
        {"location": "/etc/passwd", "offset": "0", "length": "64"},
        {"location": SECTION, "offset": "64", "length": "64"},
        {"location": SECTION, "offset": "-1", "length": "1"},
        {"location": SECTION, "offset": "0", "length": "1e1"},
        {"location": SECTION, "offset": "0"},
        {},
    ],
)
@pytest.mark.parametrize("place", ["initializer", "constant", "attribute", "branch", "sparse"])
def test_references_to_anything_else_are_refused(where: dict[str, str], place: str) -> None:
    tensor = TensorProto(name="t", data_type=1, dims=[16], data_location=TensorProto.EXTERNAL)
    for key, value in where.items():
        tensor.external_data.add(key=key, value=value)
    graph = helper.make_graph([], "g", [], [])
    if place == "initializer":
        graph.initializer.append(tensor)
    elif place == "sparse":
        graph.sparse_initializer.add().indices.CopyFrom(tensor)
    else:
        node = helper.make_node("Constant" if place == "constant" else "Odd", [], ["c"], value=tensor)
        inner = helper.make_graph([node], "inner", [], [])
        graph.node.append(helper.make_node("If", ["b"], ["y"], then_branch=inner) if place == "branch" else node)
    with pytest.raises(ModelError, match="lies outside of the section 'weights'"):
        refer_to_memory(helper.make_model(graph), 1 << 40, 100)


def test_functions_are_refused() -> None:
    proto = helper.make_model(helper.make_graph([], "g", [], []))
    proto.functions.add(name="f", domain="d")
    with pytest.raises(ModelError, match="its graph has functions"):
        refer_to_memory(proto, 1 << 40, 100)
