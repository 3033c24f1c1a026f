"""`opkg convert`: from a model to an offline model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_fields, print_json
from opkg.errors import UsageError

if TYPE_CHECKING:
    from opkg.convert import ConvertResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="an ONNX model, or what a plugin reads")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the offline model; default: MODEL with .om")
    parser.add_argument(
        "--input-shape",
        action="append",
        default=[],
        metavar="SHAPES",
        help='shapes of inputs, "x:1,3,48,320;y:1,8" or x=1,3,48,320; -1 leaves a dimension open; may be repeated',
    )
    parser.add_argument(
        "--prefer",
        action="append",
        default=[],
        metavar="TYPE",
        help="let an installed package that has this standard operator type as an alias run it; may be repeated",
    )
    parser.add_argument("--label", default="", metavar="TEXT", help="a version label to keep in the offline model")
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Convert, and print what was made."""
    from opkg.convert import convert
    from opkg.convert.shapes import parse_input_shapes

    shapes = parse_input_shapes(args.input_shape)
    output = args.output or args.model.with_suffix(".om")
    if output.resolve() == args.model.resolve():
        raise UsageError(f"the output {output} is the model itself", "name another one with -o")
    result = convert(
        args.model,
        output,
        input_shapes=shapes,
        prefer=args.prefer,
        install_path=args.install_path,
        label=args.label,
    )
    if args.json:
        print_json(as_json(result))
    else:
        _print(result)
    return 0


def as_json(result: ConvertResult) -> dict[str, Any]:
    """The result as `--json` prints it."""
    return {
        "output": result.output,
        "inputs": [info.to_dict() for info in result.inputs],
        "outputs": [info.to_dict() for info in result.outputs],
        "operators": [spec.to_dict() for spec in result.operators],
        "engine": result.engine,
        "refused": list(result.refused),
        "passes": [
            {"name": p.name, "provider": p.provider, "changed": p.changed, "error": p.error} for p in result.passes
        ],
    }


def _print(result: ConvertResult) -> None:
    fields: list[tuple[str, object]] = [("model", result.output)]
    fields += [("input", info) for info in result.inputs]
    fields += [("output", info) for info in result.outputs]
    fields += [("operator", f"{s.label}, nodes: {len(s.nodes)}") for s in result.operators]
    fields += [("engine", result.engine), *(("refused", reason) for reason in result.refused)]
    fields += [("pass", f"{p.name} ({p.provider})") for p in result.passes if p.changed]
    print_fields(fields)
