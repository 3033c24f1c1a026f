"""Checking a custom node against the op info of its operator, and writing its attributes the way engines read them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opkg.opinfo import Attr, OpInfo, Param
from opkg.opinfo.dtypes import DTYPES
from opkg.runtime.attrs import AttrError, attr_value

if TYPE_CHECKING:
    import onnx

_BY_ONNX = {d.onnx: d.number for d in DTYPES.values() if d.onnx and not d.name.startswith("q")}


def check_counts(node: onnx.NodeProto, info: OpInfo) -> list[str]:
    """What is wrong with the numbers of a node's inputs and outputs, a sentence's end each."""
    return [
        problem
        for what, names, params in (("input", node.input, info.inputs), ("output", node.output, info.outputs))
        for problem in _count_problems(what, list(names), params)
    ]


def _count_problems(what: str, names: Sequence[str], params: Sequence[Param]) -> list[str]:
    dynamic = [p.name for p in params if p.param_type == "dynamic"]
    if len(dynamic) > 1:
        return [f"{info_list(params)} leaves open which {what}s belong to {' and which to '.join(dynamic)}"]
    if len(names) > len(params) and not dynamic:
        return [f"has {len(names)} {what}s; the operator has {len(params)}: {info_list(params)}"]
    groups = split_groups(names, params)
    if groups is None:
        return [f"has {len(names)} {what}s, too few for {info_list(params)}"]
    return [
        f"has no {what} '{p.name}', which is required"
        for p, group in zip(params, groups, strict=True)
        if p.param_type == "required" and not any(group)
    ]


def split_groups(names: Sequence[str], params: Sequence[Param]) -> list[list[str]] | None:
    """The names that belong to each parameter; a dynamic one takes what the others leave. None: there are too few."""
    position = next((i for i, p in enumerate(params) if p.param_type == "dynamic"), None)
    if position is None:
        padded = [*names, *[""] * (len(params) - len(names))]
        return [[name] for name in padded[: len(params)]]
    after = len(params) - position - 1
    free = len(names) - position - after
    if free < 0:
        return None
    head = [[name] for name in names[:position]]
    tail = [[name] for name in names[len(names) - after :]] if after else []
    return [*head, list(names[position : position + free]), *tail]


def info_list(params: Sequence[Param]) -> str:
    """Parameters in words: `x, bias (optional)`."""
    words = [p.name if p.param_type == "required" else f"{p.name} ({p.param_type})" for p in params]
    return ", ".join(words) or "none"


def matching_columns(node: onnx.NodeProto, info: OpInfo, dtypes: Sequence[str | None]) -> list[int]:
    """The columns of an operator that a node's input types leave possible.

    Args:
        node: a node whose counts are right.
        info: its operator.
        dtypes: canonical type of each of the node's inputs; None where it is not known or the input is absent.
    """
    groups = split_groups(list(range_names(node)), info.inputs) or []
    wanted: list[tuple[Param, str]] = []
    for param, group in zip(info.inputs, groups, strict=True):
        given = (dtypes[int(index)] for index in group if index)
        wanted += [(param, dtype) for dtype in given if dtype is not None]
    return [column for column in range(info.columns) if all(p.dtypes[column] == dtype for p, dtype in wanted)]


def range_names(node: onnx.NodeProto) -> list[str]:
    """The node's inputs as their positions, `""` where one is absent."""
    return [str(index) if name else "" for index, name in enumerate(node.input)]


def output_dtypes(node: onnx.NodeProto, info: OpInfo, columns: Sequence[int]) -> list[str | None]:
    """The type of each of a node's outputs, where all possible columns agree on it."""
    groups = split_groups([str(index) for index in range(len(node.output))], info.outputs) or []
    found: list[str | None] = [None] * len(node.output)
    for param, group in zip(info.outputs, groups, strict=False):
        agreed = {param.dtypes[column] for column in columns}
        for index in filter(None, group):
            found[int(index)] = agreed.copy().pop() if len(agreed) == 1 else None
    return found


def check_dtypes(node: onnx.NodeProto, info: OpInfo, dtypes: Sequence[str | None]) -> list[str]:
    """What is wrong with the types of a node's inputs."""
    if matching_columns(node, info, dtypes):
        return []
    given = ", ".join(dtype or "?" for dtype in dtypes)
    columns = "; ".join(", ".join(p.dtypes[column] for p in info.inputs) for column in range(info.columns))
    return [f"takes ({given}), and the operator has no such column; for {info_list(info.inputs)} it has: {columns}"]


def normalize_attrs(node: onnx.NodeProto, info: OpInfo) -> list[str]:
    """Rewrite a node's attributes to the form in which engines read them: the ONNX type of the declared one.

    Data types become numbers of `ge::DataType`, lists of lists a JSON string.

    Returns:
        What is wrong: attributes that are not declared, missing, or do not fit their type.
    """
    declared = {attr.name: attr for attr in info.attrs}
    problems: list[str] = []
    kept = []
    for attribute in node.attribute:
        attr = declared.get(attribute.name)
        if attr is None:
            known = ", ".join(declared) or "none"
            problems.append(f"has the attribute '{attribute.name}', which is not declared; declared are: {known}")
            continue
        try:
            kept.append(_onnx_attribute(attr, _python_value(attr, attribute)))
        except AttrError as error:
            problems.append(f"has a wrong attribute: {error}")
    given = {attribute.name for attribute in node.attribute}
    required = (a.name for a in info.attrs if a.param_type == "required" and a.default is None and a.name not in given)
    problems += [f"lacks the attribute '{name}', which is required" for name in required]
    if not problems:
        del node.attribute[:]
        node.attribute.extend(kept)
    return problems


def _python_value(attr: Attr, attribute: onnx.AttributeProto) -> Any:
    """The value of an ONNX attribute in the form that `attr` declares."""
    import onnx

    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
        return value if attr.type == "tensor" else value.tolist()
    if attr.type == "type" and isinstance(value, int):
        return _BY_ONNX.get(value, -1)
    if attr.type == "list_type":
        return [_BY_ONNX.get(v, -1) if isinstance(v, int) else _decoded(v) for v in value]
    if attr.type == "list_list_int" and isinstance(value, bytes):
        return _json_list(attr, value)
    return _decoded(value)


def _decoded(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _json_list(attr: Attr, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise AttrError(f"attribute '{attr.name}' is a list of lists as JSON, not {text!r}") from None


def _onnx_attribute(attr: Attr, value: Any) -> onnx.AttributeProto:
    import onnx

    value = attr_value(attr, value)
    kinds = {
        "float": onnx.AttributeProto.FLOAT,
        "string": onnx.AttributeProto.STRING,
        "list_float": onnx.AttributeProto.FLOATS,
        "list_string": onnx.AttributeProto.STRINGS,
        "list_list_int": onnx.AttributeProto.STRING,
        "tensor": onnx.AttributeProto.TENSOR,
    }
    default = onnx.AttributeProto.INTS if attr.type.startswith("list_") else onnx.AttributeProto.INT
    if attr.type == "tensor":
        value = onnx.numpy_helper.from_array(value)
    elif attr.type == "list_list_int":
        value = json.dumps(value, separators=(",", ":"))
    return onnx.helper.make_attribute(attr.name, value, attr_type=kinds.get(attr.type, default))
