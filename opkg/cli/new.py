"""`opkg new`: a project that builds and whose tests pass as it is."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.cli.arguments import add_json
from opkg.cli.output import print_json
from opkg.errors import UsageError

if TYPE_CHECKING:
    from opkg.opinfo import OpInfo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="the operator's type (Square), also the project's folder")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        type=Path,
        help="describe the operators by an IR json or an op-info .ini: the one called NAME, else all of them",
    )
    parser.add_argument(
        "--from-model",
        metavar="MODEL",
        type=Path,
        help="take the signature from the nodes of a model that use the operator; its domain too",
    )
    parser.add_argument("--op", metavar="TYPE", help="with --from-model: Type or domain::Type in the model (NAME)")
    parser.add_argument(
        "--input",
        metavar="X:DTYPES[:FORMATS]",
        action="append",
        default=[],
        help="an input, as x:float16,float32 or x:float32:NCHW; x? may be absent, x* is any number of tensors",
    )
    parser.add_argument("--output", metavar="Y:DTYPES[:FORMATS]", action="append", default=[], help="an output")
    parser.add_argument(
        "--shape",
        metavar="Y=SHAPE",
        action="append",
        default=[],
        help="the shape of an output that has not that of the inputs: x[:-1] or x[:-1],1 (summed along the last axis), "
        "[] or [1] (summed over all elements)",
    )
    parser.add_argument(
        "--attr",
        metavar="K:TYPE[=DEFAULT]",
        action="append",
        default=[],
        help="an attribute, as k:float=1.0 or axes:list_int=[0,1]; without a default it must be given",
    )
    parser.add_argument("--vendor", help="directory of the package under vendors/ (customize, or the model's domain)")
    parser.add_argument("--soc", default="ascend910b", help="SoCs, separated by commas (ascend910b)")
    parser.add_argument("--template", help="kind of project (operator)")
    parser.add_argument(
        "--plugin", action="store_true", help="make a Python distribution that carries the operator: --template plugin"
    )
    parser.add_argument("--output-dir", metavar="DIR", type=Path, default=Path(), help="folder to make it in (.)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make the project and say what is in it."""
    from opkg.project import new_project

    if Path(args.name).name != args.name or args.name in (".", ".."):
        raise UsageError(f"'{args.name}' is not a name", "say where to make the project with --output-dir")
    if args.plugin and args.template not in (None, "plugin"):
        raise UsageError("--plugin is a template, and so is --template", "leave out one")
    template = "plugin" if args.plugin else args.template or "operator"
    dest = args.output_dir / args.name
    plan = _plan(args)
    socs = [soc for soc in args.soc.split(",") if soc]
    files = new_project(
        dest,
        plan.infos,
        vendor=args.vendor or plan.vendor,
        soc=socs or args.soc,
        template=template,
        shapes=plan.shapes,
        domain=plan.domain,
        aliases=plan.aliases,
    )
    operators = [info.op for info in plan.infos]
    if args.json:
        found = {"project": str(dest.absolute()), "operators": operators, "files": [str(f) for f in files]}
        print_json({**found, "notes": plan.notes} if plan.notes else found)
        return 0
    import shlex

    print(f"made {dest}" if operators == [dest.name] else f"made {dest}: {', '.join(operators)}")
    for file in files:
        print(f"  {file}")
    for note in plan.notes:
        print(f"note: {note}")
    following = "pip install --no-build-isolation ." if template == "plugin" else "opkg build"
    print(f"next: cd {shlex.quote(str(dest))} && {following}")
    return 0


@dataclass(frozen=True)
class _Plan:
    """What is to be made, wherever it was described."""

    infos: list[OpInfo]
    shapes: dict[str, dict[str, str]]
    vendor: str = "customize"
    domain: str = ""
    aliases: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _plan(args: argparse.Namespace) -> _Plan:
    from opkg.project import parse_signature

    if args.source is not None and args.from_model is not None:
        raise UsageError("--from and --from-model both describe the operator", "leave out one")
    if args.op is not None and args.from_model is None:
        raise UsageError("--op names an operator of a model", "give the model with --from-model")
    if args.source is None and args.from_model is None:
        infos = [parse_signature(args.name, args.input, args.output, args.attr)]
        return _Plan(infos, _shapes(args, infos))
    if args.input or args.output or args.attr:
        option = "--from" if args.source is not None else "--from-model"
        raise UsageError(f"{option} describes the operators already", "leave out --input, --output and --attr")
    return _from_model(args) if args.source is None else _from_file(args)


def _from_file(args: argparse.Namespace) -> _Plan:
    infos = _read(args.source)
    if not infos:
        raise UsageError(f"{args.source} describes no operator")
    chosen = [info for info in infos if info.op == args.name] or infos
    return _Plan(chosen, _shapes(args, chosen))


def _from_model(args: argparse.Namespace) -> _Plan:
    """The operator's domain becomes the vendor, and stays the domain where it cannot be a vendor's name as it is."""
    from opkg.convert.frontends import read_model
    from opkg.convert.signatures import model_signature

    op = args.op or args.name
    found = model_signature(read_model(args.from_model), op)
    info = found.info
    aliases = {} if found.domain else {info.op: [f"ai.onnx::{found.opset}::{info.op}"]}
    vendor = re.sub(r"\W", "_", found.domain) if found.domain else "customize"
    shapes = {info.op: found.shapes, **_shapes(args, [info])}
    return _Plan([info], shapes, vendor, found.domain, aliases, list(found.notes))


def _shapes(args: argparse.Namespace, infos: list[OpInfo]) -> dict[str, dict[str, str]]:
    from opkg.project.shapes import parse_shapes

    if not args.shape:
        return {}
    if len(infos) > 1:
        raise UsageError("--shape is for one operator", f"{args.source} describes {len(infos)}")
    (info,) = infos
    inputs, outputs = ([param.name for param in params] for params in (info.inputs, info.outputs))
    return {info.op: parse_shapes(args.shape, inputs, outputs)}


def _read(source: Path) -> list[OpInfo]:
    from opkg.opinfo import decode, read_ini, read_ir_json

    readers = {".json": read_ir_json, ".ini": read_ini}
    if source.suffix.lower() not in readers:
        raise UsageError(f"--from {source}: neither .json nor .ini")
    return readers[source.suffix.lower()](decode(source.read_bytes(), str(source)), str(source))
