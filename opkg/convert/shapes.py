"""Shapes that a user gives to a model's inputs: the grammar, and their place in the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from opkg.errors import ConvertError, UsageError

if TYPE_CHECKING:
    import onnx

InputShapes = Mapping[str, Sequence[int]]
"""Shape by input name; a name that is a number counts inputs from 0; -1 leaves a dimension open."""

_HINT = "write it as \"x:1,3,48,320;y:1,8\" or as 'x=1,3,48,320'; -1 leaves a dimension open"
_DIMS = re.compile(r"(-1|\d+)(,(-1|\d+))*\Z")


def parse_input_shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes in the values of `--input-shape`.

    Each value holds entries separated by `;`. An entry is `name:dims` (split at the last colon) or `name=dims`, or dims
    alone, which then belong to the input of that position. Dims are integers separated by commas; none is a scalar.

    Raises:
        UsageError: an entry that does not read so, or an input named twice.
    """
    found: dict[str, tuple[int, ...]] = {}
    entries = [entry.strip() for text in texts for entry in text.strip().rstrip(";").split(";")]
    for position, entry in enumerate(entries):
        name, dims = _split(entry, position)
        if name in found:
            raise UsageError(f"--input-shape gives input '{name}' twice", _HINT)
        found[name] = _dims(entry, dims)
    return found


def _split(entry: str, position: int) -> tuple[str, str]:
    if ":" in entry and not re.search(r"=[-\d, ]*\Z", entry):
        name, _, dims = entry.rpartition(":")
    elif "=" in entry:
        name, _, dims = entry.rpartition("=")
    else:
        return str(position), entry
    if not name.strip():
        raise UsageError(f"--input-shape: no name stands before the dimensions of '{entry}'", _HINT)
    return name.strip(), dims


def _dims(entry: str, text: str) -> tuple[int, ...]:
    text = text.replace(" ", "")
    if not text:
        return ()
    if not _DIMS.match(text):
        raise UsageError(f"--input-shape: '{entry}' has no list of dimensions", _HINT)
    return tuple(map(int, text.split(",")))


def apply_input_shapes(model: onnx.ModelProto, shapes: InputShapes) -> None:
    """Write shapes into the model's inputs; a symbol that becomes a number does so wherever inputs use it.

    Raises:
        ConvertError: an input that the model does not have, another rank than the model's, or a dimension that the
            model fixes to another number.
    """
    inputs = model_inputs(model.graph)
    symbols: dict[str, int] = {}
    for key, shape in shapes.items():
        value = _find(inputs, key)
        symbols |= _set_shape(value, shape)
    for value in [*inputs, *model.graph.output]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in symbols:
                dim.dim_value = symbols[dim.dim_param]
    if shapes:
        del model.graph.value_info[:]  # what an exporter noted there was true of the old shapes


def model_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """The inputs a caller gives: those that no initializer fills."""
    filled = {tensor.name for tensor in graph.initializer}
    filled |= {tensor.values.name for tensor in graph.sparse_initializer}
    return [value for value in graph.input if value.name not in filled]


def _find(inputs: Sequence[onnx.ValueInfoProto], key: str) -> onnx.ValueInfoProto:
    by_name = {value.name: value for value in inputs}
    if key in by_name:
        return by_name[key]
    if key.isdigit() and int(key) < len(inputs):
        return inputs[int(key)]
    hint = f"its inputs are: {', '.join(by_name) or 'none'}"
    if ":" in key:  # x:1,4,y:1,8
        hint += "; separate them by a semicolon: 'x:1,4;y:1,8'"
    raise ConvertError(f"the model has no input '{key}'", hint)


def _set_shape(value: onnx.ValueInfoProto, shape: Sequence[int]) -> dict[str, int]:
    """Set an input's shape; returns the symbols that became numbers."""
    tensor = value.type.tensor_type
    given = ",".join(map(str, shape)) or "a scalar"
    if not tensor.HasField("shape"):
        for _ in shape:
            tensor.shape.dim.add()
    if len(tensor.shape.dim) != len(shape):
        raise ConvertError(
            f"input '{value.name}' has {len(tensor.shape.dim)} dimensions in the model; the given shape is {given}"
        )
    symbols: dict[str, int] = {}
    for axis, (dim, number) in enumerate(zip(tensor.shape.dim, shape, strict=True)):
        if dim.HasField("dim_value") and dim.dim_value not in (number, -1, 0) and number >= 0:
            raise ConvertError(
                f"dimension {axis} of input '{value.name}' is {dim.dim_value} in the model; the given shape is {given}",
                "give the number that the model has, or -1",
            )
        if number >= 0:
            if dim.dim_param:
                symbols[dim.dim_param] = number
            dim.dim_value = number
    return symbols
