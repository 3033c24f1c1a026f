"""Checking a custom node against the op info of its operator, and writing its attributes the way engines read them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opkg.convert.dtypes import dtype_name
from opkg.opinfo import Attr, OpInfo, Param
from opkg.opinfo.dtypes import BY_NUMBER, canonical_dtype
from opkg.runtime.attrs import AttrError, attr_value

if TYPE_CHECKING:
    import onnx

INPUT_COUNTS = "opkg_inputs"
OUTPUT_COUNTS = "opkg_outputs"
"""Attributes with the number of tensors of each declared input or output, for nodes with dynamic ones. A model needs
them only where several dynamic parameters leave it open."""


def check_counts(node: onnx.NodeProto, info: OpInfo) -> list[str]:
    """What is wrong with the numbers of a node's inputs and outputs, the end of a sentence each."""
    return [
        *_count_problems("input", list(node.input), info.inputs, _given_counts(node, INPUT_COUNTS)),
        *_count_problems("output", list(node.output), info.outputs, _given_counts(node, OUTPUT_COUNTS)),
    ]


def _count_problems(
    what: str, names: Sequence[str], params: Sequence[Param], counts: Sequence[int] | None
) -> list[str]:
    dynamic = [p.name for p in params if p.param_type == "dynamic"]
    if len(dynamic) > 1 and counts is None:
        return [f"leaves open which {what}s belong to {' and which to '.join(dynamic)}; say so in opkg_{what}s"]
    if len(names) > len(params) and not dynamic:
        return [f"has {len(names)} {what}s; the operator has {len(params)}: {info_list(params)}"]
    groups = split_groups(names, params, counts)
    if groups is None and counts is not None:
        return [f"has {len(names)} {what}s, which opkg_{what}s = {list(counts)} does not fit: {info_list(params)}"]
    if groups is None:
        return [f"has {len(names)} {what}s, too few for {info_list(params)}"]
    return [
        f"has no {what} '{p.name}', which is required"
        for p, group in zip(params, groups, strict=True)
        if p.param_type == "required" and not any(group)
    ]


def _given_counts(node: onnx.NodeProto, name: str) -> list[int] | None:
    return next((list(a.ints) for a in node.attribute if a.name == name), None)


def split_groups(
    names: Sequence[str], params: Sequence[Param], counts: Sequence[int] | None = None
) -> list[list[str]] | None:
    """The names that belong to each parameter; a single dynamic one takes what the others leave.

    Args:
        names: of a node's inputs or outputs, `""` for an absent one; absent ones at the end may be left out.
        params: what is declared.
        counts: how many belong to each, where the node says so.

    Returns:
        The names of each parameter; None where they do not fit.
    """
    if counts is None:
        others = sum(p.param_type != "dynamic" for p in params)
        has_dynamic = others < len(params)
        counts = [1 if p.param_type != "dynamic" else len(names) - others for p in params]
        if has_dynamic and len(names) < others:
            return None
    fixed_are_one = all(c == 1 or p.param_type == "dynamic" for p, c in zip(params, counts, strict=False))
    if len(counts) != len(params) or min(counts, default=0) < 0 or sum(counts) < len(names) or not fixed_are_one:
        return None
    # Optional ones at the end may be left out of a node; they are absent all the same.
    flat = iter([*names, *[""] * (sum(counts) - len(names))])
    return [[next(flat) for _ in range(count)] for count in counts]


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
    # By position, as a node may take one value in several places.
    groups = split_groups(_positions(node.input), info.inputs, _given_counts(node, INPUT_COUNTS)) or []
    wanted: list[tuple[Param, str]] = []
    for param, group in zip(info.inputs, groups, strict=True):
        given = (dtypes[int(index)] for index in group if index)
        wanted += [(param, dtype) for dtype in given if dtype is not None]
    return [column for column in range(info.columns) if all(p.dtypes[column] == dtype for p, dtype in wanted)]


def _positions(names: Sequence[str]) -> list[str]:
    """The names as their positions, `""` where one is absent."""
    return [str(index) if name else "" for index, name in enumerate(names)]


def output_dtypes(node: onnx.NodeProto, info: OpInfo, columns: Sequence[int]) -> list[str | None]:
    """The type of each of a node's outputs, where all possible columns agree on it."""
    groups = split_groups(_positions(node.output), info.outputs, _given_counts(node, OUTPUT_COUNTS)) or []
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

    Data types become their canonical names, lists of lists a JSON string, tensors a string of dtype, shape and bytes
    (`float32:2,1:0000803f00000040`); the numbers of tensors of dynamic inputs and outputs are written down.

    Returns:
        What is wrong: attributes that are not declared, missing, or do not fit their type.
    """
    declared = {attr.name: attr for attr in info.attrs}
    problems: list[str] = []
    kept = _counts(node, info)
    for attribute in node.attribute:
        if attribute.name in (INPUT_COUNTS, OUTPUT_COUNTS):
            continue
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
    # A node with a fault is shown as the user wrote it.
    if not problems:
        del node.attribute[:]
        node.attribute.extend(kept)
    return problems


def _counts(node: onnx.NodeProto, info: OpInfo) -> list[onnx.AttributeProto]:
    import onnx

    found = []
    for name, names, params in ((INPUT_COUNTS, node.input, info.inputs), (OUTPUT_COUNTS, node.output, info.outputs)):
        groups = split_groups(list(names), params, _given_counts(node, name))
        if groups is not None and any(p.param_type == "dynamic" for p in params):
            sizes = [len(group) for group in groups]
            found.append(onnx.helper.make_attribute(name, sizes, attr_type=onnx.AttributeProto.INTS))
    return found


def _python_value(attr: Attr, attribute: onnx.AttributeProto) -> Any:
    """The value of an ONNX attribute in the form that `attr` declares."""
    import onnx

    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
        return value if attr.type == "tensor" else value.tolist()
    if attr.type == "type" and isinstance(value, int):
        return dtype_name(value) or value
    if attr.type == "list_type":
        return [dtype_name(v) or v if isinstance(v, int) else _decoded(v) for v in value]
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


_ONNX_KINDS = {
    "float": "FLOAT",
    "string": "STRING",
    "type": "STRING",
    "tensor": "STRING",
    "list_float": "FLOATS",
    "list_string": "STRINGS",
    "list_type": "STRINGS",
    "list_int": "INTS",
    "list_bool": "INTS",
    "list_list_int": "STRING",
}


def _onnx_attribute(attr: Attr, value: Any) -> onnx.AttributeProto:
    import onnx

    if attr.type in ("type", "list_type") and not _are_names(value):
        raise AttrError(f"attribute '{attr.name}' is a data type's name or ONNX number, not {value!r}")
    value = attr_value(attr, value)
    if attr.type == "tensor":
        value = f"{canonical_dtype(value.dtype.name)}:{','.join(map(str, value.shape))}:{value.tobytes().hex()}"
    elif attr.type == "list_list_int":
        value = json.dumps(value, separators=(",", ":"))
    elif attr.type == "type":
        value = BY_NUMBER[value].name
    elif attr.type == "list_type":
        value = [BY_NUMBER[number].name for number in value]
    kind = getattr(onnx.AttributeProto, _ONNX_KINDS.get(attr.type, "INT"))
    return onnx.helper.make_attribute(attr.name, value, attr_type=kind)


def _are_names(value: Any) -> bool:
    return all(isinstance(v, str) for v in (value if isinstance(value, list) else [value]))
