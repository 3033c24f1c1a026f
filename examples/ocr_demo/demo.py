"""Reads a line of text with a real recognition model, 28 of whose operators come from a package made on the way.

    python examples/ocr_demo/demo.py

Everything is done as a user of opkg does it: `opkg new`, `opkg build --pkg`, `opkg install`, `opkg convert`, and
`opkg.load` in Python. ONNX Runtime runs the original model for comparison.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from hard_swish import replace_hard_swish
from text_line import decode, read_characters, render, to_input

import opkg

HERE = Path(__file__).resolve().parent
REQUIREMENT = "rapidocr-onnxruntime==1.4.4"
MODEL_IN_WHEEL = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
LARGEST_DIFFERENCE = 1e-4


def main() -> int:
    parser = argparse.ArgumentParser(description="Read a line of text with opkg.")
    parser.add_argument("--text", default="Write once, run on any CPU: 3.14159", help="the line to read")
    parser.add_argument("--wheel", type=Path, help=f"the wheel of {REQUIREMENT}, instead of a download")
    parser.add_argument("--work", type=Path, help="folder to leave everything in; default: a temporary one")
    args = parser.parse_args()
    try:
        if args.work is not None:
            args.work.mkdir(parents=True, exist_ok=True)
            return demonstrate(args.text, args.wheel, args.work.resolve())
        with tempfile.TemporaryDirectory(prefix="opkg-demo-") as folder:
            return demonstrate(args.text, args.wheel, Path(folder))
    except subprocess.CalledProcessError as error:
        print(f"demo: this failed: {' '.join(error.cmd)}", file=sys.stderr)
        return 1


def demonstrate(text: str, wheel: Path | None, work: Path) -> int:
    original = fetch_model(wheel or download_wheel(), work)
    image = render(text)
    image.save(work / "line.png")
    x = to_input(image)

    model = onnx.load(original)
    replaced = replace_hard_swish(model)
    onnx.save(model, work / "custom.onnx")
    print(f"the model has {replaced} hard-swish subgraphs; each is one HardSwish node of domain 'customize' now")

    root = install_hard_swish(work)
    shape = ",".join(map(str, x.shape))
    offline_model = work / "rec.om"
    converted = [work / "custom.onnx", "-o", offline_model, "--input-shape", f"x:{shape}", "--install-path", root]
    command("convert", *converted, cwd=work)

    offline = opkg.load(offline_model, install_path=root)
    (ours,) = offline.run({"x": x}).values()
    session = onnxruntime.InferenceSession(original, providers=["CPUExecutionProvider"])
    (theirs,) = session.run(None, {"x": x})

    calls = sum(node.op_type == "HardSwish" for node in offline.custom_nodes)
    difference = float(np.abs(ours - theirs).max())
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    read = decode(ours, read_characters(metadata["character"])).strip()
    print(f"text: {read}")
    print(f"custom calls: {calls}")
    print(f"largest difference from ONNX Runtime: {difference:.2e}")
    problems = complaints(text, read, calls, difference)
    for problem in problems:
        print(f"demo: {problem}", file=sys.stderr)
    return 1 if problems else 0


def complaints(text: str, read: str, calls: int, difference: float) -> list[str]:
    """What is not as it should be."""
    checks = {
        f"it read '{read}' where the image says '{text}'": read.replace(" ", "") == text.replace(" ", ""),
        f"it ran {calls} custom operators, not 28": calls == 28,
        f"it differs by more than {LARGEST_DIFFERENCE} from ONNX Runtime": difference <= LARGEST_DIFFERENCE,
    }
    return [problem for problem, fine in checks.items() if not fine]


def install_hard_swish(work: Path) -> Path:
    """Make a project for HardSwish, build and pack it, and install it; returns the install root."""
    project = work / "HardSwish"
    shutil.rmtree(project, ignore_errors=True)
    command("new", "HardSwish", "--input", "x:float32", "--output", "y:float32", cwd=work)
    write_kernel(project / "op_kernel" / "hard_swish.cpp")
    command("build", "--pkg", cwd=project)
    (bundle,) = (project / "build_out").glob("custom_opp_*.run")
    root = work / "root"
    command("install", bundle, "--install-path", root, cwd=work)
    return root


def write_kernel(kernel: Path) -> None:
    """Put the computation of hard_swish.cpp in the place of the square that a new kernel computes."""
    before, scaffolded, after = kernel.read_text().partition("        AscendC::Mul(yLocal, xLocal, xLocal, count);\n")
    if not scaffolded:
        raise SystemExit(f"demo: {kernel} does not compute a square")
    kernel.write_text(before + (HERE / "hard_swish.cpp").read_text() + after)


def command(*words: object, cwd: Path) -> None:
    """Run one opkg command, shown as it would be typed.

    The folder is never the caller's: `python -m` takes what is there for opkg, like a source tree that is not built.
    """
    typed = [str(word) for word in words]
    print("$ opkg " + " ".join(typed), flush=True)
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "opkg", *typed], cwd=cwd, check=True)
    print(f"  ({time.monotonic() - started:.1f} s)", flush=True)


def download_wheel() -> Path:
    """The wheel that carries the model, from PyPI without its requirements; kept for the next time."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(base) / "opkg-demo"
    found = sorted(cache.glob("rapidocr_onnxruntime-1.4.4-*.whl"))
    if not found:
        cache.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        options = ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--dest", str(cache)]
        subprocess.run([*pip, *options, REQUIREMENT], check=True)
        found = sorted(cache.glob("rapidocr_onnxruntime-1.4.4-*.whl"))
    return found[0]


def fetch_model(wheel: Path, work: Path) -> Path:
    """The recognition model out of the wheel."""
    model = work / "original.onnx"
    with zipfile.ZipFile(wheel) as archive:
        model.write_bytes(archive.read(MODEL_IN_WHEEL))
    return model


if __name__ == "__main__":
    sys.exit(main())
