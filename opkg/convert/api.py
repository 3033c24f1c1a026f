"""From a model file to an offline model."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg import __version__
from opkg.convert import match
from opkg.convert.bind import Kind, bind_nodes, kind_of
from opkg.convert.dtypes import dtype_name, infer_dtypes
from opkg.convert.frontends import read_model
from opkg.convert.functions import inline_functions
from opkg.convert.graph import drop_unused_domains, name_nodes
from opkg.convert.passes import PassResult, run_passes
from opkg.convert.shapes import apply_input_shapes, model_inputs
from opkg.convert.values import check_values, drop_unused
from opkg.errors import ConvertError
from opkg.plugins.types import Engine
from opkg.progress import report
from opkg.runtime import om
from opkg.runtime.engines import NodeTypes, Session, engines
from opkg.runtime.graph import full_type, walk
from opkg.runtime.operators import BoundOperator, OperatorSpec, operators_json
from opkg.runtime.session import compile_graph, keep_compiled
from opkg.runtime.signature import Signature, TensorInfo, signature_json
from opkg.runtime.weights import split_weights

if TYPE_CHECKING:
    import onnx

    from opkg.registry import Candidate, Registry


@dataclass(frozen=True)
class ConvertResult:
    """What a conversion made.

    Attributes:
        output: the offline model.
        inputs: what it takes.
        outputs: what it gives.
        operators: the custom operators in it, with the names of their nodes.
        engine: the engine that runs the rest.
        refused: why engines before that one were not taken.
        passes: what each graph pass did.
    """

    output: Path
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    operators: tuple[OperatorSpec, ...]
    engine: str
    refused: tuple[str, ...] = ()
    passes: tuple[PassResult, ...] = ()


def convert(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    prefer: Iterable[str] = (),
    install_path: str | os.PathLike[str] | None = None,
    registry: Registry | None = None,
    label: str = "",
) -> ConvertResult:
    """Convert a model and write it as an offline model.

    Args:
        model: an ONNX file, or a file that a plugin's frontend reads.
        output: the offline model to write.
        input_shapes: shapes of inputs by name; -1 leaves a dimension open.
        prefer: standard operator types to run by the installed package that lists them among its aliases.
        install_path: install root to look for operators in, instead of the default one.
        registry: the registry to use, instead of the one that belongs to `install_path`.
        label: a version label to keep in the offline model.

    Raises:
        MissingOperatorsError: nothing provides some operators; names each with its nodes and all that was looked at.
        ConvertError: the model cannot be read, a node does not fit its operator, or no engine carries it exactly.
    """
    _check_folder(Path(output))
    prefer = frozenset(prefer)  # used twice
    if registry is None:
        from opkg.registry import open_registry

        registry = open_registry(None if install_path is None else Path(install_path))
    report(f"reading {model}")
    proto = read_model(Path(model))
    report("rewriting the model")
    passes = _prepare(proto, input_shapes or {}, registry)
    bound = bind_nodes(proto, registry, prefer)
    used = drop_unused(proto.graph)  # again: what converters of plugins made may be for nothing
    drop_unused_domains(proto)
    nodes = _check_nodes(proto, bound)
    report("choosing an engine")
    engine, refused = choose_engine(proto, nodes)
    operators = _operators(proto, bound)
    options = {"input_shapes": {k: list(v) for k, v in (input_shapes or {}).items()}, "prefer": sorted(prefer)}
    report(f"compiling for {engine.name}")
    signature = _write(Path(output), proto, used, engine, operators, options, label)
    report("")
    specs = tuple(operator.spec for operator in operators)
    return ConvertResult(
        Path(output), signature.inputs, signature.outputs, specs, engine.name, tuple(refused), tuple(passes)
    )


def _check_folder(output: Path) -> None:
    """Refuse early what could not be written after minutes of work."""
    folder = output.parent
    if not os.path.isdir(folder):  # noqa: PTH112  a folder that may not be looked into is not there either
        raise ConvertError(f"{output} cannot be written: there is no folder {folder}", "make it, or check the path")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConvertError(f"{output} cannot be written: {folder} is not writable", "name another place with -o")


def _prepare(proto: onnx.ModelProto, shapes: Mapping[str, Sequence[int]], registry: Registry) -> list[PassResult]:
    inline_functions(proto, registry)
    name_nodes(proto.graph)
    apply_input_shapes(proto, shapes)
    # On a model whose functions are inlined and whose inputs have the user's shapes: what plugins look for is then
    # there.
    results = run_passes(proto)
    name_nodes(proto.graph)
    # After the passes, which are strangers' code: engines crash on a graph that uses what nothing makes.
    check_values(proto.graph)
    drop_unused(proto.graph)
    return results


def _check_nodes(proto: onnx.ModelProto, bound: Mapping[Kind, Candidate]) -> list[NodeTypes]:
    """Check every custom node against its operator; say all that is wrong in one error."""
    custom = [(node, bound[kind_of(node)].op_info) for node in walk(proto.graph) if kind_of(node) in bound]
    problems = [
        (node, problem)
        for node, info in custom
        for problem in (*match.check_counts(node, info), *match.normalize_attrs(node, info))
    ]
    _complain(problems)

    # Only now: which data type goes with which parameter is known where their numbers are right.
    def of_outputs(node: onnx.NodeProto, dtypes: Sequence[str | None]) -> Sequence[str | None] | None:
        candidate = bound.get(kind_of(node))
        if candidate is None:
            return None
        info = candidate.op_info
        return match.output_dtypes(node, info, match.matching_columns(node, info, dtypes))

    known = infer_dtypes(proto, of_outputs)
    inputs = [(node, info, [known.get(name) for name in node.input]) for node, info in custom]
    _complain([(node, problem) for node, info, given in inputs for problem in match.check_dtypes(node, info, given)])
    return [
        NodeTypes(
            node.name,
            full_type(node.domain, node.op_type),
            tuple(known.get(name) for name in (*node.input, *node.output) if name),
            tuple(tuple(p.dtypes[i] for p in (*info.inputs, *info.outputs)) for i in range(info.columns)),
        )
        for node, info, _ in inputs
    ]


def _complain(problems: Sequence[tuple[onnx.NodeProto, str]]) -> None:
    if not problems:
        return
    lines = [f"node '{node.name}' ({full_type(node.domain, node.op_type)}) {problem}" for node, problem in problems]
    more = "\n".join(f"  {line}" for line in lines[1:])
    raise ConvertError(
        lines[0] + (f"\n{more}" if more else ""),
        "see what the operator takes with: opkg info " + problems[0][0].op_type,
        code="OPKG-8102",
    )


def choose_engine(
    proto: onnx.ModelProto, nodes: Sequence[NodeTypes], available: Sequence[Engine] | None = None
) -> tuple[Engine, list[str]]:
    """The first engine that carries the model exactly, and why those before it do not.

    Raises:
        ConvertError: none does; the message has every reason.
    """
    reasons: list[str] = []
    for engine in engines() if available is None else available:
        refusals = engine.refusals(proto, nodes)
        if not refusals:
            return engine, reasons
        reasons += [f"{engine.name}: {refusal}" for refusal in refusals]
    detail = "\n".join(f"  {reason}" for reason in reasons)
    raise ConvertError(
        f"no engine carries the model exactly\n{detail}",
        "use data types that pass unchanged (float32, float16, int32, int8, uint8, bool), or cast around the node",
        code="OPKG-8103",
    )


def _operators(proto: onnx.ModelProto, bound: Mapping[Kind, Candidate]) -> list[BoundOperator]:
    nodes: dict[Kind, list[str]] = {kind: [] for kind in bound}
    for node in walk(proto.graph):
        if kind_of(node) in nodes:
            nodes[kind_of(node)].append(node.name)
    return [_operator(kind, bound[kind], names) for kind, names in sorted(nodes.items()) if names]


def _operator(kind: Kind, candidate: Candidate, nodes: Sequence[str]) -> BoundOperator:
    spec = OperatorSpec(
        domain=kind[0],
        op_info=candidate.op_info,
        vendor=candidate.vendor,
        package=candidate.name,
        version=candidate.version,
        digest=candidate.digest,
        nodes=tuple(nodes),
    )
    return BoundOperator(spec, candidate.package_root, candidate.host_library, candidate.digest)


def _write(
    output: Path,
    proto: onnx.ModelProto,
    used: Container[str],
    engine: Engine,
    operators: Sequence[BoundOperator],
    options: Mapping[str, Any],
    label: str,
) -> Signature:
    """Compile the model, write it, and keep the compiled form, so that the first load need not make it."""
    # Compiled from the very bytes that are written, so that what a load compiles later is the same.
    chunks = split_weights(proto)
    graph = proto.SerializeToString(deterministic=True)
    weights = b"".join(chunks)
    session = compile_graph(graph, memoryview(weights), engine, operators)
    signature = _signature(proto, used, session, engine)
    sections: dict[str, om.Content] = {
        om.GRAPH: graph,
        om.WEIGHTS: weights,
        om.SIGNATURE: signature_json(signature),
        om.OPERATORS: operators_json([operator.spec for operator in operators]),
        om.OPTIONS: json.dumps({"opkg": __version__, **options}, sort_keys=True, ensure_ascii=False).encode(),
        om.LABEL: label.encode(),
    }
    # Kept under what the file itself says it is, as the next load asks.
    with om.read_om(om.write_om(output, sections)) as written:
        keep_compiled(session, engine, written.digest, operators)
    return signature


def _signature(proto: onnx.ModelProto, used: Container[str], session: Session, engine: Engine) -> Signature:
    """Names are the model's, since an engine may know a value by another one of its names; the rest is the engine's."""
    inputs = model_inputs(proto.graph)
    compiled = iter(session.inputs)
    found = [_info(value, next(compiled)) if value.name in used else _unused(value) for value in inputs]
    outputs = [_info(value, one) for value, one in zip(proto.graph.output, session.outputs, strict=True)]
    return Signature(tuple(found), tuple(outputs), engine.name)


def _info(value: onnx.ValueInfoProto, compiled: tuple[str, str, tuple[int, ...] | None]) -> TensorInfo:
    _, dtype, shape = compiled
    if not dtype:
        raise ConvertError(f"'{value.name}' has a data type that opkg's models cannot take or give", code="OPKG-8104")
    return TensorInfo(value.name, dtype, shape if shape is None else tuple(shape))


def _unused(value: onnx.ValueInfoProto) -> TensorInfo:
    tensor = value.type.tensor_type
    shape = tuple(d.dim_value if d.HasField("dim_value") else -1 for d in tensor.shape.dim)
    dtype = dtype_name(tensor.elem_type) or "float32"
    return TensorInfo(value.name, dtype, shape if tensor.HasField("shape") else None, used=False)
