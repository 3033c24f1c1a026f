"""Whole models against ONNX Runtime, each side in processes of its own."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
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
    import onnx
    from demo import write_kernel  # the demo's own: the kernel, and how an exporter would have written the model
    from hard_swish import replace_hard_swish

    options = ["--input", "x:float32", "--output", "y:float32"]
    project = projects.scaffold("HardSwish", folder, *options)
    write_kernel(project / "op_kernel" / "hard_swish.cpp")
    projects.install(project, Path(os.environ["ASCEND_OPP_PATH"]))
    exported = onnx.load(model("ocr-rec"))
    count = replace_hard_swish(exported)
    assert count == 28, count
    changed = {op: folder / f"{op}.onnx" for op in ("HardSwish", "CopyNode")}
    for op, path in changed.items():
        for node in exported.graph.node:
            node.op_type = op if node.domain == "customize" else node.op_type
        onnx.save(exported, path)
    shape = SHAPES["ocr-rec"]
    om = convert(changed["HardSwish"], folder / "HardSwish.om", shape)
    extension = copying_extension(folder)
    theirs_argv = side("openvino", changed["CopyNode"], *shape, f"--extension={extension}")
    ours, theirs = alternate_children(side("opkg", om), theirs_argv)
    yield Row("ocr-rec with 28 custom HardSwish", "the same with copying nodes in the bare engine", ours, theirs, 1.15)


def copying_extension(folder: Path) -> Path:
    """An extension of the bare engine whose one operator copies, compiled against the engine's wheel."""
    spec = importlib.util.find_spec("openvino")
    assert spec is not None and spec.origin is not None
    wheel, out = Path(spec.origin).parent, folder / "copy_node.so"
    libraries = [next((wheel / "libs").glob(f"{name}.so.*")) for name in ("libopenvino", "libopenvino_onnx_frontend")]
    source = Path(__file__).resolve().parent / "copy_node.cpp"
    compiler = [
        os.environ.get("CXX", "g++"),
        "-std=c++17",
        "-O2",
        "-shared",
        "-fPIC",
        "-isystem",
        str(wheel / "include"),
    ]
    subprocess.run([*compiler, str(source), "-o", str(out), *map(str, libraries)], check=True)
    return out
