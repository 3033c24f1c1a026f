"""Whole models against ONNX Runtime, each side in processes of its own."""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import projects
from harness import Row, alternate_children
from public_models import SHAPES, model

SIDE = str(Path(__file__).resolve().parent / "side.py")


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        projects.use(folder / "opp")
        (folder / "opp").mkdir()
        found = list(public(folder))
        yield from found
        mean = math.exp(sum(math.log(row.figure) for row in found) / len(found))
        yield Row("geometric mean of the four models", "1.0", mean, 1.0, 0.75, note="ratios, not milliseconds")
        yield load(folder)
        yield from custom_nodes(folder)


def side(*argv: object) -> list[str]:
    """The command line of one side."""
    return [sys.executable, SIDE, *map(str, argv)]


def public(folder: Path) -> Iterator[Row]:
    """The OCR and magika models with static shapes."""
    for name, shape in SHAPES.items():
        om = convert(model(name), folder / f"{name}.om", shape)
        ours, theirs = alternate_children(side("opkg", om), side("onnxruntime", model(name), *shape))
        text = "x".join(map(str, shape))
        yield Row(f"{name}.om, {text}", "ONNX Runtime, same threads and dtype", ours, theirs, 1.6)


def convert(source: Path, om: Path, shape: tuple[int, ...]) -> Path:
    """The offline model of an ONNX model with one input of that shape."""
    import onnx

    name = onnx.load(source, load_external_data=False).graph.input[0].name
    shapes = f"{name}:{','.join(map(str, shape))}"
    projects.opkg("convert", source, "-o", om, "--input-shape", shapes, cwd=om.parent)
    return om


def load(folder: Path) -> Row:
    """Loading an offline model whose compiled form lies in the local cache, against the engine's own compilation."""
    om = folder / "ocr-rec.om"
    ours, theirs = alternate_children(
        side("opkg-load", om), side("openvino-load", model("ocr-rec"), *SHAPES["ocr-rec"])
    )
    return Row("load of ocr-rec.om with its local blob", "OpenVINO, read and compile", ours, theirs, 0.35)


def custom_nodes(folder: Path) -> Iterator[Row]:
    """OCR recognition with its 28 hard-swish as custom nodes, against the same with copying nodes there."""
    demo = Path(__file__).resolve().parent.parent / "examples" / "ocr_demo"
    sys.path.insert(0, str(demo))
    import hard_swish_model  # the demo's own: how an exporter would have written the model

    root = Path(os.environ["ASCEND_OPP_PATH"])
    projects.install(hard_swish_model.make_project(folder / "HardSwish"), root)
    projects.install(make_copy_project(folder), root)
    source = model("ocr-rec")
    oms = {}
    for op in ("HardSwish", "CopyNode"):
        changed = folder / f"{op}.onnx"
        count = hard_swish_model.rewrite(source, changed, op_type=op)
        assert count == 28, count
        oms[op] = convert(changed, folder / f"{op}.om", SHAPES["ocr-rec"])
    ours, theirs = alternate_children(side("opkg", oms["HardSwish"]), side("opkg", oms["CopyNode"]))
    yield Row("ocr-rec with 28 custom HardSwish", "the same with copying nodes", ours, theirs, 1.15)


def make_copy_project(folder: Path) -> Path:
    """A project whose operator copies its input, written as the scaffold writes kernels."""
    project = projects.scaffold("CopyNode", folder)
    kernel = project / "op_kernel" / "copy_node.cpp"
    text = kernel.read_text("utf-8")
    compute = "AscendC::Mul("
    assert text.count(compute) == 1, "the scaffold's kernel changed; say here what its computation is"
    start = text.index(compute)
    end = text.index(";", start)
    arguments = text[start + len(compute) : end - 1].split(",")
    copy = f"AscendC::Adds({arguments[0]}, {arguments[1]}, static_cast<DTYPE_X>(0), {arguments[3]})"
    kernel.write_text(text[:start] + copy + text[end:], "utf-8")
    return project
