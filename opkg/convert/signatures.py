"""The signature of an operator, read off the nodes of a model that use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opkg.convert.dtypes import infer_dtypes
from opkg.errors import ConvertError
from opkg.opinfo import Attr, OpInfo, Param
from opkg.opinfo import values as checks
from opkg.opinfo.assemble import PlacedAttr, PlacedParam, assemble
from opkg.opinfo.source import Field, meant
from opkg.project.shapes import shape_of_sums
from opkg.runtime.graph import STANDARD_DOMAINS, subgraphs, walk

if TYPE_CHECKING:
    import onnx

_SHOWN = 12
_ATTR_TYPES = {1: "float", 2: "int", 3: "string", 4: "tensor", 6: "list_float", 7: "list_int", 8: "list_string"}


@dataclass(frozen=True)
class ModelSignature:
    """What a model says about an operator.

    Attributes:
        info: inputs, outputs, attributes and columns, merged over all nodes.
        domain: the operator's domain in the model; empty for ONNX's own.
        opset: version of that domain in the model.
        shapes: outputs that hold sums, by the shapes in the model (see `opkg.project.shapes`).
        nodes: how many nodes use the operator.
        notes: what the model does not say and was assumed, a sentence each.
    """

    info: OpInfo
    domain: str
    opset: int
    shapes: dict[str, str]
    nodes: int
    notes: tuple[str, ...]


def model_signature(model: onnx.ModelProto, op: str) -> ModelSignature:
    """The signature of the operator `op` (`Type` or `domain::Type`).

    Columns are the combinations of data types that occur. An input that some node lacks is optional; where nodes have
    several more or fewer inputs of one data type, they are one input of any number. An attribute has the value that
    all nodes give it as its default, is required where they differ, and optional where a node lacks it.

    Raises:
        ConvertError: no node is of that type (says which are near), or they contradict each other.
        OpInfoError: a name that no operator or attribute can have.
    """
    nodes = _nodes_of(model, op)
    return _Reader(model, nodes).read()


def _nodes_of(model: onnx.ModelProto, op: str) -> list[onnx.NodeProto]:
    everything = list(walk(model.graph))
    domain, separator, op_type = op.rpartition("::")
    found = [n for n in everything if n.op_type == op_type and (not separator or _same_domain(n.domain, domain))]
    if not found:
        raise ConvertError(_absent(op, everything), _present(everything))
    domains = sorted({_shown_domain(node.domain) for node in found})
    if len(domains) > 1:
        raise ConvertError(
            f"the model has operators {op_type} of several domains: {', '.join(domains)}",
            f"choose one with --op {domains[0]}::{op_type}",
        )
    return found


def _same_domain(a: str, b: str) -> bool:
    return a == b or (a in STANDARD_DOMAINS and b in STANDARD_DOMAINS)


def _shown_domain(domain: str) -> str:
    return "ai.onnx" if domain in STANDARD_DOMAINS else domain


def _absent(op: str, nodes: Sequence[onnx.NodeProto]) -> str:
    known = {node.op_type for node in nodes} | {f"{_shown_domain(node.domain)}::{node.op_type}" for node in nodes}
    return f"the model has no node of type '{op}'{meant(op, known)}"


def _present(nodes: Sequence[onnx.NodeProto]) -> str:
    """The types of the model, those of other domains than ONNX's first, as they are what people look for."""
    counts = Counter((n.domain in STANDARD_DOMAINS, f"{_shown_domain(n.domain)}::{n.op_type}") for n in nodes)
    names = [f"{name} ({count})" for (_, name), count in sorted(counts.items())]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"it has {', '.join(names[:_SHOWN])}{more}" if names else "it has no node at all"


class _Reader:
    """Merges what the nodes of one operator say."""

    def __init__(self, model: onnx.ModelProto, nodes: list[onnx.NodeProto]) -> None:
        self._model, self._nodes = model, nodes
        self._name, self._domain = nodes[0].op_type, nodes[0].domain
        self._notes: list[str] = []
        self._opset = max((o.version for o in model.opset_import if _same_domain(o.domain, self._domain)), default=1)
        self._schema = self._find_schema()
        self._stated = dict(_stated(model.graph))
        self._dtypes = infer_dtypes(model, self._custom)
        self._list_from = self._find_list()

    def read(self) -> ModelSignature:
        inputs, outputs = self._params("input"), self._params("output")
        columns = self._columns(inputs, outputs)
        place = Field(self._name, f"operator {self._name}", 0)
        checks.identifier(place, "an operator")
        params = [self._placed(param, [c[i] for c in columns]) for i, param in enumerate((*inputs, *outputs))]
        info = assemble(place, params[: len(inputs)], params[len(inputs) :], list(self._attrs()))
        shapes = self._shapes(info)
        return ModelSignature(info, self._domain, self._opset, shapes, len(self._nodes), tuple(self._notes))

    # ---- data types

    def _custom(self, node: onnx.NodeProto, inputs: Sequence[str | None]) -> Sequence[str | None] | None:
        """Outputs of operators that ONNX does not know: what the model states, else the first input's type."""
        if node.domain in STANDARD_DOMAINS:
            return None
        first = next((name for name in inputs if name), None)
        return [self._stated.get(name) or first for name in node.output]

    def _columns(self, inputs: list[_Slot], outputs: list[_Slot]) -> list[tuple[str, ...]]:
        slots = [*inputs, *outputs]
        rows = dict.fromkeys(tuple(self._dtype(node, slot) for slot in slots) for node in self._nodes)
        known = {slot: next((row[i] for row in rows if row[i]), None) for i, slot in enumerate(slots)}
        complete = dict.fromkeys(self._completed(row, [known[slot] for slot in slots]) for row in rows)
        return list(complete)

    def _completed(self, row: tuple[str | None, ...], elsewhere: Sequence[str | None]) -> tuple[str, ...]:
        """A row in which no type is missing: absent inputs have the row's first type, or that of other nodes."""
        # Most operators compute in one type, so an input that is absent would have had the others'.
        first = next((dtype for dtype in row if dtype), None) or next((d for d in elsewhere if d), None)
        if first is None:
            self._note(f"the model does not say the data types of {self._name}; float32 was assumed")
        return tuple(dtype or other or first or "float32" for dtype, other in zip(row, elsewhere, strict=True))

    def _dtype(self, node: onnx.NodeProto, slot: _Slot) -> str | None:
        names = [name for name in slot.values(node) if name]
        found = {self._dtypes[name] for name in names if name in self._dtypes}
        if slot.kind == "dynamic" and len(found) > 1:
            raise ConvertError(
                f"'{slot.name}' of {self._name} has tensors of several data types: {', '.join(sorted(found))}",
                "describe the operator with --input instead",
            )
        return next(iter(found), None)

    # ---- inputs and outputs

    def _find_schema(self) -> Any:
        import onnx

        if self._domain not in STANDARD_DOMAINS:
            return None
        try:
            return onnx.defs.get_schema(self._nodes[0].op_type, self._opset, "")
        except onnx.defs.SchemaError:
            return None

    def _find_list(self) -> int | None:
        """Number of the input that is a list: the variadic one, or the first where nodes' numbers differ widely."""
        if self._schema is not None:
            kinds = [p.option.name for p in self._schema.inputs]
            return kinds.index("Variadic") if "Variadic" in kinds else None
        counts = {len(node.input) for node in self._nodes}
        same = all(len({self._dtypes.get(name) for name in node.input}) == 1 for node in self._nodes)
        full = all(all(node.input) for node in self._nodes)
        return 0 if len(counts) > 2 and max(counts) - min(counts) > 1 and same and full else None

    def _params(self, side: str) -> list[_Slot]:
        count = max(len(getattr(node, side)) for node in self._nodes)
        last = self._list_from if side == "input" else None
        count = count if last is None else last + 1
        return [self._slot(side, i, count, i == last) for i in range(count)]

    def _slot(self, side: str, index: int, count: int, is_list: bool) -> _Slot:
        name = self._formal(side, index) or _default_name(side, index, count, is_list)
        slot = _Slot(side, index, name, "dynamic" if is_list else "required")
        there = [bool(next(iter(slot.values(node)), "")) for node in self._nodes]
        optional = not is_list and (not all(there) or self._is_optional(side, index))
        return _Slot(side, index, name, "optional") if optional else slot

    def _formal(self, side: str, index: int) -> str:
        formal = getattr(self._schema, f"{side}s", ())
        return str(formal[index].name) if index < len(formal) else ""

    def _is_optional(self, side: str, index: int) -> bool:
        formal = getattr(self._schema, f"{side}s", ())
        return index < len(formal) and formal[index].option.name == "Optional"

    def _placed(self, slot: _Slot, dtypes: list[str]) -> PlacedParam:
        place = Field(slot.name, f"{slot.side} {slot.index} of {self._name}", 0)
        checks.identifier(place, f"an {slot.side}")
        return PlacedParam(Param(slot.name, slot.kind, tuple(dtypes), ("ND",) * len(dtypes)), place, place)

    # ---- attributes

    def _attrs(self) -> Iterator[PlacedAttr]:
        names = dict.fromkeys(attr.name for node in self._nodes for attr in node.attribute)
        known = getattr(self._schema, "attributes", {})
        for name in dict.fromkeys((*names, *known)):
            place = Field(name, f"attribute {name} of {self._name}", 0)
            checks.attr_name(place)
            yield PlacedAttr(self._attr(name, known.get(name)), place)

    def _attr(self, name: str, formal: Any) -> Attr:
        given = [attr for node in self._nodes for attr in node.attribute if attr.name == name]
        kinds = {int(attr.type) for attr in given} or {int(formal.type.value)}
        if len(kinds) > 1 or not kinds <= set(_ATTR_TYPES):
            what = "several types" if len(kinds) > 1 else "a type that no operator can have"
            raise ConvertError(f"attribute '{name}' of {self._name} has {what} in the model")
        kind = _ATTR_TYPES[kinds.pop()]
        values = [_value(attr, kind) for attr in given]
        if formal is not None:
            default = _value(formal.default_value, kind) if formal.default_value.type else None
            return Attr(name, kind, "required" if formal.required else "optional", default)
        if len(values) < len(self._nodes):
            self._note(f"some nodes lack the attribute '{name}', and the model does not say what it is then")
            return Attr(name, kind, "optional")
        if any(value != values[0] for value in values):
            return Attr(name, kind)
        return Attr(name, kind, "optional", values[0]) if values[0] is not None else Attr(name, kind)

    # ---- shapes

    def _shapes(self, info: OpInfo) -> dict[str, str]:
        extents = _extents(self._model)
        found: dict[str, str] = {}
        main = next((i for i, p in enumerate(info.inputs) if p.param_type != "optional"), 0)
        for index, param in enumerate(info.outputs):
            pairs = [(extents.get(_at(n.input, main)), extents.get(_at(n.output, index))) for n in self._nodes]
            known = [pair for pair in pairs if None not in pair]
            if not known:
                self._note(f"the model does not say the shape of '{param.name}'; that of the inputs was assumed")
                continue
            rules = {shape_of_sums(info.inputs[main].name, list(a or ()), list(b or ())) for a, b in known}
            rule = rules.pop() if len(rules) == 1 else None
            if rule is None:
                self._note(f"the shape of '{param.name}' follows from no rule of --shape; that of the inputs was taken")
            elif rule:
                found[param.name] = rule
        return found

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


@dataclass(frozen=True)
class _Slot:
    """An input or output of the operator, and where nodes have it."""

    side: str
    index: int
    name: str
    kind: str

    def values(self, node: onnx.NodeProto) -> Sequence[str]:
        """The names of its tensors."""
        names: Sequence[str] = list(getattr(node, self.side))
        return names[self.index :] if self.kind == "dynamic" else names[self.index : self.index + 1]


def _default_name(side: str, index: int, count: int, is_list: bool) -> str:
    letter = "x" if side == "input" else "y"
    if is_list:
        return f"{letter}s"
    return letter if count == 1 else f"{letter}{index}"


def _at(names: Sequence[str], index: int) -> str:
    return names[index] if index < len(names) else ""


def _value(attr: onnx.AttributeProto, kind: str) -> Any:
    import numpy as np
    import onnx

    value = onnx.helper.get_attribute_value(attr)
    if kind == "string":
        return value.decode("utf-8", "replace")
    if kind == "float":
        # The model has float32: its shortest decimal is what somebody wrote, 0.1 and not 0.10000000149.
        return float(str(np.float32(value)))
    if kind == "list_float":
        return [float(str(np.float32(each))) for each in value]
    if kind == "list_string":
        return [each.decode("utf-8", "replace") for each in value]
    return None if kind == "tensor" else list(value) if kind == "list_int" else value


def _stated(graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    """The data types that a graph, and those inside it, say their values have."""
    from opkg.convert.dtypes import dtype_name

    for value in (*graph.value_info, *graph.output):
        name = dtype_name(value.type.tensor_type.elem_type)
        if name:
            yield value.name, name
    for node in graph.node:
        for inner in subgraphs(node):
            yield from _stated(inner)


def _extents(model: onnx.ModelProto) -> dict[str, tuple[Any, ...]]:
    """The shapes of values as far as ONNX infers them: numbers, names, or None for what is not known."""
    import onnx

    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except (ValueError, RuntimeError, onnx.shape_inference.InferenceError):
        graph = model.graph
    found: dict[str, tuple[Any, ...]] = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        if value.type.tensor_type.HasField("shape"):
            dims = value.type.tensor_type.shape.dim
            found[value.name] = tuple(d.dim_param or (d.dim_value if d.HasField("dim_value") else None) for d in dims)
    return found
